"""Made-up programs and predictors, so that the scores can be studied where the truth is known.

Scores of the authors' released predictions, from a file that an instructor supplies.

The repository Scientific-Computing-Lab-NRCN/MPI-rigen states no licence, so that its file
`bpe_1000_examples.jsonl` isn't part of this project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perfmodel.labs.benchmarking.mpirigen.scoring import (
    Call,
    LenientScore,
    MatchedScore,
    lenient_score,
    match_calls,
    matched_score,
    read_calls,
)
from perfmodel.validation import whole

VARIABLE = "MPIRIGEN_FILE"
"""Environment variable that names the file."""


class Program(NamedTuple):
    """The calls of one program, and those predicted for it."""

    labels: list[Call]
    predictions: list[Call]


def read_programs(path: str | Path) -> list[Program]:
    """Return a file's programs, JSON objects of `label` and `pred`, whose label can be read."""
    programs = []
    for line in Path(path).read_text("utf-8").splitlines():
        try:
            entry = json.loads(line)
            program = Program(read_calls(entry["label"]), read_calls(entry["pred"]))
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"path must hold texts label and pred, got {line[:60]!r}") from error
        programs.append(program)
    return [program for program in programs if program.labels]


def mean_lenient(programs: Sequence[Program], tolerance: int) -> LenientScore:
    """Return the authors' mean scores; programs with nothing to judge are left out, as by them."""
    scores = np.array([lenient_score(*program, tolerance) for program in programs])
    return LenientScore(*(float(mean) for mean in np.nanmean(scores, axis=0)))


def pooled_matched(programs: Sequence[Program], tolerance: int) -> MatchedScore:
    """Return the shares of one-to-one matching over all calls of all `programs` together."""
    pairs = named = equal = 0
    for labels, predictions in programs:
        for i, j in match_calls(labels, predictions, tolerance):
            pairs += 1
            named += labels[i].name == predictions[j].name
            equal += labels[i][2:] == predictions[j][2:]
    wanted = sum(len(program.labels) for program in programs)
    given = sum(len(program.predictions) for program in programs)
    return MatchedScore(pairs / max(given, 1), pairs / wanted, named / wanted, equal / wanted)


def wholly_right(programs: Sequence[Program], tolerance: int) -> float:
    """Return the share of `programs` of which every call is right and none is too many."""
    perfect = [
        matched_score(*program, tolerance)[3] == matched_score(*program, tolerance)[0] == 1
        for program in programs
    ]
    return float(np.mean(perfect))


def released_verdict(max_calls: int = 20, tolerance: int = 2) -> str:
    """Return what the file named by `VARIABLE` scores under both rules, or that there is none."""
    path = os.environ.get(VARIABLE, "")
    if not path:
        return (
            f"No file: set {VARIABLE} to the authors' `bpe_1000_examples.jsonl` to score it. The "
            "made-up programs above replace it."
        )
    programs = [p for p in read_programs(path) if len(p.labels) <= max_calls]
    lenient, matched = mean_lenient(programs, tolerance), pooled_matched(programs, tolerance)
    return (
        f"The file has {len(programs)} programs of at most {max_calls} calls. Within {tolerance} "
        f"lines, the authors' rule gives {lenient.location:.4f}, {lenient.function:.4f} and "
        f"{lenient.arguments:.4f}. Matched one to one, **{100 * matched.whole:.0f} % of the calls "
        f"are completely right**, and {100 * wholly_right(programs, tolerance):.1f} % of the "
        "programs are."
    )


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

    recall: float = 0.75
    """Share of the calls that it predicts at all."""
    shift: float = 1.2
    """Standard deviation of the lines by which it misses, before rounding."""
    misnamed: float = 0.2
    """Share of its calls that get another name."""
    garbled: float = 0.06
    """Share of its arguments that are wrong."""
    extra: int = 0
    """Calls that it adds to each program at random lines."""


def draw_programs(count: int, predictor: Predictor, seed: int = 0) -> list[Program]:
    """Draw programs of calls at distinct lines, and what a predictor makes of them.

    A program has 1 + Poisson(7.5) calls of three arguments; its names have the shares of `COMMON`.
    The labels depend on `seed` alone, not on the predictor.

    >>> perfect = Predictor(recall=1, shift=0, misnamed=0, garbled=0)
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
    predicted = [call for call in labels if errors.random() < predictor.recall]
    guesses = [_blurred(call, predictor, errors) for call in predicted]
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
