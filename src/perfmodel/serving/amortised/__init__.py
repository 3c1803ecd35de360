"""Paying less for an answer: leaving early, guessing ahead, working ahead, and choosing a size."""
