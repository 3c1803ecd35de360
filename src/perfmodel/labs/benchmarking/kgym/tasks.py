"""The reader's tasks: what a pass is worth, how many runs are enough, when a pile is done."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

worth_of_pass = Task(
    "What a pass is worth",
    reference=lambda prior, crash, runs: prior / (prior + (1 - prior) * (1 - crash) ** runs),
    cases=[(0.01, 0.3, 3), (0.1, 0.5, 5), (0.02, 0.1, 20)],
    mistakes=mistakes(
        lambda prior, crash, runs: 1 - (1 - crash) ** runs,
        "the runs alone: You computed the probability that the judge catches a wrong patch. The "
        "prior is missing, the fraction of all patches that are true fixes.",
        lambda prior, crash, runs: prior / ((1 - prior) * (1 - crash) ** runs),
        "true against false: You computed the odds, true passes over false passes. For a fraction, "
        "divide by all passes.",
        lambda prior, crash, runs: prior / (prior + (1 - prior) * (1 - crash)),
        "one run: You let wrong patches pass after one clean run. They must survive `runs` clean "
        "runs.",
        lambda prior, crash, runs: prior / (prior + (1 - prior) * crash**runs),
        "crashes in a row: You multiplied crashes. A wrong patch passes when it doesn't crash, "
        "with the probability `1 - crash`.",
        lambda prior, crash, runs: prior / (prior + (1 - crash) ** runs),
        "all patches wrong: You counted all patches as wrong. Only a fraction `1 - prior` is.",
    ),
    hint="Of 1,000 patches, how many true fixes pass, and how many others? "
    "`true / (true + others)`.",
    right="If a bug crashes in 30 % of the runs and 1 % of the patches are fixes, fewer than 3 % "
    "of the passing patches are fixes. The rarer the fixes, the better the judge must be.",
)

runs_enough = Task(
    "Clean runs that are enough",
    reference=lambda crash, limit: np.ceil(np.log(limit) / np.log(1 - crash)),
    cases=[(0.3, 0.01), (0.1, 0.05), (0.5, 0.125), (0.02, 0.01)],
    mistakes=mistakes(
        lambda crash, limit: np.log(limit) / np.log(1 - crash),
        "not whole: The number of runs is a whole number. Round up, because one run less isn't "
        "enough.",
        lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)),
        "rounded down: You rounded down. With one run too few the probability is still above the "
        "limit. Round up.",
        lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)) + 1,
        "one more where it comes out whole: You added one run to the whole part. If the logarithms "
        "divide without a remainder, this is one run too many. Round up instead.",
        lambda crash, limit: np.ceil(np.log(limit) / np.log(crash)),
        "crash for clean: You used the probability of a crash. A clean run has `1 - crash`.",
        lambda crash, limit: np.ceil((1 - limit) / crash),
        "in proportion: You added probabilities. Those of independent runs multiply: (1 - crash) "
        "to the power of n.",
    ),
    hint="Solve (1 - crash)^n = limit for n with `np.log`, then `np.ceil`.",
    right="For rare crashes this is about ln(1/limit) / crash. A bug that crashes in 2 % of runs "
    "needs 228 clean runs for a limit of 1 %.",
    unit="runs",
)


def _bounds(jobs: int, build: float, builders: int, boot: float, boots: int) -> tuple[float, float]:
    return jobs * build / builders + boot, jobs * boot / boots + build


pile_done = Task(
    "When the pile is done, at best",
    reference=lambda jobs, build, builders, boot, boots: max(
        jobs * build / builders + boot, jobs * boot / boots + build
    ),
    cases=[(2790, 12.0, 16, 8.0, 8), (2790, 12.0, 16, 8.0, 12), (100, 5.0, 2, 30.0, 20)],
    mistakes=mistakes(
        lambda jobs, build, builders, boot, boots: jobs * build / builders + jobs * boot / boots,
        "one stage after the other: You built the whole pile before the first boot. The stages "
        "work at the same time.",
        lambda jobs, build, builders, boot, boots: max(
            jobs * build / builders, jobs * boot / boots
        ),
        "the other stage forgotten: One patch's time at the other stage is missing. The bottleneck "
        "waits for the first patch, or the last patch still has the other stage to pass.",
        lambda jobs, build, builders, boot, boots: max(
            jobs * build / builders + boot / boots, jobs * boot / boots + build / builders
        ),
        "a share of the last step: You divided the last step by the machines. One patch is on one "
        "machine, so it takes its full time at the other stage.",
        lambda jobs, build, builders, boot, boots: min(_bounds(jobs, build, builders, boot, boots)),
        "the faster stage: You took the smaller bound. The slower stage finishes last, so take the "
        "larger one.",
        lambda jobs, build, builders, boot, boots: (
            jobs * build / builders + boot if build > boot else jobs * boot / boots + build
        ),
        "the longer step: You took the longer step as the bottleneck. Divide by the machines "
        "first, then compare.",
        lambda jobs, build, builders, boot, boots: max(jobs * build + boot, jobs * boot + build),
        "one machine each: You used one machine per stage. The machines of a stage share its work, "
        "so divide by their number.",
    ),
    hint="Each stage needs jobs x time / machines. Add one patch's time at the other stage. Then "
    "take the larger of the two.",
    right="Going from 8 to 12 boot machines should save a third of the time, but saves only a "
    "quarter. With 12, the build machines are the bottleneck.",
    unit="min",
)
