"""Pictures and tables that don't move, in the look of the live ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest

from perfmodel import ledger
from perfmodel.live import svg
from perfmodel.live.display import Display, Prose
from perfmodel.live.figure import whole_alt
from perfmodel.live.plot import Plot
from perfmodel.live.tables import row, scrolled
from perfmodel.units import SPACE, number, with_unit


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


def says(text: str) -> Display:
    r"""Show sentences written from the run as prose; `**` makes bold, a backquote makes code.

    A blank line begins a new paragraph, as in Markdown.

    >>> says("The fit says **3.2** for `f`, less than 4.").html
    '<p class="live-prose">The fit says <strong>3.2</strong> for <code>f</code>, less than 4.</p>'
    >>> says("One.\n\nTwo.").html
    '<p class="live-prose">One.</p><p class="live-prose">Two.</p>'
    """
    html = re.sub(r"`(.+?)`", r"<code>\1</code>", escape(text, quote=False))
    html = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html)
    paragraphs = "".join(f'<p class="live-prose">{each}</p>' for each in html.split("\n\n"))
    return Prose(paragraphs, re.sub(r"\*\*|`", "", text))


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], caption: str, reading: str = ""
) -> Display:
    """Show `rows` under `head`; floats are shown to four digits.

    The `caption` names the table, and screen readers read it aloud as its label. The `reading` says
    below the table what its numbers show, as prose like that of `says`.

    >>> table(["p", "speedup"], [[2, 1.8181818]], "Amdahl").text
    'Amdahl: 1 row of p, speedup'
    >>> table(["p"], [[2]], "Amdahl", "It **grows**.").text
    'Amdahl: 1 row of p. It grows.'
    """
    body = list(rows)
    for cells in body:
        if len(cells) != len(head):
            raise ValueError(f"rows must have {len(head)} cells each, got {len(cells)}: {cells!r}")
    names = list(map(_text, head))
    shown = "".join(row(list(map(_text, cells))) for cells in body)
    html = scrolled(names, shown, caption, caption, "live")
    count = f"{len(body)} row" + "s" * (len(body) != 1)
    text = f"{caption}: {count} of {', '.join(names)}"
    if not reading:
        return Display(html, text)
    below = says(reading)
    return Display(html + below.html, f"{text}. {below.text}")


def claims_table(
    claims: ledger.Sheet | Iterable[ledger.Claim], caption: str, *, folded: bool = False
) -> Display:
    """Show published numbers, what we compute, and whether each is met.

    Rows missed, with their reasons, and rows met are folded below their counts. A whole sheet also
    shows its source, and what is left out of it, folded. If all rows are of one kind without a
    stated bound, the caption names it. The column of the constant shows how far a guess without a
    model would miss (`ledger.constants`), or "met"; without any constant it is left out. With
    `folded`, only the counts stand open, and below them the rows missed.
    """
    sheet = claims if isinstance(claims, ledger.Sheet) else None
    rows = list(claims.claims if isinstance(claims, ledger.Sheet) else claims)
    results = list(zip((claim.check() for claim in rows), ledger.constants(rows), strict=True))
    kinds = {claim.kind for claim in rows}
    head = ["quantity", "kind", "printed", "ours", "difference", "outcome", "a constant", "where"]
    if len(kinds) == 1 and kinds != {"same-method"}:
        head.remove("kind")
        (kind,) = kinds
        caption = f"{caption} (all {'trends' if kind == 'trend' else kind})"
    guessed = [constant for _, constant in results if constant]
    if not guessed:
        head.remove("a constant")
    met = [result for result in results if result[0].met]
    missed = [result for result in results if not result[0].met]
    said = f"{caption}: {len(met)} of {len(results)} met" if results else caption
    if guessed:
        reached = sum(constant.met for constant in guessed)
        said += f"; a constant (a guess from the other rows) would meet {reached} of {len(guessed)}"
    parts = [] if folded else [f'<p class="live-says">{escape(said)}.</p>']
    if sheet:
        parts.append(f"<p>Source: {escape(sheet.source)}</p>")
    for some, outcome, more in ((missed, "missed", ", and why"), (met, "met", "")):
        if some:
            below = scrolled(head, _body(some, head), f"{caption}: rows {outcome}")
            count = f"{len(some)} row{'s' * (len(some) > 1)} {outcome}{more}"
            opened = " open" if folded and some is missed else ""
            parts.append(f"<details{opened}><summary>{count}</summary>{below}</details>")
    if sheet and sheet.unheld:
        left_out = f"<p>{escape(sheet.unheld)}</p>"
        parts.append(f"<details><summary>What is left out, and why</summary>{left_out}</details>")
    body = "".join(parts)
    if folded:
        body = f"<details><summary>{escape(said)}</summary>{body}</details>"
    return Display(f'<div class="live live-claims">{body}</div>', said)


_Result = tuple[ledger.Checked, ledger.Constant | None]


def _body(results: Sequence[_Result], head: Sequence[str]) -> str:
    """Return the rows, a reason once below all misses in turn that share it."""
    rows = []
    for (result, constant), after in zip_longest(results, results[1:]):
        rows.append(row(_row(result, constant, head)))
        why = "" if result.met else result.claim.miss
        if why and (after is None or after[0].met or after[0].claim.miss != why):
            told = f'<div class="live-why">Why missed: {escape(why)}</div>'
            rows.append(f'<tr><td colspan="{len(head)}">{told}</td></tr>')
    return "".join(rows)


def _row(
    result: ledger.Checked, constant: ledger.Constant | None, head: Sequence[str]
) -> list[str]:
    claim = result.claim
    cells = {
        "quantity": claim.quantity,
        "kind": f"{claim.kind}, within {_share(claim.within)}" if claim.within else claim.kind,
        "printed": claim.printed if claim.is_statement else claim.printed.replace(" ", SPACE),
        "ours": _ours(result),
        "difference": "" if result.error is None else _percent(result.error),
        "outcome": "met" if result.met else "missed",
        "a constant": _guess(constant),
        "where": claim.where,
    }
    return [cells[name] for name in head]


def _guess(constant: ledger.Constant | None) -> str:
    if constant is None:
        return ""
    off = [] if constant.error is None else [_percent(constant.error)]
    return ", ".join([*off, "met" if constant.met else "missed"])


def _ours(result: ledger.Checked) -> str:
    """Return our value in the unit that the source prints, or the evidence for a statement."""
    if isinstance(result.ours, str):
        return result.ours
    published = result.claim.published
    value = result.ours / published.scale
    return with_unit(_digits(value, published.decimals), published.printed_unit)


def _digits(value: float, decimals: int) -> str:
    """Return a value with one digit more than is printed, unless it is a zero.

    >>> _digits(15.136, 1), _digits(213248.0, 0), _digits(0.33, 2), _digits(213248.0, -3)
    ('15.14', '213,248', '0.33', '213,248')
    """
    places = max(decimals, 0)
    text = f"{value:,.{places + 1}f}"
    return f"{value:,.{places}f}" if text.endswith("0") else text


def _share(part: float) -> str:
    return f"{100 * part:.2g}{SPACE}%"


def _percent(error: float) -> str:
    """Return a difference in per cent, to two digits or to a hundredth of a per cent.

    >>> [_percent(error).replace(SPACE, " ") for error in (2e-9, -0.0123, 1.1)]
    ['0 %', '-1.2 %', '+110 %']
    """
    if abs(error) < 5e-5:
        return f"0{SPACE}%"
    return f"{100 * error:+.{0 if abs(error) >= 0.1 else 1 if abs(error) >= 0.01 else 2}f}{SPACE}%"


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
