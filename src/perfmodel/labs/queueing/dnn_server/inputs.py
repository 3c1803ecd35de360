"""Shares that the paper's abstract prints; it has no times of stages from which they follow.

Source: A. F. AbouElhamayed et al., "Beyond Inference: Performance Analysis of DNN Server Overheads
for Computer Vision", arXiv 2403.12981, 2024.
"""

OVERHEAD_MEDIUM = 0.56
"""Share of latency that is not the network, medium images, at most (abstract)."""
LOSS_LARGE = 0.80
"""Share of throughput that preprocessing costs, large images, about (abstract)."""
