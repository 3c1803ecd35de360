"""Test what you changed, in about a minute: `make quick`.

Style and types are checked where code changed; then come the tests and doctests nearest to the
change along the imports, and the notebooks that it makes stale, as many as fit into a minute on two
cores by the times that a whole run took (`seconds.json`). What is left out is counted at the end.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import import_graph
import sampling
from rich.console import Console

from perfcourse.book import sources

PROJECT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
BUDGET = 45.0
"""Seconds of one core for tests and notebooks; style and types take the rest of 90 s on two."""
UNKNOWN = 1.0
"""What a file is reckoned to take that isn't listed there: it took less, or is new."""
KERNEL = 4.0
"""What a notebook takes before its first cell and between cells, which its listed time lacks."""
ENOUGH = "--maxfail=5"
"""Failures after which the rest tells no more: each that tries examples is made smaller first."""
PAGES = ("tests/book/test_notebooks.py", "tests/book/guide/test_words.py")
"""Tests that every page must pass."""
BROWSER = "tests/browser/test_"
"""What tests in the browser begin with, which are nearest to scripts and styles."""


def main() -> int:
    """Test what changed and return 0 if nothing failed."""
    console = Console()
    begun = time.monotonic()
    changed = list(changes())
    if not changed:
        console.print(f"nothing changed since {base()[:10]}: nothing to test")
        return 0
    python = [name for name in changed if name.endswith((".py", ".pyi"))]
    checks = _checks(python, changed)
    paths = {import_graph.name_of(sources.recording(p)): p for p in sources.executable(PROJECT)}
    near = nearest(import_graph.graph() | import_graph.of_notebooks(paths), changed)
    stale = [name for name in near if name in paths and sampling.is_stale(paths[name])]
    near = [name for name in near if name not in paths and not sampling.needs_book(name)]
    chosen, left = within(BUDGET, [*near, *stale], sampling.seconds())
    tests = [name for name in chosen if name not in paths]
    notebooks = [name for name in chosen if name in paths]
    ran = [*checks, *_pytest(tests, notebooks)]
    failed = [name for name, process in ran if process.wait()]
    console.print(
        f"{len(changed)} files changed since {base()[:10]}: {len(tests)} files of tests and "
        f"{len(notebooks)} notebooks run in {time.monotonic() - begun:.0f} s, {len(left)} further "
        f"away left out (make test runs them)",
        soft_wrap=True,
    )
    for name in failed:
        console.print(f"failed: {name}", markup=False)
    return 1 if failed else 0


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def base() -> str:
    """Return the commit that changes are counted from: the last one that others have, or HEAD."""
    return _git("merge-base", "HEAD", "@{upstream}") or _git("rev-parse", "HEAD")


def changes() -> Iterator[str]:
    """Yield the files that differ from the base commit, new ones too, by their place.

    Raises
    ------
    SystemExit
        Outside git, which this asks.
    """
    if not base():
        sys.exit("make quick asks git what changed, and this folder is no clone: run make test")
    listed = _git("diff", "--name-only", base()), _git("ls-files", "--others", "--exclude-standard")
    yield from sorted({*listed[0].splitlines(), *listed[1].splitlines()})


def _checks(python: list[str], changed: list[str]) -> list[tuple[str, subprocess.Popen[bytes]]]:
    there = [name for name in changed if (PROJECT / name).is_file()]
    styled = [name for name in there if name.endswith((".py", ".pyi", ".ipynb"))]
    commands = []
    if styled:
        commands.append(("style", ["ruff", "check", "--force-exclude", *styled]))
        commands.append(
            ("layout of the code", ["ruff", "format", "--check", "--force-exclude", *styled])
        )
    if any(name.startswith("src/") for name in python):
        commands.append(("types", ["mypy"]))
    return [(name, _start([str(BIN / command[0]), *command[1:]])) for name, command in commands]


def _pytest(
    tests: list[str], notebooks: list[str]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the tests, then the notebooks, each with two processes at most."""
    usual = [str(BIN / "python"), "-m", "pytest", "-q", "-n", "2", "--no-header", ENOUGH]
    if tests:
        done = _start([*usual, "--dist", "worksteal", "--doctest-modules", *tests])
        done.wait()
        yield "tests", done
    if notebooks:
        yield "notebooks", _start([*usual, "--dist", "loadfile", "--nbval", *notebooks])


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=PROJECT)


def within(
    budget: float, names: Iterable[str], seconds: Mapping[str, float]
) -> tuple[list[str], list[str]]:
    """Return the names that fit into a budget of seconds, in order, and the others.

    The first always fits.

    >>> within(10, ["a", "b", "c"], {"a": 8, "b": 5, "c": 1})
    (['a', 'c'], ['b'])
    """
    chosen: list[str] = []
    left: list[str] = []
    for name in names:
        took = seconds.get(name, UNKNOWN) + KERNEL * name.endswith(".ipynb")
        if not chosen or took <= budget:
            budget -= took
            chosen.append(name)
        else:
            left.append(name)
    return chosen, left


def nearest(imports: Mapping[str, Iterable[str]], changed: Iterable[str]) -> list[str]:
    """Return the tests and notebooks that a change touches, the nearest along the imports first.

    Parameters
    ----------
    imports : mapping of str to iterable of str
        The files that each file of code and each notebook imports.
    changed : iterable of str
        What changed. Of a changed module the doctests count as tests, and so do all tests in the
        folder that mirrors it. Data count as the modules of the package that they lie in.

    Examples
    --------
    >>> imports = {"tests/test_a.py": ["src/b.py"], "src/b.py": ["src/c.py"], "src/c.py": []}
    >>> nearest(imports, ["src/c.py"])
    ['src/c.py', 'tests/test_a.py']
    """
    users = defaultdict(set)
    for user, used in imports.items():
        for name in used:
            users[name].add(user)
    changed = list(changed)
    start = [name for name in changed if name in imports]
    mirrored = {test for name in changed for test in imports if _mirrors(test, name)}
    order = dict.fromkeys([*start, *sorted(mirrored), *_in_browser(imports, changed)])
    ring = [*changed, *(name for data in changed for name in _owners(imports, data))]
    while ring:
        further = {user for name in ring for user in users[name]} - order.keys()
        ring = sorted(further)
        order |= dict.fromkeys(ring)
    return [name for name in order if _has_tests(name, start)]


def _has_tests(name: str, changed: list[str]) -> bool:
    is_test = name.startswith("tests/") and Path(name).name.startswith("test_")
    is_changed_module = name in changed and name.startswith("src/") and name.endswith(".py")
    return is_test or is_changed_module or name.endswith(".ipynb")


def _in_browser(imports: Iterable[str], changed: Iterable[str]) -> list[str]:
    """Return the tests in the browser where a script or style changed, those of its name first.

    >>> _in_browser(["tests/browser/test_a.py", "tests/browser/test_b.py"], ["src/b.mjs"])
    ['tests/browser/test_b.py', 'tests/browser/test_a.py']
    """
    stems = tuple(
        f"{BROWSER}{Path(name).stem}" for name in changed if name.endswith(sampling.LOOKS)
    )
    found = [name for name in imports if stems and name.startswith(BROWSER)]
    return sorted(found, key=lambda name: (not name.startswith(stems), name))


def _owners(imports: Mapping[str, Iterable[str]], changed: str) -> list[str]:
    """Return the modules of the package in which a file lies that is none itself.

    >>> _owners({"src/a/__init__.py": [], "src/a/b.py": [], "src/c.py": []}, "src/a/data/d.csv")
    ['src/a/__init__.py', 'src/a/b.py']
    """
    if changed in imports:
        return []
    folders = map(str, Path(changed).parents)
    package = next((folder for folder in folders if f"{folder}/__init__.py" in imports), None)
    return [name for name in imports if package and str(Path(name).parent) == package]


def _mirrors(test: str, changed: str) -> bool:
    """Return whether a file of tests is in the place that mirrors a file's, or is for all pages.

    >>> _mirrors("tests/queueing/test_mva.py", "src/perfmodel/queueing/mva.py")
    True
    >>> _mirrors("tests/solutions/test_scaling.py", "solutions/scaling.ipynb")
    True
    """
    folder, _, inner = changed.partition("/")
    if folder in ("book", "notebooks"):
        return test in PAGES
    if folder not in ("src", "solutions"):
        return False
    where = Path("tests") / (changed if folder == "solutions" else inner.removeprefix("perfmodel/"))
    return test.startswith((f"{where.parent}/test_{where.stem}", f"{where.with_suffix('')}/test_"))


if __name__ == "__main__":
    sys.exit(main())
