"""Drawings of the topic forecasting."""
