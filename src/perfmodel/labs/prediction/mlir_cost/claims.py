"""The source on MLIR, and the reason why none of its numbers is compared."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "D. Das and S. Mannarswamy, 'ML-driven Hardware Cost Model for MLIR', arXiv:2302.11405, 2023",
    unheld="All of it: programs, compiler and accelerator are Intel's and not public, and "
    "second-hand accounts of the accuracy differ. The programs and labels of this lab are "
    "made up, or come from Python.",
)
