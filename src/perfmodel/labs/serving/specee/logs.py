"""Eighty prompts, decoded with all layers and with early exit: the logs, and the paper's numbers.

The same prompts with both, so that rows are pairs. Five people who summarise them fairly print
different speedups: of totals or of means, with the prompt's tokens or without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from perfmodel.measurement import bootstrap_interval
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

TASKS = ("MMLU", "CSQA", "SST2", "GSM8K", "SUM", "MT-bench", "Alpaca")
LAYERS = {"7B": 32, "13B": 40, "70B": 80}
EXECUTED = {
    "7B": (23.16, 22.90, 23.55, 23.13, 23.79, 23.22, 21.96),
    "13B": (24.93, 24.59, 25.92, 26.34, 27.80, 26.02, 24.96),
    "70B": (53.25, 52.14, 49.40, 56.51, 57.58, 55.31, 52.88),
}
"""Mean layers that a token runs, of Llama 2 and by the seven `TASKS`: Table 4."""


class Printed(NamedTuple):
    """A speedup in print."""

    model: str
    engine: str
    place: str
    speedup: float


SPEEDUPS = (
    Printed("7B", "Hugging Face", "RTX 4090", 1.43),
    Printed("7B", "vLLM", "RTX 4090", 1.12),
    Printed("7B", "AWQ", "RTX 4090", 1.13),
    Printed("7B", "Hugging Face", "A100", 1.27),
    Printed("7B", "vLLM", "A100", 1.12),
    Printed("7B", "AWQ", "A100", 1.09),
    Printed("13B", "Hugging Face", "", 1.43),
    Printed("13B", "vLLM", "", 1.14),
    Printed("13B", "AWQ", "", 1.12),
    Printed("70B", "Hugging Face", "", 1.23),
    Printed("70B", "vLLM", "", 1.12),
    Printed("70B", "AWQ", "", 1.12),
)
"""Speedups by early exit over the engine it is put into: section 7."""

PREDICTOR_SHARE = 0.0009 / 0.016
"""Seconds of all predictors over those of a token: section 7."""
PREDICTORS, FEATURES, HIDDEN = 32, 12, 512
"""One predictor a layer: 12 features, 512 hidden units, 1 output."""

ON_GPU = 16
"""Layers of 32 on the GPU in the logs."""
FIXED = (16, 17, 18, 20, 22, 25, 27, 29)
"""Layers that the released code checks for every token, counted from 1."""
NEIGHBOURS, WINDOW = (-2, 0, 2), 5
"""And around which exits: those of the last five tokens."""


Ints = NDArray[np.int64]
Columns = dict[str, Floats]

HEADLINE = "totals, prompt included"
DECODING = "totals, decoding alone"
MEANS = "mean of the prompts' rates"
MEDIANS = "median of the prompts' rates"
RATIOS = "geometric mean of the ratios"


class Interval(NamedTuple):
    """A speedup with the ends of its 95 % interval, from prompts drawn again."""

    speedup: float
    low: float
    high: float


@cache
def prompts() -> Columns:
    """Return the columns of `prompts.csv` by name, shape (80,).

    >>> int(prompts()["full_tokens"].sum()), int(prompts()["early_tokens"].sum())
    (15958, 15843)
    """
    table = _table("prompts")
    return {str(name): table[name].to_numpy(np.float64) for name in table}


@cache
def exits() -> tuple[Ints, ...]:
    """Return the last layers of each prompt's tokens, one array a prompt, in the logs' order.

    >>> exits()[0][:8]
    array([32, 32, 32, 32, 29, 32, 20, 27])
    """
    table = _table("exits")
    return tuple(group.to_numpy(np.int64) for _, group in table.groupby("prompt")["layer"])


def all_exits() -> Ints:
    """Return the last layers of all tokens, shape (16002,)."""
    return np.concatenate(exits())


def rates(which: str, rows: Columns) -> Floats:
    """Return tokens/s of each prompt, its own tokens and its reading included.

    `which` is `full` or `early`; `rows` are columns of `prompts`.
    """
    tokens = rows["prompt_tokens"] + rows[f"{which}_tokens"]
    return np.asarray(1e3 * tokens / rows[f"{which}_total_ms"])


def total_rate(which: str, rows: Columns, decoding: bool = False) -> Floats:
    """Return all tokens over all seconds, of decoding alone if asked; arguments as of `rates`.

    >>> [round(float(total_rate(which, prompts())), 2) for which in ("full", "early")]
    [9.75, 13.7]
    """
    tokens, time = rows[f"{which}_tokens"], rows[f"{which}_{'' if decoding else 'total_'}ms"]
    if not decoding:
        tokens = tokens + rows["prompt_tokens"]
    return np.asarray(1e3 * tokens.sum(axis=-1) / time.sum(axis=-1))


def _of_totals(rows: Columns, decoding: bool) -> Floats:
    return np.asarray(total_rate("early", rows, decoding) / total_rate("full", rows, decoding))


def _of_averages(rows: Columns, average: Callable[..., Floats]) -> Floats:
    early, full = (average(rates(which, rows), axis=-1) for which in ("early", "full"))
    return np.asarray(early / full)


def _of_ratios(rows: Columns) -> Floats:
    return np.asarray(np.exp(np.log(rates("early", rows) / rates("full", rows)).mean(axis=-1)))


ESTIMATORS: Final[dict[str, Callable[[Columns], Floats]]] = {
    HEADLINE: partial(_of_totals, decoding=False),
    DECODING: partial(_of_totals, decoding=True),
    MEANS: partial(_of_averages, average=np.mean),
    MEDIANS: partial(_of_averages, average=np.median),
    RATIOS: _of_ratios,
}
"""A speedup of prompts, given their columns, shape (..., prompts)."""


def speedup(estimator: str, without: int | None = None) -> float:
    """Return the speedup by one of `ESTIMATORS`, perhaps without one of the prompts, from 0.

    >>> round(speedup(HEADLINE), 3), round(speedup(DECODING), 3), round(speedup(MEANS), 3)
    (1.405, 1.421, 1.345)
    """
    rows = np.arange(prompts()["full_ms"].size)
    if without is not None:
        rows = np.delete(rows, without)
    return float(ESTIMATORS[one_of("estimator", estimator, ESTIMATORS)](_picked(rows)))


@cache
def speedup_interval(estimator: str) -> Interval:
    """Return the speedup by one of `ESTIMATORS` with its interval, prompts drawn again in pairs.

    >>> speedup_interval(DECODING).low > 1.3
    True
    """
    estimate = ESTIMATORS[one_of("estimator", estimator, ESTIMATORS)]
    numbers = np.arange(prompts()["full_ms"].size)

    def of_drawn(drawn: Floats, axis: int = -1) -> Floats:
        return estimate(_picked(np.moveaxis(drawn, axis, -1).astype(int)))

    return Interval(speedup(estimator), *bootstrap_interval(numbers, of_drawn))


@cache
def most_moving(estimator: str) -> tuple[int, float]:
    """Return the prompt, from 0, that an estimator depends on most, and the speedup without it.

    >>> number, without = most_moving(MEANS)
    >>> int(prompts()["full_tokens"][number]), round(without, 2)
    (1, 1.46)
    """
    whole = speedup(estimator)
    others = [speedup(estimator, number) for number in range(prompts()["full_ms"].size)]
    number = int(np.argmax(np.abs(np.log(np.array(others) / whole))))
    return number, others[number]


def _picked(numbers: Ints) -> Columns:
    return {name: column[numbers] for name, column in prompts().items()}


def _table(name: str) -> pd.DataFrame:
    return shipped_table(__package__, f"{name}.csv")
