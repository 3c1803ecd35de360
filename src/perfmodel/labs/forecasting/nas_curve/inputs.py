"""How the search is set up: the nets learned from, and the certainties that are tried."""

FIRST = 100
"""Nets that are trained to the end before any is stopped; Baker et al. 2017, section 4."""
CERTAINTIES = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Chances of losing at which a run is stopped."""
