"""One number from a row of scores: by columns, by tasks, by ratios, and by weights that flip it.

Scores that the authors' model cards print, in per cent, with the average that they print.

Source: model cards of the Allen Institute for AI on huggingface.co, 2023, which point to Y. Wang et
al., "How Far Can Camels Go? Exploring the State of Instruction Tuning on Open Resources", NeurIPS
2023 Datasets and Benchmarks, arXiv 2306.04751.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, sample, within

Scores = Sequence[ArrayLike]
"""The columns of each task, a task after the other."""


def task_means(scores: Scores) -> Floats:
    """Return the mean of each task's columns.

    >>> print(task_means([(40, 60), (10,)]))
    [50. 10.]
    """
    return np.array([sample("scores", columns).mean() for columns in scores])


def macro_average(scores: Scores) -> float:
    """Return the cards' average: the mean over tasks of the mean over a task's columns.

    >>> macro_average([(40, 60), (10,)])
    30.0
    """
    return float(task_means(scores).mean())


def column_mean(scores: Scores) -> float:
    """Return the mean over all columns, in which a task of two columns counts twice.

    >>> round(column_mean([(40, 60), (10,)]), 2)
    36.67
    """
    task_means(scores)
    return float(np.concatenate([finite("scores", columns) for columns in scores]).mean())


def mean_of_ratios(first: ArrayLike, second: ArrayLike) -> float:
    """Return the mean over tasks of first over second: every task has the same weight.

    >>> mean_of_ratios([30, 4], [30, 2]), ratio_of_means([30, 4], [30, 2])
    (1.5, 1.0625)
    """
    return float((finite("first", first) / positive("second", second)).mean())


def ratio_of_means(first: ArrayLike, second: ArrayLike) -> float:
    """Return the ratio of two systems' means: tasks with large scores count most."""
    return float(finite("first", first).mean() / positive("second", second).mean())


def weighted_on(tasks: ArrayLike, index: int, weight: float) -> float:
    """Return the mean that gives one task a weight; the weight 1/n gives the plain mean.

    >>> weighted_on([10, 20, 60], 2, 0.5)
    37.5
    """
    values = sample("tasks", tasks, 2)
    fraction = float(within("weight", weight, 0, 1))
    return float(fraction * values[index] + (1 - fraction) * np.delete(values, index).mean())


def flip_weight(first: ArrayLike, second: ArrayLike, index: int) -> float:
    """Return the weight of one task at which two systems' means are equal.

    The others share the rest. ValueError if the same system is ahead on this task and on the mean
    of the others, so that no weight changes the order.

    >>> flip_weight([50, 50, 10], [40, 40, 40], 2)
    0.25
    """
    gaps = sample("first", first, 2) - sample("second", second, 2)
    here, elsewhere = gaps[index], np.delete(gaps, index).mean()
    if here * elsewhere >= 0:
        raise ValueError(
            f"index must be a task that the other system wins, got {index!r}: gaps of {here:g} "
            f"there and {elsewhere:g} elsewhere"
        )
    return float(elsewhere / (elsewhere - here))


TASKS = {
    "MMLU": ("0-shot", "5-shot"),
    "GSM": ("direct", "chain of thought"),
    "BBH": ("direct", "chain of thought"),
    "TydiQA": ("gold passage", "closed book"),
    "Codex": ("pass@1", "pass@10"),
    "AlpacaFarm": ("wins against Davinci-003",),
}
"""The columns of each task, in the order of the cards."""


class Card(NamedTuple):
    """A model's scores by task (per cent), the average printed, and the card's name."""

    scores: tuple[tuple[float, ...], ...]
    average: str
    """As printed; empty where we found none in print."""
    name: str


CARDS = {
    "Tülu 30B": Card(
        ((57.7, 58.4), (6.0, 51.0), (45.8, 48.7), (58.2, 12.3), (25.4, 46.0), (63.5,)),
        "44.7",
        "allenai/tulu-30b",
    ),
    "Tülu 7B": Card(
        ((44.5, 47.0), (6.0, 27.0), (38.1, 39.2), (45.7, 7.7), (17.5, 27.8), (48.3,)),
        "33.1",
        "allenai/tulu-7b",
    ),
    "Code Alpaca 7B": Card(
        ((34.7, 34.5), (6.5, 7.5), (29.6, 30.5), (36.7, 10.5), (16.5, 29.2), (17.5,)),
        "22.6",
        "allenai/open-instruct-code-alpaca-7b, revision 88c78a4",
    ),
    "Dolly 7B": Card(
        ((38.0, 35.8), (5.0, 7.0), (27.2, 24.4), (43.6, 8.7), (11.1, 22.1), (12.7,)),
        "20.7",
        "allenai/open-instruct-dolly-7b, revision 829015a",
    ),
    "SuperNI 13B": Card(
        ((49.8, 50.8), (2.5, 4.0), (38.3, 2.8), (51.4, 10.4), (8.2, 13.1), (6.2,)),
        "20.3",
        "allenai/open-instruct-sni-13b, revision bcb6f68",
    ),
    "Pythia 6.9B": Card(
        ((34.1, 34.6), (3.5, 15.5), (31.3, 27.8), (33.4, 3.8), (14.3, 21.4), (9.2,)),
        "19.8",
        "allenai/open-instruct-pythia-6.9b-tulu",
    ),
    "OPT 6.7B": Card(
        ((33.8, 34.9), (3.0, 15.5), (31.9, 27.9), (27.2, 4.1), (4.8, 7.9), (14.5,)),
        "",
        "allenai/open-instruct-opt-6.7b-tulu",
    ),
}
"""Models, named for what they were tuned on or, the last two, for the model that was tuned."""
