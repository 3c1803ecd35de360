"""The published claim about the controllers, compared with this lab's value."""

from perfmodel.labs.prediction.models_in_learners.congestion_contest import trained_ends_even
from perfmodel.ledger import Sheet, trend

SHEET = Sheet(
    "C. Tessler, Y. Shpigelman, G. Dalal, A. Mandelbaum, D. Haritan Kazakov, B. Fuhrer, "
    "G. Chechik, S. Mannor, 'Reinforcement learning for datacenter congestion control', AAAI 2022, "
    "arXiv:2102.09337",
    [
        trend(
            "fairness of 2, 16 and 64 flows, controllers of eight seeds trained here with its "
            "reward",
            "the fixed point is an even share for every flow",
            "Proposition 1",
            trained_ends_even,
        ),
    ],
    unheld="The packet simulator of the paper is a closed program, and its tables could not be "
    "read. None of its numbers is about a controller without the square root, so the loss "
    "without it can't be compared with a published value. The tiles are our own "
    "measurements.",
)
"""One row. The lab's subject, the loss without a model, has no published value."""
