"""Sweeps over the requests that run at once: measured, computed, and what each number adds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.serving.token_time.holdouts import TWINS, held_out
from perfmodel.serving.calibration.shipped import calibration, points
from perfmodel.serving.calibration.token_time import StepTerms
from perfmodel.validation import Floats


@dataclass(frozen=True)
class Sweep:
    """Runs of one model, card, engine and number of devices; prompts and answers of 1,024."""

    card: str
    engine: str
    model: str
    devices: int
    batch: Floats
    """Requests that run at once, rising."""
    measured: Floats
    """Seconds of a token."""
    computed: Floats
    """The same from the card's and engine's other models."""
    runs: NDArray[np.int64]
    """Indices among the public points."""

    @property
    def name(self) -> str:
        """What is run where, in a line."""
        short = self.model.split("/")[-1].split()
        count = f"{self.devices} x " if self.devices > 1 else ""
        card = self.card.split("-")[0].upper()
        return f"{short[0]} ({short[1]}), {count}{card}, {self.engine}"

    @property
    def parts(self) -> dict[str, Floats]:
        """The seconds of each term, by the fit to all runs of the card and engine."""
        terms = StepTerms(*(term[self.runs] for term in points().terms))
        kind = points().kind[self.runs[0]]
        return calibration(self.card, self.engine, kind=kind)[0].parts(terms)


@lru_cache(maxsize=1)
def sweeps() -> dict[str, Sweep]:
    """Return the sweeps of four loads or more by name, on the fewest devices that have them.

    Of a load that was measured several times the median is taken.
    """
    runs, left = points(), held_out(TWINS)
    found: dict[tuple[str, str, str, int], list[tuple[float, int, float]]] = {}
    for i, ratio in zip(left.runs, left.ratio, strict=True):
        *_, devices, prompt, output = runs.setting[i].split()
        if (prompt, output) == ("1024", "1024"):
            key = (runs.card[i], runs.engine[i], runs.model[i], int(devices))
            computed = float(runs.time_per_token[i] / ratio)
            found.setdefault(key, []).append((float(runs.concurrency[i]), int(i), computed))
    best: dict[str, Sweep] = {}
    for (card, engine, model, devices), rows in sorted(found.items(), reverse=True):
        loads = sorted({row[0] for row in rows})
        if len(loads) < 4:
            continue
        of = [[row for row in rows if row[0] == load] for load in loads]
        one = Sweep(
            *(card, engine, model, devices, np.array(loads)),
            np.array([np.median([runs.time_per_token[row[1]] for row in many]) for many in of]),
            np.array([np.median([row[2] for row in many]) for many in of]),
            np.array([many[0][1] for many in of]),
        )
        best[" ".join((card, engine, model))] = one
    return {one.name: one for one in sorted(best.values(), key=lambda one: one.name)}
