"""The lab "Two GPUs or eight?"."""
