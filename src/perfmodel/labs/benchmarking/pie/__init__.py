"""The lab "A program timed against itself: how noise becomes a speedup"."""
