"""What the reader does: how far reading is behind, how training grows, where waiting ends."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

memory_bound_by = Task(
    "How far the rows are from the arithmetic's pace",
    reference=lambda flop_rate, bandwidth, word_bytes, passes: (
        passes * word_bytes / 4 * flop_rate / bandwidth
    ),
    cases=[(0.9e12, 80e9, 4, 1), (0.9e12, 80e9, 2, 1), (2e12, 50e9, 8, 2)],
    mistakes=[
        Mistake(
            "passes forgotten",
            lambda flop_rate, bandwidth, word_bytes, passes: word_bytes / 4 * flop_rate / bandwidth,
            "You let the table pass by once. Separate rows read it twice.",
        ),
        Mistake(
            "two FLOP a value",
            lambda flop_rate, bandwidth, word_bytes, passes: (
                passes * word_bytes / 2 * flop_rate / bandwidth
            ),
            "Each value is used for both rows, a product and a sum for each: 4 FLOP.",
        ),
        Mistake(
            "ridge",
            lambda flop_rate, bandwidth, word_bytes, passes: flop_rate / bandwidth,
            "That is the machine's ridge. Hold it against the intensity of the rows, (3).",
        ),
    ],
    hint="A value takes `passes * word_bytes / bandwidth` seconds to read and `4 / flop_rate` to "
    "use.",
    right="The node of the prompt reads 11 times as long as it calculates. With values of 2 bytes "
    "it is still 5.6 times: half the bytes, half the time, and still memory-bound.",
)

training_factor = Task(
    "How training time grows with the table",
    reference=lambda samples, features, exponent: samples ** (1 + exponent) * features,
    cases=[(2.0, 3.0, 0.75), (10.0, 1.5, 0.9), (4.0, 1.0, 0.5)],
    mistakes=[
        Mistake(
            "steps alone",
            lambda samples, features, exponent: samples**exponent * features,
            "You have more steps and wider rows. But each step reads more rows, too.",
        ),
        Mistake(
            "one step alone",
            lambda samples, features, exponent: samples * features,
            "That is how much longer a step takes. How many more steps are there?",
        ),
        Mistake(
            "features add steps",
            lambda samples, features, exponent: (samples * features) ** (1 + exponent),
            "The number of steps was fitted over the samples alone; features make a step longer.",
        ),
    ],
    hint="Time is steps times time of a step. By what factor does each grow?",
    right="Twice the samples take more than three times as long; twice the features, twice.",
)

even_samples = Task(
    "Samples at which reading takes as long as agreeing",
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
            "A step has two reductions: one finds h, one finds l.",
        ),
        Mistake(
            "gradient left out",
            lambda features, bandwidth, sync_time, word_bytes: (
                2 * sync_time * bandwidth / (features * word_bytes)
            ),
            "The gradients and weights are read as well: 5 n w bytes in (2).",
        ),
        Mistake(
            "two passes",
            lambda features, bandwidth, sync_time, word_bytes: (
                2 * sync_time * bandwidth / ((2 * features + 5) * word_bytes)
            ),
            "You let the table pass by twice. The rows are fused here: k is 1.",
        ),
    ],
    hint="Set the traffic's part of (2), with k = 1, equal to two sync_time, and solve for n.",
    right="The more bandwidth a machine has, the more data it takes before it shows: a fast memory "
    "is idle while cores agree.",
    unit="samples",
)
