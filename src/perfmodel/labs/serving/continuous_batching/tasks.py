"""What the reader does: answers found in a batch, pauses with a prompt, goodput."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_ANSWERS = [
    (np.array([100.0, 300.0]),),
    (np.array([50.0, 50.0, 50.0, 650.0]),),
    (np.array([20.0, 80.0, 110.0, 400.0, 90.0]),),
]

found = Task(
    "Mean complete length of the answers found in a batch",
    reference=lambda output: (output**2).sum() / output.sum(),
    cases=_ANSWERS,
    mistakes=mistakes(
        lambda output: output.mean(),
        "mean of all answers: That is the mean over a list of requests. A look at the batch finds "
        "an answer once for each of its tokens.",
        lambda output: (output**2).mean(),
        "mean of the squares: Those are tokens squared: divide by the sum of the weights.",
        lambda output: np.sqrt((output**2).mean()),
        "root of the mean square: A root of squares has the right unit, but weights aren't made "
        "that way: the weight of an answer is its own number of tokens.",
        lambda output: output.max(),
        "longest: The longest is found most often, but not only it.",
        lambda output: (output**2).sum() / output.sum() / 2,
        "half of it: That is how much is there on average when you look. The question asks for "
        "the complete length.",
        lambda output: output.var() / output.mean(),
        "variance for square: E[n²] is the variance plus the squared mean: you left one of them "
        "out.",
    ),
    hint="Weigh each answer by how many steps it is in the batch.",
    right="It is E[n²]/E[n], above the mean unless all are equal: the cache and the batch are full "
    "of long answers.",
    unit="tokens",
)

pause = Task(
    "The 99th percentile of the pauses",
    reference=lambda step, seats, output, reading: (
        np.quantile(reading, max(0.0, 1 - 0.01 * output / seats)) + step
    ),
    cases=[
        (0.06, 16, 400, np.array([0.1, 0.2, 0.3, 0.5, 0.9, 1.6])),
        (0.1, 64, 320, np.array([0.1, 0.2, 0.3, 0.5, 0.9, 1.6])),
        (0.08, 20, 500, np.array([0.05, 0.15, 0.4, 0.7, 1.1])),
    ],
    mistakes=mistakes(
        lambda step, seats, output, reading: np.quantile(reading, 0.99) + step,
        "same percentile of the prompts: Not every pause has a prompt in it, so more than one "
        "prompt in a hundred may be longer. How many more?",
        lambda step, seats, output, reading: np.quantile(reading, 1 - 0.01 * seats / output) + step,
        "share the wrong way round: The more often a pause holds a prompt, the fewer of the "
        "prompts may be longer. Yours lets more of them.",
        lambda step, seats, output, reading: np.quantile(reading, 1 - 0.01 * output / seats),
        "step forgotten: After the prompt comes the step that gives the next token.",
        lambda step, seats, output, reading: np.quantile(reading, 1 - 0.01 * seats) + step,
        "one slot: The share of pauses with a prompt is b/n: how far up among the prompts is 1 % "
        "of all pauses?",
        lambda step, seats, output, reading: reading.mean() + step,
        "mean prompt: That is the mean of pauses with a prompt. You need a percentile.",
        lambda step, seats, output, reading: step,
        "no prompt: That is a pause into which no prompt falls. More than one in a hundred has "
        "one.",
    ),
    hint="A fraction b/n of the pauses contains a prompt. Only 1 % of all pauses may be longer "
    "than your answer. Which fraction of the pauses with a prompt is that? Take the matching "
    "quantile of `reading`, and add the step.",
    right="With more slots a pause of yours contains somebody's prompt more often: the percentile "
    "climbs from a typical prompt to a long one, though no prompt has become longer.",
    unit="s",
)

_FIRST = np.array([0.3, 0.5, 2.5, 0.8, 4.0, 1.9])
_NEXT = np.array([0.04, 0.12, 0.05, 0.09, 0.2, 0.06])

good = Task(
    "Goodput: requests a second that meet both limits",
    reference=lambda first, per_token, span, most_first, most_next: (
        ((first <= most_first) & (per_token <= most_next)).sum() / span
    ),
    cases=[
        (_FIRST, _NEXT, 4.0, 2.0, 0.1),
        (_FIRST, _NEXT, 3.0, 0.5, 0.08),
        (_FIRST, _NEXT, 5.0, 3.0, 0.05),
    ],
    mistakes=mistakes(
        lambda first, per_token, span, most_first, most_next: (
            ((first <= most_first) | (per_token <= most_next)).sum() / span
        ),
        "either limit: You count the requests that meet one limit. They must meet both.",
        lambda first, per_token, span, most_first, most_next: (first <= most_first).sum() / span,
        "first token alone: You left out the limit on each token.",
        lambda first, per_token, span, most_first, most_next: (per_token <= most_next).sum() / span,
        "per token alone: You left out the limit on the first token.",
        lambda first, per_token, span, most_first, most_next: (
            (first <= most_first) & (per_token <= most_next)
        ).mean(),
        "share of the requests: That is the share of the requests. Asked is how many a second.",
        lambda first, per_token, span, most_first, most_next: first.size / span,
        "throughput: Those are all requests a second, late ones too.",
        lambda first, per_token, span, most_first, most_next: (
            (first <= most_first).mean() * (per_token <= most_next).mean() * first.size / span
        ),
        "product of shares: You multiplied shares as if the two limits had nothing to do with each "
        "other. Count the requests that keep both.",
    ),
    hint="Two comparisons of arrays, joined by `&`, each in brackets; then count and divide.",
    right="A request counts or it doesn't: late by a little is worth as much as never. "
    "Where the load grows, see whether goodput does.",
    unit="1/s",
)
