"""The lab "Frontier: where to cut a trillion parameters"."""
