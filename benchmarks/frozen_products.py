"""The frozen models of matrix products on the sweeps recorded after them, beside outside learners.

`.venv/bin/python benchmarks/frozen_products.py`. Three drawings of training and test rows; with
`--keep`, twenty, and the stored scores of the lab "Three ways to predict a matrix product" are
written anew. LightGBM and CatBoost run in an environment of their own; `--peer PYTHON` names one
that has them. Test rows are of shapes that nobody learned from in either precision.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from perfmodel.labs.prediction.three_ways import (
    contestants,
    graybox,
    other_machines,
)
from perfmodel.measurement.provenance import record_table
from perfmodel.prediction.arena.contest import compete
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.metrics import mape

HERE = Path(__file__).parent
HOME = HERE.parent / "_build" / "peers" / "trees"
PACKAGES = ("lightgbm==4.7.0", "catboost==1.2.10")
ROWS = {"fp64": "fp64", "fp32": "fp32", "both": ("fp64", "fp32")}
ENTRIES = (
    "six prices",
    "prices x learner, both chosen",
    "prices chosen x boosting",
    "six prices x Gaussian process",
    "Gaussian process on logs",
    "Gaussian process, s/FLOP",
)
ON_OLD = ("six prices", other_machines.GRAYBOX, other_machines.LEARNER)
"""Entries on the sweep that they were chosen on, to compare with: in double precision alone."""
ASKED = ["dataset", "rows", "points"]


def main() -> int:
    """Print one table and return 1 if the graybox misses a bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="Twenty drawings, stored in the lab.")
    parser.add_argument("--peer", type=Path, help="A Python that has LightGBM and CatBoost.")
    parser.add_argument("--jobs", type=int, default=2, help="Processes.")
    asked = parser.parse_args()
    python, seeds = asked.peer or peer(), 20 if asked.keep else 3
    jobs = [
        (name, rows, points, range(seeds), str(python))
        for points in other_machines.BUDGETS
        for name in (*other_machines.SWEEPS, other_machines.OLD)
        for rows in (ROWS if name != other_machines.OLD else ["fp64"])
    ]
    with ProcessPoolExecutor(asked.jobs, initializer=remember) as pool:
        board = ranked(pd.concat(pool.map(scored, *zip(*jobs, strict=True))))
    show(board)
    if asked.keep:
        keep(board)
    print(other_machines.against_bars(board), other_machines.against_others(board), sep="\n")
    new = board[board["dataset"].isin(list(other_machines.SWEEPS))]
    ours = new[new["contestant"] == other_machines.GRAYBOX]
    return int((ours["error"] > ours["points"].map(other_machines.BARS)).any())


def scored(name: str, rows: str, points: int, seeds: Iterable[int], python: str) -> pd.DataFrame:
    """Return the scores in some drawings from one data set, outside learners included."""
    old = name == other_machines.OLD
    kind = ROWS[rows]
    data = contestants.dataset(kind) if old else other_machines.dataset(name, kind)
    rounds = other_machines.new_shapes(data, [points], seeds)
    names = ON_OLD if old else ENTRIES
    entries = [one for one in contestants.contestants() if one.name in names]
    scores = compete(data, entries, rounds)
    if not old:
        scores = pd.concat([scores, outside(data, rounds, python)], ignore_index=True)
    return scores.assign(sweep=name, rows=rows)


def ranked(scores: pd.DataFrame) -> pd.DataFrame:
    """Return who stands where with how many rows of which sweep, best first."""
    errors = scores.assign(dataset=scores["sweep"]).groupby([*ASKED, "contestant", "family"])
    board = errors["mape"].agg(seeds="size", error="mean").reset_index()
    return board.sort_values([*ASKED, "error"], ignore_index=True)


def remember() -> None:
    """Let each part of the graybox be fitted once to the same rows, though several settings ask.

    Predictions are the same: every learner in it has a fixed random state.
    """
    fit, held = graybox.CorrectedPrices.fit, {}

    def once(
        self: graybox.CorrectedPrices, X: pd.DataFrame, y: np.ndarray
    ) -> graybox.CorrectedPrices:
        key = (repr(self.learner), self.derived.__name__, X.to_numpy().tobytes(), y.tobytes())
        if key not in held:
            if len(held) > 100:
                held.clear()
            fit(self, X, y)
            held[key] = (self.model_, self.rate_, self.learner_)
        self.model_, self.rate_, self.learner_ = held[key]
        return self

    graybox.CorrectedPrices.fit = once


def outside(data: Dataset, rounds: contestants.Rounds, python: str) -> pd.DataFrame:
    """Return the scores of LightGBM and CatBoost, computed in their environment."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sizes = data.features[list(other_machines.LOGGED)].to_numpy()
        np.savez(place / "rows.npz", features=sizes, seconds=data.target)
        pairs = [[split.train.tolist(), split.tests["inside"].tolist()] for *_, split in rounds]
        (place / "rounds.json").write_text(json.dumps(pairs))
        subprocess.run([python, str(HERE / "peers" / "boosted_trees.py"), folder], check=True)
        predicted = json.loads((place / "predicted.json").read_text())
    return pd.DataFrame(
        {
            "dataset": data.name,
            "contestant": name,
            "family": "ml",
            "split": split.name,
            "test": "inside",
            "points": points,
            "seed": seed,
            "mape": mape(data.target[split.tests["inside"]], np.array(answer)),
        }
        for name, answers in predicted.items()
        for (points, seed, split), answer in zip(rounds, answers, strict=True)
    )


def show(board: pd.DataFrame) -> None:
    """Print errors in per cent: a table for each data set, a column for each kind of rows."""
    for name, part in board.groupby("dataset"):
        errors = 100 * part.pivot_table("error", "contestant", ["rows", "points"])
        columns = list(errors.columns)
        table = Table(name, *(f"{rows} {points}" for rows, points in columns))
        for contestant, row in errors.iterrows():
            table.add_row(contestant, *(f"{row[column]:.1f}" for column in columns))
        Console(width=140).print(table)


def keep(board: pd.DataFrame) -> None:
    """Write the scores beside the lab, and where they come from."""
    file = Path(other_machines.__file__).with_name(other_machines.FILE)
    record_table(board, file, {"peers": list(PACKAGES)}, float_format="%.6g")


def peer() -> Path:
    """Build the peers' environment once and return its Python."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
