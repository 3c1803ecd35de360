"""What the reader does: checks and their highest price, a fair rate, layers on a device."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

with_checks = Task(
    "Speedup with checks",
    reference=lambda layers, mean_exit, checks, cost: layers / (mean_exit + 1 + checks * cost),
    cases=[(32, 23.0, 8.0, 0.5), (40, 25.0, 12.0, 0.05), (32, 30.0, 20.0, 0.2)],
    mistakes=mistakes(
        lambda layers, mean_exit, checks, cost: layers / (mean_exit + 1),
        "checks free: That is the ideal: each check takes `cost` layers' time as well.",
        lambda layers, mean_exit, checks, cost: layers / (mean_exit + checks * cost),
        "no draft: Candidates come from a draft, and it takes as long as a layer.",
        lambda layers, mean_exit, checks, cost: layers / (mean_exit + 1 + cost),
        "one check: A token is asked `checks` times, and each time costs.",
        lambda layers, mean_exit, checks, cost: layers / (mean_exit * (1 + cost) + 1),
        "every layer asked: Not each executed layer is followed by a check: `checks` of them are.",
        lambda layers, mean_exit, checks, cost: (
            (layers + checks * cost) / (mean_exit + 1 + checks * cost)
        ),
        "checks paid by both: Without early exit nobody checks.",
        lambda layers, mean_exit, checks, cost: 1 - (mean_exit + 1 + checks * cost) / layers,
        "share saved: That is the share of the time that is saved. A speedup is old over new.",
    ),
    hint="All times in layers: those of a token without early exit, over those with it.",
    right="A check costs little, but it is paid where nobody leaves as well.",
)

decoding_speedup = Task(
    "Speedup of decoding, from totals",
    reference=lambda full_tokens, full_ms, early_tokens, early_ms: (
        (full_ms / full_tokens) / (early_ms / early_tokens)
    ),
    cases=[(1000, 200e3, 900, 130e3), (500, 90e3, 800, 120e3)],
    mistakes=mistakes(
        lambda full_tokens, full_ms, early_tokens, early_ms: full_ms / early_ms,
        "times alone: The two runs didn't make the same number of tokens: compare times of one "
        "token.",
        lambda full_tokens, full_ms, early_tokens, early_ms: (
            1 - (early_ms / early_tokens) / (full_ms / full_tokens)
        ),
        "share saved: That is the share of a token's time that is saved. A speedup is old over "
        "new.",
        lambda full_tokens, full_ms, early_tokens, early_ms: (
            (full_ms / early_tokens) / (early_ms / full_tokens)
        ),
        "tokens swapped: Each run's time belongs over its own tokens.",
        lambda full_tokens, full_ms, early_tokens, early_ms: (
            full_ms / full_tokens - early_ms / early_tokens
        ),
        "difference: Those are the milliseconds that a token saves. A speedup is a ratio.",
        lambda full_tokens, full_ms, early_tokens, early_ms: early_tokens / full_tokens,
        "tokens alone: That compares how much was written, not how fast.",
    ),
    hint="Milliseconds a token in each run, then old over new.",
    right="Totals give each token the same weight, so long answers count for more than short ones.",
)

layers_left = Task(
    "Mean layers on the CPU",
    reference=lambda exits, on_gpu: np.mean(np.maximum(exits - on_gpu, 0)),
    cases=[(np.array([10, 20, 24, 32]), 16), (np.array([14, 15, 32, 30]), 20)],
    mistakes=mistakes(
        lambda exits, on_gpu: max(np.mean(exits) - on_gpu, 0),
        "mean first: A token that leaves on the GPU has 0 layers on the CPU, not less than none: "
        "cut off at 0 for each token, and average then.",
        lambda exits, on_gpu: np.mean(np.minimum(exits, on_gpu)),
        "layers on the GPU: Those are the layers run on the GPU, the first ones.",
        lambda exits, on_gpu: np.mean(exits[exits > on_gpu] - on_gpu),
        "only those that get there: Tokens that left on the GPU count too, with 0.",
        lambda exits, on_gpu: np.sum(np.maximum(exits - on_gpu, 0)),
        "sum: That is the sum over tokens; the mean is asked for.",
        lambda exits, on_gpu: np.mean(np.abs(exits - on_gpu)),
        "distance: Layers below the border are run on the GPU: they don't count as layers on the "
        "CPU.",
        lambda exits, on_gpu: np.mean(32 - np.maximum(exits, on_gpu)),
        "layers never run: Those are the CPU's layers that a token skips.",
    ),
    hint="For each token what its exit is above `on_gpu`, or 0; then the mean.",
    right="The cut at 0 belongs inside the mean: averages of cut values aren't cut averages.",
    unit="layers",
)

dearest_check = Task(
    "What a check may cost",
    reference=lambda layers, mean_exit, checks: (layers - mean_exit - 1) / checks,
    cases=[(32, 23.0, 8.0), (40, 30.0, 12.0), (32, 29.0, 20.0)],
    mistakes=mistakes(
        lambda layers, mean_exit, checks: (layers - mean_exit) / checks,
        "no draft: One of the layers saved goes to the draft.",
        lambda layers, mean_exit, checks: layers - mean_exit - 1,
        "all checks together: That is what all checks of a token may cost together.",
        lambda layers, mean_exit, checks: (layers - mean_exit + 1) / checks,
        "draft added: The draft is paid in addition: it leaves less for checks.",
        lambda layers, mean_exit, checks: (layers - mean_exit - 1) / mean_exit,
        "every layer asked: A token isn't asked after each layer it runs, but `checks` times.",
        lambda layers, mean_exit, checks: (mean_exit - 1) / checks,
        "layers left: Checks are paid from layers that aren't run.",
    ),
    hint="Set the time with early exit equal to `layers`, and solve for a check.",
    right="The later a token leaves, the less a question may cost.",
    unit="layers",
)
