"""Who hands in: the class and its tables, names and times, and whose a submission is."""
