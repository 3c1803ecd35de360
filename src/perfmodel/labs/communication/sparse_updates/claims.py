"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    'S. Kim et al., "Parallax: Sparsity-aware data parallel training of deep neural networks", '
    "EuroSys 2019, arXiv:1808.02621",
    unheld="The abstract's headline, 2.8 times as fast as TensorFlow and 6.02 times as Horovod on "
    "48 GPUs: neither their times nor the sizes and sparsity of each variable were to be had. The "
    "counts of bytes are held in tests against rows that are really moved.",
)
