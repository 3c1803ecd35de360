"""What the reader does: the cards' average, the weight that flips a ranking, kappa from a table."""

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
        "much as one with one: average inside each task first.",
        lambda tasks: np.mean([max(columns) for columns in tasks]),
        "best column: You took the better column of each task. That flatters everybody, and those "
        "with uneven columns most.",
        lambda tasks: np.mean([columns[0] for columns in tasks]),
        "first column: You took the first column of each task only.",
        lambda tasks: np.sum([np.mean(columns) for columns in tasks]),
        "sum over tasks: Right up to the last step: divide by the number of tasks.",
    ),
    hint="A mean inside a mean: `np.mean(columns)` for each task, then the mean of these.",
    right="A second column for a task now changes what is measured there, and no longer how much "
    "the task counts. That was a choice as well: six tasks count alike because somebody said so.",
    unit="points",
)

flip_weight = Task(
    "The weight that flips a ranking",
    reference=lambda behind, ahead: behind / (behind + ahead),
    cases=[(10.0, 30.0), (2.0, 5.0), (4.0, 1.0)],
    mistakes=mistakes(
        lambda behind, ahead: behind / ahead,
        "ratio of the gaps: That is w over (1 - w), the odds. Solve (1 - w) behind = w ahead for w "
        "itself.",
        lambda behind, ahead: ahead / (behind + ahead),
        "other system's weight: That is 1 - w, the weight that the other tasks share.",
        lambda behind, ahead: behind / (behind + ahead) / 6,
        "six equal tasks: The gap elsewhere is already a mean over the other tasks. Don't divide "
        "by their number again.",
    ),
    hint="At the tie, `(1 - w) * behind` equals `w * ahead`.",
    right="Where each of two systems wins somewhere, such a weight always exists. A ranking is a "
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
        "raw agreement: That is the share on which they agree. Two who guess agree as well: take "
        "the share expected by chance off, above and below the line.",
        lambda table: (np.trace(table) / table.sum() - 1 / len(table)) / (1 - 1 / len(table)),
        "labels equally likely: You took chance as one over the number of labels. These readers "
        "don't use their labels equally often; use the sums of rows and columns.",
        lambda table: (
            np.trace(table) / table.sum() - table.sum(0) @ table.sum(1) / table.sum() ** 2
        ),
        "not divided: That is agreement minus chance. Divide by what was left to agree on, 1 - "
        "chance.",
        lambda table: (
            (np.trace(table) / table.sum() - np.sum(_pooled(table) ** 2))
            / (1 - np.sum(_pooled(table) ** 2))
        ),
        "pooled shares: You pooled both readers' shares and squared them: that is Scott's pi. "
        "Cohen's chance is the first reader's share of a label times the second's.",
        lambda table: (
            (np.trace(table) / table.sum() - table.sum(0) @ table.sum(0) / table.sum() ** 2)
            / (1 - table.sum(0) @ table.sum(0) / table.sum() ** 2)
        ),
        "second reader's shares squared: You squared the second reader's shares. Chance is the "
        "first reader's share of a label times the second's.",
        lambda table: (
            (np.trace(table) / table.sum() - table.sum(1) @ table.sum(1) / table.sum() ** 2)
            / (1 - table.sum(1) @ table.sum(1) / table.sum() ** 2)
        ),
        "first reader's shares squared: You squared the first reader's shares. Chance is the first "
        "reader's share of a label times the second's.",
    ),
    hint="`np.trace(table) / table.sum()` is the observed agreement; for the one by chance, turn "
    "the sums of rows and of columns into shares and take their product label by label.",
    right="0 is what two who look at nothing reach, 1 is complete agreement. What counts as enough "
    "depends on what the labels are for, and no table of adjectives says it for you.",
)
