"""A whitebox and other models of measured collectives, tested on unseen sizes and GPUs.

The whitebox counts rounds and bytes of a ring. Time is a start, plus a price per round and a price
per byte of the ring's volume. Small and large vectors have separate prices, and a search finds the
size at which the protocol changes.

The contest takes a minute, so the errors are kept with the package and tests repeat parts.
``python -m perfmodel.labs.communication.collectives.contest`` recomputes them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import click
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from perfmodel import data
from perfmodel.communication import collective_cost
from perfmodel.labs.communication.collectives.tables import PAIRS, RINGS, collective_times
from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table
from perfmodel.prediction import Contestant, Dataset, LogFeatures, Residual, Split
from perfmodel.prediction.arena.contest import Answer, answers
from perfmodel.prediction.arena.standings import standings_of_answers
from perfmodel.validation import Floats, positive, whole

if TYPE_CHECKING:
    import pandas as pd

_LEAST = 3
"""Different sizes that a protocol must have."""


class RingPrices(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Start, round and byte of a ring, each at a price of 0 or more, with at most one break.

    No break for one protocol, one for two.

    >>> import pandas as pd
    >>> runs = pd.DataFrame({"ranks": [2, 4] * 8, "bytes": np.repeat(2.0 ** np.arange(8, 16), 2)})
    >>> rounds = 2 * (runs["ranks"] - 1)
    >>> times = 10 + rounds * (3 + 0.5 * runs["bytes"] / runs["ranks"])
    >>> RingPrices("all-reduce", 0).fit(runs, times).prices_[0].round(6)
    array([10. ,  3. ,  0.5])
    """

    def __init__(self, collective: str, breaks: int = 1) -> None:
        self.collective = collective
        self.breaks = breaks

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit prices and break to positive times, shape (n,), by least squared relative errors."""
        whole("breaks", self.breaks, 0, 1)
        times, sizes, counts = positive("y", y), X["bytes"].to_numpy(float), self._counts(X)
        different = np.unique(sizes)
        least, self.break_, self.prices_ = np.inf, np.inf, np.zeros((1, 3))
        ends = different[_LEAST - 1 : -_LEAST] if self.breaks else [np.inf]
        for end in ends:
            parts = [rows for rows in (sizes <= end, sizes > end) if rows.any()]
            fits = [_priced(counts[rows], times[rows]) for rows in parts]
            error = sum(residual for _, residual in fits)
            if error < least:
                least, self.break_ = error, float(end)
                self.prices_ = np.array([prices for prices, _ in fits])
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times, shape (n,)."""
        protocol = (X["bytes"].to_numpy(float) > self.break_).astype(int)
        return np.asarray((self._counts(X) * self.prices_[protocol]).sum(axis=1))

    def _counts(self, X: pd.DataFrame) -> Floats:
        name = RINGS[self.collective]
        costs = {
            count: collective_cost(self.collective, name, whole("ranks", count, 2), 1.0)
            for count in np.unique(X["ranks"].to_numpy())
        }
        pairs = zip(X["ranks"], X["bytes"], strict=True)
        return np.array([(1, costs[p].rounds, costs[p].volume * size) for p, size in pairs], float)


def _priced(counts: Floats, times: Floats) -> tuple[Floats, float]:
    relative = counts / times[:, None]
    scale = np.sqrt((relative**2).mean(axis=0))
    scale[scale == 0] = 1
    prices, residual = nnls(relative / scale, np.ones(len(times)))
    return prices / scale, float(residual) ** 2


if TYPE_CHECKING:
    import pandas as pd

FILE = "held_out.csv"
COMMAND = "python -m perfmodel.labs.communication.collectives.contest"
ENTERED = tuple(pair for pair in PAIRS if pair[1] != "send and receive")
"""Tables with several numbers of GPUs."""
SEEDS = range(10)
UNITS = {"sizes between": "size", "sizes beyond": "size", "more GPUs": "number of GPUs"}
"""What varies in each split, of which its intervals must speak."""
SPLITS = tuple(UNITS)
"""A third of the sizes; those above `SEEN`; the largest number of GPUs."""
RING = "ring, two protocols"
"""The whitebox that the others are compared with."""
LINKS = {"PCIe": ("V100",), "NVLink": ("H100", "H200")}
"""What joins the GPUs of a machine, and which GPUs have it."""
WITHOUT_STRUCTURE = ("regression", "ml")
"""Families without any knowledge of rings."""
SEEN = 4 * 2.0**20
"""Bytes up to which sizes are learned from where larger ones are asked for."""
_COLUMNS = ["ranks", "bytes"]
_TREES = 100
_ERRORS = ["error", "low", "high", "least", "most", "behind", "behind_low"]
_RECORDED = ["gpu", "collective", "split", "contestant", "family", "seeds", "units", *_ERRORS]


def dataset(gpu: str, collective: str) -> Dataset:
    """Return a table as a data set of the arena, grouped by size and by number of GPUs."""
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
        groups={
            "size": [f"{size:.0f} bytes" for size in table.sizes],
            "number of GPUs": [f"{ranks:.0f}" for ranks in table.ranks],
        },
    )


def contestants(collective: str) -> list[Contestant]:
    """Return predictors of all families."""
    forest = RandomForestRegressor(_TREES, random_state=0)
    bent = make_pipeline(PolynomialFeatures(2), LinearRegression())
    return [
        Contestant("ring, one protocol", "whitebox", RingPrices(collective, 0)),
        Contestant(RING, "whitebox", RingPrices(collective, 1)),
        Contestant("power law", "regression", LogFeatures(LinearRegression(), _COLUMNS)),
        Contestant("parabola of logs", "regression", LogFeatures(bent, _COLUMNS)),
        Contestant("forest", "ml", LogFeatures(forest, _COLUMNS)),
        Contestant("ring x forest", "graybox", Residual(RingPrices(collective), forest, _COLUMNS)),
    ]


def rounds(runs: Dataset) -> Iterator[tuple[int, int, Split]]:
    """Yield each seed's training and test rows, in the three splits.

    If the test rows are always the same (the largest sizes, the most GPUs), a seed draws 80 % of
    the others for training.
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
    """Let contestants meet on a table, and return their mean errors with intervals over `UNITS`.

    Columns: `gpu`, `collective`, `split`, `contestant`, `family`, `seeds`, `units` (different sizes
    that were asked for, or numbers of GPUs), and `error`, `low`, `high`: the mean absolute
    percentage error on rows not learned from, a share, with the 95 % interval from a bootstrap of
    whole units, NaN for fewer than ten; `least`, `most`: of the easiest and the hardest unit;
    `behind`, `behind_low`: of the ring with two protocols and those without structure, the
    difference to the best of them and the lower end of its interval.
    """
    if (gpu, collective) not in ENTERED:
        raise ValueError(f"gpu and collective must be one of {ENTERED}, got {(gpu, collective)}")
    import pandas as pd

    runs = dataset(gpu, collective)
    meeting = [rival for rival in contestants(collective) if not only or rival.name in only]
    asked = [held_out for held_out in rounds(runs) if held_out[2].name in splits]
    spoken = list(answers(runs, meeting, asked))
    boards = [_judged(runs, [a for a in spoken if a.split.name == name]) for name in splits]
    return pd.concat(boards).assign(gpu=gpu, collective=collective)[_RECORDED]


def _judged(runs: Dataset, spoken: Sequence[Answer]) -> pd.DataFrame:
    """Return who stands where in one split, and how far behind the best rival of the ring."""
    unit = UNITS[spoken[0].split.name]
    board = standings_of_answers(runs, spoken, unit).drop(columns=["behind", "behind_low"])
    rivals = [one for one in spoken if _is_rival(one.contestant)]
    if not rivals:
        return board.assign(behind=np.nan, behind_low=np.nan)
    gaps = standings_of_answers(runs, rivals, unit)[["contestant", "behind", "behind_low"]]
    return board.merge(gaps, how="left", on="contestant")


def _is_rival(contestant: Contestant) -> bool:
    return contestant.name == RING or contestant.family in WITHOUT_STRUCTURE


def recorded() -> pd.DataFrame:
    """Return the leaderboards of all tables as they were recorded, one below another."""
    return recorded_table(__package__, FILE)


def origin() -> dict[str, Any]:
    """Return host, versions and date of the recorded run, its command and how long it took."""
    return recorded_origin(__package__, FILE)


def held_out_errors(contestant: str = RING) -> list[tuple[str, ...]]:
    """Return a row for each table: GPU, collective, and the error of each split.

    Errors are in per cent, with their interval; where there are too few units for one, with those
    of the easiest and hardest unit; alone where there is one unit.
    """
    board = recorded()
    mine = board[board["contestant"] == contestant]
    rows = []
    for gpu, collective in ENTERED:
        part = mine[(mine["gpu"] == gpu) & (mine["collective"] == collective)].set_index("split")
        rows.append((gpu, collective, *(_error_text(part.loc[split]) for split in SPLITS)))
    return rows


def _error_text(row: pd.Series[Any]) -> str:
    error, low, high, easiest, hardest = (
        f"{100 * row[name]:.0f}" for name in ("error", "low", "high", "least", "most")
    )
    if row["units"] == 1:
        return error
    if np.isnan(row["low"]):
        return f"{error} (sizes: {easiest} to {hardest})"
    return f"{error} ({low} to {high})"


def family_errors(link: str | None = None) -> list[tuple[str, str, float, float, float]]:
    """Return each contestant's name, family and mean error over tables in each split, %.

    With `link`, one of `LINKS`, its tables count alone.
    """
    board = recorded()
    if link is not None:
        board = board[board["gpu"].isin(LINKS[link])]
    means = board.pivot_table(index=["contestant", "family"], columns="split", values="error")
    ordered = 100 * means[list(SPLITS)].sort_values(SPLITS[0])
    rows = zip(ordered.index, ordered.to_numpy().tolist(), strict=True)
    return [(name, family, *errors) for (name, family), errors in rows]


class Loss(NamedTuple):
    """Where a family without structure has a smaller mean error than the ring."""

    gpu: str
    collective: str
    split: str
    winner: str
    error: float
    """Of the winner, a share."""
    ring: float
    """Of the ring with two protocols, a share."""
    units: int
    """Different sizes that were asked for, or numbers of GPUs."""
    clear: bool
    """Whether the interval of the difference is above 0; never for fewer than ten units."""


def lost_by_whitebox() -> list[Loss]:
    """Return the questions that a regression or a forest answers better than the ring.

    How surely is in `Loss.clear`: its intervals hold for all pairs of the ring and those three.
    """
    lost = []
    for (gpu, collective, split), part in recorded().groupby(
        ["gpu", "collective", "split"], sort=False
    ):
        ring = part[part["contestant"] == RING].iloc[0]
        others = part[part["family"].isin(WITHOUT_STRUCTURE)]
        best = others.loc[others["error"].idxmin()]
        if best["error"] < ring["error"]:
            errors = float(best["error"]), float(ring["error"])
            sure = int(ring["units"]), bool(ring["behind_low"] > 0)
            lost.append(Loss(gpu, collective, split, str(best["contestant"]), *errors, *sure))
    return lost


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The table; its origin goes to the JSON file next to it.",
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
