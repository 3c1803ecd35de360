"""What a run of the tests looks at, where looking at all takes long; PERFCOURSE_ALL=1 looks at all.

Four things take most of the time: running every notebook again, reading every page as axe does at
every width, 200 simulated students for each question, and the files of tests that take a second or
more (`seconds.json`). A run takes those whose content, with all that it depends on, isn't the one
that passed before (`checked.json`) and a tenth that goes on with each commit. `tests/run.py
--record` writes what passed, and how long it took, into the two files.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import import_graph
from import_graph import name_of

from perfcourse.book import run, sources

PROJECT = import_graph.PROJECT
CHECKED = Path(__file__).with_name("checked.json")
SECONDS = Path(__file__).with_name("seconds.json")
ALL = "PERFCOURSE_ALL"
"""The variable of the environment that asks for everything."""
TURNS = 10
"""Commits in which everything has its turn, about."""
LOOKS = (".css", ".js", ".mjs")
"""Endings of files that all pages share."""
DIAGNOSIS = "perfcourse.judge.collisions"
"""What tells simulated students their mistakes, with all that it imports of `perfcourse`."""
READS = re.compile(
    r"importlib|pkgutil|walk_packages|glob\(|iterdir|subprocess|PROJECT|__file__|third_party|getsource"
    r"|collect\(|sheet\("
)
"""Words of a text that reads files which it doesn't import, or all labs."""
DOCTEST = re.compile(r"^ *>>> ", re.MULTILINE)
GRADER = ("src/perfcourse", "tests/perfcourse", "solutions", "exercises", "requirements-peers.txt")
READ = {"tests/perfcourse/": GRADER, "tests/solutions/": ("solutions", "exercises")}
"""What tests in a folder may read beyond what they import."""
BUILT = {"html", "visit", "seen"}
"""Fixtures of tests in the browser that look at the built book; the others bring their own page."""
PROJECT_WIDE = ("tests/test_", "tests/book/", "tests/browser/")
"""Beginnings of tests that read pages, or the whole project."""
EVERYWHERE = ("tests/conftest.py", "requirements.txt", "requirements-ml.txt", "pyproject.toml")
"""What all tests depend on."""


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
    """Return the digests of what passed: of `pages`, `banks` or `tests`, by name."""
    known: dict[str, dict[str, str]] = json.loads(CHECKED.read_text("utf-8"))
    return known.get(kind, {})


def notebooks() -> list[Path]:
    """Return the recorded notebooks to run again: those that are stale or have their turn."""
    paths = sources.executable(PROJECT)
    return [
        sources.recording(path)
        for path in paths
        if whole() or has_turn(name_of(path)) or is_stale(path)
    ]


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


def tests() -> list[str]:
    """Return the files with tests that are run, doctests of modules among them."""
    known = {} if whole() else checked("tests")
    unchanged = {name for name, digest in known.items() if test_digests().get(name) == digest}
    return [name for name in with_tests() if name not in unchanged or has_turn(name)]


def needs_book(name: str) -> bool:
    """Return whether a file has tests that look at the built book."""
    return name.startswith("tests/browser/") and any(
        BUILT & {argument.arg for argument in node.args.args}
        for node in ast.walk(ast.parse(read(PROJECT / name)))
        if isinstance(node, ast.FunctionDef)
    )


@cache
def with_tests() -> tuple[str, ...]:
    """Return the files with tests, doctests among them."""
    paths = [path for folder in ("src", "tests") for path in (PROJECT / folder).rglob("*.py")]
    return tuple(
        sorted(
            name_of(path)
            for path in paths
            if path.name.startswith("test_") or DOCTEST.search(read(path))
        )
    )


@cache
def test_digests() -> dict[str, str]:
    """Return a digest of all that a file of tests depends on, of those that take a second or more.

    Those that read files which nothing here names have none: they are always run.
    """
    imports = import_graph.graph()
    common = import_graph.reached(imports, EVERYWHERE)
    digests = {}
    for name in with_tests():
        if seconds().get(name, 0) < 1 or name.startswith(PROJECT_WIDE):
            continue
        beside = [f"{folder}/conftest.py" for folder in map(str, Path(name).parents)]
        start = {name, *EVERYWHERE, *(file for file in beside if (PROJECT / file).is_file())}
        start |= {file for place in _places(name) for file in _files(place)}
        needed = import_graph.reached(imports, start)
        own = [name, *(file for file in needed - common if file.startswith("tests/"))]
        if not _places(name) and any(READS.search(read(PROJECT / file)) for file in own):
            continue
        digests[name] = _digest(frozenset(needed))
    return digests


def _places(name: str) -> tuple[str, ...]:
    """Return what a file of tests may read beyond what it imports, where its folder is known."""
    return next((places for folder, places in READ.items() if name.startswith(folder)), ())


@cache
def read(path: Path) -> str:
    """Return the text of a file; read once a process."""
    return path.read_text("utf-8")


@cache
def _files(place: str) -> tuple[str, ...]:
    """Return a file, or all files in a folder but what Python compiled."""
    paths = [PROJECT / place] if (PROJECT / place).is_file() else (PROJECT / place).rglob("*")
    return tuple(
        name_of(path) for path in paths if path.is_file() and "__pycache__" not in path.parts
    )


def _digest(names: frozenset[str]) -> str:
    """Return a digest of files, and of the data that lie beside modules."""
    digest = hashlib.sha256()
    data = {file for name in names for file in _data(str(Path(name).parent))}
    for name in sorted(names | data):
        digest.update(f"{name} {_content(name)}\n".encode())
    return digest.hexdigest()[:16]


@cache
def _data(folder: str) -> set[str]:
    """Return what lies in a package, or below it in folders that are none, and is no module."""
    if not folder.startswith("src/"):
        return set()
    data = set()
    for path in (PROJECT / folder).iterdir():
        if path.is_dir() and not (path / "__init__.py").is_file():
            data |= set(_files(name_of(path)))
        elif path.is_file() and path.suffix not in (".py", ".pyi"):
            data.add(name_of(path))
    return data


@cache
def _content(name: str) -> str:
    return hashlib.sha256((PROJECT / name).read_bytes()).hexdigest()


@cache
def seconds() -> dict[str, float]:
    """Return the seconds that each file of tests and each notebook took, where it was one or more.

    The figures are those of the machine of the last whole run.
    """
    known: dict[str, float] = json.loads(SECONDS.read_text("utf-8"))
    return known


def record(took: Mapping[str, float]) -> None:
    """Write the digests of what has just passed, and the seconds that each file of it took."""
    known = seconds() | {name: round(spent, 1) for name, spent in took.items()}
    long = {n: spent for n, spent in known.items() if spent >= 1 and (PROJECT / n).is_file()}
    SECONDS.write_text(json.dumps(long, indent=1, sort_keys=True) + "\n", "utf-8")
    seconds.cache_clear()
    test_digests.cache_clear()
    found = {"banks": bank_digests(), "pages": page_digests(), "tests": test_digests()}
    CHECKED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
