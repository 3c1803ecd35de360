"""The lab "Tülu: what thirty-three points mean"."""
