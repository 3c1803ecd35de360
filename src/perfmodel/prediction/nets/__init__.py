"""Learned nets, trained from scratch on a processor, and their recorded scores."""
