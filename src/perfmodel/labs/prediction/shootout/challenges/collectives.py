"""NCCL's collectives, timed by the authors of APEX in one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfmodel.labs.communication.collectives import contest
from perfmodel.labs.communication.collectives.contest import RingPrices
from perfmodel.labs.prediction.shootout.challenges.rounds import (
    SEEDS,
    Rounds,
    at_random,
    larger,
    unseen,
)
from perfmodel.labs.prediction.shootout.collective_rings import TwoProtocols
from perfmodel.prediction.architectures.device_latency import HalfTheFastest
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.mixtures import Bounded

WRITTEN = (
    "Rounds and bytes of a ring are a textbook's. That a second protocol has prices of its own was "
    "added by the lab with all tables in view; neither was changed for this contest."
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
    """Return all-reduces of H100s: at random, larger vectors, an unseen number of GPUs.

    Parameters
    ----------
    seeds : sequence of int
        One a drawing.
    """
    data = _collective("H100", "all-reduce")
    rounds = at_random(data, (10, 30), seeds)
    rounds += larger(data, data.features["bytes"].to_numpy(), (20,), seeds)
    rounds += unseen(data, "number of GPUs", (30,), seeds)
    return _challenge(data, "all-reduce", rounds)


def all_to_all(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return all-to-alls of V100s on a shared bus: at random, and larger vectors.

    Parameters
    ----------
    seeds : sequence of int
        One a drawing.
    """
    data = _collective("V100", "all-to-all")
    rounds = at_random(data, (10, 20), seeds)
    rounds += larger(data, data.features["bytes"].to_numpy(), (15,), seeds)
    return _challenge(data, "all-to-all", rounds)
