"""What a program's text lets a learner see: costs of compiler IR as text regression.

Das and Mannarswamy (2023) predict registers and utilisation of functions in MLIR from their text.
Their backend and data are Intel's; programs and labels here are made up by this project. Some
labels have an exact algorithm, one hides what a backend does.

>>> tokens("%3 = xpu.relu %2 : tensor<16x16xf32>", FLOW)
['%3', 'xpu.relu', '%2', 'tensor<16x16xf32>']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from perfmodel.labs.prediction.mlir_cost.program import (
    EXAMPLE,
    OPS,
    Program,
    flops,
    generate,
    parse,
    pressure,
    rescheduled,
)
from perfmodel.ledger import Claim, Trend
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import at_random
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

OPERATIONS = r"xpu\.\w+|tensor<[^>]+>"
"""Tokens: names of operations and types of tensors."""

FLOW = OPERATIONS + r"|%\d+"
"""Tokens: those, and the names of values."""

SCRATCH = {"matmul": 2, "reduce": 1}
"""Tensors that the made-up backend needs besides operands and result."""

TARGETS: dict[str, tuple[Callable[[Program], float], str]] = {
    "live tensors": (pressure, "1"),
    "registers": (partial(pressure, scratch=SCRATCH), "1"),
    "operations": (flops, "FLOP"),
}
"""What can be predicted, how it is computed, and its unit."""


def tokens(text: str, pattern: str = OPERATIONS) -> list[str]:
    """Return the parts of a text that a pattern lets a learner see, in order."""
    return re.findall(pattern, text)


def table(programs: Sequence[Program], target: str) -> Dataset:
    """Return programs as a data set: text, number of instructions, how many of each operation.

    Parameters
    ----------
    programs : sequence of Program
    target : str
        A key of `TARGETS`.
    """
    import pandas as pd

    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {target!r}")
    label, unit = TARGETS[target]
    features: pd.DataFrame = pd.DataFrame(
        {
            "text": [p.text() for p in programs],
            "instructions": [len(p.ops) for p in programs],
            **{op: [p.ops.count(op) for p in programs] for op in OPS},
        }
    )
    return Dataset(
        target,
        features,
        {"text": "", **dict.fromkeys(features.columns[1:], "1")},
        np.array([float(label(p)) for p in programs]),
        target,
        unit,
        "programs and labels made up by this project",
        "MIT",
        noise=0.0,
    )


def bag(learner: Any, pattern: str = OPERATIONS, words: int = 1, logarithm: bool = False) -> Any:
    """Return a learner that is given how often each token occurs in the column `text`.

    Parameters
    ----------
    learner : estimator
    pattern : str
        `OPERATIONS` or `FLOW`.
    words : int
        Longest run of neighbouring tokens that is counted as one: 2 for pairs too.
    logarithm : bool
        Learn the logarithm of the target.
    """
    counts = CountVectorizer(token_pattern=pattern, lowercase=False, ngram_range=(1, words))
    inner = make_pipeline(ColumnTransformer([("tokens", counts, "text")]), learner)
    if not logarithm:
        return inner
    return TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp)


def ridge(pattern: str = OPERATIONS, words: int = 1, logarithm: bool = False) -> Any:
    """Return ridge regression (penalty 3) on a bag of tokens."""
    return bag(Ridge(3.0), pattern, words, logarithm)


def forest(logarithm: bool = False, trees: int = 40) -> Any:
    """Return a random forest on how often each operation and type occurs."""
    learner = RandomForestRegressor(trees, min_samples_leaf=2, max_features=0.5, random_state=0)
    return bag(learner, logarithm=logarithm)


class Analysis(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Whitebox: reads the program in the column `text` and computes; nothing is learned.

    Parameters
    ----------
    compute : callable
        Takes what `read` returns and returns a number above 0.
    read : callable
        Takes a text.
    """

    def __init__(self, compute: Callable[[Any], float], read: Callable[[str], Any] = parse) -> None:
        self.compute = compute
        self.read = read

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn nothing."""
        self.fitted_ = True
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the computed values, shape (n,)."""
        return np.array([self.compute(self.read(text)) for text in X["text"]], dtype=float)


def range_rmse(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Return the root mean square error over the range of the actual values."""
    y, guess = np.asarray(actual, dtype=float), np.asarray(predicted, dtype=float)
    if np.ptp(y) == 0:
        raise ValueError("actual must have two different values or more for a range")
    return float(np.sqrt(np.mean((y - guess) ** 2)) / np.ptp(y))


def better_schedule(fitted: Any, pairs: Sequence[tuple[Program, Program]]) -> float:
    """Return how often a predictor names the schedule of lower pressure, of two of one graph.

    Parameters
    ----------
    fitted : estimator
        Predicts from a frame with the columns of `table`.
    pairs : sequence of (Program, Program)
        Pairs of equal pressure don't count.

    Returns
    -------
    float
        A share; a tie of predictions counts one half, as a coin would.
    """
    real = np.array([[pressure(one) for one in pair] for pair in pairs], dtype=float)
    apart = real[:, 0] != real[:, 1]
    if not apart.any():
        raise ValueError("pairs must have two schedules of different pressure at least once")
    columns = ([pair[side] for pair in pairs] for side in (0, 1))
    guess = [fitted.predict(table(column, "live tensors").features) for column in columns]
    signs = np.sign(np.round(guess[0] - guess[1], 9)) * np.sign(real[:, 0] - real[:, 1])
    return float(np.mean((1 + signs[apart]) / 2))


def schedules(programs: Sequence[Program]) -> list[tuple[Program, Program]]:
    """Return two random schedules of each program's graph."""
    return [(rescheduled(p, 2 * i), rescheduled(p, 2 * i + 1)) for i, p in enumerate(programs)]


@cache
def _runs(target: str) -> Dataset:
    return table(generate(1500), target)


def _gain_of_flow(target: str) -> tuple[float, float]:
    """Return R2 on 500 programs (log10 of operations) of ridge without and with values' names."""
    runs = _runs(target)
    label = np.log10(runs.target) if target == "operations" else runs.target
    split = at_random(runs, 1000, 0, 500)
    rows, found = split.tests["inside"], []
    for pattern, words in ((OPERATIONS, 1), (FLOW, 2)):
        model = ridge(pattern, words).fit(runs.features.iloc[split.train], label[split.train])
        found.append(metrics.r2(label[rows], model.predict(runs.features.iloc[rows])))
    return found[0], found[1]


def _flow() -> Trend:
    kept, counted = _gain_of_flow("live tensors"), _gain_of_flow("operations")
    text = "R2 of live tensors {:.2f}, with names {:.2f}; of operations {:.2f}, with names {:.2f}"
    holds = kept[1] - kept[0] < 0.05 < counted[1] - counted[0]
    return Trend(bool(holds), text.format(*kept, *counted))


def _forest_beyond() -> Trend:
    runs = _runs("live tensors")
    short = (runs.features["instructions"] < 25).to_numpy()
    model = forest().fit(runs.features[short], runs.target[short])
    most = float(model.predict(runs.features[~short]).max())
    learned, asked = runs.target[short].max(), runs.target[~short].max()
    text = f"largest answer {most:.1f}, learned up to {learned:.0f}, asked up to {asked:.0f}"
    return Trend(bool(most <= learned < asked), text)


def _tie() -> Trend:
    runs = _runs("live tensors")
    pairs = schedules([parse(text) for text in runs.features["text"][1000:1100]])
    learned = ridge().fit(runs.features[:1000], runs.target[:1000])
    found = {
        "bag of operations": better_schedule(learned, pairs),
        "analysis": better_schedule(Analysis(pressure), pairs),
    }
    text = ", ".join(f"{name} {100 * share:.0f} %" for name, share in found.items())
    return Trend(list(found.values()) == [0.5, 1.0], text)


def claims() -> list[Claim]:
    """Programs worked by hand, and orderings of an earlier calculation with other draws."""
    worked = [
        ("live tensors of the example", 4.0, "1", lambda: pressure(parse(EXAMPLE))),
        ("operations of the example", 540_672.0, "FLOP", lambda: flops(parse(EXAMPLE))),
    ]
    seen = [
        (
            "ridge regression told the names of values, and pairs of tokens",
            "They help with operations (R2 up by 0.1), and not with live tensors.",
            _flow,
        ),
        (
            "a forest asked about longer programs",
            "Trees cannot leave the range of what they learned.",
            _forest_beyond,
        ),
        (
            "which of two schedules has the lower pressure",
            "A bag of operations cannot tell; liveness analysis always can.",
            _tie,
        ),
    ]
    by_hand, before = "worked by hand", "earlier calculation of ours"
    return [
        *(
            Claim("mlir_cost", what, "recomputed", value, unit, by_hand, compute, derived=True)
            for what, value, unit, compute in worked
        ),
        *(
            Claim("mlir_cost", what, "trend", said, "", before, compute, derived=True)
            for what, said, compute in seen
        ),
    ]
