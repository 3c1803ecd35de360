"""The paper's designs of the trigger, the watts of each, and a drawing of its stages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from perfmodel.labs.scaling.hep_daq import inputs
from perfmodel.labs.scaling.hep_daq.dataflow import Flow, Node, flows, total_power
from perfmodel.labs.scaling.hep_daq.inputs import ADDED_BYTES, YEAR
from perfmodel.labs.scaling.hep_daq.wall_time import cubic, wall_times
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.units import prefixed
from perfmodel.validation import at_least, finite, one_of, positive, within

PARTS = tuple(inputs.DETECTORS)
STAGES = (*PARTS, "first trigger", "last trigger")


@cache
def authors_form() -> Callable[[float], float]:
    """Return the authors' cubic, a function of bytes."""
    fitted = cubic(*wall_times())
    return lambda size: float(fitted(np.array(size)))


@dataclass(frozen=True)
class Design:
    """A trigger: how many events go on, on which computers, and what the sensors send."""

    first_ratio: float = inputs.FIRST_RATIO
    last_ratio: float = inputs.LAST_RATIO
    gpu: bool = False
    """The last trigger on GPUs, which take half the energy."""
    tracker_share: float = 1.0
    """What is left of the Inner Tracker's bytes."""
    link_share: float = 1.0
    """What is left of the energy of each link."""
    earlier: bool = False
    """60 collisions in a crossing instead of 200."""
    wall_time: Callable[[float], float] | None = None
    """Time of the last trigger against bytes; the authors' cubic if None."""

    def nodes(self) -> list[Node]:
        """Return the graph, sources first."""
        share = float(within("tracker_share", self.tracker_share, 0, 1))
        links = float(within("link_share", self.link_share, 0, 1))
        form = self.wall_time or authors_form()
        unit = inputs.LAST_ENERGY / (2 if self.gpu else 1)
        nodes: list[Node] = []
        for part, detectors in self._detectors().items():
            for name, size in detectors.items():
                bytes_sent = size * (share if name == "Inner Tracker" else 1)
                link = links * inputs.DETECTOR_LINK
                nodes.append(Node(name, sample=bytes_sent, rate=inputs.CROSSING_RATE, link=link))
            nodes.append(Node(part, tuple(detectors), link=links * inputs.LATER_LINK))
        first, last = STAGES[-2:]
        nodes.append(
            Node(
                first,
                tuple(self._detectors()),
                sample=inputs.ADDED_BYTES,
                ratio=float(at_least("first_ratio", self.first_ratio, 1)),
                energy=lambda size: inputs.FIRST_ENERGY * size,
                link=links * inputs.LATER_LINK,
            )
        )
        nodes.append(
            Node(
                last,
                (first,),
                ratio=float(at_least("last_ratio", self.last_ratio, 1)),
                energy=lambda size: unit * form(size),
                link=links * inputs.LATER_LINK,
            )
        )
        return nodes

    def _detectors(self) -> dict[str, dict[str, float]]:
        if self.earlier:
            return {"all detectors": {"detectors": inputs.EARLIER_BYTES}}
        return {part: dict(sizes) for part, sizes in inputs.DETECTORS.items()}

    def flows(self) -> dict[str, Flow]:
        """Return the flow through each node, with the watts of 2022."""
        return flows(self.nodes())

    def power(self) -> float:
        """Return all watts, with the technology of 2032.

        The authors take that for the earlier trigger, too, so that designs are compared on the same
        computers.
        """
        return total_power(self.nodes()) / technology(inputs.YEAR)

    def event_bytes(self) -> float:
        """Return the bytes of an event as the last trigger gets it."""
        return self.flows()["last trigger"].size


def technology(year: float) -> float:
    """Return how many times as much a joule computes in `year` as in 2022.

    >>> round(technology(2032), 3)
    6.5
    """
    return math.exp(inputs.TECHNOLOGY_RATE * (float(finite("year", year)) - inputs.FIRST_YEAR))


def productivity(f1: float, recall: float, precision: float, design: Design) -> float:
    """Return the useful events for a joule, weighted as the authors do.

    It is F1 times the accepted events/s over the watts, 1/J, of all that is kept against all that
    should be.
    """
    score, recalled = float(within("f1", f1, 0, 1)), float(within("recall", recall, 0, 1))
    pure = float(positive("precision", within("precision", precision, 0, 1)))
    wanted = inputs.CROSSING_RATE / (design.first_ratio * design.last_ratio)
    return score * wanted * recalled / pure / design.power()


BASELINE = Design()
EARLIER = Design(earlier=True, first_ratio=inputs.EARLIER_RATIO)
DESIGNS = {
    "as planned": BASELINE,
    "smart pixels": Design(tracker_share=inputs.SMART_SHARE),
    "GPUs": Design(gpu=True),
    "GPUs and smart pixels": Design(gpu=True, tracker_share=inputs.SMART_SHARE),
}


_TRIGGERS = STAGES[-2:]
_LEFT, _WIDTH = 12.0, 336.0


def funnel(design: str) -> Scene:
    """Draw the stages of one design, with bytes/s as widths on a log scale, and their power.

    >>> round(funnel("as planned").values["power (MW)"], 1)
    51.6
    """
    chosen = DESIGNS[one_of("design", design, DESIGNS)]
    flows, scale = chosen.flows(), technology(YEAR)
    first, last = (flows[name] for name in _TRIGGERS)
    before = sum(flow.power for name, flow in flows.items() if name not in _TRIGGERS)
    stages = [
        ("detectors and links", (first.size - ADDED_BYTES) * first.rate_in, before),
        ("first trigger", first.size * first.rate_in, first.power),
        ("last trigger", last.size * last.rate_in, last.power),
        ("disk", last.size * last.rate_out, 0.0),
    ]
    shapes: list[Shape] = []
    for row, (name, rate, power) in enumerate(stages):
        y = 16.0 + 62 * row
        width = _WIDTH * math.log10(rate / 1e8) / math.log10(stages[1][1] / 1e8)
        shapes.append(
            Box(_LEFT + (_WIDTH - width) / 2, y, width, 26, prefixed(rate, "B/s"), row % 4)
        )
        watts = prefixed(power / scale, "W") if power else "not counted"
        shapes.append(Text(f"{name}: {watts}", 180, y + 40))
        if row < len(stages) - 1:
            shapes.append(Line([(24.0, y + 30), (24.0, y + 58)], 1, head=True))
    total = chosen.power()
    says = (
        f"The design '{design}' draws {prefixed(total, 'W')}, and the last trigger draws "
        f"{100 * last.power / scale / total:.1f} % of it."
    )
    values = {"power (MW)": total / 1e6, "event (MB)": last.size / 1e6}
    return Scene(16.0 + 62 * len(stages), shapes, says, values)
