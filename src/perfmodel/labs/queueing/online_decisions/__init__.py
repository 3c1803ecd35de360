"""The lab "Online decisions: before the future is known"."""
