"""Run the tests, stage by stage to the last one, and end with a table of what failed where.

`make test` calls it. A stage that fails stops none that follows; the exit status says whether any
did. What takes longest is sampled (`sampling`), and the table says how; `make test ALL=1` runs all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import sampling
from rich.console import Console
from rich.table import Table

from perfcourse.book import sources

PROJECT = Path(__file__).parents[1]
REPORTS = PROJECT / "_build" / "tests"
BIN = Path(sys.executable).parent
PYTEST = (str(BIN / "python"), "-m", "pytest", "-q", "-n", "auto", "-o", "junit_family=xunit1")


BROWSER = "tests/browser/"


@dataclass(frozen=True)
class Stage:
    """One command, or several at once, under the name that the table shows."""

    name: str
    command: Sequence[str]


CHECKS = (
    Stage("style", (str(BIN / "ruff"), "check")),
    Stage("layout of the code", (str(BIN / "ruff"), "format", "--check")),
    Stage("types", (str(BIN / "mypy"),)),
)
BOOK = Stage("book", (str(BIN / "python"), "-m", "perfcourse.book", "build"))
BY_FILE = ("--dist", "loadfile")
PACKAGE = Stage(
    "package, grader and pages",
    (*PYTEST, "--dist", "worksteal", "--doctest-modules"),
)
NOTEBOOKS = Stage(
    "labs, chapters and solutions, compared with a fresh run", (*PYTEST, *BY_FILE, "--nbval")
)
EXERCISES = Stage("exercises, from top to bottom", (*PYTEST, *BY_FILE, "--nbval-lax"))
NEEDED = {"browser", "sandbox", "data", "ml", "nbgrader", "otter"}
"""What must have been there, by PERFCOURSE_REQUIRE, for a run to say that all passed."""


@dataclass
class Outcome:
    """What a stage came to: counts of tests where it has any, and what failed in it."""

    stage: Stage
    status: int
    seconds: float
    passed: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)
    took: Counter[str] = field(default_factory=Counter)
    """Seconds by file of tests, or notebook."""

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return self.status == 0


def main() -> int:
    """Run the stages, print the table, and return 0 if all passed."""
    if "--all" in sys.argv[1:]:
        os.environ[sampling.ALL] = "1"
    required = set(os.environ.get("PERFCOURSE_REQUIRE", "").split())
    if "--record" in sys.argv[1:] and not required >= NEEDED:
        sys.exit(f"--record needs PERFCOURSE_REQUIRE={' '.join(sorted(NEEDED))!r}")
    console = Console()
    REPORTS.mkdir(parents=True, exist_ok=True)
    chosen = [str(path.relative_to(PROJECT)) for path in sampling.notebooks()]
    outcomes = _beside(CHECKS, BOOK)
    book = outcomes[-1]
    files = [name for name in sampling.tests() if book.ok or not name.startswith(BROWSER)]
    for stage, names in ((PACKAGE, files), (NOTEBOOKS, chosen), (EXERCISES, ["exercises"])):
        console.print(f"[bold]{stage.name}[/bold]")
        outcomes.append(_tests(stage, names))
    console.print(_table(outcomes))
    console.print(_sampled(chosen, files, book.ok), soft_wrap=True)
    for outcome in outcomes:
        for name in outcome.failed:
            console.print(f"failed in {outcome.stage.name}: {name}", markup=False, soft_wrap=True)
    failed = sum(len(o.failed) or not o.ok for o in outcomes)
    print(f"{sum(o.passed for o in outcomes)} passed, {failed} failed")
    if not all(outcome.ok for outcome in outcomes):
        return 1
    if "--record" in sys.argv[1:]:
        sampling.record(sum((outcome.took for outcome in outcomes), Counter()))
    return 0


def _sampled(chosen: Sequence[str], files: Sequence[str], has_book: bool) -> str:
    """Return what was sampled, in words."""
    if sampling.whole():
        return "Everything was looked at."
    stored, banks = sources.executable(PROJECT), sampling.bank_digests()
    few = sum(sampling.students(topic) < 200 for topic in banks)
    lines = [
        f"Sampled: {len(files)} of {len(sampling.with_tests())} files of tests run",
        f"{len(chosen)} of {len(stored)} recorded notebooks run again",
    ]
    if has_book:
        read, listed = len(sampling.pages(())), len(sampling.page_digests())
        lines.append(f"some {read} of {listed} pages read closely")
    lines.append(f"20 simulated students instead of 200 for {few} of {len(banks)} question banks")
    why = "What is left out, with all that it depends on, is as it was when it passed"
    return f"{'; '.join(lines)}. {why}. `make test ALL=1` looks at everything."


def _beside(checks: Sequence[Stage], long: Stage) -> list[Outcome]:
    """Run a long stage with its output as it comes, and short ones beside it with theirs after."""
    begun = time.monotonic()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    running = [subprocess.Popen(stage.command, cwd=PROJECT, **pipes) for stage in checks]
    status = subprocess.run(long.command, cwd=PROJECT, check=False).returncode
    last = _without_tests(long, status, time.monotonic() - begun)
    outcomes = []
    for stage, process in zip(checks, running, strict=True):
        output, _ = process.communicate()
        print(output, end="")
        outcomes.append(_without_tests(stage, process.returncode, time.monotonic() - begun))
    return [*outcomes, last]


def _without_tests(stage: Stage, status: int, seconds: float) -> Outcome:
    return Outcome(stage, status, seconds, failed=["see its output above"] if status else [])


def _tests(stage: Stage, names: Sequence[str]) -> Outcome:
    """Run a stage of pytest on files or folders, its output shown as it comes."""
    if not names:
        return Outcome(stage, 0, 0.0)
    report = REPORTS / f"{stage.name.split(',')[0].replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    begun = time.monotonic()
    command = [*stage.command, f"--junitxml={report}", *names]
    status = subprocess.run(command, cwd=PROJECT, check=False).returncode
    outcome = Outcome(stage, status, time.monotonic() - begun)
    if not report.is_file():
        outcome.failed.append("it stopped before it had a report")
        return outcome
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {part.tag for part in case}
        outcome.took[case.get("file", "")] += float(case.get("time", 0))
        if kinds & {"failure", "error"}:
            outcome.failed.append(f"{case.get('classname')}::{case.get('name')}")
        elif "skipped" in kinds:
            outcome.skipped += 1
        else:
            outcome.passed += 1
    return outcome


def _table(outcomes: Sequence[Outcome]) -> Table:
    table = Table(title="What was tested")
    table.add_column("stage")
    for head in ("passed", "skipped", "failed", "seconds"):
        table.add_column(head, justify="right")
    table.add_column("outcome")
    for outcome in outcomes:
        counts = (outcome.passed, outcome.skipped, len(outcome.failed))
        table.add_row(
            outcome.stage.name,
            *(str(count) if count else "" for count in counts),
            f"{outcome.seconds:.0f}",
            "passed" if outcome.ok else "FAILED",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
