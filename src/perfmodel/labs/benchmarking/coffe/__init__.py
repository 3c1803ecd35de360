"""The lab "Coffe: count instead of time (Peng et al., 2025)"."""
