"""Why no row of this lab can be compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "C. Xu, K. Chen, X. Li, K. Shen, C. Li, 'Unveiling downstream performance scaling of LLMs: a "
    "clustering-based perspective', ICLR 2026, arXiv:2502.17262",
    unheld="The printed errors (1.55 points on average with clusters and map, 5.29 by way of the "
    "loss) are of a model of 70 billion parameters and eight smaller ones that only the authors "
    "have; no pass rates are public. Our benchmark is made up, so that its errors, and the order "
    "of the methods on it, say how the method works and nothing about theirs. The law, its "
    "ceiling and the mean of two exponentials are checked by hand in the tests.",
)
