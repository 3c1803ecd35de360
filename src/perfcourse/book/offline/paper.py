"""All pages as one document for a printer: in reading order, links inside, stills, no controls."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml
from bs4 import BeautifulSoup, Tag

SHEET = Path(__file__).with_name("paper.css")
NOT_PRINTED = (
    "script, style, noscript, button, form, input, .headerlink, .live-controls, .live-score, "
    ".live-table, .live-task-lab, .toctree-wrapper, .way-on, .live-tally, details.hide, "
    ".visually-hidden"
)
"""What acts, what leads from screen to screen, the data of curves, and code that the page folds."""
REFERS = ("for", "aria-labelledby", "aria-describedby", "headers", "aria-controls")
"""Attributes that hold ids of elements, parted by spaces."""


@dataclass(frozen=True)
class Leaf:
    """A page of the book in its place: how deep it lies, and under which part's caption."""

    page: str
    """As `_toc.yml` names it, without an ending."""
    depth: int
    part: str = ""
    """The caption that begins here, if one does."""


class Document(NamedTuple):
    """The book as one HTML text, but for the sheets that its contents name."""

    front: str
    contents: Sequence[tuple[Leaf, str]]
    """Each page in its place with its title."""
    body: str

    def text(self, numbers: Mapping[str, int]) -> str:
        """Return the whole, with the sheets on which pages begin, by `anchor`, where known."""
        return "\n".join([self.front, _contents(self.contents, numbers), self.body])


def leaves(contents: Mapping[str, Any]) -> list[Leaf]:
    """Return the pages of a table of contents, as read from `_toc.yml`, in reading order.

    >>> leaves({"root": "a", "parts": [{"caption": "B", "chapters": [{"file": "c"}]}]})
    [Leaf(page='a', depth=1, part=''), Leaf(page='c', depth=1, part='B')]
    """
    placed = [Leaf(contents["root"], 1)]
    for part in contents.get("parts", ()):
        first, *others = _below(part["chapters"], 1)
        placed += [Leaf(first.page, 1, part["caption"]), *others]
    return placed


def _below(entries: Sequence[Mapping[str, Any]], depth: int) -> Iterator[Leaf]:
    for entry in entries:
        yield Leaf(entry["file"], depth)
        yield from _below(entry.get("sections", ()), depth + 1)


def document(project: Path, html: Path, place: Path) -> Document:
    """Return the book, built in `html`, as one HTML document that is to lie in `place`."""
    placed = leaves(yaml.safe_load((project / "_toc.yml").read_text("utf-8")))
    config = yaml.safe_load((project / "_config.yml").read_text("utf-8"))
    known = {leaf.page for leaf in placed}
    contents, body = [], []
    for leaf in placed:
        article = _article(html, leaf.page)
        contents.append((leaf, _title(article)))
        body += [_heading(leaf), _printed(article, leaf, html, place, known)]
    front = _head(html, placed[0].page, place, config["title"]) + _front(config)
    return Document(front, contents, "\n".join([*body, "</body></html>"]))


def anchor(page: str, name: str = "") -> str:
    """Return the id that stands for a page, or for the element `name` on it, in the document.

    >>> anchor("book/queueing"), anchor("book/queueing", "words-first")
    ('book-queueing', 'book-queueing--words-first')
    """
    return page.replace("/", "-") + (f"--{name}" if name else "")


def _article(html: Path, page: str) -> Tag:
    path = html / f"{page}.html"
    if not path.is_file():
        raise FileNotFoundError(f"{page} isn't built: run `make book` first")
    return _only(path, "article.bd-article")


def _only(path: Path, selector: str) -> Tag:
    """Return the first element of a built page that a selector fits."""
    piece = BeautifulSoup(path.read_text("utf-8"), "html.parser").select_one(selector)
    if piece is None:
        raise ValueError(f"{path} holds no {selector}")
    return piece


def _title(article: Tag) -> str:
    for link in article.select("h1 .headerlink"):
        link.decompose()
    return " ".join(title.get_text(" ", strip=True) for title in article.select("h1"))


def _head(html: Path, page: str, place: Path, title: str) -> str:
    """Carry over the styles and the setting of formulas from a page that has them."""
    elements = []
    for piece in _only(html / f"{page}.html", "head").select('link[rel="stylesheet"], script'):
        if piece.name == "script" and "mathjax" not in str(piece).lower():
            continue
        for name in {"href", "src"} & piece.attrs.keys():
            piece[name] = _from(place, html, page, _attribute(piece, name))
        elements.append(str(piece))
    return (
        '<!doctype html><html lang="en" data-theme="light" data-mode="light"><head>'
        f'<meta charset="utf-8"><title>{escape(title)}</title>{"".join(elements)}'
        f'<style>{SHEET.read_text("utf-8")}</style></head><body class="bd-content">'
    )


def _front(config: Mapping[str, Any]) -> str:
    footer = config["html"].get("extra_footer", "")
    lines = [config["author"], config["copyright"], footer]
    return (
        f'<section class="paper-front"><p class="paper-title">{escape(config["title"])}</p>'
        + "".join(f"<p>{escape(str(line))}</p>" for line in lines)
        + "</section>"
    )


def _contents(contents: Sequence[tuple[Leaf, str]], numbers: Mapping[str, int]) -> str:
    rows = []
    for leaf, title in contents:
        if leaf.part:
            rows.append(f'<p class="paper-part-name">{escape(leaf.part)}</p>')
        name = anchor(leaf.page)
        number = numbers.get(name, "")
        rows.append(
            f'<p class="paper-entry paper-depth-{leaf.depth}"><a href="#{name}">'
            f"<span>{escape(title)}</span><span>{number}</span></a></p>"
        )
    return f'<nav class="paper-contents"><h1>Contents</h1>{"".join(rows)}</nav>'


def _heading(leaf: Leaf) -> str:
    return f'<h1 class="paper-part">{escape(leaf.part)}</h1>' if leaf.part else ""


def _printed(article: Tag, leaf: Leaf, html: Path, place: Path, known: set[str]) -> str:
    _answers_last(article)
    for piece in article.select(NOT_PRINTED):
        piece.decompose()
    for fold in article.find_all("details"):
        fold["open"] = ""
    for heading in article.find_all(re.compile("h[1-5]")):
        heading.name = f"h{min(6, int(heading.name[1]) + leaf.depth)}"
    for table in article.find_all("table"):
        fit(table)
    _name_apart(article, leaf.page)
    _lead_inside(article, leaf.page, known, html, place)
    inside = article.decode_contents()
    return f'<section class="paper-page" id="{anchor(leaf.page)}">{inside}</section>'


def _answers_last(article: Tag) -> None:
    """Number prompts and tasks, and move their answers to the page's end: a reader tries first."""
    answers = []
    for number, prompt in enumerate(article.select(".live-predict, .live-task, .live-try"), 1):
        folds = prompt.find_all("details")
        name = prompt.find("strong")
        if not folds or name is None:
            continue
        name.string = f"{name.get_text().rstrip('.')} ({number})."
        if choices := _choices(prompt):
            folds[0].insert_before(
                BeautifulSoup(f"<p>{' &nbsp; '.join(choices)}</p>", "html.parser")
            )
        answer = folds[-1].extract()
        for summary in answer.find_all("summary"):
            summary.decompose()
        answers.append(f'<li value="{number}">{answer.decode_contents()}</li>')
    if answers:
        listed = f"<h2>Computed answers</h2><ol>{''.join(answers)}</ol>"
        listed = f'<section class="paper-answers">{listed}</section>'
        article.append(BeautifulSoup(listed, "html.parser"))


def _choices(prompt: Tag) -> list[str]:
    """Return what a prompt lets its reader choose from: its script draws the form on a screen."""
    script = prompt.find("script", type="application/json")
    form = json.loads(script.get_text()).get("form", "") if script is not None else ""
    labels = BeautifulSoup(form, "html.parser").select("label:has(input[type=radio])")
    return [f"○ {escape(label.get_text(' ', strip=True))}" for label in labels]


def _name_apart(article: Tag, page: str) -> None:
    """Make ids unique in the document, and what refers to them."""
    for piece in article.find_all(id=True):
        piece["id"] = anchor(page, _attribute(piece, "id"))
    for name in REFERS:
        for piece in article.select(f"[{name}]"):
            ids = _attribute(piece, name).split()
            piece[name] = " ".join(anchor(page, one) for one in ids)
    for piece in article.find_all(True):
        for name, value in list(piece.attrs.items()):
            if isinstance(value, str) and "url(#" in value:
                piece[name] = re.sub(r"url\(#([^)]+)\)", rf"url(#{anchor(page)}--\1)", value)


def _attribute(piece: Tag, name: str) -> str:
    """Return an attribute as text, also where the parser splits it."""
    value = piece[name]
    return value if isinstance(value, str) else " ".join(value)


def _lead_inside(article: Tag, page: str, known: set[str], html: Path, place: Path) -> None:
    """Point links to pages at their places in the document; what isn't in it loses its link."""
    for image in article.find_all("img", src=True):
        if ":" not in (source := _attribute(image, "src")):
            image["src"] = _from(place, html, page, source)
    for link in article.find_all("a", href=True):
        if (target := _target(_attribute(link, "href"), page, known)) is None:
            link.unwrap()
        else:
            link["href"] = target


def _target(address: str, page: str, known: set[str]) -> str | None:
    """Return where a page's link leads in the document, or None for what isn't there.

    >>> _target("../queueing.html#words", "book/api/queueing", {"book/queueing"})
    '#book-queueing--words'
    >>> _target("https://example.org", "book/a", set())
    'https://example.org'
    >>> _target("../genindex.html", "book/a", {"book/a"})
    """
    if re.match(r"[a-z]+:", address):
        return address
    path, _, fragment = address.partition("#")
    folder = PurePosixPath(page).parent
    target = os.path.normpath(folder / path.removesuffix(".html")) if path else page
    return f"#{anchor(target, unquote(fragment))}" if target in known else None


def _from(place: Path, html: Path, page: str, address: str) -> str:
    """Return a file's address seen from `place`, given as seen from a built page."""
    path = address.partition("?")[0]
    return os.path.relpath((html / page).parent / unquote(path), place)


WIDE = 178.0 / 25.4 * 72
"""Points between the margins of a sheet."""
SIZES = {"paper-fits": 8.5, "paper-fits-small": 7.0}
"""Points of a letter's height by the class that a table gets, largest first."""
LETTER, PADDING = 0.62, 11.0
"""Mean width of a letter by its height, and points beside a cell's text."""
LONG = 16
"""Letters from which on a word, an address or a name in code mostly, may break anywhere."""
NUMBER = re.compile(r"[-+−]?[\d.,]+( ?(%|[µmkMGT]?[A-Za-z]{1,2}(/s)?))?")


def fit(table: Tag) -> None:
    """Give a table the class of the size at which its longest words fit side by side, if one does.

    Cells that hold a number, with or without a unit, get the class `paper-number`, those with words
    that may break anywhere `paper-long`.

    >>> from bs4 import BeautifulSoup
    >>> table = BeautifulSoup("<table><tr><td>1.5 ms</td></tr></table>", "html.parser").table
    >>> fit(table)
    >>> table["class"], table.td["class"]
    ('paper-fits', 'paper-number')
    """
    longest: dict[int, int] = {}
    for row in table.find_all("tr"):
        for column, cell in enumerate(row.find_all(["td", "th"], recursive=False)):
            longest[column] = max(longest.get(column, 0), _longest(cell))
    for name, height in SIZES.items():
        if sum(LETTER * height * letters + PADDING for letters in longest.values()) <= WIDE:
            _mark(table, name)
            return


def _longest(cell: Tag) -> int:
    """Return the letters that a cell keeps together at most, and mark numbers and long words."""
    text = cell.get_text(" ", strip=True)
    if NUMBER.fullmatch(text):
        _mark(cell, "paper-number")
        return len(text)
    letters = max(map(len, text.split()), default=0)
    if letters > LONG:
        _mark(cell, "paper-long")
    return min(letters, LONG)


def _mark(element: Tag, name: str) -> None:
    classes = [str(each) for each in element.get_attribute_list("class") if each]
    element["class"] = " ".join([*classes, name])
