"""Drawings of the topic offloading."""
