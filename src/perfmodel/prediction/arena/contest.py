"""The arena: predictors of all families on the same rows, with the same scores, over many seeds.

Any estimator of scikit-learn's interface can enter: `fit(features, target)` and
`predict(features)`, features a data frame with the data set's columns.

>>> import pandas as pd
>>> from sklearn.linear_model import LinearRegression
>>> from perfmodel.prediction.arena.dataset import Dataset
>>> from perfmodel.prediction.arena.splits import shuffle_split
>>> sizes = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
>>> runs = Dataset("copies", pd.DataFrame({"bytes": sizes}), {"bytes": "B"},
...                [1.1, 2.2, 3.9, 8.1, 15.5, 33.0], "time", "s", "an example", "CC0-1.0")
>>> entries = [Contestant("straight line", "regression", LinearRegression())]
>>> scores = compete(runs, entries, [(3, seed, shuffle_split(runs, 3, seed)) for seed in range(4)])
>>> scores[["contestant", "points", "seed"]].to_dict("records")[-1]
{'contestant': 'straight line', 'points': 3, 'seed': 3}

Who stands where, and how surely, says `perfmodel.prediction.arena.standings`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import threadpoolctl
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Dataset, Rows
from perfmodel.prediction.arena.splits import Split
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

FAMILIES = ("whitebox", "regression", "ml", "graybox")


class Estimator(Protocol):
    """What can enter: scikit-learn's interface of a regressor."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from features, shape (n, p), and targets, shape (n,)."""

    def predict(self, X: Any) -> Any:
        """Return predictions, shape (n,)."""


@dataclass(frozen=True)
class Contestant:
    """A predictor with a name and a family."""

    name: str
    family: str
    """`whitebox`, `regression`, `ml` or `graybox`."""
    estimator: Estimator
    """Is cloned for every fit, so that nothing learned is carried over."""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {self.family!r}")


def compete(
    dataset: Dataset,
    contestants: Sequence[Contestant],
    rounds: Iterable[tuple[int, int, Split]],
    progress: bool = False,
) -> pd.DataFrame:
    """Let every contestant learn and be tested on the same rows.

    Raises `LeakError` if a split shows test rows to the predictors. Raises `ValueError` if a
    contestant predicts anything but one finite number a row; it is named.

    Parameters
    ----------
    contestants : sequence of Contestant
    rounds : iterable of (int, int, Split)
        Budget, seed and rows. A whitebox model has the same training rows as all others.
    progress : bool
        Show a bar.

    Returns
    -------
    pandas.DataFrame
        A row for each contestant, round and test set: `dataset`, `contestant`, `family`, `split`,
        `test`, `points` (training rows), `seed`, `mape`, `median_ape`, `log_error`, `r2`,
        `spearman`, `fit_seconds` (processor time of the fit on one core).
    """
    import pandas as pd

    rows = []
    for answer in answers(dataset, contestants, rounds, progress):
        who = {"contestant": answer.contestant.name, "family": answer.contestant.family}
        question = {
            "split": answer.split.name,
            "test": answer.test,
            "points": answer.points,
            "seed": answer.seed,
        }
        scores = _scores(dataset.target[answer.rows], answer.predicted)
        spent = {"fit_seconds": answer.fit_seconds}
        rows.append({"dataset": dataset.name, **who, **question, **scores, **spent})
    return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False)
class Answer:
    """The predictions of one contestant for one test set in one round."""

    contestant: Contestant
    split: Split
    test: str
    """Name of the test set."""
    points: int
    seed: int
    rows: Rows
    """Of the data set, in the order of `predicted`."""
    predicted: Floats
    fit_seconds: float
    """Processor time of the fit on one core, tuning included."""
    inner_error: float
    """Error on its own inner folds if it is `Tuned`; NaN if not, or if there were too few rows."""


def answers(
    dataset: Dataset,
    contestants: Sequence[Contestant],
    rounds: Iterable[tuple[int, int, Split]],
    progress: bool = False,
) -> Iterator[Answer]:
    """Give what every contestant predicts in every round, one test set at a time; see `compete`."""
    from rich.progress import track

    for points, seed, split in track(list(rounds), dataset.name, disable=not progress):
        split.check(dataset)
        for contestant in contestants:
            fitted, spent = _fitted(contestant, dataset, split)
            inner = float(getattr(fitted, "inner_error_", np.nan))
            for test, where in split.tests.items():
                predicted = _predicted(contestant, fitted, dataset, where)
                question = (split, test, points, seed, where)
                yield Answer(contestant, *question, predicted, spent, inner)


def _fitted(contestant: Contestant, dataset: Dataset, split: Split) -> tuple[Any, float]:
    model = clone(contestant.estimator)
    folds = {"folds": split.folds} if isinstance(model, Tuned) else {}
    # A pool of threads on a few hundred rows costs more than it brings, and makes the time vague.
    with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        model.fit(dataset.features.iloc[split.train], dataset.target[split.train], **folds)
        return model, time.process_time() - start


def _predicted(contestant: Contestant, fitted: Any, dataset: Dataset, where: Rows) -> Floats:
    guess = np.asarray(fitted.predict(dataset.features.iloc[where]), dtype=float)
    if guess.shape != where.shape or not np.isfinite(guess).all():
        raise ValueError(
            f"contestant {contestant.name!r} must predict one finite number a row, "
            f"got shape {guess.shape}, {int((~np.isfinite(guess)).sum())} of them not finite"
        )
    return guess


def _scores(actual: Floats, guess: Floats) -> dict[str, float]:
    return {
        "mape": metrics.mape(actual, guess),
        "median_ape": metrics.median_ape(actual, guess),
        "log_error": metrics.log_error(actual, guess),
        "r2": metrics.r2(actual, guess),
        "spearman": metrics.spearman(actual, guess),
    }
