"""Why no row of this lab can be compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "C. Xu, K. Chen, X. Li, K. Shen, C. Li, 'Unveiling downstream performance scaling of LLMs: a "
    "clustering-based perspective', ICLR 2026, arXiv:2502.17262",
    unheld="The published errors (1.55 points on average with clusters and map, 5.29 by way of the "
    "loss) belong to a model of 70 billion parameters and eight smaller ones. Only the authors "
    "have them, and no pass rates are public. Our benchmark is made up. Its errors, and the order "
    "of the methods on it, show how the method works, but can't be compared with the published "
    "errors. The tests check the curve, its ceiling and the mean of two exponentials by hand.",
)
