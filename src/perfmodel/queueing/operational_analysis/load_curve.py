"""What the steps of a load test determine: knee, saturation, capacity, and no more than that.

Little's law needs no assumption: N users who think for Z and wait for R send X = N / (R + Z)
requests a second. The bottleneck's capacity is seen only if throughput stops growing; before that
the steps bound it from below. The Universal Scalability Law interpolates and never extrapolates.

Source: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978 (the laws and the saturation point N*).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.scaling.usl import UslFit, fit_usl
from perfmodel.validation import Floats, non_negative, one_number, positive, sample

_FLAT = 0.1
"""Relative growth of throughput over that of the load below which it has stopped growing."""
_MORE = 1.03
"""Throughput per user above that of a smaller load by this is growth faster than linear."""
_POOR = 0.1
"""Root mean square of the relative residuals above which the law doesn't describe the steps."""
_BESIDE = 1.05
"""More requests inside than users, by this: Little's law doesn't hold."""


class Between(NamedTuple):
    """A value with the ends of its interval; None where nothing is known."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class LoadCurve:
    """Steps of a load test in the order of the load, and what follows from them."""

    users: Floats
    throughput: Floats
    """Requests per second."""
    response: Floats | None
    """Seconds; None if it wasn't measured."""
    think_time: Between | None
    """Seconds between an answer and the next request: median and range over the steps, by Little's
    law. None without response times."""
    contradicts: bool
    """Whether some step holds more requests than users, which Little's law excludes."""
    superlinear: tuple[float, float] | None
    """Loads between which throughput grows faster than the load."""
    saturated: bool
    """Whether throughput stops growing within the steps."""
    capacity: Between
    """Highest throughput; only a lower end if the steps don't saturate."""
    saturation_users: Between
    """N*, where the lines of light and of heavy load meet; only a lower end likewise, and nothing
    from fewer than three loads."""
    base: float
    """Smallest load that the law is fitted from: the law's load 1."""
    fit: UslFit | None
    """The Universal Scalability Law over loads / `base`; None if the steps don't determine it."""
    why_no_fit: str
    """A sentence, empty if there is a fit."""

    def predict(self, users: float) -> Between:
        """Return the throughput at a load, in requests per second.

        Parameters
        ----------
        users : float
            Above 0. Within the fitted steps the law interpolates, and the interval is of one
            further measurement. Beyond them only the straight line bounds it, from above.
        """
        load = one_number("users", users, positive)
        if self.fit is not None and self.base <= load <= self.users[-1]:
            band = self.fit.predict(load / self.base, new_observation=True)
            low = max(0.0, float(band.low))
            return Between(float(band.throughput), low, float(band.high))
        if load > self.users[-1]:
            return Between(None, None, float(self.throughput[-1] * load / self.users[-1]))
        return Between(None, None, None)

    def users_within(self, limit: float) -> Between:
        """Return how many users keep the response time at a limit or below.

        Parameters
        ----------
        limit : float
            Seconds, 0 or more.

        Returns
        -------
        Between
            From the last step that keeps it to the first that doesn't, interpolated linearly; open
            where no step breaks it or the first one does already.

        Raises
        ------
        ValueError
            If response times weren't measured.
        """
        most = one_number("limit", limit, non_negative)
        if self.response is None:
            raise ValueError("response must be given to compare it with a limit, got None")
        late = self.response > most * (1 + 1e-9)
        if not late.any():
            return Between(None, float(self.users[-1]), None)
        first = int(late.argmax())
        if first == 0:
            return Between(None, None, float(self.users[0]))
        ends, times = self.users[first - 1 : first + 1], self.response[first - 1 : first + 1]
        value = float(np.interp(most, times, ends))
        return Between(value, float(ends[0]), float(ends[1]))


def read_load_curve(
    users: ArrayLike,
    throughput: ArrayLike,
    response: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> LoadCurve:
    """Return what the steps of a closed load test determine.

    Parameters
    ----------
    users : array_like, shape (n,)
        Users who send their next request when the last is answered, above 0; in any order, a load
        may occur several times.
    throughput : array_like, shape (n,)
        Requests per second, above 0.
    response : array_like, shape (n,), optional
        Mean response times in seconds, above 0.
    confidence : float
        Level of the law's intervals, above 0 and below 1.

    Raises
    ------
    ValueError
        If an argument is out of range or the lengths differ.

    Examples
    --------
    >>> curve = read_load_curve([1, 2, 4, 8, 16, 32], [9.9, 19.5, 37, 60, 66, 66])
    >>> curve.saturated, round(curve.saturation_users.value, 1)
    (True, 6.7)
    """
    n = positive("users", sample("users", users))
    x = _as_many("throughput", throughput, n)
    r = None if response is None else _as_many("response", response, n)
    level = check_level(confidence)
    order = np.lexsort((x, n))
    n, x = n[order], x[order]
    r = None if r is None else r[order]
    loads = np.unique(n)
    means = np.array([x[n == load].mean() for load in loads])
    think = None if r is None else n / x - r
    begins, ends = _superlinear(loads, means)
    fit, why_not = _law(n[n >= ends], x[n >= ends], level)
    flat = _saturates(loads, means)
    shortest, most = float((loads / means).min()), float(means.max())
    knee = shortest * most
    reach = 0.0 if fit is None else 2 * sqrt(float(np.mean((fit.residuals / x[n >= ends]) ** 2)))
    return LoadCurve(
        users=n,
        throughput=x,
        response=r,
        think_time=None if think is None else _spread(np.maximum(think, 0.0)),
        contradicts=r is not None and bool((x * r > _BESIDE * n).any()),
        superlinear=(begins, ends) if ends > loads[0] else None,
        saturated=flat,
        capacity=_known(most, reach, flat, fit is not None),
        saturation_users=_known(knee, sqrt(2) * reach, flat, fit is not None)
        if loads.size > 2
        else Between(None, None, None),
        base=ends,
        fit=fit,
        why_no_fit=why_not,
    )


def _as_many(name: str, values: ArrayLike, users: Floats) -> Floats:
    array = positive(name, sample(name, values))
    if array.size != users.size:
        raise ValueError(
            f"{name} must have one value for each of {users.size} users, got {array.size}"
        )
    return array


def _superlinear(loads: Floats, means: Floats) -> tuple[float, float]:
    """Return the range in which throughput per user grows; both ends are equal if it doesn't."""
    each = means / loads
    best = int(each.argmax())
    if each[best] <= _MORE * each[0]:
        return float(loads[0]), float(loads[0])
    return float(loads[int(each[:best].argmin())]), float(loads[best])


def _saturates(loads: Floats, means: Floats) -> bool:
    if loads.size < 3:
        return False
    if means[-1] < means.max():
        return True
    return log(means[-1] / means[-2]) < _FLAT * log(loads[-1] / loads[-2])


def _known(value: float, reach: float, saturated: bool, fitted: bool) -> Between:
    if not saturated:
        return Between(None, value, None)
    if not fitted:
        return Between(value, None, None)
    return Between(value, value * max(0.0, 1 - reach), value * (1 + reach))


def _spread(values: Floats) -> Between:
    return Between(float(np.median(values)), float(values.min()), float(values.max()))


def _law(n: Floats, x: Floats, level: float) -> tuple[UslFit | None, str]:
    different = np.unique(n).size
    if n.size < 4 or different < 3:
        return None, f"The law needs 4 steps at 3 loads, and there are {n.size} at {different}."
    fit = fit_usl(n / n[0], x, level)
    misfit = sqrt(float(np.mean((fit.residuals / x) ** 2)))
    if misfit > _POOR:
        return None, f"The law misses the steps by {100 * misfit:.0f} %, so it isn't used."
    return fit, ""
