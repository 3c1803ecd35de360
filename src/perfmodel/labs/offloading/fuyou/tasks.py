"""What the reader does: where the GPU binds, what twice the SSDs give, what can be swapped."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

saturating = Task(
    "The batch from which the GPU binds",
    reference=lambda sample, drive, fixed, count: (drive / count + fixed) / sample,
    cases=[(0.5, 60.0, 10.0, 6), (0.4, 80.0, 6.0, 2), (0.5, 60.0, 12.0, 12)],
    mistakes=mistakes(
        lambda sample, drive, fixed, count: drive / count / sample,
        "nothing fixed: You left out what more SSDs don't shorten.",
        lambda sample, drive, fixed, count: (drive + fixed) / count / sample,
        "all shortened: More SSDs shorten `drive`, not `fixed`.",
        lambda sample, drive, fixed, count: (drive + fixed) / sample,
        "one SSD: That is the batch with a single SSD: all of them share the bytes.",
        lambda sample, drive, fixed, count: (drive * count + fixed) / sample,
        "more SSDs, more time: SSDs share the bytes: twice as many need half the time.",
        lambda sample, drive, fixed, count: max(drive / count, fixed) / sample,
        "largest of three: That lets SSDs and `fixed` work at once. (2) adds them: they take "
        "turns.",
        lambda sample, drive, fixed, count: drive / count + fixed,
        "seconds, not sequences: Those are the seconds of the SSDs. How many sequences keep the "
        "GPU busy as long?",
        lambda sample, drive, fixed, count: (drive / count + fixed) * sample,
        "multiplied: `sample` is seconds a sequence: seconds over it are sequences.",
    ),
    hint="Set the two times in (3) equal and solve for the batch.",
    right="Below it the GPU waits, above it SSDs do: a larger batch and more SSDs do the same job.",
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
        "twice as fast: Only one of three times is halved, and it may not be the one that binds.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) / max(gpu, (ssds + fixed) / 2),
        "fixed halved: `fixed` is what more SSDs do not shorten.",
        lambda gpu, ssds, fixed: (gpu + ssds + fixed) / (gpu + ssds / 2 + fixed),
        "nothing overlaps: That is the sum. In (3) the GPU works while SSDs do.",
        lambda gpu, ssds, fixed: (ssds + fixed) / (ssds / 2 + fixed),
        "GPU forgotten: The GPU may take longer than both; then it sets the time.",
        lambda gpu, ssds, fixed: 1 / _gain(gpu, ssds, fixed),
        "time for speed: That is the new time over the old one. A speedup is the old over the new, "
        "1 or more.",
        lambda gpu, ssds, fixed: 100 * (_gain(gpu, ssds, fixed) - 1),
        "gain in per cent: That is the gain in per cent. A speedup is a ratio: 1 where nothing is "
        "gained.",
        lambda gpu, ssds, fixed: _gain(gpu, ssds, fixed) - 1,
        "gain alone: That is the gain. A speedup is the old time over the new: 1 where nothing is "
        "gained.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) / max(gpu, 2 * ssds + fixed),
        "half the SSDs: `ssds` are seconds: with twice as many SSDs they are halved.",
        lambda gpu, ssds, fixed: max(gpu, ssds) / max(gpu, ssds / 2),
        "fixed forgotten: `fixed` comes on top of `ssds`, before and after.",
        lambda gpu, ssds, fixed: max(gpu, ssds + fixed) - max(gpu, ssds / 2 + fixed),
        "seconds saved: Those are the seconds saved. A speedup is the old time over the new.",
    ),
    hint="Equation (3) before, over (3) with half of `ssds`.",
    right="The gain ends where the GPU binds; from there on SSDs are bought for nothing.",
)

hidden = Task(
    "Bytes that can be swapped for nothing",
    reference=lambda work, compute, link, kept: max(0.0, link * work / 3 / compute - kept),
    cases=[(2.5e15, 150e12, 20e9, 25e9), (2.5e15, 150e12, 10e9, 40e9), (6e14, 1e14, 8e9, 20e9)],
    mistakes=mistakes(
        lambda work, compute, link, kept: max(0.0, link * work / compute - kept),
        "whole step: Activations leave in the forward pass, which does a third of the work.",
        lambda work, compute, link, kept: link * work / 3 / compute,
        "kept ones forgotten: The same link carries what is kept in any case.",
        lambda work, compute, link, kept: link * work / 3 / compute - kept,
        "less than nothing: Where the kept ones fill the link already, nothing more can go: not "
        "less than 0.",
        lambda work, compute, link, kept: max(0.0, link / 2 * work / 3 / compute - kept),
        "link shared by directions: A link has its rate in each direction: weights come in while "
        "activations go out.",
        lambda work, compute, link, kept: max(0.0, link * work * 2 / 3 / compute - kept),
        "backward pass: Two thirds are the backward pass's. Activations leave in the forward pass.",
        lambda work, compute, link, kept: link * work / 3 / compute + kept,
        "kept ones added: What is kept takes the link's time away: subtract it.",
        lambda work, compute, link, kept: link * work / compute,
        "whole step, kept ones forgotten: The forward pass does a third of the work, and the link "
        "carries what is kept too.",
    ),
    hint="The link may be busy for as long as the GPU is in the forward pass.",
    right="Up to there swapping costs nothing, and saves the work of computing again. For a wide "
    "model it may be more than there is to swap.",
    unit="bytes",
)
