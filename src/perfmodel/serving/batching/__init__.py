"""Serving by iterations: requests, what an iteration costs, who is in it, and what comes out."""
