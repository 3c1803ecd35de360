"""Grade two honest submissions beside each of the suite's attacks, many times; count full points.

Run `.venv/bin/python benchmarks/neighbours.py --runs 20`, as root and as an ordinary user: the wall
is built otherwise. In one batch with each attack, one honest submission begins before it and one
while it goes on, each run a little later. `--at-once 3` has three such batches share one machine,
which is harder than what is asked. Names of attacks, or parts of them, choose some.

The last line of each run says how many honest submissions got their full points, and below it are
those that didn't. An attack that earned points is named too: none may.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests" / "perfcourse"
sys.path[:0] = [str(TESTS), str(TESTS / "attacks")]

from breaking import BREAKING  # noqa: E402
from building import notebook  # noqa: E402
from forging import FORGING, PACKAGE_CALLS  # noqa: E402
from looting import LOOTING  # noqa: E402

from perfcourse.bank import Bank  # noqa: E402
from perfcourse.bank.loader import load  # noqa: E402
from perfcourse.grading.engine import TRIES  # noqa: E402
from perfcourse.grading.submission import failed, grade  # noqa: E402
from perfcourse.intake.cells import code_cells  # noqa: E402
from perfcourse.intake.submissions import Handin  # noqa: E402
from perfcourse.isolation.session import BrokenError, Times  # noqa: E402
from perfcourse.isolation.trial import find_sandbox  # noqa: E402
from perfcourse.isolation.warm import Warm  # noqa: E402
from perfcourse.judge.result import Graded  # noqa: E402

SHORT = Times(notebook=3, cell=3, call=0.5, whole=4)
"""What an attack has; the honest have the usual time."""
LONGEST_WAIT = 2.0
"""Seconds after an attack's begin at which the later neighbour begins, in the last run."""
ATTACKS = {**BREAKING, **FORGING, **PACKAGE_CALLS, **LOOTING}


@dataclass(frozen=True)
class Beside:
    """What came of one attack: points it earned, and the honest who got less than all."""

    attack: str
    earned: float
    broken: bool
    """Whether the grader had to give up on it."""
    short: tuple[str, ...]


def main() -> None:
    """Run and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of attacks; default: all")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1, help="attacks that go on at a time")
    options = parser.parse_args()
    chosen = [name for name in ATTACKS if all(part in name for part in options.names)]
    sandbox = find_sandbox()
    print(f"{len(chosen)} attacks as user {os.geteuid()}: {'; '.join(sandbox.protections)}")
    total = short = 0
    with Warm(sandbox) as warm, ThreadPoolExecutor(options.at_once) as pool:
        for run in range(options.runs):
            wait = LONGEST_WAIT * (run + 1) / options.runs
            try_one = batch(warm, load(TESTS / "example.py"), wait)
            found = list(pool.map(try_one, chosen))
            total += 2 * len(found)
            short += sum(len(beside.short) for beside in found)
            tell(run, found, total - short, total)


def batch(warm: Warm, bank: Bank, wait: float) -> Callable[[str], Beside]:
    """Return a function that grades two honest submissions with one attack between them."""
    honest = code_cells((TESTS / "example.ipynb").read_bytes(), "example.ipynb")

    def graded(who: str, cells: list[str], times: Times, later: float) -> Graded:
        time.sleep(later)
        handin = Handin(f"{who}.ipynb", who, notebook(*cells), f"{who}.ipynb")
        for _ in range(TRIES):
            with suppress(BrokenError):
                return grade(handin, bank, "a secret", lambda *how: warm.session(times, *how))
        return failed(handin, bank, "tried again and again")

    def try_one(name: str) -> Beside:
        rows = (
            ("before", honest, Times(), 0.0),
            ("mallory", prepared(name), SHORT, 0.02),
            ("during", honest, Times(), 0.02 + wait),
        )
        with ThreadPoolExecutor(3) as pool:
            first, attack, last = pool.map(graded, *zip(*rows, strict=True))
        short = [f"{g.student}: {g.earned:g} {g.problem}" for g in (first, last)]
        full = [g.earned == g.points for g in (first, last)]
        lost = [text for text, all_of_it in zip(short, full, strict=True) if not all_of_it]
        return Beside(name, attack.earned, attack.broken, tuple(lost))

    return try_one


def prepared(name: str) -> list[str]:
    """Return an attack's cells, with what the suite fills in for the machine."""
    words = {"PORT": "9", "*MOUNTED": ""}
    cells = list(ATTACKS[name])
    for word, text in words.items():
        cells = [cell.replace(word, text) for cell in cells]
    return cells


def tell(run: int, found: list[Beside], full: int, total: int) -> None:
    """Print what one run has found."""
    print(f"run {run + 1}: {full} of {total} honest submissions so far with full points")
    for beside in found:
        for line in beside.short:
            print(f"  beside {beside.attack!r}, {line}")
        if beside.earned or beside.broken:
            print(f"  {beside.attack!r} {'BROKE' * beside.broken} EARNED {beside.earned:g}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
