"""Lay out the book's pages with their outputs, and have Jupyter Book write the HTML."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import yaml
from rich.console import Console

from perfcourse.book import about, jupyter, made, run, sources
from perfcourse.book.published import configuration


def build(project: Path, console: Console, fresh: bool = False) -> Path:
    """Run what must be run, build the HTML with warnings as errors, and return its first page.

    If nothing changed since the last build, all of it stays as it is. A `RuntimeError` says that
    Jupyter Book failed, which has shown its own messages by then.
    """
    work = project / "_build"
    first, built = work / "html" / "index.html", work / "built"
    digest = inputs_digest(project)
    if not fresh and first.is_file() and built.is_file() and built.read_text() == digest:
        console.print("nothing changed since the book was built")
        return first
    built.unlink(missing_ok=True)
    generated = made.pages(project)
    paths = [_source(project, page) for page in sources.pages(project) if page not in generated]
    to_run = [path for path in paths if path.relative_to(project).parts[0] in sources.RUN]
    notebooks = run.run_all(to_run, work / "notebooks", console, fresh)
    lay_out(project, notebooks, work / "pages", generated)
    console.print("writing the pages ...")
    write(work / "pages", project, strict=True)
    built.write_text(digest)
    return first


def write(pages: Path, target: Path, strict: bool = False) -> Path:
    """Have Jupyter Book write the laid out `pages` below `target`, and return the first page.

    With `strict`, warnings are errors.
    """
    html = target / "_build" / "html"
    command = [sys.executable, "-m", "perfcourse.book.pages", str(pages), str(html)]
    done = subprocess.run(
        [*command, *(["--strict"] if strict else [])],
        env=os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    if done.returncode:
        raise RuntimeError("Jupyter Book stopped; its messages are above")
    return html / "index.html"


def _source(project: Path, page: str) -> Path:
    if (path := sources.path(project, page)) is None:
        raise FileNotFoundError(f"_toc.yml names {page}, but there is no {page}.md or {page}.ipynb")
    return path


def lay_out(
    project: Path, notebooks: dict[Path, Any], target: Path, generated: Mapping[str, str]
) -> None:
    """Bring `target` up to date with the book's sources, notebooks with their outputs.

    `generated` holds the text of pages that have no source. Only files whose content changed are
    written, so that Sphinx reads only those again.
    """
    wanted = {Path(f"{page}.md"): text.encode() for page, text in generated.items()}
    for name in sources.SOURCES:
        start = project / name
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if path.is_file() and not {".ipynb_checkpoints", sources.RECORDED} & {*path.parts}:
                wanted[path.relative_to(project)] = path.read_bytes()
    for path, notebook in notebooks.items():
        place = path.relative_to(project)
        del wanted[place]
        wanted[place.with_suffix(".ipynb")] = nbformat.writes(notebook).encode()
    _describe(project, wanted)
    renamed = {path for path in wanted if path.suffix == ".ipynb" and path.parts[0] == "book"}
    for place in [path for path in wanted if path.suffix in (".md", ".ipynb")]:
        text = jupyter.roles(wanted[place].decode())
        wanted[place] = _links(text, place.parent, renamed).encode()
    wanted[Path("_config.yml")] = _config(wanted[Path("_config.yml")], renamed, generated)
    for place, content in wanted.items():
        _write(target / place, content)
    for path in [path for path in target.rglob("*") if path.is_file()]:
        if path.relative_to(target) not in wanted:
            path.unlink()


def _describe(project: Path, wanted: dict[Path, bytes]) -> None:
    """Give each notebook what its source says about the page: an exercise has none of its own."""
    for page in sources.pages(project):
        said, place = about.metadata(project, page), Path(f"{page}.ipynb")
        if said and place in wanted:
            notebook = json.loads(wanted[place])
            notebook["metadata"]["course"] = said
            wanted[place] = json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def _links(text: str, folder: Path, renamed: set[Path]) -> str:
    """Point links at `.md` pages that were given outputs to the notebooks they became."""

    def moved(link: re.Match[str]) -> str:
        page = Path(os.path.normpath(folder / f"{link[1]}.ipynb"))
        return f"]({link[1]}.{'ipynb' if page in renamed else 'md'}{link[2]}"

    return re.sub(r"\]\(([^)\s#:]+)\.md([#)])", moved, text)


def _config(content: bytes, renamed: set[Path], generated: Iterable[str]) -> bytes:
    """Complete the configuration, with the source of each page that has another name here."""
    written = {path.as_posix(): path.with_suffix(".md").as_posix() for path in renamed}
    written |= {f"{page}.md": made.source(page) for page in generated}
    config = configuration.completed(yaml.safe_load(content), written)
    return str(yaml.safe_dump(config)).encode()


def _write(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def clean(project: Path) -> None:
    """Delete everything that a build made."""
    shutil.rmtree(project / "_build", ignore_errors=True)


MADE_OF = (*sources.SOURCES, "solutions", "src", "pyproject.toml", "requirements.txt")
"""Files and folders below the project's folder; the package is in it, which writes the pages."""
MADE = {"__pycache__", ".ipynb_checkpoints"}


def inputs_digest(project: Path) -> str:
    """Return a digest of the contents and names of these files, and of Python's version."""
    whole = hashlib.sha256(sys.version.encode())
    for name in MADE_OF:
        for path in _files(project / name):
            content = path.read_bytes()
            whole.update(f"{path.relative_to(project)} {len(content)}\n".encode())
            whole.update(content)
    return whole.hexdigest()


def _files(start: Path) -> Iterator[Path]:
    if start.is_file():
        yield start
    elif start.is_dir():
        for path in sorted(start.iterdir()):
            if path.name not in MADE and not _written_for_jupyterlab(path):
                yield from _files(path)


def _written_for_jupyterlab(path: Path) -> bool:
    """Return whether `make lab` makes this notebook: the map, or a chapter beside its Markdown."""
    return path.suffix == ".ipynb" and (
        path.name == "start.ipynb" or path.with_suffix(".md").is_file()
    )
