"""The lab "How much of a chip should be memory?"."""
