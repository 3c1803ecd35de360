"""The lab "Five questions: an experiment for each"."""
