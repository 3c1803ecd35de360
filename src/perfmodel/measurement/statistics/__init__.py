"""What samples can say: intervals, tests, comparisons, resolution, and what is wrong with them."""
