"""What the paper prints of the wrong form, beside the same fits to its own fitted curve."""

from functools import partial

from perfmodel.labs.forecasting.scalerl.curves import START, STRETCHES, power_ceiling
from perfmodel.ledger import Sheet, same_method

_BOUND = (
    "Our search is free, and goes on to a pass rate that can't be. One that is held to 1, the most "
    "that a share can be, ends there, at the printed value; the paper doesn't say whether its "
    "search was held."
)

_OTHER_STARTS = (0.30, 0.45)
"""Pass rates before training that could have been taken as well."""
_THEIR_CEILINGS = [power_ceiling(*STRETCHES[1], start_rate=rate) for rate in _OTHER_STARTS]

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
    f"rates themselves aren't public, nor is the rate before training. We take it as {START:.2f} "
    f"(with {' or '.join(f'{rate:.2f}' for rate in _OTHER_STARTS)} the second ceiling is "
    f"{' or '.join(f'{ceiling:.2f}' for ceiling in _THEIR_CEILINGS)}). Nothing of the paper was "
    "trained.",
)
