"""Components of SPECrate on servers, from the public sample of PerfCastDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfmodel.labs.prediction.ncpp import perfcast
from perfmodel.labs.prediction.ncpp.capacity import HARDWARE, Factors, capacity
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, of_a_new
from perfmodel.labs.prediction.shootout.past_machines import meta_learner
from perfmodel.prediction.arena.challenge import Challenge

SHOTS = (0, 3)
WRITTEN = "Both were settled by their lab with all four servers in view."


def servers(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return scores of a server that is new, or of which three components were run.

    Seeds take the four servers in turn. The budget of a round is the number of rows of the new
    server; all rows of the others are learned from.
    """
    data = perfcast.dataset("rate")
    components = sorted(set(data.features["component"]))
    flags = {
        f"is {name}": (data.features["component"] == name).astype(float) for name in components
    }
    units = {**data.units, **dict.fromkeys(flags, "1")}
    data = replace(data, features=data.features.assign(**flags), units=units)
    return Challenge(
        data,
        of_a_new(data, "machine", SHOTS, seeds),
        logged=HARDWARE,
        plain=list(flags),
        whiteboxes={
            "cores x clock": Factors(["component"], capacity),
            "component x machine": Factors(["component", "machine"], capacity),
        },
        written=WRITTEN,
        unit="machine",
        more=[meta_learner(HARDWARE)],
    )
