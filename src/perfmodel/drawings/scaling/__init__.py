"""Drawings of the topic scaling."""
