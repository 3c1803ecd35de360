"""What the reader does: a cascade with one division late, and FuseMax's speedup from its counts."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.roofline.fusemax.cascades import THREE_PASS, cascade, touched
from perfmodel.tasks import Task

BEGIN = """QK[m,p] = Q[e,p] K[e,m]
GM[p] = QK[m,p]
SN[m,p] = QK[m,p] GM[p]
SD[p] = SN[m,p]
"""
"""Scores, their largest, its exponentials and the sum of these: where each way begins."""

late_division = Task(
    "Divide after the sum",
    reference=lambda begin: touched(
        cascade(begin + "NV[f,p] = SN[m,p] V[f,m]\nAV[f,p] = NV[f,p] SD[p]"), "m"
    ),
    cases=[(BEGIN,)],
    mistakes=mistakes(
        lambda begin: touched(THREE_PASS, "m"),
        "each element divided first: That divides every exponential by the sum, as equation (1) "
        "does. Sum up first: one equation makes a tensor of `SN` and `V` that no longer has the "
        "rank m.",
        lambda begin: touched(cascade(begin + "AV[f,p] = SN[m,p] V[f,m] SD[p]"), "m"),
        "in one equation: In a single equation the sum must be there before the first element is "
        "used, so that a third pass begins. Make the sum over m in an equation of its own.",
        lambda begin: touched(cascade(begin + "NV[p] = SN[m,p]\nAV[p] = NV[p] SD[p]"), "m"),
        "values left out: The values `V[f,m]` don't take part.",
    ),
    hint="The first equation multiplies `SN[m,p]` by `V[f,m]` and sums over m, so its result has "
    "the ranks f and p. The second divides that by `SD[p]`. End the first with \\n.",
    right="The exponentials are used in one pass now, and only the scores are needed in two: the "
    "law of distribution saved a pass again. What remains is the largest score.",
)

speedup = Task(
    "FuseMax's speedup from two counts",
    reference=lambda width, length: (
        max(1024, 2 * width) / max(2 * width + 9, 10 + 2 * width + 256 * width / length)
    ),
    cases=[(64, 1024), (128, 65_536), (1024, 4096)],
    mistakes=mistakes(
        lambda width, length: 1024 / (10 + 2 * width + 256 * width / length),
        "FLAT's vector array alone: With wide heads FLAT waits for its matrix array instead. "
        "Equation (3) is a maximum.",
        lambda width, length: max(1024, 2 * width) / (2 * width + 9),
        "FuseMax's matrix array alone: FuseMax has a vector array, too, and it is the busier one: "
        "take the maximum of (4).",
        lambda width, length: (
            (1024 + 2 * width) / (2 * width + 9 + 10 + 2 * width + 256 * width / length)
        ),
        "sums: You added the times of the two arrays. They work at the same time: the longer "
        "counts.",
        lambda width, length: max(1024, 2 * width) / (10 + 2 * width),
        "divisions left out: The divisions at the end are missing; at short lengths they count.",
    ),
    hint="Both equations have the factor c, which cancels: the larger count of FLAT over the "
    "larger count of FuseMax.",
    right="At E = 64 and 1,024 tokens that is 6.65. The length hardly matters, the head width "
    "does: what FuseMax can win is what FLAT leaves idle.",
)
