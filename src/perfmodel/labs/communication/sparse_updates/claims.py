"""Why no published number is compared with this lab."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    'S. Kim et al., "Parallax: Sparsity-aware data parallel training of deep neural networks", '
    "EuroSys 2019, arXiv:1808.02621",
    unheld="The abstract says 2.8 times as fast as TensorFlow and 6.02 times as Horovod on 48 "
    "GPUs. We couldn't get the times, or the sizes and sparsity of each variable. Tests compare "
    "the counts of bytes with rows that really move.",
)
