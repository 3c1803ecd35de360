"""Tasks: even lengths, the reads of a budget, and the batch that reverses a choice."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

even_length = Task(
    "The length at which attention has cost as much as weights",
    reference=lambda parameters, group, numbers, price: (
        2 * parameters / ((group + price) * numbers)
    ),
    cases=[(8.19e9, 4.0, 73_728.0, 562.5), (2e9, 8.0, 60_000.0, 20.0), (7e10, 1.0, 1e5, 100.0)],
    mistakes=mistakes(
        lambda parameters, group, numbers, price: parameters / ((group + price) * numbers),
        "even token: That is the token whose two parts are equal. The sums over the text are equal "
        "later, because earlier tokens were cheaper.",
        lambda parameters, group, numbers, price: 2 * parameters / (price * numbers),
        "bytes alone: Attention also computes. Add `group` FLOP to the price of a byte.",
        lambda parameters, group, numbers, price: 2 * parameters / (group * numbers),
        "work alone: That is an older law's answer, with free bytes.",
        lambda parameters, group, numbers, price: 2 * parameters / (group * (1 + price) * numbers),
        "group times both: Heads of a group share their reads. `group` multiplies only the work.",
        lambda parameters, group, numbers, price: 2 * parameters / ((group + 2 * price) * numbers),
        "bytes twice: A number has 2 bytes, but the mean of a growing cache is half of its end.",
        lambda parameters, group, numbers, price: 2 * parameters / (group * price * numbers),
        "multiplied: Work and bytes are added, not multiplied.",
        lambda parameters, group, numbers, price: parameters / (2 * (group + price) * numbers),
        "one FLOP a weight: A weight takes a multiplication and an addition, 2 FLOP.",
    ),
    hint="Set the first term of (2) equal to the rest, without a prompt, and divide by the length.",
    right="Beyond it, attention costs more than the weights. In a small model this comes early.",
    unit="tokens",
)

sparse_reads = Task(
    "Cached tokens that a budget reads",
    reference=lambda prompt, output, budget: budget * output - 0.5 * max(0.0, budget - prompt) ** 2,
    cases=[(100.0, 1000.0, 400.0), (512.0, 4096.0, 256.0), (0.0, 500.0, 500.0)],
    mistakes=mistakes(
        lambda prompt, output, budget: budget * output + 0.5 * max(0.0, budget - prompt) ** 2,
        "plus: While the cache is shorter than the budget, a step reads fewer tokens, not more. "
        "(One of the released functions has this sign.)",
        lambda prompt, output, budget: budget * output,
        "budget from the start: The first steps have fewer tokens than the budget to read, unless "
        "the prompt fills it.",
        lambda prompt, output, budget: prompt * output + 0.5 * output**2,
        "no budget: That reads all tokens at each step.",
        lambda prompt, output, budget: budget * output - max(0.0, budget - prompt) ** 2,
        "square, not triangle: The gap to the budget shrinks from step to step. Subtract a "
        "triangle, half of the square.",
        lambda prompt, output, budget: budget * output - 0.5 * (budget - prompt) ** 2,
        "long prompts refunded: A prompt longer than the budget leaves nothing to subtract.",
        lambda prompt, output, budget: budget * output - 0.5 * budget**2,
        "prompt forgotten: The prompt is already in the cache at the first step.",
        lambda prompt, output, budget: sum(min(prompt + t, budget) for t in range(int(output))),
        "whole steps, from 0: Nearly. That is a sum over whole steps. Take the integral, as (2) "
        "does.",
        lambda prompt, output, budget: sum(
            min(prompt + t, budget) for t in range(1, int(output) + 1)
        ),
        "whole steps, from 1: Nearly. That is a sum over whole steps. Take the integral, as (2) "
        "does.",
    ),
    hint="Take `budget` tokens at each of `output` steps, minus the triangle of the first steps.",
    right="The reads now grow linearly with the output, not with its square. That is the saving.",
    unit="tokens",
)

turning_batch = Task(
    "The batch at which two choices cost the same",
    reference=lambda fixed, weights, other_fixed, other_weights: (
        (other_weights - weights) / (fixed - other_fixed)
    ),
    cases=[(140.0, 150.0, 85.0, 1200.0), (50.0, 10.0, 30.0, 400.0), (9.0, 4.0, 8.0, 30.0)],
    mistakes=mistakes(
        lambda fixed, weights, other_fixed, other_weights: (
            (fixed - other_fixed) / (other_weights - weights)
        ),
        "upside down: That is the reciprocal of the batch.",
        lambda fixed, weights, other_fixed, other_weights: (
            (other_weights + weights) / (fixed - other_fixed)
        ),
        "sum of weights: Both texts read weights. Only the difference decides.",
        lambda fixed, weights, other_fixed, other_weights: other_weights / (fixed - other_fixed),
        "other's weights only: The first text reads weights, too.",
        lambda fixed, weights, other_fixed, other_weights: (
            (other_weights - weights) / (fixed + other_fixed)
        ),
        "sum of fixed parts: Both texts have a fixed part. Only the difference decides.",
        lambda fixed, weights, other_fixed, other_weights: (other_weights - weights) / fixed,
        "first fixed part only: The second text has a fixed part, too.",
        lambda fixed, weights, other_fixed, other_weights: (
            (other_fixed + other_weights) / (fixed + weights)
        ),
        "ratio of totals: That compares both texts at a batch of one.",
    ),
    hint="Set fixed + weights / batch equal for both texts, and solve for the batch.",
    right="Below it the small model's long answer is cheaper, above it the large model's answer.",
    unit="sequences",
)
