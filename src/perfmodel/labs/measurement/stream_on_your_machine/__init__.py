"""The lab "STREAM on your machine: what does an abstraction cost?"."""
