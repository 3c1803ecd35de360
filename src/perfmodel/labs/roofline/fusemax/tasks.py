"""Tasks: a cascade with a late division, and FuseMax's speedup from its counts."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.roofline.fusemax.cascades import THREE_PASS, cascade, touched
from perfmodel.tasks import Task

BEGIN = """QK[m,p] = Q[e,p] K[e,m]
GM[p] = QK[m,p]
SN[m,p] = QK[m,p] GM[p]
SD[p] = SN[m,p]
"""
"""The first equations of every cascade: scores, their maximum, exponentials and their sum."""

late_division = Task(
    "Divide after the sum",
    reference=lambda begin: touched(
        cascade(begin + "NV[f,p] = SN[m,p] V[f,m]\nAV[f,p] = NV[f,p] SD[p]"), "m"
    ),
    cases=[(BEGIN,)],
    mistakes=mistakes(
        lambda begin: touched(THREE_PASS, "m"),
        "each element divided first: You divide every exponential by the sum, as equation (1) "
        "does. Sum first: one equation combines `SN` and `V` into a tensor without the rank m.",
        lambda begin: touched(cascade(begin + "AV[f,p] = SN[m,p] V[f,m] SD[p]"), "m"),
        "in one equation: You used a single equation. It needs the complete sum before its first "
        "element, so a third pass begins. Compute the sum over m in an equation of its own.",
        lambda begin: touched(cascade(begin + "NV[p] = SN[m,p]\nAV[p] = NV[p] SD[p]"), "m"),
        "values left out: You left out the values. Multiply by `V[f,m]`.",
    ),
    hint="The first equation multiplies `SN[m,p]` by `V[f,m]` and sums over m, so its result has "
    "the ranks f and p. The second divides the result by `SD[p]`. End the first with \\n.",
    right="Now one pass uses the exponentials, and only the scores are needed in two passes. The "
    "distributive law saved a pass again. The barrier of the largest score remains.",
)

speedup = Task(
    "FuseMax's speedup from two counts",
    reference=lambda width, length: (
        max(1024, 2 * width) / max(2 * width + 9, 10 + 2 * width + 256 * width / length)
    ),
    cases=[(64, 1024), (128, 65_536), (1024, 4096), (2048, 8192)],
    mistakes=mistakes(
        lambda width, length: 1024 / (10 + 2 * width + 256 * width / length),
        "FLAT's vector array alone: You used only FLAT's vector array. With wide heads FLAT waits "
        "for its matrix array. Equation (2) is a maximum.",
        lambda width, length: max(1024, 2 * width) / (2 * width + 9),
        "FuseMax's matrix array alone: You used only FuseMax's matrix array. Its vector array is "
        "busier. Take the maximum of (3).",
        lambda width, length: (
            (1024 + 2 * width) / (2 * width + 9 + 10 + 2 * width + 256 * width / length)
        ),
        "sums: You added the times of the two arrays. They work at the same time, so the longer "
        "time counts.",
        lambda width, length: max(1024, 2 * width) / (10 + 2 * width),
        "divisions left out: The divisions at the end are missing. At short lengths they matter.",
    ),
    hint="Divide the larger count of FLAT by the larger count of FuseMax. The factor c cancels.",
    right="At E = 64 and 1,024 tokens the speedup is 6.65. The length hardly matters, but the head "
    "width does, because FuseMax uses the time in which FLAT's matrix array is idle.",
)
