"""Made-up programs and predictors, so that the scores can be studied where the truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.labs.benchmarking.mpirigen.calls import Call
from perfmodel.labs.benchmarking.mpirigen.released import Program
from perfmodel.validation import non_negative, whole, within

LINES = 60
"""Lines of every program."""
COMMON = {
    "MPI_Finalize": 19_183,
    "MPI_Init": 16_135,
    "MPI_Comm_rank": 16_096,
    "MPI_Send": 14_534,
    "MPI_Comm_size": 14_387,
    "MPI_Recv": 13_783,
    "MPI_Bcast": 6_995,
    "MPI_Reduce": 3_600,
}
"""How often each of eight functions occurs in HPCorpusMPI, 16,384 programs in C (Schneider et al.,
2024, Table 1)."""
_NAMES = list(COMMON)
_SHARES = np.array(list(COMMON.values())) / sum(COMMON.values())


@dataclass(frozen=True)
class Predictor:
    """What a predictor of calls does wrong, and how often."""

    found: float = 0.75
    """Share of the calls that it predicts at all."""
    shift: float = 1.2
    """Standard deviation of the lines by which it misses, before rounding."""
    misnamed: float = 0.2
    """Share of its calls that get another name."""
    garbled: float = 0.06
    """Share of its arguments that are wrong."""
    extra: int = 0
    """Calls that it adds to each program at random lines."""

    def __post_init__(self) -> None:
        """Refuse shares that are none, and a negative shift."""
        for name in ("found", "misnamed", "garbled"):
            within(name, getattr(self, name), 0, 1)
        non_negative("shift", self.shift)
        whole("extra", self.extra)


def draw_programs(count: int, predictor: Predictor, seed: int = 0) -> list[Program]:
    """Draw programs of calls at distinct lines, and what a predictor makes of them.

    A program has 1 + Poisson(7.5) calls of three arguments; its names have the shares of `COMMON`.
    The labels depend on `seed` alone, not on the predictor.

    >>> perfect = Predictor(found=1, shift=0, misnamed=0, garbled=0)
    >>> labels, predictions = draw_programs(1, perfect)[0]
    >>> labels == predictions
    True
    """
    streams = np.random.default_rng(whole("seed", seed)).spawn(2 * whole("count", count, 1))
    return [_drawn(predictor, *streams[2 * i : 2 * i + 2]) for i in range(count)]


def spam(program: Program) -> Program:
    """Return the program with one call predicted on every line, all MPI_Send."""
    calls = [Call(line, 1, "MPI_Send", ("0", "0", "0")) for line in range(1, LINES + 1)]
    return Program(program.labels, calls)


def _drawn(
    predictor: Predictor, truth: np.random.Generator, errors: np.random.Generator
) -> Program:
    lines = np.sort(truth.choice(LINES, min(1 + truth.poisson(7.5), LINES), replace=False)) + 1
    names = truth.choice(_NAMES, lines.size, p=_SHARES)
    labels = [
        Call(int(line), 1, str(name), ("buffer", f"{line}", "world"))
        for line, name in zip(lines, names, strict=True)
    ]
    kept = [call for call in labels if errors.random() < predictor.found]
    guesses = [_blurred(call, predictor, errors) for call in kept]
    for line in errors.integers(1, LINES + 1, predictor.extra):
        guesses.append(Call(int(line), 1, "MPI_Send", ("0", "0", "0")))
    return Program(labels, guesses)


def _blurred(call: Call, predictor: Predictor, rng: np.random.Generator) -> Call:
    line = int(np.clip(call.line + np.rint(rng.normal(0, predictor.shift)), 1, LINES))
    name = call.name
    if rng.random() < predictor.misnamed:
        name = str(rng.choice([other for other in _NAMES if other != call.name]))
    arguments = tuple("?" if rng.random() < predictor.garbled else a for a in call.arguments)
    return Call(line, 1, name, arguments)
