"""What the reader does: even lengths, what a budget reads, and the batch that turns a choice."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

even_length = Task(
    "The length at which attention has cost as much as weights",
    reference=lambda parameters, group, numbers, price: (
        2 * parameters / ((group + price) * numbers)
    ),
    cases=[(8.19e9, 4.0, 73_728.0, 562.5), (2e9, 8.0, 60_000.0, 20.0), (7e10, 1.0, 1e5, 100.0)],
    mistakes=[
        Mistake(
            "even token",
            lambda parameters, group, numbers, price: parameters / ((group + price) * numbers),
            "That is the token whose two parts are even. The texts' sums are even later: earlier "
            "tokens were cheaper.",
        ),
        Mistake(
            "bytes alone",
            lambda parameters, group, numbers, price: 2 * parameters / (price * numbers),
            "Attention also computes: `group` FLOP beside each byte's price.",
        ),
        Mistake(
            "work alone",
            lambda parameters, group, numbers, price: 2 * parameters / (group * numbers),
            "That is an older law's answer, in which bytes cost nothing.",
        ),
        Mistake(
            "group times both",
            lambda parameters, group, numbers, price: (
                2 * parameters / (group * (1 + price) * numbers)
            ),
            "Heads of a group share what is read: `group` multiplies the work only.",
        ),
        Mistake(
            "bytes twice",
            lambda parameters, group, numbers, price: (
                2 * parameters / ((group + 2 * price) * numbers)
            ),
            "A number is 2 bytes, but half of it goes into the mean of a growing cache.",
        ),
        Mistake(
            "multiplied",
            lambda parameters, group, numbers, price: 2 * parameters / (group * price * numbers),
            "Work and bytes are added, not multiplied.",
        ),
        Mistake(
            "one FLOP a weight",
            lambda parameters, group, numbers, price: parameters / (2 * (group + price) * numbers),
            "A weight is used for a multiplication and an addition: 2 FLOP.",
        ),
    ],
    hint="Set the first term of (2) equal to the rest, without a prompt, and divide by the length.",
    right="There reading the past overtakes using the weights, and soon in a small model.",
    unit="tokens",
)

sparse_reads = Task(
    "Cached tokens that a budget reads",
    reference=lambda prompt, output, budget: budget * output - 0.5 * max(0.0, budget - prompt) ** 2,
    cases=[(100.0, 1000.0, 400.0), (512.0, 4096.0, 256.0), (0.0, 500.0, 500.0)],
    mistakes=[
        Mistake(
            "plus",
            lambda prompt, output, budget: budget * output + 0.5 * max(0.0, budget - prompt) ** 2,
            "While the cache is shorter than the budget, fewer are read, not more. (One of the "
            "released functions has this sign.)",
        ),
        Mistake(
            "budget from the start",
            lambda prompt, output, budget: budget * output,
            "The first steps have less than the budget to read, unless the prompt fills it.",
        ),
        Mistake(
            "no budget",
            lambda prompt, output, budget: prompt * output + 0.5 * output**2,
            "That reads all of the past at each step.",
        ),
        Mistake(
            "square, not triangle",
            lambda prompt, output, budget: budget * output - max(0.0, budget - prompt) ** 2,
            "What is missing shrinks from step to step: a triangle, half of the square.",
        ),
        Mistake(
            "long prompts refunded",
            lambda prompt, output, budget: budget * output - 0.5 * (budget - prompt) ** 2,
            "A prompt longer than the budget leaves nothing to subtract.",
        ),
        Mistake(
            "prompt forgotten",
            lambda prompt, output, budget: budget * output - 0.5 * budget**2,
            "The prompt is in the cache when the first token is written.",
        ),
        Mistake(
            "whole steps, from 0",
            lambda prompt, output, budget: sum(min(prompt + t, budget) for t in range(int(output))),
            "Nearly: that is a sum over whole steps. Take the integral, as (2) does.",
        ),
        Mistake(
            "whole steps, from 1",
            lambda prompt, output, budget: sum(
                min(prompt + t, budget) for t in range(1, int(output) + 1)
            ),
            "Nearly: that is a sum over whole steps. Take the integral, as (2) does.",
        ),
    ],
    hint="`budget` at each of `output` steps, less the triangle of steps that have less to read.",
    right="From a square it has become a straight line in the output: that is all of the saving.",
    unit="tokens",
)

turning_batch = Task(
    "The batch at which two choices cost the same",
    reference=lambda fixed, weights, other_fixed, other_weights: (
        (other_weights - weights) / (fixed - other_fixed)
    ),
    cases=[(140.0, 150.0, 85.0, 1200.0), (50.0, 10.0, 30.0, 400.0), (9.0, 4.0, 8.0, 30.0)],
    mistakes=[
        Mistake(
            "upside down",
            lambda fixed, weights, other_fixed, other_weights: (
                (fixed - other_fixed) / (other_weights - weights)
            ),
            "That is one over the batch.",
        ),
        Mistake(
            "sum of weights",
            lambda fixed, weights, other_fixed, other_weights: (
                (other_weights + weights) / (fixed - other_fixed)
            ),
            "Both read their weights: only the difference decides.",
        ),
        Mistake(
            "other's weights only",
            lambda fixed, weights, other_fixed, other_weights: (
                other_weights / (fixed - other_fixed)
            ),
            "The first choice reads weights too.",
        ),
        Mistake(
            "sum of fixed parts",
            lambda fixed, weights, other_fixed, other_weights: (
                (other_weights - weights) / (fixed + other_fixed)
            ),
            "What both cost without weights is compared by its difference.",
        ),
        Mistake(
            "first fixed part only",
            lambda fixed, weights, other_fixed, other_weights: (other_weights - weights) / fixed,
            "The second choice costs something without its weights, too.",
        ),
        Mistake(
            "ratio of totals",
            lambda fixed, weights, other_fixed, other_weights: (
                (other_fixed + other_weights) / (fixed + weights)
            ),
            "That is how the two compare alone, with a batch of one.",
        ),
    ],
    hint="fixed + weights / batch on either side; solve for the batch.",
    right="Below it the small model and its long answer are cheaper, above it the large model.",
    unit="sequences",
)
