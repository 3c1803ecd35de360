"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    'F. Kang, H. A. Just, A. K. Sahu, R. Jia, "Performance scaling via optimal transport: enabling '
    'data selection from partially revealed sources", NeurIPS 2023, arXiv:2307.02460',
    unheld="Every number of the paper's tables. We couldn't read them, the authors' code contains "
    "no results, and we trained no networks on CIFAR-10 and ImageNet. The two stages follow the "
    "abstract and the authors' notebook. Data, classifier and all figures are this lab's own.",
)
