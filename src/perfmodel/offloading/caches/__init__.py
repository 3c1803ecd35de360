"""Caches: replacement over traces, stack distances in one pass, and the characteristic time."""
