"""The lab "Build a simulator"."""
