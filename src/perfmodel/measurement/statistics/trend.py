"""Is there a trend in samples that resemble their neighbours? What they are worth, slope, p-value.

Kendall's test takes samples as independent. On a machine that switches between two speeds they are
not, and a trend is then found where there is no drift: so the test is made with as many samples as
they are worth.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from perfmodel.validation import Floats

MAX_PAIRED = 2000
"""Samples all of whose pairs are looked at; more are taken by the medians of `BLOCKS` blocks."""
BLOCKS = 500


def theil_sen_slope(times: Floats) -> float:
    """Return the median slope over all pairs of samples, in seconds a sample.

    >>> theil_sen_slope(np.array([1.0, 2.0, 3.0, 4.0, 50.0]))
    1.0
    """
    if times.size <= MAX_PAIRED:
        return float(stats.theilslopes(times, np.arange(times.size))[0])
    blocks = np.array_split(times, BLOCKS)
    sizes = np.array([block.size for block in blocks])
    middles = np.cumsum(sizes) - sizes / 2
    return float(stats.theilslopes([np.median(block) for block in blocks], middles)[0])


def effective_sample_size(times: Floats, slope: float) -> float:
    """Return the effective sample size of `times`, in the order taken, after removing their trend.

    The residuals of a straight line with this slope count. If a curve leaves nearly independent
    samples, such as for a machine that is warm halfway through, its residuals count instead.
    """
    order, ranks = np.arange(times.size), stats.rankdata(times)
    straight = _independent(times - slope * order)
    curved = _independent(ranks - np.polyval(np.polyfit(order, ranks, 2), order))
    return max(straight, curved) if curved >= times.size / 2 else straight


def trend_p_value(kendall: float, n: float) -> float:
    """Return the p-value of Kendall's coefficient over `n` independent samples, by Student's t.

    >>> round(trend_p_value(0.3, 40), 3), round(trend_p_value(0.3, 10), 3)
    (0.01, 0.262)
    """
    scores = 3 * abs(kendall) * np.sqrt(n * (n - 1) / (2 * (2 * n + 5)))
    return float(2 * stats.t.sf(scores, max(n - 2, 1.0)))


def _independent(residuals: Floats) -> float:
    """Return the number of independent samples that these are worth, at most as many as they are.

    The autocorrelations of their ranks are summed in pairs of lags for as long as these are above
    0 (Geyer 1992, initial positive sequence); noise at longer lags stays out.
    """
    if np.ptp(residuals) == 0:
        return float(residuals.size)
    ranks = stats.rankdata(residuals) - (residuals.size + 1) / 2
    power = np.abs(np.fft.rfft(ranks, 2 * ranks.size)) ** 2
    alike = np.fft.irfft(power)[: ranks.size // 2 * 2] / (ranks @ ranks)
    pairs = alike.reshape(-1, 2).sum(axis=1)
    last = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else pairs.size
    return float(ranks.size / max(1.0, 2 * pairs[:last].sum() - 1))
