"""What the reader does: what a pass is worth, how many runs are enough, when a pile is done."""

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
        "the runs alone: That is the chance that a patch which is no fix gets caught. It says "
        "nothing about how many of the patches are fixes to begin with: the prior is missing.",
        lambda prior, crash, runs: prior / ((1 - prior) * (1 - crash) ** runs),
        "true against false: Those are the odds, true passes over false ones. A share has all "
        "passes below the line.",
        lambda prior, crash, runs: prior / (prior + (1 - prior) * (1 - crash)),
        "one run: You let wrong patches pass after a single clean run. They must survive `runs` of "
        "them.",
        lambda prior, crash, runs: prior / (prior + (1 - prior) * crash**runs),
        "crashes in a row: A wrong patch passes when it does not crash, which has the chance `1 - "
        "crash`.",
        lambda prior, crash, runs: prior / (prior + (1 - crash) ** runs),
        "all patches wrong: Only `1 - prior` of the patches are no fixes.",
    ),
    hint="Of 1,000 patches, how many true fixes pass, and how many others? "
    "`true / (true + others)`.",
    right="For the judge of the paper, a bug that crashes in 3 runs of 10 and 1 fix in 100 "
    "patches: under 3 % of what passes is a fix. The rarer the fixes, the better the judge must "
    "be.",
)

runs_enough = Task(
    "Clean runs that are enough",
    reference=lambda crash, limit: np.ceil(np.log(limit) / np.log(1 - crash)),
    cases=[(0.3, 0.01), (0.1, 0.05), (0.5, 0.125), (0.02, 0.01)],
    mistakes=mistakes(
        lambda crash, limit: np.log(limit) / np.log(1 - crash),
        "not whole: There is no third of a run. Round up: a run less would not be enough.",
        lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)),
        "rounded down: With one run less than needed the chance is still above the limit: round "
        "up.",
        lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)) + 1,
        "one more where it comes out whole: Nearly: where the logarithms divide without a "
        "remainder, that is one run too many.",
        lambda crash, limit: np.ceil(np.log(limit) / np.log(crash)),
        "crash for clean: A clean run has the chance `1 - crash`.",
        lambda crash, limit: np.ceil((1 - limit) / crash),
        "in proportion: Chances of runs multiply, they don't add: (1 - crash) to the power of n.",
    ),
    hint="Solve (1 - crash)^n = limit for n with `np.log`, then `np.ceil`.",
    right="About ln(1/limit) / crash for rare crashes: a bug that crashes in 2 runs of 100 needs "
    "228 clean runs for 1 %.",
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
        "one stage after the other: That builds the whole pile before the first boot. The stages "
        "work at the same time.",
        lambda jobs, build, builders, boot, boots: max(
            jobs * build / builders, jobs * boot / boots
        ),
        "the other stage forgotten: Nearly. The bottleneck can't start with the first patch, or is "
        "not the end of the last one: one patch's time at the other stage is missing.",
        lambda jobs, build, builders, boot, boots: max(
            jobs * build / builders + boot / boots, jobs * boot / boots + build / builders
        ),
        "a share of the last step: The last patch takes its full time at the other stage: one "
        "patch is on one machine.",
        lambda jobs, build, builders, boot, boots: min(_bounds(jobs, build, builders, boot, boots)),
        "the faster stage: The pile can't be done before its slower stage is: take the larger one.",
        lambda jobs, build, builders, boot, boots: (
            jobs * build / builders + boot if build > boot else jobs * boot / boots + build
        ),
        "the longer step: The longer step need not be the bottleneck: divide by the machines "
        "first.",
        lambda jobs, build, builders, boot, boots: max(jobs * build + boot, jobs * boot + build),
        "one machine each: The machines of a stage share its work: divide by how many there are.",
    ),
    hint="Each stage needs jobs x time / machines. Add to either one patch's time at the other "
    "stage, and take the larger.",
    right="Four more machines on 8 should save a third, and save a quarter: at 12 the builders "
    "have become the bottleneck.",
    unit="min",
)
