"""Predictors of all families on the same rows: data sets, splits, measures and contests."""
