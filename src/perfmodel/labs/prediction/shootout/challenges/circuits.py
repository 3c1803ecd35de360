"""Lookup tables of dense layers on an FPGA, as synthesis reported them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, larger, unseen
from perfmodel.labs.prediction.shootout.dense_circuits import parts
from perfmodel.labs.prediction.wa_hls4ml import synthesis
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import Priced

BUDGETS = (30, 100)
WRITTEN = (
    "The parts: from how such circuits are built; their author had read the counts found by "
    "search, but no row. The bits: named by the lab without knowing the circuit, all rows in "
    "view. The counts that the lab found by search, all rows in view, enter as a "
    "regression and outside its team: for some of their terms no reason is known."
)


def circuits(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return dense layers: at random, the larger half, and layers of dimensions never seen."""
    data = synthesis.dataset("LUT")
    rounds = at_random(data, BUDGETS, seeds)
    rounds += larger(data, data.features["n"].to_numpy(), (100,), seeds)
    rounds += unseen(data, "layer", (100,), seeds)
    found = Priced(partial(synthesis.circuit_counts, target="LUT"))
    return Challenge(
        data,
        rounds,
        logged=synthesis.SEEN,
        whiteboxes={"parts of a circuit": Priced(parts), "bits": Priced(synthesis.bit_counts)},
        written=WRITTEN,
        unit="layer",
        more=[Contestant("counts found by search", "regression", found)],
    )
