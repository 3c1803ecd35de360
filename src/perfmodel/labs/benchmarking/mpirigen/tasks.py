"""What the reader does: scores multiplied through, the spammer's F1, rounds of a broadcast."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

wholly_right = Task(
    "The share of calls that are right as a whole",
    reference=lambda location, function, arguments: location * function * arguments,
    cases=[(0.8, 0.75, 0.95), (0.7, 0.5, 0.9), (1.0, 0.6, 0.2)],
    mistakes=mistakes(
        lambda location, function, arguments: (location + function + arguments) / 3,
        "mean of the three: You averaged. Each share is of what passed the one before: the second "
        "judges only calls that were found.",
        lambda location, function, arguments: min(location, function, arguments),
        "smallest: That holds only if the same calls fail all three tests. A call that wasn't "
        "found isn't judged for its name.",
        lambda location, function, arguments: arguments,
        "last score: That is the share of arguments right among calls that were found and rightly "
        "named.",
        lambda location, function, arguments: 1 - (3 - location - function - arguments),
        "failures added: You took the failures from one. They are shares of different wholes.",
    ),
    hint="Of 100 calls some are found; of those some get the right name; of those ...",
    right="A product of conditional shares is about what a whole call has to pass. Three good "
    "numbers can multiply to less than a half. (About, since the arguments' share is a mean over "
    "arguments and not over calls.)",
)

spam_score = Task(
    "The spammer's F1",
    reference=lambda calls, lines: 2 * calls / (calls + lines),
    cases=[(8, 60), (5, 20), (30, 40)],
    mistakes=mistakes(
        lambda calls, lines: 1.0,
        "recall: That is its recall: every call is found. F1 asks for precision, too.",
        lambda calls, lines: calls / lines,
        "precision: That is its precision. F1 is the harmonic mean of precision and recall.",
        lambda calls, lines: (calls / lines + 1) / 2,
        "arithmetic mean: You took the arithmetic mean, which half forgives a precision of "
        "nothing. F1 is the harmonic one.",
        lambda calls, lines: calls / (calls + lines),
        "half the harmonic mean: That is half of it: the harmonic mean of two numbers is 2 p r / "
        "(p + r).",
        lambda calls, lines: 2 * calls / lines,
        "product: Divide by precision plus recall: 2 p r / (p + r).",
    ),
    hint="Precision p is `calls / lines`, recall 1; F1 is 2 p r / (p + r).",
    right="A harmonic mean is near the smaller of the two. A score that counts precision makes "
    "spam expensive; the authors' location score doesn't.",
)

rounds_ratio = Task(
    "How many times as long the loop takes",
    reference=lambda processes: (processes - 1) / np.ceil(np.log2(processes)),
    cases=[(64,), (8,), (5,), (2,)],
    mistakes=mistakes(
        lambda processes: processes / np.ceil(np.log2(processes)),
        "root sends to itself: The root has the message already: it sends to all others.",
        lambda processes: (processes - 1) / np.log2(processes),
        "not rounded up: There are no parts of rounds: five processes need three. Round the "
        "logarithm up.",
        lambda processes: (processes - 1) / np.floor(np.log2(processes)),
        "rounded down: Two rounds reach four processes, and the fifth is left without. Round up.",
        lambda processes: np.ceil(np.log2(processes)) / (processes - 1),
        "reciprocal: Loop over tree is asked for; you gave tree over loop.",
        lambda processes: 1.0,
        "tree's sends counted: Both send as many messages. The tree sends those of a round at the "
        "same time.",
    ),
    hint="The loop needs a round for each receiver; with each round of the tree twice as many have "
    "the message. `np.ceil(np.log2(processes))`.",
    right="A model that puts a call of MPI_Bcast where a loop of MPI_Send stood has a wrong name "
    "in the label's eyes, and a faster program.",
)
