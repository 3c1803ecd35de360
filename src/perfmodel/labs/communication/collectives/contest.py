"""Families of predictors on measured collectives, tested on sizes and GPUs they have not seen.

All of it takes a minute, so that the errors are kept with the package; tests repeat parts.
``python -m perfmodel.labs.communication.collectives.contest`` makes them again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from perfmodel import data
from perfmodel.labs.communication.collectives.protocols import RingPrices
from perfmodel.labs.communication.collectives.tables import PAIRS, collective_times
from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table
from perfmodel.prediction import (
    Contestant,
    Dataset,
    LogFeatures,
    Residual,
    Split,
    compete,
    leaderboard as board_of,
)

if TYPE_CHECKING:
    import pandas as pd

FILE = "held_out.csv"
COMMAND = "python -m perfmodel.labs.communication.collectives.contest"
ENTERED = tuple(pair for pair in PAIRS if pair[1] != "send and receive")
"""Tables with several numbers of GPUs."""
SEEDS = range(10)
SPLITS = ("sizes between", "sizes beyond", "more GPUs")
"""A third of the sizes; those above `SEEN`; the largest number of GPUs."""
SEEN = 4 * 2.0**20
"""Bytes up to which sizes are learned from where larger ones are asked for."""
_COLUMNS = ["ranks", "bytes"]
_TREES = 100
_RECORDED = ["gpu", "collective", "split", "contestant", "family", "seeds", "error", "low", "high"]


def dataset(gpu: str, collective: str) -> Dataset:
    """Return a table as a data set of the arena."""
    import pandas as pd

    table, published = collective_times(gpu, collective), data.DATASETS["apex"]
    return Dataset(
        name=f"{gpu}, {collective}",
        features=pd.DataFrame({"ranks": table.ranks.astype(float), "bytes": table.sizes}),
        units={"ranks": "1", "bytes": "B"},
        target=table.times,
        quantity="time of a collective",
        unit="s",
        provenance="times of NCCL's collectives in one machine, profiled by the authors of APEX, "
        "https://github.com/microsoft/apex_plus",
        licence=published.licence,
    )


def contestants(collective: str) -> list[Contestant]:
    """Return predictors of all families."""
    forest = RandomForestRegressor(_TREES, random_state=0)
    bent = make_pipeline(PolynomialFeatures(2), LinearRegression())
    return [
        Contestant("ring, one protocol", "whitebox", RingPrices(collective, 0)),
        Contestant("ring, two protocols", "whitebox", RingPrices(collective, 1)),
        Contestant("power law", "regression", LogFeatures(LinearRegression(), _COLUMNS)),
        Contestant("parabola of logs", "regression", LogFeatures(bent, _COLUMNS)),
        Contestant("forest", "ml", LogFeatures(forest, _COLUMNS)),
        Contestant("ring x forest", "graybox", Residual(RingPrices(collective), forest, _COLUMNS)),
    ]


def rounds(runs: Dataset) -> Iterator[tuple[int, int, Split]]:
    """Yield each seed's rows to learn from and to be tested on, in the three splits.

    Where the test rows are always the same (the largest sizes, the most GPUs) a seed draws four
    fifths of the others to learn from.
    """
    sizes, ranks = (runs.features[name].to_numpy() for name in ("bytes", "ranks"))
    different = np.unique(sizes)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        third = rng.permutation(different)[: len(different) // 3]
        yield _round("sizes between", seed, np.isin(sizes, third))
        for name, test in (("sizes beyond", sizes > SEEN), ("more GPUs", ranks == ranks.max())):
            yield _round(name, seed, test, rng)


def _round(
    name: str, seed: int, test: Any, rng: np.random.Generator | None = None
) -> tuple[int, int, Split]:
    train = np.flatnonzero(~test)
    if rng is not None:
        train = np.sort(rng.permutation(train)[: round(0.8 * train.size)])
    return train.size, seed, Split(name, train, {"held out": np.flatnonzero(test)})


def leaderboard(
    gpu: str, collective: str, only: Sequence[str] = (), splits: Sequence[str] = SPLITS
) -> pd.DataFrame:
    """Let contestants meet on a table, and return their mean errors with intervals over seeds.

    Parameters
    ----------
    gpu, collective : str
        One of `ENTERED`.
    only : sequence of str
        Names of contestants; all of them if empty.
    splits : sequence of str
        Some of `SPLITS`.

    Returns
    -------
    pandas.DataFrame
        `gpu`, `collective`, `split`, `contestant`, `family`, `seeds`, and `error`, `low`, `high`:
        the mean absolute percentage error on rows not learned from, a share, with the 95 %
        interval of its mean over seeds.
    """
    if (gpu, collective) not in ENTERED:
        raise ValueError(f"gpu and collective must be one of {ENTERED}, got {(gpu, collective)}")
    runs = dataset(gpu, collective)
    meeting = [one for one in contestants(collective) if not only or one.name in only]
    scores = compete(runs, meeting, [one for one in rounds(runs) if one[2].name in splits])
    # A seed's rows to learn from differ by one or two in number; each split is one question.
    scores["points"] = 0
    board = board_of(scores).assign(gpu=gpu, collective=collective)
    return board[_RECORDED]


def recorded() -> pd.DataFrame:
    """Return the leaderboards of all tables as they were recorded, one below another."""
    return recorded_table(__package__, FILE)


def origin() -> dict[str, Any]:
    """Return host, versions and date of the recorded run, its command and how long it took."""
    return recorded_origin(__package__, FILE)


def held_out_errors(contestant: str = "ring, two protocols") -> list[tuple[str, ...]]:
    """Return a row for each table: GPU, collective, and the error of each split with its interval.

    Errors are in per cent.
    """
    board = recorded()
    mine = board[board["contestant"] == contestant]
    rows = []
    for gpu, collective in ENTERED:
        part = mine[(mine["gpu"] == gpu) & (mine["collective"] == collective)].set_index("split")
        cells = [100 * part.loc[split, ["error", "low", "high"]] for split in SPLITS]
        texts = (f"{error:.0f} ({max(low, 0):.0f} to {high:.0f})" for error, low, high in cells)
        rows.append((gpu, collective, *texts))
    return rows


def family_errors() -> list[tuple[str, str, float, float, float]]:
    """Return each contestant's name, family and mean error over all tables in each split, %."""
    board = recorded()
    means = board.pivot_table(index=["contestant", "family"], columns="split", values="error")
    ordered = 100 * means[list(SPLITS)].sort_values(SPLITS[0])
    rows = zip(ordered.index, ordered.to_numpy().tolist(), strict=True)
    return [(name, family, *errors) for (name, family), errors in rows]


class Loss(NamedTuple):
    """Where a family without structure beats the ring with two protocols, beyond chance."""

    gpu: str
    collective: str
    split: str
    winner: str
    error: float
    """Of the winner, a share."""
    ring: float
    """Of the ring with two protocols, a share."""


def lost_by_whitebox() -> list[Loss]:
    """Return the questions that a regression or a forest answers better than the ring.

    Better means that its interval over seeds lies below that of the ring.
    """
    lost = []
    for (gpu, collective, split), part in recorded().groupby(
        ["gpu", "collective", "split"], sort=False
    ):
        ring = part[part["contestant"] == "ring, two protocols"].iloc[0]
        others = part[part["family"].isin(["regression", "ml"])]
        best = others.loc[others["error"].idxmin()]
        if best["high"] < ring["low"]:
            errors = float(best["error"]), float(ring["error"])
            lost.append(Loss(gpu, collective, split, str(best["contestant"]), *errors))
    return lost


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The table; its origin goes to the JSON file beside it.",
)
def main(out: Path) -> None:
    """Let all contestants meet on all tables, and keep their errors."""
    import pandas as pd

    start = time.monotonic()
    table = pd.concat([leaderboard(*pair) for pair in ENTERED])
    spent = round(time.monotonic() - start)
    record_table(table, out, {"command": COMMAND, "seconds": spent}, float_format="%.5g")


if __name__ == "__main__":
    main()
