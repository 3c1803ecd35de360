"""Why no row of this lab can be compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "N. Schneider et al., 'MPIrigen: MPI Code Generation through Domain-Specific Language Models', "
    "AI4Sys 2024, DOI 10.1145/3660605.3660944, arXiv 2402.09126",
    unheld="The published scores, such as 'up to 0.8' for places and functions and 'more than 0.9' "
    "for arguments, need the authors' released predictions. Their repository states no licence, so "
    "the file isn't part of this project. If an instructor supplies it, the notebook scores it. "
    "The counts of Table 1 are an input here. The paper has no one-to-one scores, no made-up "
    "programs and no costs of broadcasts. We computed them, and the tests check them.",
)
