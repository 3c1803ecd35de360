"""The lab "A model that keeps learning: adaptive regression"."""
