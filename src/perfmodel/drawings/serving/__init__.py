"""Drawings of serving: what a server does in its iterations."""
