"""Scores of the authors' released predictions, from a file that an instructor supplies.

The repository Scientific-Computing-Lab-NRCN/MPI-rigen states no licence, so that its file
`bpe_1000_examples.jsonl` isn't part of this project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perfmodel.labs.benchmarking.mpirigen.calls import Call, read_calls
from perfmodel.labs.benchmarking.mpirigen.scoring import (
    LenientScore,
    MatchedScore,
    lenient_score,
    match_calls,
    matched_score,
)

VARIABLE = "MPIRIGEN_FILE"
"""Environment variable that names the file."""


class Program(NamedTuple):
    """The calls of one program, and those predicted for it."""

    labels: list[Call]
    predictions: list[Call]


def read_programs(path: str | Path) -> list[Program]:
    """Return the programs of a file with one JSON object a line, of the texts `label` and `pred`.

    Programs whose label can't be read are left out.
    """
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
    """Return the mean over `programs` of the authors' scores at a `tolerance` in lines.

    Programs with nothing to judge are left out of the last two, as the authors do.
    """
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


def released_verdict(most_calls: int = 20, tolerance: int = 2) -> str:
    """Return what the file named by `VARIABLE` scores under both rules, or that there is none.

    Only programs with at most `most_calls` calls count; `tolerance` is in lines.
    """
    path = os.environ.get(VARIABLE, "")
    if not path:
        return (
            f"No file: set {VARIABLE} to the authors' `bpe_1000_examples.jsonl` to score it. The "
            "made-up programs above stand in for it."
        )
    programs = [p for p in read_programs(path) if len(p.labels) <= most_calls]
    lenient, matched = mean_lenient(programs, tolerance), pooled_matched(programs, tolerance)
    return (
        f"{len(programs)} programs of at most {most_calls} calls, within {tolerance} lines: the "
        f"authors' rule gives {lenient.location:.4f} / {lenient.function:.4f} / "
        f"{lenient.arguments:.4f}; matched one to one, **{100 * matched.whole:.0f} % of the calls "
        f"are right as a whole**, and {100 * wholly_right(programs, tolerance):.1f} % of the "
        "programs."
    )
