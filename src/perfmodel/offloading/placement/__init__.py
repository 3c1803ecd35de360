"""Placement over memory tiers: the problem, and its best answer by a linear program."""
