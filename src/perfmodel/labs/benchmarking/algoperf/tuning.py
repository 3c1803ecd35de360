"""What a median of minima says: a reported time is the best of five, and the middle of three."""

from __future__ import annotations

import scipy
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, whole, within


def chance_of_score(success: ArrayLike, studies: int = 3, trials: int = 5) -> Floats:
    """Return the probability that the median over studies of the best trial is finite.

    `success` is the probability that a single trial reaches the target; `studies` is odd.

    >>> print(chance_of_score([0.25, 0.5]).round(3))
    [0.858 0.997]
    """
    count = whole("studies", studies, 1)
    if count % 2 == 0:
        raise ValueError(f"studies must be odd, so that one is in the middle, got {studies!r}")
    study = 1 - (1 - within("success", success, 0, 1)) ** whole("trials", trials, 1)
    found: Floats = scipy.special.bdtrc(count // 2, count, study)
    return found
