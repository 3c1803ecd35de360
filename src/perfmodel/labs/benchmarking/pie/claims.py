"""The published results for identical programs, compared with our 500 pairs."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.benchmarking.pie.record import null_ratios
from perfmodel.ledger import Sheet, same_method

_WHERE = "sections 2 and 3, identical programs timed with hyperfine"
NULL = [
    same_method(
        "mean speedup of a program against itself, 500 pairs",
        "1.12",
        _WHERE,
        lambda: float(null_ratios().mean()),
        within=0.1,
    ),
    same_method(
        "standard deviation of the speedup of a program against itself, 500 pairs",
        "0.36",
        _WHERE,
        lambda: float(null_ratios().std(ddof=1)),
        within=0.25,
        miss="Our machine was very busy, with 20 processes on 2 cores. Long pauses hit ten of the "
        "500 pairs. Without these ten the value is 0.40.",
    ),
    same_method(
        "speedup of a program against itself that one pair in 20 exceeds, 500 pairs",
        "1.91",
        _WHERE,
        lambda: float(np.quantile(null_ratios(), 0.95)),
        within=0.25,
    ),
]

SHEET = Sheet(
    "A. Shypula, A. Madaan, Y. Zeng, U. Alon, J. Gardner, M. Hashemi, G. Neubig, P. Ranganathan, "
    "O. Bastani, A. Yazdanbakhsh, 'Learning performance-improving code edits', ICLR 2024, "
    "arXiv:2302.07867; project page pie4perf.com",
    NULL,
    unheld="Scores of language models (per cent optimized, speedup, per cent correct, with one "
    "and with eight samples) need the models and the gem5 simulator, which we didn't run. The "
    "paper doesn't publish the correlation of two samples of one program, which we compute.",
)
