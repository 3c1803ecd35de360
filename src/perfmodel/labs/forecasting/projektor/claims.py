"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    'F. Kang, H. A. Just, A. K. Sahu, R. Jia, "Performance scaling via optimal transport: enabling '
    'data selection from partially revealed sources", NeurIPS 2023, arXiv:2307.02460',
    unheld="Every number of the paper's tables: they could not be read here, the authors' code "
    "holds no results, and networks on CIFAR-10 and ImageNet were not trained. The two stages are "
    "theirs, from the abstract and the authors' notebook; data, classifier and all figures are "
    "this lab's own.",
)
