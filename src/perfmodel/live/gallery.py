"""A gallery of machines: what others measured, in order, with the reader's own among them.

A file that the reader gives on the page is read there and drawn; it goes nowhere.
"""

from __future__ import annotations

import hashlib
import math
from html import escape

from perfmodel.live.display import Display, packed
from perfmodel.machines import Machine
from perfmodel.recordings import RecordedQuantity, Recording, recorded, value_of
from perfmodel.units import number
from perfmodel.validation import positive

FEW = 8
"""Below as many machines the gallery says that there are no more."""


def gallery(name: str, mine: Machine | float | None = None) -> Display:
    """Show the recordings of a quantity from best to worst, and where they come from.

    Parameters
    ----------
    name : str
        A name of `perfmodel.recordings.RECORDED`.
    mine : Machine or float, optional
        What the reader measured, marked among the others: a value in SI units, or a machine that
        has it. The example machine, which `machines.this_machine()` returns where none was
        measured, is not marked.

    >>> gallery("triad_gpu").text
    "Memory bandwidth of a triad on a GPU, by STREAM's count: 8 machines, from 27.4 to 3,050 GB/s."
    """
    quantity = recorded(name)
    rows = sorted(quantity.recordings, key=lambda r: r.value, reverse=quantity.more_is_better)
    low, high = _ends(rows, quantity)
    shown = [_row(r.machine, r.value * quantity.scale, low, high) for r in rows]
    own = _own(mine, quantity)
    says = _said(rows, quantity)
    state = packed(
        {
            "unit": quantity.unit,
            "scale": quantity.scale,
            "low": low,
            "high": high,
            "more": quantity.more_is_better,
            "values": [r.value * quantity.scale for r in rows],
            "quantity": quantity.quantity,
            "pattern": quantity.pattern,
            "patternScale": quantity.pattern_scale,
            "matrixScale": quantity.matrix_scale,
            "own": None if own is None else own * quantity.scale,
        }
    )
    key = hashlib.sha256((name + state).encode()).hexdigest()[:10]
    head = f'<th scope="col">machine</th><th scope="col">{escape(quantity.unit)}</th>'
    html = (
        f'<section class="live live-gallery" data-live="gallery" id="gallery-{key}"'
        f' aria-label="{escape(quantity.label)}">'
        f'<p class="live-says" aria-live="polite">{escape(says)}</p>'
        f'<div class="live-scroll" tabindex="0" role="region" aria-label="Machines">'
        f"<table><caption>{escape(quantity.label)}</caption><thead><tr>{head}"
        f'<th scope="col">on a logarithmic scale</th></tr></thead>'
        f"<tbody>{''.join(shown)}</tbody></table></div>{_entry(key, quantity)}"
        f"<details><summary>Where these numbers come from</summary>{_sources(rows)}</details>"
        f'<script type="application/json">{state}</script></section>'
    )
    return Display(html, f"{quantity.label}: {says}")


def _own(mine: Machine | float | None, quantity: RecordedQuantity) -> float | None:
    if isinstance(mine, Machine):
        return value_of(mine, quantity) if mine.id.startswith("this-") else None
    return None if mine is None else float(positive("mine", mine))


def _ends(rows: list[Recording], quantity: RecordedQuantity) -> tuple[float, float]:
    """Return powers of ten around all values, as shown."""
    values = [r.value * quantity.scale for r in rows]
    return 10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values)))


def _row(name: str, value: float, low: float, high: float) -> str:
    share = 100 * math.log(value / low) / math.log(high / low)
    return (
        f'<tr><th scope="row">{escape(name)}</th><td>{number(float(f"{value:.3g}"))}</td>'
        f'<td class="live-at"><span style="left: {share:.1f}%"></span></td></tr>'
    )


def _said(rows: list[Recording], quantity: RecordedQuantity) -> str:
    ends = sorted(r.value * quantity.scale for r in (rows[0], rows[-1]))
    first, last = (number(float(f"{value:.3g}")) for value in ends)
    count = f"{len(rows)} machines" if len(rows) >= FEW else f"only {len(rows)} machines"
    return f"{count}, from {first} to {last} {quantity.unit}."


def _entry(key: str, quantity: RecordedQuantity) -> str:
    if not quantity.files:
        return ""
    return (
        f'<p class="live-drop" hidden><label for="own-{key}">Your own, from a file</label> '
        f'<input id="own-{key}" type="file" aria-describedby="rule-{key}"> '
        f'<span id="rule-{key}">Choose or drop {escape(quantity.files)}. It stays in this '
        "browser.</span></p>"
    )


def _sources(rows: list[Recording]) -> str:
    items = "".join(
        f"<li>{escape(r.machine)}: {escape('; '.join(t for t in (r.source, r.note) if t))}</li>"
        for r in rows
    )
    return f"<ul>{items}</ul>"
