"""Labs of the topic forecasting."""
