"""Whether the tests notice a small change of a formula: mutations of the models, drawn by a seed.

`.venv/bin/python benchmarks/mutations.py --seed 1 --count 100` draws operators, numbers and
comparisons in turn, in general modules and labs of all topics. It changes one at a time in a copy
of the tree, so that the tree stays as it is, and runs the tests that belong to the module: its
doctests, the tests that import from it, and those in the folder that mirrors its own, nearest
first, until one fails. A mutation that no test catches *survived*: the formula needs a test, or the
mutation is an equivalent one, which changes no result. *Unknown* is what took longer than
`--limit`, as an endless loop does. The last table gives the command that runs one again.

The tool leaves out modules that declare or copy (claims, tasks, inputs) or draw, and messages of
errors, formatted text and annotations. Maintained tools don't fit: mutmut draws no sample, and
cosmic-ray and mutatest run one command for all modules, here the whole suite each time.
"""

from __future__ import annotations

import ast
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path

import click
import numba
import pytest
from rich.console import Console
from rich.table import Table

from perfcourse.book.model_map import imported
from perfmodel import TOPICS
from perfmodel.benchmarking.mutants import SIGNS, SWAPS

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "perfmodel", ROOT / "tests"
DECLARED = {"claims.py", "tasks.py", "inputs.py"}
SILENT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.arg)
"""Below these nothing is mutated."""
LOADED = ("hypothesis", "IPython", "pandas", "scipy.optimize", "scipy.stats", "sklearn.ensemble")
"""What most tests import, loaded once for all: the tests run in forks of this process."""
NEAREST = 4
"""Files, the module itself among them."""
KINDS = ("operator", "number", "comparison")
REVERSED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "floor": "ceil",
         "ceil": "floor", "any": "all", "all": "any"}  # fmt: skip
COMPILES = ("njit", "cfunc", "perfmodel.compilation", "perfmodel.engine")

Change = tuple[str, int, int, str, str]
"""Kind, line, column, old and new text."""


@dataclass(frozen=True)
class Mutation:
    """One change of one word of a module."""

    path: Path
    kind: str
    """One of `KINDS`."""
    line: int
    column: int
    """In bytes, as `ast` counts them."""
    old: str
    new: str

    @property
    def name(self) -> str:
        """What `--only` takes."""
        return f"{self.path.relative_to(SOURCE)}:{self.line}:{self.column}:{self.new}"

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return dotted(self.path)

    @property
    def text(self) -> str:
        """The line, without its indentation."""
        return self.path.read_bytes().splitlines()[self.line - 1].decode().strip()

    def apply(self, source: bytes) -> bytes:
        """Return the module's source with the change made."""
        lines = source.splitlines(keepends=True)
        at = lines[self.line - 1]
        end = self.column + len(self.old.encode())
        lines[self.line - 1] = at[: self.column] + self.new.encode() + at[end:]
        return b"".join(lines)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutation."""

    mutation: Mutation
    verdict: str
    """`caught`, `survived` or `unknown`."""
    by: str
    """The test that failed, or why nothing is known."""
    seconds: float


@click.command(help=__doc__.splitlines()[0] if __doc__ else None)
@click.option("--seed", default=1, show_default=True, help="of the draw")
@click.option("--count", default=10, show_default=True, help="of mutations")
@click.option("--topic", "topics", multiple=True, type=click.Choice(TOPICS), help="all if left out")
@click.option("--limit", default=60, show_default=True, help="seconds of processor time a mutation")
@click.option("--list", "listed", is_flag=True, help="print what would be mutated, and stop")
@click.option("--only", multiple=True, metavar="PATH:LINE:COLUMN:NEW", help="instead of a draw")
def main(
    seed: int, count: int, topics: tuple[str, ...], limit: int, listed: bool, only: tuple[str]
) -> None:
    """Draw, run and print."""
    drawn = [named(name) for name in only] or draw(seed, count, topics or tuple(TOPICS))
    console = Console()
    if listed:
        for mutation in drawn:
            click.echo(f"{mutation.name}  ({mutation.old})  {mutation.text}")
        return
    outcomes = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in LOADED:
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder) / "tree")
        for number, mutation in enumerate(drawn, 1):
            outcome = run(mutation, copy, limit)
            outcomes.append(outcome)
            click.echo(f"{number:3}/{len(drawn)} {outcome.verdict:8} {outcome.seconds:3.0f} s "
                       f"{mutation.name}  {outcome.by}")  # fmt: skip
    report(outcomes, console)


def report(outcomes: list[Outcome], console: Console) -> None:
    """Print how many were caught by topic, and each that was not with the command for it."""
    verdicts = ("caught", "survived", "unknown")
    table = Table("topic", *verdicts)
    for topic in TOPICS:
        found = [o.verdict for o in outcomes if topic_of(o.mutation.path) == topic]
        if found:
            table.add_row(topic, *(str(found.count(verdict)) for verdict in verdicts))
    every = [outcome.verdict for outcome in outcomes]
    table.add_section()
    table.add_row("all", *(str(every.count(verdict)) for verdict in verdicts))
    console.print(table)
    for outcome in outcomes:
        if outcome.verdict != "caught":
            click.echo(f"{outcome.verdict}: {outcome.mutation.old} in {outcome.mutation.text}")
            click.echo(f"  {sys.executable} benchmarks/mutations.py --only {outcome.mutation.name}")


# What can be mutated


def draw(seed: int, count: int, topics: tuple[str, ...]) -> list[Mutation]:
    """Return mutations drawn without repetition, kinds and topics in turn."""
    chosen = random.Random(seed)
    sites: dict[tuple[str, str], list[Mutation]] = {(k, t): [] for k in KINDS for t in topics}
    for topic in topics:
        for mutation in (m for path in modules(topic) for m in mutations(path)):
            sites[mutation.kind, topic].append(mutation)
    for left in sites.values():
        chosen.shuffle(left)
    drawn: list[Mutation] = []
    while len(drawn) < count and any(sites.values()):
        drawn += [left.pop() for left in sites.values() if left]
    return drawn[:count]


def modules(topic: str) -> list[Path]:
    """Return the modules of a topic and of its labs."""
    found = [*(SOURCE / topic).rglob("*.py"), *(SOURCE / "labs" / topic).rglob("*.py")]
    return sorted(path for path in found if path.name not in DECLARED and not draws(path))


def draws(path: Path) -> bool:
    """Return whether a module imports what figures are made of."""
    return re.search(r"perfmodel(\.| import )live", path.read_text("utf-8")) is not None


def mutations(path: Path) -> list[Mutation]:
    """Return all mutations of a module, in the order of its tree."""
    source = path.read_bytes()
    lines = source.splitlines()
    nodes = visible(ast.parse(source))
    return [Mutation(path, *change) for node in nodes for change in changes(node, lines)]


def visible(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree's nodes except annotations and what only makes messages."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, SILENT):
                yield from visible(child)


def changes(node: ast.AST, lines: list[bytes]) -> Iterator[Change]:
    """Yield each change of one node."""
    if isinstance(node, ast.BinOp):
        yield from signs("operator", node.left, node.op, node.right, lines)
    elif isinstance(node, ast.BoolOp):
        yield from signs("comparison", node.values[0], node.op, node.values[1], lines)
    elif isinstance(node, ast.Compare):
        yield from signs("comparison", node.left, node.ops[0], node.comparators[0], lines)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        old = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
        more = node.value + 1, node.value - 1
        for value in more if isinstance(node.value, int) else (node.value / 2 or 1.0,):
            new = f"({value})" if value < 0 else repr(value)
            yield "number", node.lineno, node.col_offset, old, new
    elif isinstance(node, ast.Call):
        called = node.func
        old = getattr(called, "attr", getattr(called, "id", ""))
        if old in NAMES and called.end_lineno and called.end_col_offset:
            column = called.end_col_offset - len(old)
            yield "operator", called.end_lineno, column, old, NAMES[old]


def signs(
    kind: str, left: ast.expr, sign: ast.AST, right: ast.expr, lines: list[bytes]
) -> Iterator[Change]:
    """Yield the changes of a sign that stands between two expressions."""
    swap = SWAPS.get(type(sign))
    old, new = (
        ("**", "*") if isinstance(sign, ast.Pow) else (SIGNS.get(type(sign)), SIGNS.get(swap))
    )
    if not old or not new:
        return
    for line in range(left.end_lineno, right.lineno + 1):
        begin = left.end_col_offset if line == left.end_lineno else 0
        end = right.col_offset if line == right.lineno else None
        between = lines[line - 1][begin:end].split(b"#")[0]
        if old.encode() in between:
            column = begin + between.index(old.encode())
            for other in filter(None, (new, REVERSED.get(old))):
                yield kind, line, column, old, other
            return


def named(name: str) -> Mutation:
    """Return the mutation that has a name."""
    path = SOURCE / name.split(":")[0]
    for mutation in mutations(path) if path.is_file() else ():
        if mutation.name == name:
            return mutation
    raise click.BadParameter(f"must name a mutation as --list does, got {name!r}")


# Which tests belong to a module


def tests_of(path: Path) -> list[Path]:
    """Return the tests that import from a module or mirror its folder, the nearest first."""
    module, mirror = dotted(path), mirrored(path)
    found = {test for test in importers() if module in importers()[test]}
    found |= {test for test in importers() if test == mirror or mirror in test.parents}
    folder = TESTS / path.relative_to(SOURCE).parent

    def distance(test: Path) -> tuple[bool, int, str]:
        near = len(os.path.commonpath([folder, test]))
        return test.stem != f"test_{path.stem}", -near, str(test)

    return sorted(found, key=distance)


def mirrored(path: Path) -> Path:
    """Return the folder of tests, or the one file, that mirrors a module's folder."""
    folder = TESTS / path.relative_to(SOURCE).parent
    while not folder.is_dir():
        file = folder.with_name(f"test_{folder.name}.py")
        if file.is_file():
            return file
        folder = folder.parent
    return folder


@cache
def importers() -> dict[Path, frozenset[str]]:
    """Return the modules that each test of the models imports from."""
    folders = [TESTS / topic for topic in TOPICS] + [TESTS / "labs"]
    tests = [test for folder in folders for test in sorted(folder.rglob("test_*.py"))]
    return {test: imported(test.read_text("utf-8")) for test in tests}


def dotted(path: Path) -> str:
    """Return the name of a module of this package."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def topic_of(path: Path) -> str:
    """Return the topic that a module or its lab belongs to."""
    parts = path.relative_to(SOURCE).parts
    return parts[1] if parts[0] == "labs" else parts[0]


@cache
def compiled() -> frozenset[str]:
    """Return the modules that Numba compiles, and those from which they import."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        source = path.read_text("utf-8")
        if any(word in source for word in COMPILES):
            found |= {dotted(path), *imported(source)}
    return frozenset(found)


# Running


def copied(copy: Path) -> Path:
    """Copy the files that git knows or doesn't ignore."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for file in filter(None, files.decode().split("\0")):
        if (ROOT / file).is_file():
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, copy / file)
    return copy


def run(mutation: Mutation, copy: Path, limit: int) -> Outcome:
    """Run the tests that belong to a mutation on a copy with that change, then undo it."""
    file = copy / mutation.path.relative_to(ROOT)
    source = file.read_bytes()
    began = time.monotonic()
    try:
        file.write_bytes(mutation.apply(source))
        Path(cache_from_source(str(file))).unlink(missing_ok=True)
        verdict, by = judged(mutation, copy, limit)
    finally:
        file.write_bytes(source)
        Path(cache_from_source(str(file))).unlink(missing_ok=True)
    return Outcome(mutation, verdict, by, time.monotonic() - began)


def judged(mutation: Mutation, copy: Path, limit: int) -> tuple[str, str]:
    """Return the verdict of the tests, and the test that failed or why there is none."""
    chosen = [mutation.path, *tests_of(mutation.path)]
    # Machine code contains what it was compiled with, and Numba looks at the caller's file alone.
    machine_code = copy.parent / ("once" if mutation.module in compiled() else "shared")
    shutil.rmtree(copy.parent / "once", ignore_errors=True)
    log = copy.parent / "log"
    files = [str(file.relative_to(ROOT)) for file in chosen]
    child = get_context("fork").Process(target=test, args=(files, copy, machine_code, log, limit))
    child.start()
    try:
        child.join(10 * limit)
    finally:
        child.kill()
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.join()
    printed = log.read_text("utf-8", "replace").splitlines()
    failed = [line for line in printed if line.startswith(("FAILED", "ERROR"))]
    if child.exitcode in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        return "caught", failed[0].split(" - ")[0] if failed else "no test could be collected"
    if child.exitcode == pytest.ExitCode.OK:
        return "survived", f"{len(chosen) - 1} files of tests"
    return "unknown", f"no end within {limit} s" if child.exitcode < 0 else printed[-1]


def test(files: list[str], copy: Path, machine_code: Path, log: Path, limit: int) -> None:
    """Run pytest on files of a copy, in a process forked for it, and exit with its code."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    with log.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(machine_code)
    os.environ.setdefault("PERFMODEL_DATA_DIR", str(ROOT.parent / "shared" / "data"))
    sys.path[:0] = [str(copy / "src"), str(copy)]
    for name in [name for name in sys.modules if name.split(".")[0] in ("perfmodel", "perfcourse")]:
        del sys.modules[name]
    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    # The nearest alone first: pytest imports all files that it is given before it runs a test.
    for part in filter(None, (files[:NEAREST], files[NEAREST:])):
        code = pytest.main([*options, "--doctest-modules", *part])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            break
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
