"""Why no published number of the learned controller is compared with this lab."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "C. Tessler, Y. Shpigelman, G. Dalal, A. Mandelbaum, D. Haritan Kazakov, B. Fuhrer, "
    "G. Chechik, S. Mannor, 'Reinforcement learning for datacenter congestion control', AAAI 2022, "
    "arXiv:2102.09337",
    unheld="We couldn't read the tables that compare the learned controller with DCQCN, HPCC and "
    "SWIFT, and the packet simulator is a closed program. We trained no controller. Flows that "
    "follow the reward end at an even share (Proposition 1). This follows from equations that we "
    "take from the paper, so it tests our code and is no row.",
)
