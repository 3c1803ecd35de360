"""Prediction: whitebox, regression, machine learning and their mixtures on the same runs."""
