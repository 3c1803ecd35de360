"""Memory and time that the reports of a class take, and its zip archive, by its size.

Run `.venv/bin/python benchmarks/class_size.py`; with `--other CHECKOUT` another checkout of this
project does the same in turn, and the ratios are printed. Nothing is graded: the engine gives each
submission the same verdicts, so what is measured is all the rest of a run. The code is made of the
answers in `tests/perfcourse/gradebook/independent.py`, each with a line that nobody else has.
Memory is the most that the process held at a time; seconds are its processor time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from perfcourse.bank.loader import load
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings
from perfcourse.intake.collection import collect
from perfcourse.intake.submissions import Handin, opened
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded

ROOT = Path(__file__).resolve().parents[1]
BANK = "solutions/scaling.py"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 2000])
    parser.add_argument("--other", type=Path, help="another checkout, with its own .venv")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--zipped", action="store_true", help="from a zip archive, intake alone")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(intake(options.one) if options.zipped else reports(options.one)))
        return
    checkouts = [ROOT, *([options.other.resolve()] if options.other else [])]
    rows = [
        [measured(checkout, size, options.zipped) for checkout in checkouts]
        for size in options.sizes
    ]
    print(f"{'submissions':>11}  " + "  ".join(f"{'MB':>6} {'s':>7}" for _ in checkouts))
    for size, row in zip(options.sizes, rows, strict=True):
        figures = "  ".join(f"{mb:6.0f} {seconds:7.2f}" for mb, seconds in row)
        print(f"{size:11}  {figures}")
    if options.other and len(rows) > 1:
        (ours, theirs), (first_ours, first_theirs) = rows[-1], rows[0]
        added = ratio(ours[0] - first_ours[0], theirs[0] - first_theirs[0])
        print(f"here over there: added memory {added}, time {ratio(ours[1], theirs[1])}")


def ratio(ours: float, theirs: float) -> str:
    """Return a ratio with three digits."""
    return f"{ours / theirs:.3g}" if theirs else "not known"


def measured(checkout: Path, size: int, zipped: bool) -> tuple[float, float]:
    """Return MB and seconds of a run in a process of its own, by another checkout's modules."""
    words: list[str | Path] = [checkout / ".venv/bin/python", __file__, "--one", str(size)]
    words += ["--zipped"] if zipped else []
    done = subprocess.run(words, cwd=checkout, check=True, capture_output=True, text=True)
    megabytes, seconds = json.loads(done.stdout)
    return megabytes, seconds


def reports(size: int) -> tuple[float, float]:
    """Hand in, "grade" and report a class of this size."""
    with tempfile.TemporaryDirectory() as folder:
        hand_in(Path(folder, "in"), size)
        began = time.process_time()
        settings = Settings(str(Path(BANK).resolve()), "secret", unsafe=True)
        run(Path(folder, "in"), Path(folder, "out"), settings, same_for_all)
        return used(began)


def intake(size: int) -> tuple[float, float]:
    """Read a class of this size from one zip archive, as often as a run does before it grades."""
    with tempfile.TemporaryDirectory() as folder:
        hand_in(Path(folder, "in"), size)
        archive = Path(folder, "in.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for path in sorted(Path(folder, "in").iterdir()):
                file.write(path, path.name)
        began = time.process_time()
        for submission in collect(archive, "scaling").submissions:
            assert opened(submission).data
        return used(began)


def used(began: float) -> tuple[float, float]:
    """Return the most memory held, in MB, and the processor time since then."""
    seconds = time.process_time() - began
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, seconds


def hand_in(folder: Path, size: int) -> None:
    """Write a class's notebooks."""
    sys.path.insert(0, str(ROOT / "tests/perfcourse/gradebook"))
    from independent import alone, handed_in

    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(size):
        cells = handed_in(alone(rng))
        own = f"only_{number} = {number}.5\n" + "".join(
            f"z.a{number}_{k} = w.b{number} * {k}.5 + u.c{number}\n" for k in range(3)
        )
        made = [code(f"{own}{cells[0]}"), *map(code, cells[1:])]
        whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (folder / f"student{number:05}.ipynb").write_text(json.dumps(whole))


def code(source: str) -> dict[str, object]:
    """Return a code cell."""
    parts: dict[str, object] = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "source": source, **parts}


def same_for_all(handins: Iterable[Handin], settings: Settings) -> Iterator[Graded]:
    """Give each submission the same verdicts: half of them right, half with a hint."""
    bank = load(settings.bank)
    for handin in handins:
        verdicts = tuple(
            Verdict(
                question.id,
                float(question.points) * (place % 2),
                float(question.points),
                "Right." if place % 2 else f"Your function gives {place} for {handin.name}.",
            )
            for place, question in enumerate(bank.questions)
        )
        yield Graded(handin.name, handin.student, handin.digest, "", verdicts)


if __name__ == "__main__":
    main()
