"""The reader's tasks: three scores combined, the spammer's F1, the rounds of a broadcast."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

wholly_right = Task(
    "The fraction of calls that are completely right",
    reference=lambda location, function, arguments: location * function * arguments,
    cases=[(0.8, 0.75, 0.95), (0.7, 0.5, 0.9), (1.0, 0.6, 0.2)],
    mistakes=mistakes(
        lambda location, function, arguments: (location + function + arguments) / 3,
        "mean of the three: You averaged. But each score judges only what passed the score before, "
        "so multiply them.",
        lambda location, function, arguments: min(location, function, arguments),
        "smallest: You took the smallest, as if the same calls failed all three tests. But a call "
        "that wasn't found isn't judged for its name.",
        lambda location, function, arguments: arguments,
        "last score: You took the last score. It covers only calls that were found and have the "
        "right name.",
        lambda location, function, arguments: 1 - (3 - location - function - arguments),
        "failures added: You subtracted all failures from 1. But they are fractions of different "
        "sets of calls.",
    ),
    hint="Of 100 calls some are found. Of those, some get the right name. Of those ...",
    right="Conditional fractions multiply, and three good ones can multiply to less than a half. "
    "The result is approximate, because the third is a mean over arguments and not over calls.",
)

spam_score = Task(
    "The spammer's F1",
    reference=lambda calls, lines: 2 * calls / (calls + lines),
    cases=[(8, 60), (5, 20), (30, 40)],
    mistakes=mistakes(
        lambda calls, lines: 1.0,
        "recall: You gave the recall, which is 1 because every call is found. F1 also needs the "
        "precision.",
        lambda calls, lines: calls / lines,
        "precision: You gave the precision. F1 is the harmonic mean of precision and recall.",
        lambda calls, lines: (calls / lines + 1) / 2,
        "arithmetic mean: You took the arithmetic mean, which is 0.5 even if the precision is 0. "
        "F1 is the harmonic mean.",
        lambda calls, lines: calls / (calls + lines),
        "half the harmonic mean: You computed half of it. The harmonic mean is 2 p r / (p + r).",
        lambda calls, lines: 2 * calls / lines,
        "product: You didn't divide by precision plus recall. F1 is 2 p r / (p + r).",
    ),
    hint="The precision p is `calls / lines`, and the recall r is 1. F1 is 2 p r / (p + r).",
    right="A harmonic mean is close to the smaller number. A score that contains precision makes "
    "spam expensive. The authors' location score doesn't.",
)

rounds_ratio = Task(
    "How many times as long the loop takes",
    reference=lambda processes: (processes - 1) / np.ceil(np.log2(processes)),
    cases=[(64,), (8,), (5,), (2,)],
    mistakes=mistakes(
        lambda processes: processes / np.ceil(np.log2(processes)),
        "root sends to itself: You counted the root as a receiver. It has the message already.",
        lambda processes: (processes - 1) / np.log2(processes),
        "not rounded up: The number of rounds is a whole number. Five processes need three, so "
        "round the logarithm up.",
        lambda processes: (processes - 1) / np.floor(np.log2(processes)),
        "rounded down: You rounded down. Two rounds reach four processes, but not a fifth. Round "
        "up.",
        lambda processes: np.ceil(np.log2(processes)) / (processes - 1),
        "reciprocal: You gave tree over loop. The question asks for loop over tree.",
        lambda processes: 1.0,
        "tree's sends counted: You counted messages, and both ways send the same number. The tree "
        "sends the messages of a round at the same time, so count rounds.",
    ),
    hint="The loop needs a round for each receiver. Each round of the tree doubles the number of "
    "processes that have the message: `np.ceil(np.log2(processes))`.",
    right="A model that replaces a loop of MPI_Send by MPI_Bcast has the wrong name by the label, "
    "and a faster program.",
)
