"""The reader's tasks: the cards' average, the weight that flips a ranking, kappa from a table."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task
from perfmodel.validation import Floats

average = Task(
    "The average of a card",
    reference=lambda tasks: np.mean([np.mean(columns) for columns in tasks]),
    cases=[([[40.0, 60.0], [10.0]],), ([[30.0, 20.0], [6.0, 8.0], [90.0]],)],
    mistakes=mistakes(
        lambda tasks: np.mean([x for columns in tasks for x in columns]),
        "mean over columns: You averaged columns. A task with two columns then counts twice as "
        "much as a task with one. Average inside each task first.",
        lambda tasks: np.mean([max(columns) for columns in tasks]),
        "best column: You took the better column of each task. This raises every average, and most "
        "of all the averages of models with uneven columns.",
        lambda tasks: np.mean([columns[0] for columns in tasks]),
        "first column: You took only the first column of each task. Take the mean of its columns.",
        lambda tasks: np.sum([np.mean(columns) for columns in tasks]),
        "sum over tasks: You added the tasks. Divide by the number of tasks.",
    ),
    hint="A mean inside a mean: `np.mean(columns)` for each task, then the mean of these.",
    right="A second column now changes what a task measures, but not its weight. Equal weights for "
    "the six tasks are a choice as well.",
    unit="points",
)

flip_weight = Task(
    "The weight that flips a ranking",
    reference=lambda behind, ahead: behind / (behind + ahead),
    cases=[(10.0, 30.0), (2.0, 5.0), (4.0, 1.0)],
    mistakes=mistakes(
        lambda behind, ahead: behind / ahead,
        "ratio of the gaps: You computed w / (1 - w), the odds. Solve (1 - w) behind = w ahead for "
        "w itself.",
        lambda behind, ahead: ahead / (behind + ahead),
        "other system's weight: You computed 1 - w, the weight that the other tasks share.",
        lambda behind, ahead: behind / (behind + ahead) / 6,
        "six equal tasks: You divided by the number of tasks. `behind` is already a mean over the "
        "other tasks, so don't divide again.",
    ),
    hint="At the tie, `(1 - w) * behind` equals `w * ahead`.",
    right="If each of two systems wins somewhere, such a weight always exists. A ranking is a "
    "statement about the systems and about the weights.",
)


def _pooled(table: Floats) -> Floats:
    """Return each label's share in the answers of both readers together."""
    return np.asarray((table.sum(0) + table.sum(1)) / (2 * table.sum()))


kappa = Task(
    "Kappa of a table",
    reference=lambda table: (
        (np.trace(table) / table.sum() - table.sum(0) @ table.sum(1) / table.sum() ** 2)
        / (1 - table.sum(0) @ table.sum(1) / table.sum() ** 2)
    ),
    cases=[
        (np.array([[40.0, 10.0], [20.0, 30.0]]),),
        (np.array([[20.0, 5.0, 5.0], [10.0, 30.0, 5.0], [5.0, 0.0, 20.0]]),),
    ],
    mistakes=mistakes(
        lambda table: np.trace(table) / table.sum(),
        "raw agreement: You computed the fraction on which they agree. Readers who guess agree as "
        "well. Subtract the agreement by chance, from the agreement and from 1.",
        lambda table: (np.trace(table) / table.sum() - 1 / len(table)) / (1 - 1 / len(table)),
        "labels equally likely: You assumed that all labels are equally frequent. These readers "
        "don't use their labels equally often. Use the sums of rows and columns.",
        lambda table: (
            np.trace(table) / table.sum() - table.sum(0) @ table.sum(1) / table.sum() ** 2
        ),
        "not divided: You computed agreement minus chance. Divide it by the most that is possible, "
        "1 minus chance.",
        lambda table: (
            (np.trace(table) / table.sum() - np.sum(_pooled(table) ** 2))
            / (1 - np.sum(_pooled(table) ** 2))
        ),
        "pooled shares: You pooled both readers' fractions and squared them, as Scott's pi does. "
        "Cohen's chance is the first reader's fraction of a label times the second reader's.",
        lambda table: (
            (np.trace(table) / table.sum() - table.sum(0) @ table.sum(0) / table.sum() ** 2)
            / (1 - table.sum(0) @ table.sum(0) / table.sum() ** 2)
        ),
        "second reader's shares squared: You squared the second reader's fractions. Chance is the "
        "first reader's fraction of a label times the second reader's.",
        lambda table: (
            (np.trace(table) / table.sum() - table.sum(1) @ table.sum(1) / table.sum() ** 2)
            / (1 - table.sum(1) @ table.sum(1) / table.sum() ** 2)
        ),
        "first reader's shares squared: You squared the first reader's fractions. Chance is the "
        "first reader's fraction of a label times the second reader's.",
    ),
    hint="`np.trace(table) / table.sum()` is the observed agreement. For the agreement by chance, "
    "turn the sums of rows and of columns into fractions and multiply them label by label.",
    right="Readers who look at nothing reach 0, and complete agreement is 1. How much is enough "
    "depends on the use of the labels.",
)
