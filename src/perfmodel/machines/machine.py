"""A machine is a name and its figures; a figure is a number that says where it comes from."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, get_args

from perfmodel.validation import one_of, positive, whole

FigureKind = Literal["vendor", "derived", "measured"]

PRECISIONS = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8")

QUANTITIES: Mapping[str, str] = {
    "compute_units": "1",
    "clock": "Hz",
    "peak_fp64": "FLOP/s",
    "peak_fp32": "FLOP/s",
    **{f"peak_{p}_matrix": "OP/s" if p == "int8" else "FLOP/s" for p in PRECISIONS if p != "fp32"},
    "memory_capacity": "bytes",
    "memory_bandwidth": "bytes/s",
    "memory_latency": "s",
    "l1_cache": "bytes",
    "l1_bandwidth": "bytes/s",
    "l2_cache": "bytes",
    "l2_bandwidth": "bytes/s",
    "l3_cache": "bytes",
    "l3_bandwidth": "bytes/s",
    "last_level_cache": "bytes",
    "power_limit": "W",
    "idle_power": "W",
    "host_link_one_way": "bytes/s",
    "peer_link_two_way": "bytes/s",
    "reached_bf16_matrix": "FLOP/s",
    "reached_copy_bandwidth": "bytes/s",
    "energy_per_byte": "J/bytes",
    "energy_per_flop": "J/FLOP",
}
"""Quantities that the registry uses, each with its SI unit. Peaks are dense, without the doubling
for sparsity, and of the whole device; caches are counted over the device too. Memory is what the
chips hold: 80 GiB where a card is sold with 80 GB. A link to the host
counts one direction and one to equal devices both, as vendors do. `reached_...` is the best that
somebody measured. `energy_...` is what serving language models took: a step's energy over the bytes
of its weights, and what a token adds over its operations."""


@dataclass(frozen=True)
class MachineFigure:
    """One number about a machine, with its unit and where it comes from."""

    value: float
    unit: str
    """SI unit; `1` for a count."""
    kind: FigureKind
    """`vendor`: a data sheet's; `derived`: computed from other figures; `measured`."""
    source: str
    date: str
    """When the source was read or the measurement made: ISO 8601, as precise as is known."""
    verified: bool
    """False where the figure was written from memory and compared with nothing."""
    note: str = ""
    low: float | None = None
    """Lower end of a measured figure's 95 % interval, where there is one."""
    high: float | None = None

    def __post_init__(self) -> None:
        """Refuse a figure that could spoil a calculation later."""
        positive("value", self.value)
        one_of("kind", self.kind, get_args(FigureKind))
        for name in ("unit", "source", "date"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} must say something, got {getattr(self, name)!r}")
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if (self.low is None) != (self.high is None) or not 0 < low <= self.value <= high:
            raise ValueError(
                f"low and high must enclose the value {self.value:g}, "
                f"got {self.low} and {self.high}"
            )


@dataclass(frozen=True)
class Machine:
    """A machine and its figures. A figure that is missing is an error, never 0 or NaN.

    >>> machine = measured_machine({"memory_bandwidth": 2e10}, name="my laptop", source="STREAM")
    >>> machine.memory_bandwidth
    20000000000.0
    >>> machine.power_limit
    Traceback (most recent call last):
        ...
    ValueError: this-machine has no power_limit; it has memory_bandwidth
    """

    id: str
    name: str
    figures: Mapping[str, MachineFigure] = field(repr=False)
    short: str = ""
    """The name that prose uses, for example `H200`."""
    vendor: str = ""
    kind: str = "cpu"
    """gpu, accelerator, tpu, cpu or soc."""
    year: int | None = None
    unit_kind: str = ""
    """What `compute_units` counts: core, SM, CU ..."""
    clock_kind: str = ""
    memory_type: str = ""
    host_link: str = ""
    peer_link: str = ""
    page: str = ""
    """Address of the vendor's page, to cite; most could not be opened when this was written."""
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse an id that could not name a file."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id):
            raise ValueError(f"id must be lower-case words with hyphens, got {self.id!r}")
        if self.year is not None:
            whole("year", self.year, 1)

    def figure(self, quantity: str) -> MachineFigure:
        """Return the figure `quantity`, with unit, source and date.

        Raises
        ------
        ValueError
            If the machine has no such figure; names the machine and the quantity.
        """
        if quantity not in self.figures:
            near = difflib.get_close_matches(quantity, self.figures, n=3)
            known = f"did you mean {' or '.join(near)}?" if near else self._known()
            raise ValueError(f"{self.id} has no {quantity}; {known}")
        return self.figures[quantity]

    def _known(self) -> str:
        return f"it has {', '.join(self.figures)}" if self.figures else "it has no figures at all"

    def has(self, *quantities: str) -> bool:
        """Return whether all of `quantities` are known for this machine."""
        return all(quantity in self.figures for quantity in quantities)

    def value(self, quantity: str) -> float:
        """Return the number `quantity` in its SI unit; raises as `figure` does."""
        return self.figure(quantity).value

    def source(self, quantity: str) -> str:
        """Return where `quantity` comes from, in one sentence.

        >>> from perfmodel import machines
        >>> machines.get("h200-sxm-141gb").source("power_limit")
        'vendor figure, secondary public pages as quoted by a web search (2026)'
        """
        figure = self.figure(quantity)
        doubt = "" if figure.verified else ", not verified"
        note = f"; {figure.note}" if figure.note else ""
        return f"{figure.kind} figure, {figure.source} ({figure.date}){doubt}{note}"

    def peak(
        self, precision: str = "fp64", unit: Literal["any", "vector", "matrix"] = "any"
    ) -> float:
        """Return the peak FLOP/s at `precision` (OP/s for int8).

        Parameters
        ----------
        precision : str
            fp64, fp32, tf32, fp16, bf16, fp8 or int8.
        unit : str
            "vector" or "matrix" units; "any" takes the faster of those that are known.

        Raises
        ------
        ValueError
            If precision or unit is unknown, or the machine has no such figure.
        """
        return self.value(self.peak_quantity(precision, unit))

    def peak_quantity(self, precision: str = "fp64", unit: str = "any") -> str:
        """Return the name of the figure that `peak` takes for a `precision` and `unit`."""
        one_of("precision", precision, PRECISIONS)
        names = {"vector": f"peak_{precision}", "matrix": f"peak_{precision}_matrix"}
        if unit in names:
            return names[unit]
        if unit != "any":
            raise ValueError(f"unit must be any, vector or matrix, got {unit!r}")
        there = [name for name in names.values() if name in self.figures]
        return max(there, key=self.value, default=names["vector"])

    @property
    def memory_bandwidth(self) -> float:
        """Bytes/s between the main memory and the chip."""
        return self.value("memory_bandwidth")

    @property
    def memory_capacity(self) -> float:
        """Bytes of main memory."""
        return self.value("memory_capacity")

    @property
    def last_level_cache(self) -> float:
        """Bytes of the last cache that all units share."""
        return self.value("last_level_cache")

    @property
    def power_limit(self) -> float:
        """Board or socket power limit in watts."""
        return self.value("power_limit")

    @property
    def clock(self) -> float:
        """Hertz; `clock_kind` says which clock."""
        return self.value("clock")

    @property
    def compute_units(self) -> float:
        """How many cores, SMs, CUs ..."""
        return self.value("compute_units")

    @property
    def host_link_one_way(self) -> float:
        """Bytes/s of the link to the host, one direction."""
        return self.value("host_link_one_way")

    @property
    def peer_link_two_way(self) -> float:
        """Bytes/s of all links to equal devices, both directions added."""
        return self.value("peer_link_two_way")


def measured_machine(
    values: Mapping[str, float | MachineFigure],
    *,
    name: str,
    source: str,
    id: str = "this-machine",
    date: str | None = None,
    short: str = "",
    note: str = "",
) -> Machine:
    """Return a `Machine` from measured `values`.

    Parameters
    ----------
    values : mapping of str to float or MachineFigure
        By quantity, in the SI units of `QUANTITIES`. A quantity that is not listed there, or has
        an interval, is given as a `MachineFigure`.
    name, source : str
        What the machine is, and how the plain numbers were measured.
    id : str
        The default is the one that `this_machine()` looks for.
    date : str
        ISO 8601; today (UTC) if not given.
    short, note : str
        The name that prose uses, `name` if not given, and what else is to be known.

    Raises
    ------
    ValueError
        If a plain number's quantity has no known unit or a value is not above zero.
    """
    day = date or datetime.now(UTC).date().isoformat()
    figures: dict[str, MachineFigure] = {}
    for quantity, value in values.items():
        if isinstance(value, MachineFigure):
            figures[quantity] = value
        elif quantity not in QUANTITIES:
            near = difflib.get_close_matches(quantity, QUANTITIES, n=3) or list(QUANTITIES)
            raise ValueError(
                f"quantity must have a known unit or be given as a MachineFigure, "
                f"got {quantity!r}; known: {', '.join(near)}"
            )
        else:
            number = float(positive(quantity, value))
            unit = QUANTITIES[quantity]
            figures[quantity] = MachineFigure(number, unit, "measured", source, day, True)
    return Machine(id, name, figures, short or name, note=note)
