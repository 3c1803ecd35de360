"""Drawings of queues."""
