"""Files as the commands take them: pairs of times, steps of a load test, a histogram."""
