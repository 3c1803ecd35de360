"""What the abstract of Antonopoulos (arXiv 2409.07853, 2024) says; its tables are not public."""

SAVING = (7.0, 11.0)
"""Watts less with mixed precision and other settings than in the benchmark run: from, to."""
