"""Tasks: move a counter, pull a weight to zero, and compute how many misses must disappear."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

next_count = Task(
    "A counter after one more branch",
    reference=lambda count, taken: min(3, count + 1) if taken else max(0, count - 1),
    cases=[(c, taken) for c in range(4) for taken in (True, False)],
    mistakes=mistakes(
        lambda count, taken: count + 1 if taken else count - 1,
        "no ends: Your counter has no limits. It has two bits, so it stays at 3 and at 0.",
        lambda count, taken: (count + 1) % 4 if taken else (count - 1) % 4,
        "wraps around: Your counter goes from 3 to 0, so it would guess not taken after many taken "
        "branches. Stay at 3.",
        lambda count, taken: 3 if taken else 0,
        "one bit: Your counter remembers only the last outcome. It should move by one, so 3 needs "
        "two misses to change the guess.",
        lambda count, taken: max(0, count - 1) if taken else min(3, count + 1),
        "other way: Your counter moves the wrong way. A taken branch counts up.",
    ),
    hint="Use `count + 1` or `count - 1`, and keep it between 0 and 3 with `min` and `max`.",
    right="One unusual outcome moves the counter from 3 to 2, and the guess stays. So the last "
    "round of a loop costs one miss, not two.",
)

pulled = Task(
    "A weight after the pull",
    reference=lambda weight, pull: (
        max(weight - pull, 0.0) if weight > 0 else min(weight + pull, 0.0)
    ),
    cases=[(1.0, 0.25), (-1.0, 0.25), (0.1, 0.25), (-0.1, 0.25), (0.0, 0.25)],
    mistakes=mistakes(
        lambda weight, pull: weight - pull if weight > 0 else weight + pull,
        "past zero: Your pull goes past zero. A weight of 0.1 that is pulled by 0.25 ends at 0.",
        lambda weight, pull: max(weight - pull, 0.0),
        "always downwards: Your negative weights all become 0 at once. Pull them up towards zero "
        "by `pull`.",
        lambda weight, pull: weight - pull,
        "always less: You pulled all weights down. A negative weight moves up towards zero.",
        lambda weight, pull: weight * (1 - pull),
        "by a share: You removed a fraction of the weight, as an L2 penalty does. It never reaches "
        "zero, so every bit would stay in the model.",
        lambda weight, pull: weight if abs(weight) > pull else 0.0,
        "cut off: Small weights are correctly zero. But large weights are pulled by the same "
        "amount, too.",
    ),
    hint="There are two cases. A positive weight goes down by `pull`, but not below 0. A negative "
    "weight goes up, but not above 0.",
    right="Useless weights end at exactly zero and need no storage. Useful weights are pulled by "
    "the same amount, so they end too small.",
)

share_of_misses = Task(
    "The fraction of misses that must disappear for a speedup",
    reference=lambda gain, base, mpki, lost: (
        (1 - 1 / gain) * (base + mpki / 1000 * lost) / (mpki / 1000 * lost)
    ),
    cases=[(1.05, 0.5, 5, 20), (1.1, 0.25, 5, 20), (1.2, 1.0, 20, 20)],
    mistakes=mistakes(
        lambda gain, base, mpki, lost: (
            (gain - 1) * (base + mpki / 1000 * lost) / (mpki / 1000 * lost)
        ),
        "speed instead of time: You used 5 % less time for 1.05 times the speed. The time falls by "
        "1 - 1/1.05, and cycles are time.",
        lambda gain, base, mpki, lost: 1 - 1 / gain,
        "misses alone: You treated the whole time as misses. Only the second term of (1) shrinks.",
        lambda gain, base, mpki, lost: (1 - 1 / gain) * base / (mpki / 1000 * lost),
        "base alone: You saved a fraction of the cycles without misses. Use all cycles, with the "
        "cycles of misses.",
        lambda gain, base, mpki, lost: (1 - 1 / gain) * (base + mpki * lost) / (mpki * lost),
        "misses an instruction: You used MPKI as misses in one instruction. It is misses in 1,000 "
        "instructions.",
    ),
    hint="You must save all cycles times (1 - 1/gain). Divide this by the cycles that misses cost.",
    right="In the first case, 5 % more speed needs 29 % fewer misses. If the result is above 1, "
    "not even a perfect predictor reaches this speed.",
)
