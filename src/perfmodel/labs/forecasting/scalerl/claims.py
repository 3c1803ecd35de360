"""What the paper prints of the wrong form, beside the same fits to its own fitted curve."""

from functools import partial

from perfmodel.labs.forecasting.scalerl.curves import power_ceiling
from perfmodel.labs.forecasting.scalerl.inputs import STRETCHES
from perfmodel.ledger import Sheet, same_method

_BOUND = (
    "Our search is free, and goes on to a pass rate that can't be. One that is held to 1, the most "
    "that a share can be, ends there, at the printed value; the paper doesn't say whether its "
    "search was held."
)

SHEET = Sheet(
    "D. Khatri and others, 'The art of scaling reinforcement learning compute for LLMs', "
    "arXiv:2510.13786, 2025",
    [
        same_method(
            f"ceiling of a power law fitted to {start / 1e3:g} to {end / 1e3:g} thousand "
            "GPU-hours of the run of 100,000",
            printed,
            "appendix A.4",
            partial(power_ceiling, start, end),
            within=0.05,
            miss=miss,
        )
        for (start, end), printed, miss in zip(
            STRETCHES, ("1.0", "0.74", "0.65"), (_BOUND, "", ""), strict=True
        )
    ],
    unheld="Table 1 is the input here: refitting points made from it would give it back. The pass "
    "rates themselves aren't public, nor is the rate before training, which we take as 0.40 (with "
    "0.30 or 0.45 the second ceiling is 0.80 or 0.73). Nothing of the paper was trained.",
)
