"""Serving by iterations: requests, the cost of an iteration, its members, and the results."""
