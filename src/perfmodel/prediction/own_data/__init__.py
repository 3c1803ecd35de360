"""The contest on a reader's own table of runs."""
