"""Published ceilings of the wrong form, compared with fits to the published curve."""

from functools import partial

from perfmodel.labs.forecasting.scalerl.curves import START, STRETCHES, power_ceiling
from perfmodel.ledger import Sheet, same_method

_BOUND = (
    "Our search has no bound and ends at an impossible pass rate. A search with the bound 1, the "
    "largest possible fraction, ends at the published value. The paper doesn't say whether its "
    "search has this bound."
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
    unheld="Table 1 is an input here, so refitting its curves would only return it. The pass rates "
    f"aren't public, and neither is the rate before training. We take it as {START:.2f} "
    f"(with {' or '.join(f'{rate:.2f}' for rate in _OTHER_STARTS)} the second ceiling is "
    f"{' or '.join(f'{ceiling:.2f}' for ceiling in _THEIR_CEILINGS)}). We trained "
    "nothing from the paper.",
)
