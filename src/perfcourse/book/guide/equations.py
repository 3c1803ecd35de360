r"""Link "equation 2" and "(2)" in a page's text to the equation that carries \tag{2} there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes

from perfcourse.book.guide.terms import SKIPPED, inside

MENTIONS = re.compile(
    r"(?:\b[Ee]quations?\s+\(?(\d+)\)?(?:(?:,|\s+and|\s+or|\s+to)\s+\(?(\d+)\)?(?!\w))?)"
    r"|(?:(?<=[^.:!?]\s)|(?<=\A\s))\((\d+)\)"
)


def mentions(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a text names equations, and their numbers.

    A number at the start of a sentence counts a list, and names no equation.

    >>> [text[2] for text in mentions("By equations 2 and 3, unlike (1). (4) Solve.")]
    ['2', '3', '1']
    """
    for hit in MENTIONS.finditer(text):
        for group in (1, 2, 3):
            if hit[group]:
                yield hit.start(group), hit.end(group), hit[group]


def link(doctree: nodes.document) -> None:
    """Give each tagged equation of a page an anchor, and lead the text's mentions there."""
    anchors: dict[str, str] = {}
    for block in doctree.findall(nodes.math_block):
        for tag in re.findall(r"\\tag\{(\d+)\}", block.astext()):
            anchors[tag] = f"equation-{tag}"
            block["ids"].append(anchors[tag])
    for text in list(doctree.findall(nodes.Text)) if anchors else []:
        if not inside(text, SKIPPED):
            pieces = list(_pieces(text.astext(), anchors))
            if len(pieces) > 1:
                text.parent.replace(text, pieces)


def _pieces(text: str, anchors: dict[str, str]) -> Iterator[nodes.Node]:
    done = 0
    for start, end, number in mentions(text):
        if number in anchors:
            yield nodes.Text(text[done:start])
            yield nodes.reference("", number, internal=True, refid=anchors[number])
            done = end
    yield nodes.Text(text[done:])
