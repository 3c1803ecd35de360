"""What is printed about image servers, and why ours can't be compared with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "A. F. AbouElhamayed, S. Balle, D. Singh and M. S. Abdelfattah, 'Beyond Inference: Performance "
    "Analysis of DNN Server Overheads for Computer Vision', DAC 2024, arXiv 2403.12981",
    unheld="The abstract prints shares: up to 56 % of the latency of a medium image is not the "
    "network, large images lose about 80 % of their throughput to preprocessing, and 2.25 times "
    "the throughput of earlier work is reached. The times of the stages from which a model could "
    "recompute them are in tables that we could not read, and no measurements are published. What "
    "follows from the shares by Amdahl's law follows from arithmetic alone.",
)
