"""What Proposition 1 states, beside flows that nobody told where to end."""

from perfmodel.labs.communication.rl_congestion.experiments import even_shares
from perfmodel.ledger import Sheet, trend

SHEET = Sheet(
    "C. Tessler, Y. Shpigelman, G. Dalal, A. Mandelbaum, D. Haritan Kazakov, B. Fuhrer, "
    "G. Chechik, S. Mannor, 'Reinforcement learning for datacenter congestion control', AAAI 2022, "
    "arXiv:2102.09337",
    [
        trend(
            "rates of 2 to 1,024 flows after 10,000 steps from random ones, constants of RLCC",
            "the fixed point is an even share, 1/N of the line rate",
            "Proposition 1",
            even_shares,
        ),
    ],
    unheld="The tables that compare the learned controller with DCQCN, HPCC and SWIFT could not be "
    "read, and their packet simulator is a closed program. No controller was trained here.",
)
