"""Tasks: compare reading with arithmetic, scale the training time, and find where waiting ends."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

memory_bound_by = Task(
    "Time to read over time to compute",
    reference=lambda flop_rate, bandwidth, word_bytes, passes: (
        passes * word_bytes / 4 * flop_rate / bandwidth
    ),
    cases=[(0.9e12, 80e9, 4, 1), (0.9e12, 80e9, 2, 1), (2e12, 50e9, 8, 2)],
    mistakes=[
        Mistake(
            "passes forgotten",
            lambda flop_rate, bandwidth, word_bytes, passes: word_bytes / 4 * flop_rate / bandwidth,
            "You counted one pass over the table. Use `passes`.",
        ),
        Mistake(
            "two FLOP a value",
            lambda flop_rate, bandwidth, word_bytes, passes: (
                passes * word_bytes / 2 * flop_rate / bandwidth
            ),
            "You counted 2 FLOP a value. Each value is used for both rows, with a product and a "
            "sum for each, so 4 FLOP.",
        ),
        Mistake(
            "ridge",
            lambda flop_rate, bandwidth, word_bytes, passes: flop_rate / bandwidth,
            "You computed the machine's ridge. Compare it with the intensity of the rows, (3).",
        ),
    ],
    hint="A value takes `passes * word_bytes / bandwidth` seconds to read and `4 / flop_rate` to "
    "use.",
    right="The node of the prompt reads 11 times as long as it computes. With values of 2 bytes "
    "the ratio is 5.6, so training is still memory-bound.",
)

training_factor = Task(
    "How training time grows with the table",
    reference=lambda samples, features, exponent: samples ** (1 + exponent) * features,
    cases=[(2.0, 3.0, 0.75), (10.0, 1.5, 0.9), (4.0, 1.0, 0.5)],
    mistakes=[
        Mistake(
            "steps alone",
            lambda samples, features, exponent: samples**exponent * features,
            "You counted more steps and more features. But each step also reads more samples.",
        ),
        Mistake(
            "one step alone",
            lambda samples, features, exponent: samples * features,
            "You computed how much longer a step takes. How many more steps are there?",
        ),
        Mistake(
            "features add steps",
            lambda samples, features, exponent: (samples * features) ** (1 + exponent),
            "You let features add steps. The number of steps was fitted over the samples alone. "
            "Features only make a step longer.",
        ),
    ],
    hint="Training time is the number of steps times the time of a step. By what factor does each "
    "grow?",
    right="Twice the samples take more than three times as long. Twice the features take twice as "
    "long.",
)

even_samples = Task(
    "Samples at which reading takes as long as the reductions",
    reference=lambda features, bandwidth, sync_time, word_bytes: (
        2 * sync_time * bandwidth / ((features + 5) * word_bytes)
    ),
    cases=[(20, 80e9, 1e-5, 4), (200, 400e9, 5e-6, 4), (50, 2e12, 2e-5, 8)],
    mistakes=[
        Mistake(
            "one reduction",
            lambda features, bandwidth, sync_time, word_bytes: (
                sync_time * bandwidth / ((features + 5) * word_bytes)
            ),
            "You counted one reduction. A step has two: one finds h, one finds l.",
        ),
        Mistake(
            "gradient left out",
            lambda features, bandwidth, sync_time, word_bytes: (
                2 * sync_time * bandwidth / (features * word_bytes)
            ),
            "You counted only the table. A step also moves gradients and weights, the 5 n w bytes "
            "in (2).",
        ),
        Mistake(
            "two passes",
            lambda features, bandwidth, sync_time, word_bytes: (
                2 * sync_time * bandwidth / ((2 * features + 5) * word_bytes)
            ),
            "You counted two passes over the table. The rows are fused here, so k is 1.",
        ),
    ],
    hint="Set the memory term of (2), with k = 1, equal to two sync_time. Solve for n.",
    right="The more bandwidth a machine has, the more samples it needs before this bandwidth "
    "matters. During a reduction, memory is idle.",
    unit="samples",
)
