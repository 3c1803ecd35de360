"""Prediction: whitebox, regression, machine learning and their mixtures on the same runs."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
