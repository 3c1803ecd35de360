"""One station: formulas and exact methods for its queue."""
