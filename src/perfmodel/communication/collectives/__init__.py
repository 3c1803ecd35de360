"""Collectives: schedules of rounds that move real arrays, and what they cost."""
