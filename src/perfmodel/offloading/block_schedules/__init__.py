"""Generation with weights and caches out of reach: in which order to compute, and what it moves."""
