"""Tables that fit every screen: they scroll, and the script makes cards of wide ones on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def row(cells: Sequence[str]) -> str:
    """Return a table's row of `cells`.

    >>> row(["2", "< 3"])
    '<tr><td>2</td><td>&lt; 3</td></tr>'
    """
    return f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in cells)}</tr>"


def scrolled(
    head: Sequence[object], body: str, label: str, caption: str = "", kind: str = ""
) -> str:
    """Return a table that scrolls sideways where it is too wide, by keyboard, too.

    Parameters
    ----------
    head : sequence
        Names of the columns.
    body : str
        Its rows as HTML, made by `row`.
    label : str
        What the region that scrolls is called by a screen reader.
    caption, kind : str
        The caption and a further class, if any.
    """
    heads = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in head)
    classes = f"live-scroll {kind}".strip()
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="{classes}" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )
