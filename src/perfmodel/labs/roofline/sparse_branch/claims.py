"""What Zouzias et al. (2022) print about sparse branch prediction: nothing that ours can reach."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Zouzias, Kalaitzidis, Berestizshevsky, Andri, Peled and Wang, 'Identifying and exploiting "
    "sparse branch correlations for optimizing branch prediction', arXiv 2207.14033, 2022",
    unheld="The abstract prints up to 42 % fewer misses, 2.3 % on average, for 2 KB of extra "
    "storage. Both savings belong to traces that are not public and to a baseline predictor that "
    "we don't have. Our trace is made, with two bits that matter: that a sparse model finds these "
    "two, and misses least, was decided when it was made (for an exclusive or of the two it is no "
    "better than a coin), so it is a test and no claim. What 42 % fewer misses mean for the speed "
    "of a program, and how many sparse models fit in 2 KB, are sums of ours that nobody printed.",
)
