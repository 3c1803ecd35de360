"""Labs as JupyterLab shows them: prompts and drawings folded, citations and terms plain links.

JupyterLab knows neither the tags that hide code from the book's pages nor the roles that the book
makes citations and terms of. So a lab's cells carry Jupyter's own mark as well, and its text has
links to the list of references and to the glossary, which the build turns into roles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import nbformat
from pybtex.database import Entry, parse_file
from pybtex.richtext import Text

from perfcourse.book import chapter, sources
from perfcourse.book.guide import folds

COVER = "# A prompt: run this cell, answer, and only then look inside."
"""First line of a prompt's cell, which is what JupyterLab shows of it when folded."""
HIDDEN = ("remove-input", "hide-input", "remove-cell", "hide-cell")
"""Tags of cells whose code the book's pages leave out or fold."""
_CITED = r"\[[^][\n]*\]\((?:\.\./)+book/references\.bib#([\w-]+)\)"
_TERM = r"\[([^][\n]*)\]\((?:\.\./)+book/glossary\.md#([^)\s]+)\)"


def tidy(notebook: Any, names: Mapping[str, tuple[str, str]], up: str = "../../") -> Any:
    """Fold what is folded on the page, cover its prompts, write roles as links; return `notebook`.

    It is changed in place. `names` says who wrote each work and when, as `authors` does; `up` is
    the way from its folder to the project's.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code" and set(HIDDEN) & set(cell.metadata.get("tags", [])):
            cell.metadata["jupyter"] = {**cell.metadata.get("jupyter", {}), "source_hidden": True}
            if re.search(r"\blive\.(predict|choose|quiz)\(", cell.source):
                cell.source = f"{COVER}\n{cell.source.removeprefix(COVER).lstrip()}"
        elif cell.cell_type == "markdown":
            cell.source = links(cell.source, names, up)
            if folds.is_folded(cell):
                cell.metadata[folds.COLLAPSED] = True
    return notebook


def chapters(project: Path) -> list[Path]:
    """Write each chapter as a notebook beside its source, not kept by git; return their places.

    Its Markdown is made for the book: in JupyterLab it would show the answers of its prompts. The
    numbers in its sentences are those of the book built last.
    """
    names = authors(project / "book" / "references.bib")
    places = []
    for path in sorted((project / "book").glob("*.md")):
        if (notebook := sources.read(path)) is not None:
            places.append(path.with_suffix(".ipynb"))
            built = project / "_build" / "pages" / "book" / places[-1].name
            numbers = chapter.glued(nbformat.read(built, 4)) if built.is_file() else {}
            nbformat.write(opened(notebook, names, "../", path.parent, numbers), places[-1])
    return places


def opened(
    notebook: Any,
    names: Mapping[str, tuple[str, str]],
    up: str,
    folder: Path,
    numbers: Mapping[str, str],
) -> Any:
    """Return `notebook`, a page of the book, as JupyterLab shows it; it is changed in place.

    What `names` and `up` are says `tidy`, what `folder` and `numbers` are `chapter.plain`.
    """
    return chapter.plain(_numbered(tidy(notebook, names, up)), folder, numbers)


def _numbered(notebook: Any) -> Any:
    """Give a chapter's labelled equations their numbers, there and where they are referred to."""
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    labelled = r"\$\$((?:(?!\$\$).)+)\$\$\s*\(([\w-]+)\)"
    labels = [found[1] for cell in texts for found in re.findall(labelled, cell.source, re.S)]
    numbers = {label: str(number) for number, label in enumerate(labels, 1)}
    for cell in texts:
        cell.source = re.sub(
            labelled, lambda e: f"$${e[1]}\\tag{{{numbers[e[2]]}}}$$", cell.source, flags=re.S
        )
        cell.source = re.sub(
            r"\{eq\}`([\w-]+)`", lambda e: f"({numbers.get(e[1], e[1])})", cell.source
        )
    return notebook


def authors(bibliography: Path) -> dict[str, tuple[str, str]]:
    """Return by key who wrote each work of a BibTeX file, and the year."""
    entries: Mapping[str, Entry] = parse_file(str(bibliography)).entries
    return {key: (_people(entry), entry.fields["year"]) for key, entry in entries.items()}


def _people(entry: Entry) -> str:
    people = entry.persons.get("author") or entry.persons["editor"]
    names = [str(Text.from_latex(" ".join(one.prelast_names + one.last_names))) for one in people]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def links(text: str, names: Mapping[str, tuple[str, str]], up: str = "../../") -> str:
    """Return `text` with its roles written as links that read well without the book.

    >>> links("By {cite:t}`Amdahl1967`.", {"Amdahl1967": ("Amdahl", "1967")})
    'By [Amdahl (1967)](../../book/references.bib#Amdahl1967).'
    """

    def cited(role: re.Match[str]) -> str:
        who, year = names[role[2]]
        target = f"({up}book/references.bib#{role[2]})"
        return f"[{who} ({year})]{target}" if role[1] == "t" else f"([{who}, {year}]{target})"

    def term(role: re.Match[str]) -> str:
        return f"[{role[1]}]({up}book/glossary.md#{quote(role[2] or role[1])})"

    text = re.sub(r"\{cite:([pt])\}`([\w-]+)`", cited, text)
    return re.sub(r"\{term\}`([^`<]*[^`<\s])(?:\s*<([^`>]+)>)?`", term, text)


def roles(text: str) -> str:
    """Return `text` with the links that `links` wrote made roles again, for the book's pages.

    Sphinx knows an entry of the glossary by its printed name, with a curved apostrophe.

    >>> roles("[serial part](../../book/glossary.md#serial%20fraction)")
    '{term}`serial part <serial fraction>`'
    >>> roles("[Amdahl's law](../../book/glossary.md#Amdahl%27s%20law)")
    "{term}`Amdahl's law <Amdahl’s law>`"
    """

    def term(link: re.Match[str]) -> str:
        word = unquote(link[2]).replace("'", "’")
        return f"{{term}}`{word}`" if link[1] == word else f"{{term}}`{link[1]} <{word}>`"

    text = re.sub(rf"\({_CITED}\)", r"{cite:p}`\1`", text)
    text = re.sub(_CITED, r"{cite:t}`\1`", text)
    return re.sub(_TERM, term, text)
