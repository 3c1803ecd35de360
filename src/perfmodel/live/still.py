"""Pictures and tables that don't move, in the look of the live ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from perfmodel import ledger
from perfmodel.live import svg
from perfmodel.live.display import Display
from perfmodel.live.figure import whole_alt
from perfmodel.live.plot import Plot, number


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
    body = [[_cell(value) for value in row] for row in rows]
    for row in body:
        if len(row) != len(head):
            raise ValueError(f"rows must have {len(head)} cells each, got {len(row)}: {row!r}")
    cells = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in body)
    heads = "".join(f'<th scope="col">{_cell(text)}</th>' for text in head)
    html = (
        '<div class="live live-scroll" tabindex="0" role="region" '
        f'aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table></div>"
    )
    count = f"{len(body)} row" + "s" * (len(body) != 1)
    return Display(html, f"{caption}: {count} of {', '.join(map(str, head))}")


def claims_table(claims: Iterable[ledger.Claim], caption: str) -> Display:
    """Show `claims` with what the paper says, what we compute, and whether it is met."""
    rows = []
    for claim in claims:
        result = claim.check()
        error = "" if result.error is None else _percent(result.error)
        met = "met" if result.met else f"missed: {claim.miss}"
        origin = f"{claim.source} (derived)" if claim.derived else claim.source
        rows.append(
            [
                claim.quantity,
                claim.kind,
                _said(claim.published, claim.unit),
                _said(result.ours, claim.unit),
                error,
                origin,
                met,
            ]
        )
    head = ["quantity", "kind", "published", "ours", "error", "source", "outcome"]
    return table(head, rows, caption)


def _percent(error: float) -> str:
    return "0 %" if abs(error) < 1e-10 else f"{100 * error:+.2g} %"


def _said(value: float | str, unit: str) -> str:
    text = value if isinstance(value, str) else number(float(value))
    return text if unit in ("", "1") else f"{text} {unit}"


def _cell(value: object) -> str:
    return escape(number(value) if isinstance(value, float) else str(value))
