"""Bounds of a serving system without a simulation: one at a time, shared, and fluid."""
