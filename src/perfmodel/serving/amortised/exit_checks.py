"""The price of asking whether a token may leave: checks, verifications, and where to check.

Costs are seconds of a token's parts; shares of exits are those of `early_exit`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.serving.amortised.early_exit import survival_probabilities
from perfmodel.validation import Floats, non_negative, positive, sample, whole


@dataclass(frozen=True)
class ExitCosts:
    """Seconds of the parts of a token; `layer` above 0, the others 0 or more."""

    layer: float
    """One layer for one token, above 0."""
    draft: float = 0.0
    """Naming the candidates, once a token."""
    check: float = 0.0
    """One check after a layer, 0 or more."""
    verify: float = 0.0
    """One verification of a check's answer."""
    fixed: float = 0.0
    """What each token costs with and without early exit, such as its embedding."""
    answer: float = 0.0
    """What comes after the last layer, and only for tokens that run it: a token that leaves saves
    it."""

    def __post_init__(self) -> None:
        """Refuse times that no part has."""
        positive("layer", self.layer)
        for name in ("draft", "check", "verify", "fixed", "answer"):
            non_negative(name, getattr(self, name))


def mean_exit_checks(exit_probabilities: ArrayLike, checked: Iterable[int]) -> float:
    """Return the mean checks of a token, if it is checked after each layer of `checked` it runs.

    Parameters
    ----------
    exit_probabilities : array_like, shape (layers,)
        Share of tokens that leave after each layer.
    checked : iterable of int
        Layers, 1 to L - 1: after the last there is nothing to skip.

    Examples
    --------
    All tokens meet the check after layer 1, three quarters that after layer 3:

    >>> mean_exit_checks([0.0, 0.25, 0.5, 0.25], {1, 3})
    1.75
    """
    ran = survival_probabilities(exit_probabilities)
    return float(sum(ran[layer - 1] for layer in _checked(checked, ran.size)))


def early_exit_time(
    exit_probabilities: ArrayLike,
    costs: ExitCosts,
    checked: Iterable[int],
    verifications: float | None = None,
) -> float:
    """Return the mean seconds of a token: draft, executed layers, checks, verifications, answer.

    Parameters
    ----------
    exit_probabilities : array_like, shape (layers,)
        Share of tokens that leave after each layer.
    costs : ExitCosts
        Seconds of the parts.
    checked : iterable of int
        Layers after which is checked, 1 to L - 1.
    verifications : float, optional
        Mean number a token, 0 or more; without it, one for each token that leaves early.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> costs = ExitCosts(layer=1e-3, draft=1e-3, check=1e-4)
    >>> round(early_exit_time([0.0, 0.25, 0.5, 0.25], costs, {2, 3}), 6)
    0.004175
    """
    ran = survival_probabilities(exit_probabilities)
    fires = 1 - ran[-1] if verifications is None else non_negative("verifications", verifications)
    asked = mean_exit_checks(exit_probabilities, checked)
    own = costs.draft + asked * costs.check + float(fires) * costs.verify
    own += float(ran[-1]) * costs.answer
    return float(own + ran.sum() * costs.layer + costs.fixed)


def exits_when_checked(final: ArrayLike, checked: Iterable[int]) -> Floats:
    """Return the shares of exits if only some layers are checked, and checks are never wrong.

    Parameters
    ----------
    final : array_like, shape (layers,)
        Share of tokens whose word is final after each layer, and stays so.
    checked : iterable of int
        Layers after which is checked, 1 to L - 1. A token leaves at the first of them at which its
        word is final, or else after the last layer.

    Returns
    -------
    ndarray
        Shape (layers,), sum 1.

    Examples
    --------
    >>> exits_when_checked([0.5, 0.25, 0.0, 0.25], {2})
    array([0.  , 0.75, 0.  , 0.25])
    """
    ran = survival_probabilities(non_negative("final", sample("final", final)))
    ends = [*sorted(_checked(checked, ran.size)), ran.size]
    shares, done = np.zeros(ran.size), 0.0
    for end in ends:
        known = 1.0 if end == ran.size else 1 - float(ran[end])
        shares[end - 1], done = known - done, known
    return shares


def best_checked_layers(
    final: ArrayLike, layer: float, check: float, answer: float = 0.0
) -> tuple[tuple[int, ...], float]:
    """Return after which layers to check for the shortest mean time, and that time.

    Each check on the way costs all tokens that reach it; each layer left out costs those whose
    word is final in between. The best set is a shortest path over layers: from one check to the
    next run all layers between, for the tokens whose word wasn't final at the first of the two.

    Parameters
    ----------
    final : array_like, shape (layers,)
        Share of tokens whose word is final after each layer, and stays so.
    layer : float
        Seconds of a layer, above 0.
    check, answer : float
        Seconds of a check and of the answer after the last layer, 0 or more.

    Returns
    -------
    (tuple of int, float)
        Layers, 1 to L - 1, and mean seconds of layers, checks and answer.

    Examples
    --------
    >>> layers, seconds = best_checked_layers([0.5, 0.25, 0.0, 0.25], layer=1.0, check=0.4)
    >>> layers, round(seconds, 3)
    ((1, 2), 2.6)
    """
    ran = survival_probabilities(non_negative("final", sample("final", final)))
    run = float(positive("layer", layer))
    cost, end = float(non_negative("check", check)), float(non_negative("answer", answer))
    layers = ran.size
    left = np.append(ran, 0.0)
    seconds, after = np.zeros(layers + 1), np.zeros(layers + 1, int)
    for place in range(layers - 1, -1, -1):
        ends = np.arange(place + 1, layers + 1)
        stop = np.where(ends < layers, cost, end)
        ways = left[place] * ((ends - place) * run + stop) + seconds[ends]
        after[place] = ends[np.argmin(ways)]
        seconds[place] = ways.min()
    chosen, place = [], int(after[0])
    while place < layers and left[place - 1] > 0:
        chosen.append(place)
        place = int(after[place])
    return tuple(chosen), float(seconds[0])


def _checked(checked: Iterable[int], layers: int) -> set[int]:
    places = {whole("checked", layer, 1) for layer in checked}
    if places and max(places) >= layers:
        raise ValueError(f"checked must name layers between 1 and {layers - 1}, got {max(places)}")
    return places
