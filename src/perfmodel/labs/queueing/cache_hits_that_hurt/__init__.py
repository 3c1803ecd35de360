"""The lab "Cache hits that hurt"."""
