"""The lab "A family never seen: can a predictor of accuracy rank it?"."""
