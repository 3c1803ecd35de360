"""What the reader does: what a pass is worth, how many runs are enough, when a pile is done."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

worth_of_pass = Task(
    "What a pass is worth",
    reference=lambda prior, crash, runs: prior / (prior + (1 - prior) * (1 - crash) ** runs),
    cases=[(0.01, 0.3, 3), (0.1, 0.5, 5), (0.02, 0.1, 20)],
    mistakes=[
        Mistake(
            "the runs alone",
            lambda prior, crash, runs: 1 - (1 - crash) ** runs,
            "That is the chance that a patch which is no fix gets caught. It says nothing about "
            "how many of the patches are fixes to begin with: the prior is missing.",
        ),
        Mistake(
            "true against false",
            lambda prior, crash, runs: prior / ((1 - prior) * (1 - crash) ** runs),
            "Those are the odds, true passes over false ones. A share has all passes below the "
            "line.",
        ),
        Mistake(
            "one run",
            lambda prior, crash, runs: prior / (prior + (1 - prior) * (1 - crash)),
            "You let wrong patches pass after a single clean run. They must survive `runs` of "
            "them.",
        ),
        Mistake(
            "crashes in a row",
            lambda prior, crash, runs: prior / (prior + (1 - prior) * crash**runs),
            "A wrong patch passes when it does not crash, which has the chance `1 - crash`.",
        ),
        Mistake(
            "all patches wrong",
            lambda prior, crash, runs: prior / (prior + (1 - crash) ** runs),
            "Only `1 - prior` of the patches are no fixes.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "not whole",
            lambda crash, limit: np.log(limit) / np.log(1 - crash),
            "There is no third of a run. Round up: a run less would not be enough.",
        ),
        Mistake(
            "rounded down",
            lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)),
            "With one run less than needed the chance is still above the limit: round up.",
        ),
        Mistake(
            "one more where it comes out whole",
            lambda crash, limit: np.floor(np.log(limit) / np.log(1 - crash)) + 1,
            "Nearly: where the logarithms divide without a remainder, that is one run too many.",
        ),
        Mistake(
            "crash for clean",
            lambda crash, limit: np.ceil(np.log(limit) / np.log(crash)),
            "A clean run has the chance `1 - crash`.",
        ),
        Mistake(
            "in proportion",
            lambda crash, limit: np.ceil((1 - limit) / crash),
            "Chances of runs multiply, they don't add: (1 - crash) to the power of n.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "one stage after the other",
            lambda jobs, build, builders, boot, boots: (
                jobs * build / builders + jobs * boot / boots
            ),
            "That builds the whole pile before the first boot. The stages work at the same time.",
        ),
        Mistake(
            "the other stage forgotten",
            lambda jobs, build, builders, boot, boots: max(
                jobs * build / builders, jobs * boot / boots
            ),
            "Nearly. The bottleneck can't start with the first patch, or is not the end of the "
            "last one: one patch's time at the other stage is missing.",
        ),
        Mistake(
            "a share of the last step",
            lambda jobs, build, builders, boot, boots: max(
                jobs * build / builders + boot / boots, jobs * boot / boots + build / builders
            ),
            "The last patch takes its full time at the other stage: one patch is on one machine.",
        ),
        Mistake(
            "the faster stage",
            lambda jobs, build, builders, boot, boots: min(
                _bounds(jobs, build, builders, boot, boots)
            ),
            "The pile can't be done before its slower stage is: take the larger one.",
        ),
        Mistake(
            "the longer step",
            lambda jobs, build, builders, boot, boots: (
                jobs * build / builders + boot if build > boot else jobs * boot / boots + build
            ),
            "The longer step need not be the bottleneck: divide by the machines first.",
        ),
        Mistake(
            "one machine each",
            lambda jobs, build, builders, boot, boots: max(
                jobs * build + boot, jobs * boot + build
            ),
            "The machines of a stage share its work: divide by how many there are.",
        ),
    ],
    hint="Each stage needs jobs x time / machines. Add to either one patch's time at the other "
    "stage, and take the larger.",
    right="Four more machines on 8 should save a third, and save a quarter: at 12 the builders "
    "have become the bottleneck.",
    unit="min",
)
