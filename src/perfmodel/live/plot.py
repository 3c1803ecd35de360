"""A plot as plain data: axes with units, and marks upon them, drawn as SVG or by Matplotlib.

A drawing function returns a `Plot`; everything that shows it (the static page, JupyterLab, print)
starts from this one description, so that a figure cannot say different things in different places.
Axes have fixed limits, because a figure whose axes jump while a slider moves cannot be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import ArrayLike

from perfmodel.units import number, power
from perfmodel.validation import finite

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Style = Literal["line", "dashed", "thin", "points", "bars", "band"]

LONGEST_NAME = 10
"""Letters that fit to the left of the frame."""


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, in which unit, from where to where.

    >>> Axis("processors", 1, 64, scale="log2").place([1, 8, 64]).tolist()
    [0.0, 0.5, 1.0]
    """

    label: str
    low: float
    high: float
    unit: str = ""
    scale: Literal["linear", "log", "log2"] = "linear"
    names: Sequence[str] = ()
    """Names of the positions 0, 1, 2 ... where the axis counts things instead of measuring."""

    def __post_init__(self) -> None:
        """Refuse limits and scales that cannot be drawn."""
        if self.scale not in ("linear", "log", "log2"):
            raise ValueError(f"scale must be linear, log or log2, got {self.scale!r}")
        finite("low", self.low)
        finite("high", self.high)
        if self.high <= self.low:
            raise ValueError(f"high must be above low = {self.low:g}, got {self.high:g}")
        if self.scale != "linear" and self.low <= 0:
            raise ValueError(f"low must be above 0 on a {self.scale} axis, got {self.low:g}")

    @property
    def title(self) -> str:
        """The label with its unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def place(self, values: ArrayLike) -> np.ndarray:
        """Return the positions of `values` along the axis, 0 at `low` and 1 at `high`."""
        values = np.asarray(values, dtype=float)
        if self.scale == "linear":
            return (values - self.low) / (self.high - self.low)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(values / self.low) / np.log(self.high / self.low))

    def ticks(self) -> list[tuple[float, str]]:
        """Return at most nine values to mark on the axis, each with its text."""
        if self.names:
            return [(float(i), name) for i, name in enumerate(self.names)]
        if self.scale == "linear":
            return [(v, number(v)) for v in _linear_ticks(self.low, self.high)]
        if self.scale == "log2":
            return [(v, number(v)) for v in _log_ticks(self.low, self.high, 2.0)]
        return [(v, power(v)) for v in _log_ticks(self.low, self.high, 10.0)]


@dataclass(frozen=True)
class Mark:
    """A series on the plot: points `x`, `y` shown as a line, dots, bars or a band.

    The legend names it, unless its name is empty: a thin grey line without a name ties a note to
    its subject. A band lies between `y` and `y2`; points and bars carry error bars from `y` down to
    `y2[0]` and up to `y2[1]` where `y2` has two rows. Not-a-number in `y` leaves a gap.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    style: Style = "line"
    colour: int = 0
    """Which of the six colours, 1 to 6; 0 takes the next one in order."""
    y2: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Refuse series that don't fit together."""
        if self.style not in get_args(Style):
            raise ValueError(
                f"style must be one of {', '.join(get_args(Style))}, got {self.style!r}"
            )
        x, y = np.shape(self.x), np.shape(self.y)
        if len(x) != 1 or x != y:
            raise ValueError(
                f"x and y of mark {self.name!r} must be one-dimensional and of one length, "
                f"got shapes {x} and {y}"
            )
        if self.style == "band" and self.y2 is None:
            raise ValueError(f"y2 must be given for the band {self.name!r}, got None")


@dataclass(frozen=True)
class Note:
    """A short text at the point (`x`, `y`) of the plot, for naming a peak or a limit."""

    text: str
    x: float
    y: float
    anchor: Literal["start", "middle", "end"] = "start"
    colour: int = 0
    """That of the mark it names, 1 to 6, or 0 for the text's own; the same in every state."""


@dataclass(frozen=True)
class Plot:
    """One state of a figure: its axes, its marks, and what it says in one sentence.

    >>> x = np.array([1.0, 2.0, 4.0])
    >>> plot = Plot(Axis("processors", 1, 4, scale="log2"), Axis("speedup", 1, 4),
    ...             [Mark("ideal", x, x)], says="Ideal speedup on 4 processors is 4.")
    >>> plot.says
    'Ideal speedup on 4 processors is 4.'
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    says: str
    """The state's message in one sentence with its number, read out when a slider moves."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Named results of this state, for the figure's data table; units belong in the name."""
    notes: Sequence[Note] = ()

    def __post_init__(self) -> None:
        """Refuse names that would stick out of the picture."""
        for name in self.y.names:
            if len(name) > LONGEST_NAME:
                raise ValueError(
                    f"names of the y axis must have {LONGEST_NAME} letters at most, got {name!r}"
                )

    def colours(self) -> list[int]:
        """Return each mark's colour, 1 to 6, counting on where the author named none."""
        return [mark.colour or i % 6 + 1 for i, mark in enumerate(self.marks)]

    @property
    def frame(self) -> tuple[object, ...]:
        """What stands still while a control moves: axes, names and looks, names of values."""
        marks = [(mark.name, mark.style, mark.colour) for mark in self.marks]
        return self.x, self.y, marks, [note.colour for note in self.notes], list(self.values)

    def ranks(self) -> list[int]:
        """Return which of its style each named mark is, from 0: its dashes, shape or filling.

        So no two lines are told apart by colour alone, however the author coloured them.

        >>> ends = [0.0, 1.0]
        >>> marks = [Mark("a", ends, ends), Mark("b", ends, ends, "points"), Mark("c", ends, ends)]
        >>> Plot(Axis("x", 0, 1), Axis("y", 0, 1), marks, "").ranks()
        [0, 0, 1]
        """
        seen: Counter[str] = Counter()
        ranks = []
        for mark in self.marks:
            ranks.append(seen[mark.style])
            seen[mark.style] += bool(mark.name)
        return ranks

    def matplotlib(self, ax: Axes | None = None) -> Axes:
        """Draw this state by Matplotlib and return the axes, to be taken further.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure of `matplotlib.pyplot` if not given.
        """
        from perfmodel.live.canvas import draw, new_axes

        return draw(self, new_axes() if ax is None else ax)


def _linear_ticks(low: float, high: float) -> list[float]:
    slack = 1e-9 * (high - low)
    ticks = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(tick) for tick in ticks if low - slack <= tick <= high + slack]


def _log_ticks(low: float, high: float, base: float) -> list[float]:
    """Return powers of the base, of 10 also twice and five times as much where they are few."""
    for subs in ((1.0,), (1.0, 2.0, 5.0)):
        ticks = LogLocator(base, subs, numticks=9).tick_values(low, high)
        inside = [float(tick) for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(inside) >= 3 or base != 10:
            break
    return inside
