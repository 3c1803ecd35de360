"""Roofline and memory: what bounds a computation when data must move to be worked on."""
