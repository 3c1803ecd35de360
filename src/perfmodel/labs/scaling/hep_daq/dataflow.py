"""A graph of sources and filters: sizes, rates, and the power of computing and of links.

Source: W. Olin-Ammentorp, X. Wu and A. A. Chien, "Modeling performance of data collection systems
for high-energy physics", APL Machine Learning 2, 046113 (2024), arXiv:2407.00123, and its code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perfmodel.validation import at_least, non_negative


@dataclass(frozen=True)
class Node:
    """A source, or a filter fed by others; it joins what it gets into one message."""

    name: str
    inputs: tuple[str, ...] = ()
    """Names of the nodes before it; a source has none."""
    sample: float = 0.0
    """Bytes that it adds to each message."""
    rate: float = 0.0
    """Of a source: messages/s."""
    ratio: float = 1.0
    """One message in this many goes on."""
    energy: Callable[[float], float] = lambda size: 0.0
    """Joules for a message of `size` bytes that comes in."""
    link: float = 0.0
    """Joules for a bit that goes out."""


class Flow(NamedTuple):
    """What passes through one node, per second."""

    size: float
    """Bytes of a message."""
    rate_in: float
    """Messages/s."""
    rate_out: float
    compute_power: float
    """W."""
    link_power: float
    """W, of the link behind it."""

    @property
    def power(self) -> float:
        """W, of the node and its link."""
        return self.compute_power + self.link_power


def flows(nodes: Sequence[Node]) -> dict[str, Flow]:
    """Return what flows through each node.

    A node comes after those that it takes from. Inputs of one node have one rate: they are parts of
    the same event.

    >>> found = flows([Node("camera", sample=100, rate=50, link=1e-9),
    ...                Node("filter", ("camera",), ratio=10, energy=lambda size: 0.01 * size)])
    >>> found["filter"].rate_out, found["filter"].compute_power, found["camera"].link_power
    (5.0, 50.0, 4e-05)
    """
    passed: dict[str, Flow] = {}
    for node in nodes:
        if node.name in passed:
            raise ValueError(f"nodes must have a name of their own each, got two {node.name!r}")
        missing = [name for name in node.inputs if name not in passed]
        if missing:
            raise ValueError(f"inputs of {node.name} must come before it, got {missing}")
        rates = {passed[name].rate_out for name in node.inputs} or {node.rate}
        if len(rates) > 1 or min(rates) <= 0:
            raise ValueError(
                f"rate into {node.name} must be one and above 0, got {sorted(rates)} messages/s"
            )
        size = float(non_negative("sample", node.sample))
        size += sum(passed[name].size for name in node.inputs)
        rate_in = float(rates.pop())
        rate_out = rate_in / float(at_least("ratio", node.ratio, 1))
        passed[node.name] = Flow(
            size,
            rate_in,
            rate_out,
            float(non_negative("energy", node.energy(size))) * rate_in,
            8 * float(non_negative("link", node.link)) * size * rate_out,
        )
    return passed


def total_power(nodes: Sequence[Node]) -> float:
    """Return the watts of all `nodes` and links."""
    return sum(flow.power for flow in flows(nodes).values())
