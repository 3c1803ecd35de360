"""What the reader does: move a counter, pull a weight to zero, and ask how many misses must go."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

next_count = Task(
    "A counter after one more branch",
    reference=lambda count, taken: min(3, count + 1) if taken else max(0, count - 1),
    cases=[(c, taken) for c in range(4) for taken in (True, False)],
    mistakes=mistakes(
        lambda count, taken: count + 1 if taken else count - 1,
        "no ends: A counter has two bits. At 3 and at 0 it stays where it is.",
        lambda count, taken: (count + 1) % 4 if taken else (count - 1) % 4,
        "wraps around: Yours goes from 3 to 0: after many taken branches it would guess not taken.",
        lambda count, taken: 3 if taken else 0,
        "one bit: That remembers the last outcome alone. A counter needs two misses in a row to "
        "change a firm opinion.",
        lambda count, taken: max(0, count - 1) if taken else min(3, count + 1),
        "other way: Taken counts up.",
    ),
    hint="`count + 1` or `count - 1`, held between 0 and 3 by `min` and `max`.",
    right="One odd outcome moves a firm counter from 3 to 2, and the guess stays. A loop's last "
    "round therefore costs one miss and not two.",
)

pulled = Task(
    "A weight after the pull",
    reference=lambda weight, pull: (
        max(weight - pull, 0.0) if weight > 0 else min(weight + pull, 0.0)
    ),
    cases=[(1.0, 0.25), (-1.0, 0.25), (0.1, 0.25), (-0.1, 0.25), (0.0, 0.25)],
    mistakes=mistakes(
        lambda weight, pull: weight - pull if weight > 0 else weight + pull,
        "past zero: A weight of 0.1 that is pulled by 0.25 ends at 0, not beyond it.",
        lambda weight, pull: max(weight - pull, 0.0),
        "always downwards: Negative weights are pulled up towards zero. Yours all become 0 at "
        "once.",
        lambda weight, pull: weight - pull,
        "always less: That pulls all weights down. Towards zero is up for a negative one.",
        lambda weight, pull: weight * (1 - pull),
        "by a share: That takes a share of the weight, as an L2 penalty does. It never reaches "
        "zero, so every bit would stay in the model.",
        lambda weight, pull: weight if abs(weight) > pull else 0.0,
        "cut off: Small ones are zero, rightly; but large ones are pulled by the same amount, too.",
    ),
    hint="Two cases: a positive weight goes down by `pull`, to 0 at the least; a negative one up, "
    "to 0 at the most.",
    right="Useless weights end at exactly zero and need no storage. The useful ones pay for it: "
    "they are pulled by the same amount, and end too small.",
)

share_of_misses = Task(
    "The share of misses that must go for a speedup",
    reference=lambda gain, base, mpki, lost: (
        (1 - 1 / gain) * (base + mpki / 1000 * lost) / (mpki / 1000 * lost)
    ),
    cases=[(1.05, 0.5, 5, 20), (1.1, 0.25, 5, 20), (1.2, 1.0, 20, 20)],
    mistakes=mistakes(
        lambda gain, base, mpki, lost: (
            (gain - 1) * (base + mpki / 1000 * lost) / (mpki / 1000 * lost)
        ),
        "speed instead of time: 1.05 times as fast isn't 5 % less time but 1 - 1/1.05. Cycles are "
        "time.",
        lambda gain, base, mpki, lost: 1 - 1 / gain,
        "misses alone: That would do if a program did nothing but miss. Only the second term of "
        "(1) shrinks.",
        lambda gain, base, mpki, lost: (1 - 1 / gain) * base / (mpki / 1000 * lost),
        "base alone: The cycles to be saved are a share of all cycles, those of the misses "
        "included.",
        lambda gain, base, mpki, lost: (1 - 1 / gain) * (base + mpki * lost) / (mpki * lost),
        "misses an instruction: MPKI are misses in a thousand instructions.",
    ),
    hint="All cycles times (1 - 1/gain) have to be saved. Divide by the cycles that misses cost.",
    right="For 5 % more speed, 29 % of the misses have to go in the first case. Where the result "
    "is above 1, no predictor can bring that speed, not even a perfect one.",
)
