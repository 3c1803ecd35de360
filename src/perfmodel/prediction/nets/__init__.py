"""Learned nets, trained from scratch on a processor."""
