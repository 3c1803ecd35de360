"""What the numbers of a study say, each way they can come out."""

from __future__ import annotations

import math

from perfcourse.study.findings import SMALL, Findings, Line
from perfcourse.study.power import sd_limit, students_needed


def verdict(line: Line) -> str:
    """Return what the first measure says of a group, or of two, with both intervals."""
    effect = line.effect
    low, high = effect.interval
    how = "fell" if effect.estimate >= 0 else "rose"
    ends = sorted((low, high)) if effect.estimate >= 0 else sorted((-low, -high))
    said = f"the mean log error {how} by {abs(effect.estimate):.2f} ({_ends(*ends)})"
    if " against " in line.group:
        more = "more" if effect.estimate >= 0 else "less"
        said = f"the mean log error fell by {abs(effect.estimate):.2f} {more} ({_ends(*ends)})"
    else:
        first, last = math.exp(line.before), math.exp(line.after)
        said += f", a typical factor from {first:.2f} to {last:.2f}"
    if effect.decided:
        return f"{line.group}: {said}."
    return f"{line.group}: {said}. Chance alone could do this, so these students can't tell."


def _ends(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}"


def cautions(found: Findings) -> list[str]:
    """Return what a reader of the numbers must know, a sentence or two each."""
    said = []
    missing = found.missing
    if not found.orders:
        said.append(
            "All students met the same prompts before and the same ones after. So a fall may be "
            "that the later prompts are easier: give half of the class the forms in the other "
            "order."
        )
    if len({row.group for row in found.students}) == 1:
        said.append(
            "There is no comparison group. So a fall may come from the practice of predicting, "
            "from other lessons or from time, not from the chapter."
        )
    if found.lines[0].effect.students < SMALL:
        said.append(
            f"With fewer than {SMALL} students in pairs, the intervals assume that their "
            "differences have a normal distribution."
        )
    if lost := len(missing.only_before) + len(missing.only_after):
        said.append(
            f"{lost} of {len(found.students)} students have one phase only "
            f"({len(missing.only_before)} before, {len(missing.only_after)} after) and give no "
            "difference. If the students who learnt least stayed away, the fall is overstated."
        )
    if found.alone:
        names = ", ".join(found.alone)
        said.append(f"Left out, because no other student met the pages in the same order: {names}.")
    if missing.skipped:
        said.append(
            f"{missing.skipped} prompts don't count, because students looked without predicting."
        )
    if missing.choices:
        said.append(
            f"{missing.choices} answers have no log error and count only as right or wrong. They "
            "are choices, or their computed answer is 0."
        )
    if missing.capped:
        said.append(
            f"{missing.capped} answers count as a factor of {found.cap:g}, because their error is "
            "at least as large, or they are zero or have the wrong sign."
        )
    if missing.repeated:
        said.append(
            f"{missing.repeated} prompts were answered by one student both before and after. The "
            "second time, the student may have known the computed answer."
        )
    return said


def next_class(line: Line, effect: float, wanted: float = 0.8) -> str:
    """Return how many students the next class needs to find an effect with the power `wanted`.

    `line` is the first measure's, whose differences' standard deviation is this pilot's; `effect`
    is the smallest fall of the mean log error that would matter.
    """
    groups = 2 if " against " in line.group else 1
    sd = spread(line)
    if not sd:
        return (
            "All students changed by the same amount, so this class can't show how many are needed."
        )
    limit = sd_limit(sd, line.effect.students)
    plain, careful = (students_needed(effect, x, wanted, groups) for x in (sd, limit))
    where = "in each of two groups" if groups == 2 else "with both phases"
    return (
        f"To find a true fall of {effect:g} with a chance of {100 * wanted:.0f} %, a class needs "
        f"{_count(plain)} students {where} if differences spread as here (standard deviation "
        f"{sd:.2f}), and {_count(careful)} if they spread as widely as this class's upper 80 % "
        f"limit ({limit:.2f})."
    )


def spread(line: Line) -> float:
    """Return the standard deviation of students' differences that the standard error implies.

    Cells of equal size are assumed: those of one group for a group, of both for their difference.
    """
    share = 2 if " against " in line.group else 1
    return line.effect.standard_error * math.sqrt(line.effect.students) / share


def _count(students: int | None) -> str:
    return "more than 100,000" if students is None else f"{students:,}"
