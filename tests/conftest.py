"""Shared settings of the tests: every run draws the same random examples."""

from hypothesis import settings

settings.register_profile("course", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("course")
