"""What is printed of the learned controller, and why nothing of ours is compared with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "C. Tessler, Y. Shpigelman, G. Dalal, A. Mandelbaum, D. Haritan Kazakov, B. Fuhrer, "
    "G. Chechik, S. Mannor, 'Reinforcement learning for datacenter congestion control', AAAI 2022, "
    "arXiv:2102.09337",
    unheld="The tables that compare the learned controller with DCQCN, HPCC and SWIFT could not be "
    "read, and their packet simulator is a closed program. No controller was trained here. That "
    "flows which follow the reward end at an even share (Proposition 1) follows from the equations "
    "that ours takes from the paper: it is a test of our code and no row.",
)
