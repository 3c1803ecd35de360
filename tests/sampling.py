"""What a run of the tests looks at, where looking at all takes long; PERFCOURSE_ALL=1 looks at all.

Three things take most of the time: running every notebook again, reading every page as axe does at
every width, and 200 simulated students for each question. A run takes those whose content isn't
the one that passed a whole run (`checked.json`) and, of notebooks and pages, a tenth that goes on
with each commit. A whole run that passes writes `checked.json`, and `seconds.json`, again.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from perfcourse.book import run, sources

PROJECT = Path(__file__).parents[1]
CHECKED = Path(__file__).with_name("checked.json")
SECONDS = Path(__file__).with_name("seconds.json")
ALL = "PERFCOURSE_ALL"
"""The variable of the environment that asks for everything."""
TURNS = 10
"""Commits in which everything has its turn, about."""
LOOKS = (".css", ".js", ".mjs")
"""Endings of files that all pages share."""
DIAGNOSIS = "perfcourse.diagnosis.collisions"
"""What tells simulated students their mistakes, with all that it imports of `perfcourse`."""


def whole() -> bool:
    """Return whether this run looks at everything."""
    return bool(os.environ.get(ALL))


@cache
def commit() -> str:
    """Return the commit that is checked out, or nothing outside git."""
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def has_turn(name: str) -> bool:
    """Return whether `name` is in the tenth of this commit."""
    return int(hashlib.sha256(f"{commit()} {name}".encode()).hexdigest(), 16) % TURNS == 0


@cache
def checked(kind: str) -> dict[str, str]:
    """Return the digests of what passed a whole run: of `pages` or `banks`, by name."""
    known: dict[str, dict[str, str]] = json.loads(CHECKED.read_text("utf-8"))
    return known[kind]


def notebooks() -> list[Path]:
    """Return the recorded notebooks to run again: those that are stale or have their turn."""
    paths = sources.executable(PROJECT)
    return [
        sources.recording(path)
        for path in paths
        if whole() or has_turn(name_of(path)) or is_stale(path)
    ]


def name_of(path: Path) -> str:
    """Return the place of a file below the project's folder."""
    return path.relative_to(PROJECT).as_posix()


def is_stale(path: Path) -> bool:
    """Return whether the recorded outputs of a notebook belong to other code than today's."""
    notebook = sources.read(path)
    return run.stored_digest(path, notebook) != sources.key(notebook, path)


@cache
def page_digests() -> dict[str, str]:
    """Return a digest of each laid out page with its outputs, and of what all pages share."""
    shared = hashlib.sha256((PROJECT / "_config.yml").read_bytes())
    for path in sorted((PROJECT / "src").rglob("*")):
        if path.suffix in LOOKS:
            shared.update(path.read_bytes())
    digests = {}
    for page in sources.pages(PROJECT):
        laid = PROJECT / "_build" / "pages" / page
        files = [laid.with_name(f"{laid.name}{ending}") for ending in (".md", ".ipynb")]
        content = b"".join(file.read_bytes() for file in files if file.is_file())
        digests[page] = hashlib.sha256(shared.digest() + content).hexdigest()
    return digests


def pages(kinds: Iterable[str]) -> list[str]:
    """Return the pages to read closely: `kinds`, one of each, those that changed, and a tenth."""
    digests, known = page_digests(), checked("pages")
    changed = {page for page, digest in digests.items() if known.get(page) != digest}
    always = {*kinds, *changed}
    return [page for page in digests if whole() or page in always or has_turn(page)]


@cache
def bank_digests() -> dict[str, str]:
    """Return a digest of each question bank, with what tells its students their mistakes."""
    modules = [sources.file_of(name) for name in sorted(sources.imported_by(DIAGNOSIS))]
    judging = b"".join(path.read_bytes() for path in modules if "perfcourse" in path.parts)
    return {
        path.stem: hashlib.sha256(judging + path.read_bytes()).hexdigest()
        for path in sorted((PROJECT / "solutions").glob("*.py"))
    }


def students(topic: str) -> int:
    """Return how many students are simulated for each question of a bank."""
    return 200 if whole() or checked("banks").get(topic) != bank_digests()[topic] else 20


def seconds() -> dict[str, float]:
    """Return the seconds that each file of tests and each notebook took, where it was one or more.

    The figures are those of the machine of the last whole run.
    """
    known: dict[str, float] = json.loads(SECONDS.read_text("utf-8"))
    return known


def record(took: Mapping[str, float]) -> None:
    """Write the digests of what a whole run found right, and the seconds that it took."""
    known = {"banks": bank_digests(), "pages": page_digests()}
    CHECKED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
    long = {name: round(spent, 1) for name, spent in took.items() if spent >= 1}
    SECONDS.write_text(json.dumps(long, indent=1, sort_keys=True) + "\n", "utf-8")
