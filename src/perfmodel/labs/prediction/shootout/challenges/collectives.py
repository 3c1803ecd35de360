"""NCCL's collectives, timed by the authors of APEX in one machine.

The ring of two protocols, as far as the rows can tell two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.labs.communication.collectives import contest
from perfmodel.labs.communication.collectives.contest import RingPrices
from perfmodel.labs.prediction.shootout.challenges.rounds import (
    SEEDS,
    Rounds,
    at_random,
    larger,
    unseen,
)
from perfmodel.prediction.architectures.device_latency import HalfTheFastest
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.mixtures import Bounded
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 6
"""Different sizes from which on two protocols of three sizes each can be told apart."""


@dataclass(eq=False, repr=False)
class TwoProtocols(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """`RingPrices` with one break, and with none where there are too few sizes to find one."""

    collective: str

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit prices and, if there are enough sizes, the break; times above 0, shape (n,)."""
        breaks = int(X["bytes"].nunique() >= FEWEST)
        self.ring_ = RingPrices(self.collective, breaks).fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times, shape (n,)."""
        return self.ring_.predict(X)


WRITTEN = (
    "Rounds and bytes of a ring are a textbook's. The lab added the prices of a second protocol "
    "with all tables known. Neither was changed for this contest."
)


def _collective(gpu: str, collective: str) -> Dataset:
    return replace(contest.dataset(gpu, collective), name=f"NCCL {collective}, {gpu}")


def _challenge(data: Dataset, collective: str, rounds: Rounds) -> Challenge:
    fitted = {"ring, two protocols": TwoProtocols(collective), "ring": RingPrices(collective, 0)}
    return Challenge(
        data,
        rounds,
        logged=("ranks", "bytes"),
        whiteboxes={name: Bounded(ring, HalfTheFastest()) for name, ring in fitted.items()},
        written=WRITTEN,
        unit="size",
    )


def all_reduce(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return all-reduces of H100s: at random, larger vectors, an unseen number of GPUs."""
    data = _collective("H100", "all-reduce")
    rounds = at_random(data, (10, 30), seeds)
    rounds += larger(data, data.features["bytes"].to_numpy(), (20,), seeds)
    rounds += unseen(data, "number of GPUs", (30,), seeds)
    return _challenge(data, "all-reduce", rounds)


def all_to_all(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return all-to-alls of V100s on a shared bus: at random, and larger vectors."""
    data = _collective("V100", "all-to-all")
    rounds = at_random(data, (10, 20), seeds)
    rounds += larger(data, data.features["bytes"].to_numpy(), (15,), seeds)
    return _challenge(data, "all-to-all", rounds)
