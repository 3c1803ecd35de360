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
        "write-allocate twice: You charged `a = a + 3 b` with a write-allocate. The loop reads `a` "
        "itself: when it writes, the line is there already.",
        lambda: {"a = 3 b": 24, "a = a + 3 b": 24, "sum of a": 16},
        "write alone: A sum writes nothing back: its result stays in a register.",
        lambda: {"a = 3 b": 24, "a = a + 3 b": 16, "sum of a": 8},
        "update counted once: `a = a + 3 b` reads `a`, and writes it, and reads `b`: three words.",
    ),
    hint="For each array ask two questions. Is it read from memory, by the loop or for a write? Is "
    "it written back? Each yes is 8 bytes.",
    right="So an update in place moves no more than a scale into another array. The name of a loop "
    "doesn't tell you its bytes.",
    unit="bytes an element",
)

allowed_overhead = Task(
    "The overhead that a loop can bear",
    reference=lambda share, traffic, bandwidth: traffic / bandwidth * (1 - share) / share,
    cases=[(0.9, 4e6, 50e9), (0.5, 1e6, 10e9), (0.2, 3e6, 20e9)],
    mistakes=mistakes(
        lambda share, traffic, bandwidth: traffic / bandwidth * (1 - share),
        "share of the transfer: You gave the start 1 - share of the time that the bytes take. "
        "Efficiency is a share of the whole time, the start included.",
        lambda share, traffic, bandwidth: traffic / bandwidth * share / (1 - share),
        "upside down: By your line, a loop that is to be more efficient may start more slowly.",
        lambda share, traffic, bandwidth: traffic / bandwidth / share,
        "whole time: That is how long the loop may take in all. How much of it do the bytes take?",
        lambda share, traffic, bandwidth: traffic / bandwidth,
        "half always: With a start as long as the transfer, the loop reaches half of B, whatever "
        "`share` is.",
    ),
    hint="Equation (2): set `share` equal to 1 / (1 + T B / Q), and solve for T.",
    right="4 MB at 50 GB/s take 80 µs. For 90 % the start may take 9 µs, which a team of threads "
    "rarely keeps.",
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
        "not above: Infinity against infinity passes. NaN > 1e-13 is false, and `not` makes it "
        "true: ask for what you want to see.",
        lambda value, should: bool(abs(value - should) <= 1e-13),
        "absolute: Your error is absolute. The neighbour of 1e12 among the doubles is 1e-4 away.",
        lambda value, should: bool((value - should) / should <= 1e-13),
        "signed: Half of what it should be passes: the error has a sign, and you let all negative "
        "ones through.",
        lambda value, should: bool(abs(value - should) / should <= 1e-13),
        "divided by a sign: Twice what it should be passes where that is negative: you divide by "
        "`should` with its sign.",
        lambda value, should: bool(value == should),
        "equality: Exact equality refuses rounding, and says that infinity is right.",
    ),
    hint="Ask whether the relative error is at most 1e-13. All comparisons with NaN are false.",
    right="A check that asks for the good passes nothing else. One that asks for the bad passes "
    "all that it didn't think of.",
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
        "old content: What was in `a` before is still in your result.",
        lambda a, b, c: b + 2 * c,
        "twice: You add c twice; three times are asked for.",
        lambda a, b, c: 3 * (b + c),
        "brackets: You multiplied b by 3, too.",
        lambda a, b, c: 3 * b + c,
        "the other one: The 3 belongs to c, not to b.",
        lambda a, b, c: 3 * c,
        "b forgotten: You left out b.",
    ),
    hint="A pass that sets `a` to 0 and three that add c are more than the arithmetic needs. "
    "`np.multiply(c, 3.0, out=a)` does their work in one.",
    right="Two passes move 48 bytes an element instead of 112, which predicts 2.3. The 32 of the "
    "bound take one pass, which compiled code can do and NumPy can't.",
)
