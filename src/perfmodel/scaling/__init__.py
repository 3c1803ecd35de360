"""Scaling laws: what more processors, more memory or other cores can and cannot buy."""
