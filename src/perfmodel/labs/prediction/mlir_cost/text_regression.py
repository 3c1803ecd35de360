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
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error
from sklearn.pipeline import make_pipeline

from perfmodel.labs.prediction.mlir_cost.program import (
    OPS,
    Program,
    flops,
    parse,
    register_pressure,
    rescheduled,
)
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Formula
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

OPERATIONS = r"xpu\.\w+|tensor<[^>]+>"
"""Tokens: names of operations and types of tensors."""

FLOW = OPERATIONS + r"|%\d+"
"""Tokens: those, and the names of values."""

SCRATCH = {"matmul": 2, "reduce": 1}
"""Tensors that the made-up backend needs besides operands and result."""

TARGETS: dict[str, tuple[Callable[[Program], float], str]] = {
    "live tensors": (register_pressure, "1"),
    "registers": (partial(register_pressure, scratch=SCRATCH), "1"),
    "operations": (flops, "FLOP"),
}
"""What can be predicted, how it is computed, and its unit."""


def tokens(text: str, pattern: str = OPERATIONS) -> list[str]:
    """Return the parts of a text that `OPERATIONS` or `FLOW` lets a learner see, in order."""
    return re.findall(pattern, text)


def table(programs: Sequence[Program], target: str) -> Dataset:
    """Return programs as a data set: text, number of instructions, how many of each operation.

    The target is a key of `TARGETS`.
    """
    import pandas as pd

    one_of("target", target, TARGETS)
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


def bag_of_tokens(
    learner: Any, pattern: str = OPERATIONS, words: int = 1, logarithm: bool = False
) -> Any:
    """Return a learner that is given how often each token occurs in the column `text`.

    `words` is the longest run of neighbouring tokens that is counted as one: 2 for pairs too. With
    `logarithm` it learns the logarithm of the target.
    """
    counts = CountVectorizer(token_pattern=pattern, lowercase=False, ngram_range=(1, words))
    inner = make_pipeline(ColumnTransformer([("tokens", counts, "text")]), learner)
    if not logarithm:
        return inner
    return TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp)


def ridge(pattern: str = OPERATIONS, words: int = 1, logarithm: bool = False) -> Any:
    """Return ridge regression (penalty 3) on a bag of tokens."""
    return bag_of_tokens(Ridge(3.0), pattern, words, logarithm)


def forest(logarithm: bool = False, trees: int = 40) -> Any:
    """Return a random forest on how often each operation and type occurs."""
    learner = RandomForestRegressor(trees, min_samples_leaf=2, max_features=0.5, random_state=0)
    return bag_of_tokens(learner, logarithm=logarithm)


def analysis(compute: Callable[[Any], float], read: Callable[[str], Any] = parse) -> Formula:
    """Return the whitebox: the number is computed from the column `text`, and nothing is fitted."""
    return Formula(partial(_computed, compute, read))


def _computed(
    compute: Callable[[Any], float], read: Callable[[str], Any], features: pd.DataFrame
) -> Floats:
    return np.array([compute(read(text)) for text in features["text"]], dtype=float)


def normalized_rmse(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Return the root mean square error over the range of the actual values."""
    if np.ptp(actual) == 0:
        raise ValueError("actual must have two different values or more for a range")
    return float(root_mean_squared_error(actual, predicted) / np.ptp(actual))


def schedule_accuracy(fitted: Any, pairs: Sequence[tuple[Program, Program]]) -> float:
    """Return how often a predictor names the schedule of lower pressure, of two of one graph.

    A tie of predictions counts one half, as a coin would; pairs of equal pressure don't count.
    """
    real = np.array(
        [[register_pressure(program) for program in pair] for pair in pairs], dtype=float
    )
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
