"""Pictures and tables that don't move, in the look of the live ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest

from perfmodel import ledger
from perfmodel.live import svg
from perfmodel.live.display import Display
from perfmodel.live.figure import whole_alt
from perfmodel.live.plot import Plot, number

MOST_CLAIMS = 20
"""Claims that a table shows at once."""
_COUNTED = ("bit", "byte", "cycle", "site", "transaction", "word")


def picture(plot: Plot, caption: str, alt: str) -> Display:
    """Show one `plot` with its caption and its text alternative.

    Parameters
    ----------
    plot : Plot
        What to draw.
    caption, alt : str
        The caption, and what the picture shows for those who can't see it (15 to 250 characters).
    """
    html = (
        f'<figure class="live">{svg.legend(plot)}{svg.draw(plot, whole_alt(alt))}'
        f'<p class="live-says">{escape(plot.says)}</p><figcaption>{escape(caption)}</figcaption>'
        "</figure>"
    )
    return Display(html, plot.says, plot)


def table(head: Sequence[object], rows: Iterable[Sequence[object]], caption: str) -> Display:
    """Show `rows` under `head`; floats are shown to four digits.

    >>> table(["p", "speedup"], [[2, 1.8181818]], "Amdahl").text
    'Amdahl: 1 row of p, speedup'
    """
    body = list(rows)
    for row in body:
        if len(row) != len(head):
            raise ValueError(f"rows must have {len(head)} cells each, got {len(row)}: {row!r}")
    html = _scrolled(head, "".join(map(_tr, body)), caption, "live live-scroll")
    count = f"{len(body)} row" + "s" * (len(body) != 1)
    return Display(html, f"{caption}: {count} of {', '.join(map(str, head))}")


def claims_table(claims: Iterable[ledger.Claim], caption: str) -> Display:
    """Show `claims` with what the paper says, what we compute, and whether it is met.

    Of more than `MOST_CLAIMS` only those missed are shown at once, the others on demand. The
    column of kinds is left out where all are of one kind, which the caption then says.
    """
    results = [claim.check() for claim in claims]
    kinds = {result.claim.kind for result in results}
    head = ["quantity", "kind", "published", "ours", "error", "outcome", "source"]
    if len(kinds) == 1:
        head.remove("kind")
        caption = f"{caption} (all {kinds.pop()})"
    met = [result for result in results if result.met]
    said = f"{caption}: {len(met)} of {len(results)} met"
    if len(results) <= MOST_CLAIMS:
        html = _scrolled(head, _body(results, head), caption, "live live-scroll live-claims")
        return Display(html, said)
    missed = [result for result in results if not result.met]
    shown = _scrolled(head, _body(missed, head), "Those missed", label=caption) if missed else ""
    folded = _scrolled(head, _body(met, head), "Those met", label=caption)
    html = (
        f'<div class="live live-claims"><p class="live-says">{escape(said)}.</p>{shown}'
        f"<details><summary>The {len(met)} that are met</summary>{folded}</details></div>"
    )
    return Display(html, said)


def _scrolled(
    head: Sequence[object], body: str, caption: str, kind: str = "live-scroll", label: str = ""
) -> str:
    """Return a table that scrolls sideways where it is too wide, by keyboard, too."""
    heads = "".join(f'<th scope="col">{_cell(text)}</th>' for text in head)
    name = f"{label}: {caption}" if label else caption
    return (
        f'<div class="{kind}" tabindex="0" role="region" '
        f'aria-label="{escape(name)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _tr(cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in cells)}</tr>"


def _body(results: Sequence[ledger.Checked], head: Sequence[str]) -> str:
    """Return the rows, a reason once below all misses in turn that share it."""
    rows = []
    for result, after in zip_longest(results, results[1:]):
        rows.append(_tr(_row(result, head)))
        why = "" if result.met else result.claim.miss
        if why and (after is None or after.met or after.claim.miss != why):
            told = f'<div class="live-why">Why missed: {escape(why)}</div>'
            rows.append(f'<tr><td colspan="{len(head)}">{told}</td></tr>')
    return "".join(rows)


def _row(result: ledger.Checked, head: Sequence[str]) -> list[str]:
    claim = result.claim
    cells = {
        "quantity": claim.quantity,
        "kind": claim.kind,
        "published": _said(claim.published, claim.unit),
        "ours": _said(result.ours, claim.unit),
        "error": "" if result.error is None else _percent(result.error),
        "outcome": "met" if result.met else "missed",
        "source": f"{claim.source} (derived)" if claim.derived else claim.source,
    }
    return [cells[name] for name in head]


def _percent(error: float) -> str:
    return "0\u00a0%" if abs(error) < 1e-10 else f"{100 * error:+.2g}\u00a0%"


def _said(value: float | str, unit: str) -> str:
    """Return a value with its unit, a counted one in the plural unless it is one.

    >>> [_said(*one).replace("\u00a0", " ") for one in ((5.0, "cycle"), (1.0, "bytes"), (3.0, "1"))]
    ['5 cycles', '1 byte', '3']
    """
    text = value if isinstance(value, str) else number(float(value))
    if unit.removesuffix("s") in _COUNTED:
        unit = unit.removesuffix("s") + "s" * (text != "1")
    return text if unit in ("", "1") else f"{text}\u00a0{unit}"


def _cell(value: object) -> str:
    return escape(number(value) if isinstance(value, float) else str(value))
