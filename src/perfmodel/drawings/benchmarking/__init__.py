"""Drawings about benchmarks."""
