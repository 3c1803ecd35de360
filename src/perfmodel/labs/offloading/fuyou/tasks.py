"""Tasks: where the GPU is the limit, the speedup of twice the SSDs, free swapping."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

saturating = Task(
    "The batch from which the GPU binds",
    reference=lambda sample, drive, fixed, count: (drive / count + fixed) / sample,
    cases=[(0.5, 60.0, 10.0, 6), (0.4, 80.0, 6.0, 2), (0.5, 60.0, 12.0, 12)],
    mistakes=mistakes(
        lambda sample, drive, fixed, count: drive / count / sample,
        "nothing fixed: Add `fixed`, which more SSDs don't shorten.",
        lambda sample, drive, fixed, count: (drive + fixed) / count / sample,
        "all shortened: More SSDs shorten `drive`, not `fixed`.",
        lambda sample, drive, fixed, count: (drive + fixed) / sample,
        "one SSD: That is the batch with a single SSD. `count` SSDs share the bytes.",
        lambda sample, drive, fixed, count: (drive * count + fixed) / sample,
        "more SSDs, more time: SSDs share the bytes. Twice as many need half the time.",
        lambda sample, drive, fixed, count: max(drive / count, fixed) / sample,
        "largest of three: That lets SSDs and `fixed` work at once. (1) adds them, because they "
        "take turns.",
        lambda sample, drive, fixed, count: drive / count + fixed,
        "seconds, not sequences: Those are the seconds of the SSDs. How many sequences keep the "
        "GPU busy as long?",
        lambda sample, drive, fixed, count: (drive / count + fixed) * sample,
        "multiplied: `sample` is seconds per sequence. Divide seconds by it to get sequences.",
    ),
    hint="Set the two times in (2) equal and solve for the batch.",
    right="Below it the GPU waits, above it the SSDs wait. A larger batch helps like more SSDs.",
    unit="sequences",
)


def _gain(gpu: float, ssds: float, fixed: float) -> float:
    return max(gpu, ssds + fixed) / max(gpu, ssds / 2 + fixed)


doubled = Task(
    "What twice the SSDs give",
    reference=lambda gpu, ssds, fixed: max(gpu, ssds + fixed) / max(gpu, ssds / 2 + fixed),
    cases=[(16.0, 10.0, 9.0), (5.0, 10.0, 9.0), (40.0, 10.0, 9.0), (6.0, 16.0, 3.0)],
    mistakes=mistakes(
        lambda gpu, ssds, fixed: 2.0,
        "twice as fast: Only one of three times is halved, and it may not be the limit.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) / max(gpu, (ssds + fixed) / 2),
        "fixed halved: More SSDs don't shorten `fixed`.",
        lambda gpu, ssds, fixed: (gpu + ssds + fixed) / (gpu + ssds / 2 + fixed),
        "nothing overlaps: That is the sum. In (2) the GPU works while the SSDs work.",
        lambda gpu, ssds, fixed: (ssds + fixed) / (ssds / 2 + fixed),
        "GPU forgotten: The GPU may take longer than both. Then it sets the time.",
        lambda gpu, ssds, fixed: 1 / _gain(gpu, ssds, fixed),
        "time for speed: That is the new time over the old time. A speedup is the old time over "
        "the new, 1 or more.",
        lambda gpu, ssds, fixed: 100 * (_gain(gpu, ssds, fixed) - 1),
        "gain in per cent: That is the gain in per cent. A speedup is a ratio, and 1 means no "
        "gain.",
        lambda gpu, ssds, fixed: _gain(gpu, ssds, fixed) - 1,
        "gain alone: That is the gain. A speedup is the old time over the new, and 1 means no "
        "gain.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) / max(gpu, 2 * ssds + fixed),
        "half the SSDs: `ssds` is in seconds. Twice as many SSDs halve it.",
        lambda gpu, ssds, fixed: max(gpu, ssds) / max(gpu, ssds / 2),
        "fixed forgotten: Add `fixed` to `ssds`, before and after.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) - max(gpu, ssds / 2 + fixed),
        "seconds saved: Those are the seconds saved. A speedup is the old time over the new.",
    ),
    hint="Divide equation (2) by equation (2) with half of `ssds`.",
    right="The gain ends where the GPU is the limit. Further SSDs gain nothing.",
)

hidden = Task(
    "Bytes that can be swapped for nothing",
    reference=lambda work, compute, link, kept: max(0.0, link * work / 3 / compute - kept),
    cases=[(2.5e15, 150e12, 20e9, 25e9), (2.5e15, 150e12, 10e9, 40e9), (6e14, 1e14, 8e9, 20e9)],
    mistakes=mistakes(
        lambda work, compute, link, kept: max(0.0, link * work / compute - kept),
        "whole step: Activations leave in the forward pass, which does a third of the work.",
        lambda work, compute, link, kept: link * work / 3 / compute,
        "kept ones forgotten: The same link also carries the activations that are always kept.",
        lambda work, compute, link, kept: link * work / 3 / compute - kept,
        "less than nothing: If the kept activations already fill the link, no more can go. Return "
        "at least 0.",
        lambda work, compute, link, kept: max(0.0, link / 2 * work / 3 / compute - kept),
        "link shared by directions: A link has its full rate in each direction. Weights come in "
        "while activations go out.",
        lambda work, compute, link, kept: max(0.0, link * work * 2 / 3 / compute - kept),
        "backward pass: The backward pass has two thirds. Activations leave in the forward pass.",
        lambda work, compute, link, kept: link * work / 3 / compute + kept,
        "kept ones added: The kept activations use the link, too. Subtract them.",
        lambda work, compute, link, kept: link * work / compute,
        "whole step, kept ones forgotten: The forward pass does a third of the work, and the link "
        "also carries the kept activations.",
    ),
    hint="The link may be busy as long as the GPU is in the forward pass.",
    right="Up to this size swapping costs nothing and saves recomputation. For a wide model it may "
    "be more than all activations.",
    unit="bytes",
)
