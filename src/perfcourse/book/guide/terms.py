"""Link each term of art to the glossary where a page first uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docutils import nodes
from sphinx import addnodes

ORDINARY = frozenset(
    {
        "batch",
        "capacity",
        "claim",
        "leak",
        "level",
        "overhead",
        "pass",
        "power",
        "processor",
        "token",
    }
    | {"validation", "workload"}
)
"""Terms that are also everyday words: linked only where the author writes {term}."""
SKIPPED = (
    nodes.title,
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.rubric,
    nodes.comment,
    addnodes.pending_xref,
    addnodes.toctree,
    addnodes.glossary,
)
"""Parts of a page in which nothing is linked."""


def entries(glossary: str) -> dict[str, str]:
    r"""Return the terms of a glossary's source, with what it says about each.

    >>> entries("```{glossary}\nMAPE\nmean error\n  An error in $\\%$.\n```")
    {'MAPE': 'An error in \\%.', 'mean error': 'An error in \\%.'}
    """
    definitions: dict[str, str] = {}
    block = glossary.partition("```{glossary}\n")[2].partition("\n```")[0]
    for entry in re.split(r"\n\s*\n", block):
        lines = entry.strip("\n").split("\n")
        names = [line for line in lines if not line.startswith(" ")]
        text = " ".join(line.strip() for line in lines if line.startswith(" "))
        definitions |= dict.fromkeys(names, re.sub(r"[$*`]|\{\w+\}", "", text))
    return definitions


def spoken(entry: str) -> list[str]:
    """Return the forms in which an entry of the glossary occurs in a text.

    >>> spoken("processor sharing (PS)"), spoken("power (of a test)"), spoken("pass")
    (['processor sharing', 'PS'], ['power of a test', 'power of the test'], [])
    """
    name, _, rest = entry.rstrip(")").partition(" (")
    if rest.startswith("of "):
        return [f"{name} {rest}", f"{name} {rest}".replace(" of a ", " of the ")]
    return [form for form in (name, rest) if form and form not in ORDINARY]


def pattern(form: str) -> str:
    """Return a regular expression for a form: at the start of a sentence, or in the plural.

    >>> bool(re.fullmatch(pattern("latency"), "Latencies"))
    True
    """
    text = re.escape(form).replace(r"\ ", r"\s+").replace("'", "['’]")
    if form[0].islower():
        text = f"[{form[0]}{form[0].upper()}]{text[1:]}"
    if form[-1] == "y" and form[-2] not in "aeiou":
        return f"{text[:-1]}(?:y|ies)"
    return f"{text}(?:es)?" if re.search(r"(s|x|z|ch|sh)$", form) else f"{text}s?"


class Linker:
    """Finds the terms of one glossary in pages."""

    def __init__(self, glossary: str) -> None:
        self.said = entries(glossary)
        """What the glossary says about each of its entries."""
        forms = {form: entry for entry in self.said for form in spoken(entry)}
        ordered = sorted(forms, key=len, reverse=True)
        self._entries = [forms[form] for form in ordered]
        parts = [pattern(form) for form in ordered]
        around = r"(?<![\w/-])(?:{})(?![\w/]|-\w)"
        # Without groups an alternative is left at its first letter: ten times as fast.
        self._search = re.compile(around.format("|".join(parts)))
        self._which = re.compile(around.format("|".join(f"({part})" for part in parts)))

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        r"""Yield where the terms in a text begin and end, and their entries.

        >>> list(Linker("```{glossary}\ncache\n  Kept near.\n```").find("Two caches."))
        [(4, 10, 'cache')]
        """
        for hit in self._search.finditer(text):
            which = self._which.match(text, hit.start())
            number = which.lastindex if which else None
            assert number is not None
            yield hit.start(), hit.end(), self._entries[number - 1]

    def link(self, doctree: nodes.document, page: str) -> None:
        """Link the first use of each term in a page, where its author hasn't done so before."""
        seen: set[str] = set()
        for node in list(doctree.findall()):
            if isinstance(node, addnodes.pending_xref) and node.get("reftype") == "term":
                seen.add(node["reftarget"].lower().replace("’", "'"))
            elif isinstance(node, nodes.Text) and not inside(node, SKIPPED):
                pieces = list(self._pieces(node.astext(), page, seen))
                if len(pieces) > 1:
                    node.parent.replace(node, pieces)

    def _pieces(self, text: str, page: str, seen: set[str]) -> Iterator[nodes.Node]:
        done = 0
        for start, end, entry in self.find(text):
            if entry.lower() in seen:
                continue
            seen.add(entry.lower())
            yield nodes.Text(text[done:start])
            yield _link(text[start:end], entry, page)
            done = end
        yield nodes.Text(text[done:])

    def explain(self, doctree: nodes.document, anchors: Mapping[str, str]) -> None:
        """Give the links to the glossary what it says as a tip, once Sphinx has resolved them.

        `anchors` holds the entry that stands at each anchor of the glossary's page.
        """
        for link in doctree.findall(nodes.reference):
            entry = anchors.get(str(link.get("refuri", "")).partition("#")[2], "")
            if text := self.said.get(entry.replace("’", "'")):
                link["reftitle"] = text


def inside(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    """Say whether a node is part of one of some kinds."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, kinds):
            return True
        parent = parent.parent
    return False


def _link(text: str, entry: str, page: str) -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "",
        nodes.inline("", text, classes=["std", "std-term"]),
        refdomain="std",
        reftype="term",
        reftarget=entry.replace("'", "’"),
        refdoc=page,
        refexplicit=True,
        refwarn=True,
    )
