"""The published accuracy of Faerman, Su, Wolski and Berman (1999), compared with this lab's."""

import numpy as np

from perfmodel.labs.prediction.adrm.regression import benchmark
from perfmodel.ledger import Sheet, same_method


def _accuracy() -> float:
    return 1 - float(np.mean(benchmark()["sliding"]))


SHEET = Sheet(
    "Faerman, Su, Wolski and Berman, 'Adaptive performance prediction for distributed "
    "data-intensive applications', SC 1999, DOI 10.1145/331532.331568, and its technical report",
    [
        same_method(
            "accuracy of adaptive regression (1 - mean relative error), here on made-up transfers",
            "88 %",
            "technical report, abstract: 88 % or better",
            _accuracy,
            # A third of the printed error of 12 %: a noisier or a quieter network than theirs.
            within=0.045,
        )
    ],
    unheld="The transfers of 1999 are not public, and the abstracts report one number. We compare "
    "it with the method on a made-up trace, whose noise is a choice of this course. A "
    "similar accuracy shows that the method can reach it with noise of this size, not that "
    "the authors' network was similar.",
)
