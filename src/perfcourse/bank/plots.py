"""Questions that are answered by a plot: its data, labels, units, scales, limits and legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfcourse.bank import plot_comparison
from perfcourse.bank.earlier_names import takes_misconceptions
from perfcourse.bank.errors import BankError, require
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.plot_comparison import read
from perfcourse.bank.question import Inputs, Question, as_draw
from perfcourse.kernel.plain import plain
from perfmodel.answers.mistakes import Mistake, as_model

SCALES = ("", "linear", "log")
Texts = str | Sequence[str]
"""A text, or several of which each will do."""


@dataclass(frozen=True, eq=False)
class Axis:
    """What an axis must show; what is left out isn't looked at."""

    label: Texts = ""
    """Words that its label must hold; a `*` stands for anything."""
    unit: Texts = ""
    """How the unit may be written, upper and lower case being two things: `("s", "seconds")`."""
    scale: str = ""
    """`linear` or `log`."""
    limits: tuple[float, float] | None = None
    """Where it begins and ends."""

    def __post_init__(self) -> None:
        """Refuse a scale that isn't known and limits that aren't two numbers."""
        require(self.scale in SCALES, "scale", self.scale, "linear, log or left out")
        fine = self.limits is None or np.shape(self.limits) == (2,)
        require(fine, "limits", self.limits, "two numbers")


@dataclass(frozen=True, eq=False)
class Curve:
    """Data that must be drawn, as a line, as points or as bars.

    `x` and `y` are the points themselves. Or `y` is a function and `x` the two ends between which
    the curve must run, through points that the student chooses.
    """

    x: Any
    y: Any
    label: Texts = ""
    """Words that tell it from the others in the legend."""

    def __post_init__(self) -> None:
        """Refuse points that aren't pairs, and a function without its two ends."""
        if callable(self.y):
            require(np.shape(self.x) == (2,), "x of a curve", self.x, "the function's two ends")
        else:
            fine = np.shape(self.x) == np.shape(self.y) and np.ndim(self.x) == 1 and len(self.x)
            require(fine, "x and y of a curve", np.shape(self.y), f"shaped {np.shape(self.x)} both")


@dataclass(frozen=True, eq=False)
class Plot:
    """What a plot must show; a reference returns it."""

    x: Axis
    y: Axis
    curves: Sequence[Curve]
    title: Texts = ""

    def __post_init__(self) -> None:
        """Refuse a plot of nothing."""
        require(len(self.curves) > 0, "curves", list(self.curves), "one or more")


class PlotQuestion(Question):
    """Asks for a plot; the reference returns what it must show."""

    kind = "plot"

    def distance(self, answer: Any, expected: Any) -> float:
        """Return the largest relative error of the data; infinite for any other fault."""
        return plot_comparison.error(answer, expected)

    def hint(self, answer: Any, expected: Any) -> str:
        """Refuse: the faults of a plot have hints of their own."""
        raise NotImplementedError

    def handed_in(self, value: Any) -> Any:
        """Return the plot that shows just what is asked for."""
        return plot_comparison.ideal(value)

    def handed_in_with(self, drawn: Mapping[str, Any], value: Any) -> Any:
        """Return the same as plain data."""
        return plain(self.handed_in(value))

    def model_value(self, value: Any) -> Any:
        """Return the `Plot` itself."""
        if not isinstance(value, Plot):
            raise BankError(f"must return a Plot, got {type(value).__name__}")
        return value

    def numbers_of(self, value: Any) -> Any:
        """Return None: slips are looked for in single numbers."""
        return None

    def form(self, expected: Any) -> dict[str, Any]:
        """Return how many curves there are, and what else is looked at."""
        curves, aspects = len(expected.curves), plot_comparison.aspects(expected)
        return {"kind": self.kind, "curves": curves, "aspects": aspects}

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what is missing in what was drawn, or ''."""
        drawn = read(answer)
        if isinstance(drawn, str):
            return drawn.replace("NAME", form["answer"])
        if len(drawn.series) != form["curves"]:
            return f"Draw {form['curves']} curve(s), no more and no fewer."
        if "labels" in form["aspects"] and not all(drawn.labels.values()):
            return "Label both axes."
        absent = "legend" in form["aspects"] and not drawn.legend
        return "Label each curve, then add a legend." if absent else ""


@takes_misconceptions
def plot(
    id: str,
    title: str,
    *,
    reference: Callable[..., Plot] | Plot,
    inputs: Inputs = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    tolerance: float = 0.01,
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a Matplotlib plot: the answer is its figure or axes, or a function that draws it.

    Half of the points are the data's; the other half is shared equally by what else the reference
    asks for (labels and units, scales, limits, legend, title), and counts only for right data.
    """
    return PlotQuestion(
        *(id, title, as_model(reference), as_draw(inputs), points, tuple(mistakes)),
        answer or id,
        tolerance,
        file=as_file(file),
    )
