"""Published numbers on image servers, and why no row compares with them."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "A. F. AbouElhamayed, S. Balle, D. Singh and M. S. Abdelfattah, 'Beyond Inference: Performance "
    "Analysis of DNN Server Overheads for Computer Vision', DAC 2024, arXiv 2403.12981",
    unheld="The abstract gives three numbers: up to 56 % of the latency of a medium image is not "
    "the network, large images lose about 80 % of their throughput to preprocessing, and the "
    "authors reach 2.25 times the throughput of earlier work. The times of the stages are in "
    "tables that we could not read, and no measurements are published. What follows from the "
    "fractions by Amdahl's law is arithmetic.",
)
