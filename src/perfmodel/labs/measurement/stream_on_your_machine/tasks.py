"""What the reader does: count bytes, mend a check, price an abstraction, take passes out."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.measurement.stream_on_your_machine.traffic import STREAM, WORD
from perfmodel.tasks import Faster, Task
from perfmodel.validation import Floats

ELEMENTS = 2_000_000
"""Of each array that is timed: 16 MB."""
_LONG = np.arange(1.0, ELEMENTS + 1)
_SHORT = np.arange(1.0, 9.0)


def triad_in_five_passes(a: Floats, b: Floats, c: Floats) -> Floats:
    """Set a = b + 3 c and return a."""
    a[:] = 0.0
    for term in (b, c, c, c):
        a += term
    return a


def triad_in_two_passes(a: Floats, b: Floats, c: Floats) -> Floats:
    """Set a = b + 3 c and return a."""
    np.multiply(c, 3.0, out=a)
    a += b
    return a


moved = Task(
    "Bytes that three loops move",
    reference=lambda: {"a = 3 b": 24, "a = a + 3 b": 24, "sum of a": 8},
    mistakes=mistakes(
        lambda: {"a = 3 b": 16, "a = a + 3 b": 24, "sum of a": 8},
        "bytes counted: Those are the bytes that the loops name. One of them writes an array that "
        "it doesn't read: what does the processor fetch before it writes?",
        lambda: {"a = 3 b": 24, "a = a + 3 b": 32, "sum of a": 8},
        "write-allocate twice: You charged `a = a + 3 b` with a write-allocate. But the loop "
        "reads `a` itself, so the line is already in the cache when the loop writes it.",
        lambda: {"a = 3 b": 24, "a = a + 3 b": 24, "sum of a": 16},
        "write alone: A sum writes nothing back: its result stays in a register.",
        lambda: {"a = 3 b": 24, "a = a + 3 b": 16, "sum of a": 8},
        "update counted once: `a = a + 3 b` moves three words: it reads `a`, reads `b`, and "
        "writes `a`.",
    ),
    hint="For each array ask two questions. Is it read from memory, by the loop or for a write? Is "
    "it written back? Each yes is 8 bytes.",
    right="An update in place moves as many bytes as a scale into another array. The name of a "
    "loop doesn't tell you its bytes.",
    unit="bytes an element",
)

allowed_overhead = Task(
    "The longest start that a loop can afford",
    reference=lambda share, traffic, bandwidth: traffic / bandwidth * (1 - share) / share,
    cases=[(0.9, 4e6, 50e9), (0.5, 1e6, 10e9), (0.2, 3e6, 20e9)],
    mistakes=mistakes(
        lambda share, traffic, bandwidth: traffic / bandwidth * (1 - share),
        "share of the transfer: You gave the start a fraction 1 - share of the transfer time. "
        "But efficiency is a fraction of the whole time, which includes the start.",
        lambda share, traffic, bandwidth: traffic / bandwidth * share / (1 - share),
        "upside down: Your line allows a slower start to a loop that must be more efficient. "
        "Check the fraction.",
        lambda share, traffic, bandwidth: traffic / bandwidth / share,
        "whole time: This is the time of the whole loop. How much of it do the bytes take?",
        lambda share, traffic, bandwidth: traffic / bandwidth,
        "half always: Your start takes as long as the transfer. Then the loop always reaches half "
        "of B. Use `share`.",
    ),
    hint="Equation (2): set `share` equal to 1 / (1 + T B / Q), and solve for T.",
    right="4 MB at 50 GB/s take 80 µs. For 90 % the start may take 9 µs. A team of threads rarely "
    "starts that fast.",
    unit="s",
)

safe_check = Task(
    "A check that can fail",
    reference=lambda value, should: bool(abs(value - should) / abs(should) <= 1e-13),
    cases=[
        (1.0, 1.0),
        (1.0 + 1e-9, 1.0),
        (0.5, 1.0),
        (-2.0, -1.0),
        (1e12 + 2.0**-12, 1e12),
        (float("inf"), float("inf")),
        (float("nan"), 4.0),
    ],
    mistakes=mistakes(
        lambda value, should: not abs(value - should) / abs(should) > 1e-13,
        "not above: Your check accepts infinity compared with infinity. NaN > 1e-13 is false, and "
        "`not` makes it true. Ask for what you want to see.",
        lambda value, should: bool(abs(value - should) <= 1e-13),
        "absolute: Your error is absolute, but the next double after 1e12 is 1e-4 away. Divide "
        "by `should`.",
        lambda value, should: bool((value - should) / should <= 1e-13),
        "signed: Your check accepts half of the right value, because it accepts all negative "
        "errors. Take the absolute value.",
        lambda value, should: bool(abs(value - should) / should <= 1e-13),
        "divided by a sign: If `should` is negative, your check accepts twice its value. Divide by "
        "the absolute value of `should`.",
        lambda value, should: bool(value == should),
        "equality: Exact equality refuses rounding errors and accepts infinity. Compare the "
        "relative error with the limit.",
    ),
    hint="Ask whether the relative error is at most 1e-13. All comparisons with NaN are false.",
    right="Your check accepts only what it asks for. A check that looks for bad values accepts "
    "every case that its author didn't think of.",
)

fewer_passes = Faster(
    "Make the triad faster by moving less",
    given=triad_in_five_passes,
    cases=[
        (np.full(8, 7.0), _SHORT, _SHORT**2),
        (np.zeros(5000), np.sqrt(_LONG[:5000]), _LONG[:5000]),
        (np.zeros(ELEMENTS), _LONG[::-1].copy(), _LONG),
    ],
    reference=triad_in_two_passes,
    bound=lambda: (2 + 4 * 3) * WORD / STREAM["triad"].moved,
    aim=1.6,
    model="the count of bytes",
    mistakes=mistakes(
        lambda a, b, c: a + b + 3 * c,
        "old content: Your result still contains the old values of `a`. Overwrite them.",
        lambda a, b, c: b + 2 * c,
        "twice: You add c twice. The loop adds it three times.",
        lambda a, b, c: 3 * (b + c),
        "brackets: You multiplied b by 3, too. Only c has this factor.",
        lambda a, b, c: 3 * b + c,
        "the other one: You multiplied b by 3. The factor belongs to c.",
        lambda a, b, c: 3 * c,
        "b forgotten: You left out b. Add it.",
    ),
    hint="One pass sets `a` to 0 and three passes add c. `np.multiply(c, 3.0, out=a)` does their "
    "work in one pass.",
    right="Two passes move 48 bytes an element instead of 112, which predicts a speedup of 2.3. "
    "A single pass would move 32. Compiled code can do it, but NumPy can't.",
)
