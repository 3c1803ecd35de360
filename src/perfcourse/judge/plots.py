"""Judge a plot: first its data, then what makes it readable, each worth points."""

from __future__ import annotations

from typing import Any

from perfcourse.bank import Question
from perfcourse.bank.plot_comparison import DATA, Fault, Shown, aspects, faults, matched, read
from perfcourse.judge.verdict import Part, Verdict, mistaken, wrong


def judge_plot(question: Question, answer: Any, known: list[Any]) -> Verdict:
    """Judge what a plot shows by the plot that the reference asks for.

    A plot of other data earns nothing, however it is labelled; where the data is a mistake's, it
    gets the mistake's hint.
    """
    shown = read(answer)
    if isinstance(shown, str):
        return wrong(question, shown.replace("NAME", question.answer))
    expected, *mistakes = known
    plot_faults = faults(shown, expected, question.tolerance)
    if any(fault.aspect == DATA for fault in plot_faults):
        return _of_other_data(question, shown, mistakes, plot_faults[0])
    parts = _parts(question, aspects(expected), plot_faults)
    lost = sum(part.points - part.earned for part in parts)
    hints = " ".join(fault.hint for fault in plot_faults)
    return Verdict(
        question.id,
        float(question.points - lost),
        float(question.points),
        f"The data is right. {hints}" if hints else "Right.",
        misconception=plot_faults[0].name if plot_faults else "",
        parts=tuple(parts) if len(parts) > 1 else (),
    )


def _of_other_data(question: Question, shown: Shown, mistakes: list[Any], fault: Fault) -> Verdict:
    for mistake, plot in zip(question.mistakes, mistakes, strict=True):
        if matched(shown, plot, question.tolerance):
            return mistaken(question, mistake)
    return Verdict(question.id, 0.0, float(question.points), fault.hint, misconception=fault.name)


def _parts(question: Question, others: list[str], found: list[Fault]) -> list[Part]:
    """Return the points of the data, one half, and those of what else is looked at."""
    data = question.points / 2 if others else question.points
    parts = [Part(DATA, data, data)]
    for aspect in others:
        worth = (question.points - data) / len(others)
        hints = [fault.hint for fault in found if fault.aspect == aspect]
        parts.append(Part(aspect, 0.0 if hints else worth, worth, " ".join(hints)))
    return parts
