"""The forecasting contest: law, regression, learner and last value on the same held-out runs."""
