"""Which layers to ask: schedules, and how often the layer at which a token left was among them.

The logs name the layers at which tokens did leave. Tokens can only leave where the released code
asked, so that a schedule like its own is bound to look good: what would have been possible at
other layers isn't in the logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from perfmodel.labs.serving.specee.inputs import FIXED, LAYERS, NEIGHBOURS, WINDOW
from perfmodel.labs.serving.specee.logs import Ints, exits
from perfmodel.validation import Floats, whole

LAST = LAYERS["7B"]
Schedule = Callable[[Ints], set[int]]
"""Takes the exits of a prompt's tokens so far and returns the layers to ask, 1 to 31."""
RELEASED = "released code"
NEAR = "within 2 of the last 5"
FIXED_ALONE = "fixed eight"
EVERY = "every layer"


class Hits(NamedTuple):
    """How a schedule does on exits that were logged."""

    early: float
    """Share of the tokens that left early whose layer is asked."""
    every: float
    """Share of all tokens whose last layer is in the set, the 32nd counted like others."""
    asked: float
    """Mean layers in the set."""


def near(recent: Ints, around: Iterable[int] = (-2, -1, 0, 1, 2)) -> set[int]:
    """Return the layers around the last five exits.

    >>> sorted(near(np.array([3, 20, 20, 20, 20, 20])))
    [18, 19, 20, 21, 22]
    """
    steps = list(around)
    return {int(e) + step for e in recent[-WINDOW:] for step in steps}


def released(recent: Ints) -> set[int]:
    """Return the layers that the released code asks: eight, and two below, at and two above exits.

    >>> len(released(np.array([20, 20])))
    8
    """
    return set(FIXED) | (near(recent, NEIGHBOURS) if len(recent) >= WINDOW else set())


SCHEDULES: Final[dict[str, Schedule]] = {
    EVERY: lambda recent: set(range(1, LAST)),
    FIXED_ALONE: lambda recent: set(FIXED),
    RELEASED: released,
    NEAR: near,
}


@cache
def frequent(count: int, half: int | None = None) -> frozenset[int]:
    """Return the `count` layers at which most tokens left early.

    A `half` of 0 or 1 counts prompts of even or odd index only. Seven of eight are those that the
    released code asks always:

    >>> len(frequent(8) & set(FIXED))
    7
    """
    some = exits() if half is None else exits()[half::2]
    counts = np.bincount(np.concatenate(some), minlength=LAST + 1)[:LAST]
    return frozenset(np.argsort(-counts, kind="stable")[: whole("count", count, 1)].tolist())


def hits(schedule: Schedule, sequences: Sequence[Ints] | None = None) -> Hits:
    """Return how often a schedule asks where tokens left, in the logs if no `sequences` are given.

    The first five of each prompt only serve as the past. The released code's own schedule misses
    nothing in its own log:

    >>> hits(released).early
    1.0
    """
    found: list[bool] = []
    sizes: list[int] = []
    layers: list[int] = []
    for sequence in exits() if sequences is None else sequences:
        for place in range(WINDOW, len(sequence)):
            asked = schedule(sequence[:place])
            found.append(int(sequence[place]) in asked)
            sizes.append(sum(1 <= layer <= LAST for layer in asked))
            layers.append(int(sequence[place]))
    hit, left = np.array(found), np.array(layers) < LAST
    return Hits(float(hit[left].mean()), float(hit.mean()), float(np.mean(sizes)))


@cache
def shuffled_hits(among: str, times: int = 5) -> Hits:
    """Return the mean hits of `NEAR` after the order of tokens is shuffled, so many `times`.

    Tokens change places within their prompt or among all.

    >>> 0.75 < shuffled_hits("prompt", 1).every < shuffled_hits("prompt", 1).early + 0.2
    True
    """
    if among not in ("prompt", "all"):
        raise ValueError(f"among must be 'prompt' or 'all', got {among!r}")
    rng = np.random.default_rng(0)
    runs = [hits(near, _shuffled(among, rng)) for _ in range(whole("times", times, 1))]
    return Hits(*np.mean(runs, axis=0).tolist())


def held_out_hits(count: int) -> Hits:
    """Return the hits of the `count` most frequent layers, each half's chosen on the other half.

    >>> held_out_hits(8).asked
    8.0
    """
    rows = []
    for half in (0, 1):
        chosen = set(frequent(count, 1 - half))
        rows.append(hits(lambda recent, chosen=chosen: chosen, exits()[half::2]))  # type: ignore[misc]
    return Hits(*np.mean(rows, axis=0).tolist())


def outside() -> int:
    """Return how many tokens left early at a layer that the released code would not have asked."""
    count = 0
    for sequence in exits():
        for place, layer in enumerate(sequence):
            count += bool(layer < LAST and int(layer) not in released(sequence[:place]))
    return count


def _shuffled(among: str, rng: np.random.Generator) -> list[Ints]:
    sequences = exits()
    if among == "prompt":
        return [rng.permutation(sequence) for sequence in sequences]
    mixed = rng.permutation(np.concatenate(sequences))
    ends: Floats = np.cumsum([len(sequence) for sequence in sequences])[:-1]
    return np.split(mixed, ends)
