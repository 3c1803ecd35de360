"""Accuracy against cost: which settings are worth having, and what an accuracy costs.

A setting is a model with the length of its answers, a number of samples, a budget: anything that
has a cost and an accuracy. One that costs no less and answers no better than another isn't worth
having; those that are left are the frontier.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, sample


def efficient_settings(cost: ArrayLike, accuracy: ArrayLike) -> np.ndarray:
    """Return the places of the settings that no other one beats, by rising cost.

    A setting is beaten by another that costs no more and is no less accurate, and better in one of
    the two; of equal settings the first is kept.

    Parameters
    ----------
    cost : array_like, shape (n,)
        Above 0, any unit.
    accuracy : array_like, shape (n,)
        Higher is better.

    Returns
    -------
    ndarray of int, shape (m,)
        Along it both cost and accuracy rise.

    Raises
    ------
    ValueError
        If a cost is not above 0, or there is not one accuracy to each.

    Examples
    --------
    >>> efficient_settings([3.0, 1.0, 2.0, 2.0], [0.7, 0.5, 0.4, 0.6])
    array([1, 3, 0])
    """
    costs, accuracies = _pairs(cost, accuracy)
    order = np.lexsort((-accuracies, costs))
    best = np.maximum.accumulate(accuracies[order])
    better = np.append(True, accuracies[order][1:] > best[:-1])
    return np.asarray(order[better])


def cheapest_reaching(cost: ArrayLike, accuracy: ArrayLike, target: float) -> int | None:
    """Return the place of the cheapest setting with an accuracy of `target`; None if none has it.

    `cost`, `accuracy` and errors are those of `efficient_settings`; more accuracy than `target` is
    welcome.

    >>> cheapest_reaching([3.0, 1.0, 2.0], [0.7, 0.5, 0.6], 0.55)
    2
    """
    costs, accuracies = _pairs(cost, accuracy)
    wanted = float(finite("target", target))
    kept = [
        int(place) for place in efficient_settings(costs, accuracies) if accuracies[place] >= wanted
    ]
    return kept[0] if kept else None


def curve_crossings(cost: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the costs at which two curves of accuracy cross.

    Parameters
    ----------
    cost : array_like, shape (n,)
        Rising, above 0, common to both curves; between its values accuracy is taken as a straight
        line over the cost's logarithm.
    first, second : array_like, shape (n,)
        Accuracies.

    Returns
    -------
    ndarray
        Rising; empty where one curve lies above the other throughout. Curves that only touch
        don't cross; where they run together before they part, the place at which they meet.

    Raises
    ------
    ValueError
        If costs don't rise, or the shapes differ.

    Examples
    --------
    >>> print(curve_crossings([1, 100], [0.1, 0.5], [0.2, 0.4]).round(6))
    [10.]
    """
    costs, ahead = _pairs(cost, first, "first")
    _, behind = _pairs(cost, second, "second")
    if (np.diff(costs) <= 0).any():
        raise ValueError(f"cost must rise, got {cost!r}")
    gap = ahead - behind
    told = np.flatnonzero(gap)
    here, there = told[:-1], told[1:]
    turned = gap[here] * gap[there] < 0
    here, there = here[turned], there[turned]
    share = gap[here] / (gap[here] - gap[there])
    places = np.log(costs)
    between = np.exp(places[here] + share * (places[there] - places[here]))
    return np.asarray(np.where(there > here + 1, costs[here + 1], between))


def _pairs(cost: ArrayLike, accuracy: ArrayLike, name: str = "accuracy") -> tuple[Floats, Floats]:
    costs = positive("cost", sample("cost", cost))
    accuracies = sample(name, accuracy)
    if costs.size != accuracies.size:
        raise ValueError(
            f"{name} must be {costs.size} values, one for each cost, got {accuracies.size}"
        )
    return costs, accuracies
