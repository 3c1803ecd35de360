"""The published speedup of stopping early, and a search through the published curves."""

from perfmodel.labs.forecasting.nas_curve.forecasts import lossless_speedup
from perfmodel.ledger import Sheet, same_method

SHEET = Sheet(
    "B. Baker, O. Gupta, R. Raskar, N. Naik, 'Accelerating neural architecture search using "
    "performance prediction', ICLR workshop 2018, arXiv:1705.10823",
    [
        same_method(
            "largest speedup of a search through 1,000 nets that still finds the best, lines on "
            "the curve alone",
            "6",
            "abstract, up to",
            lossless_speedup,
            within=0.2,
        ),
    ],
    unheld="We couldn't read the paper's tables of explained variance. We didn't repeat its "
    "comparison with Hyperband and with curve-extrapolating models, and trained no published net.",
)
