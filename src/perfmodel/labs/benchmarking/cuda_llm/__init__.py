"""The lab "Kernels found by search, and how much faster they can be (Chen et al., 2025)"."""
