"""Write every report of a run into its folder, and tell what changed since the last one."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.grading import Graded, as_record, from_record
from perfcourse.report import analysis, schools
from perfcourse.report.pages import feedback, page, page_name
from perfcourse.report.tables import grades, table


def write_reports(
    out: Path, bank: Bank, results: Sequence[Graded], protections: Sequence[str]
) -> list[str]:
    """Write the tables and pages; return what changed since they were last written, a line each.

    The folder's other files stay as they are.
    """
    changed = changes(_last(out / "results.json"), results)
    write(out / "grades.csv", grades(results, bank))
    write(out / "canvas.csv", schools.canvas(results, bank))
    write(out / "moodle.csv", schools.moodle(results, bank))
    write(out / "junit.xml", schools.junit(results, bank))
    in_words = [line[-1] for line in changed]
    write(out / "class.html", class_page(results, bank, protections, in_words))
    header = ["student", "submission", "before", "after", "what changed"]
    write(out / "changes.csv", table(header, changed))
    for graded in results:
        name = page_name(graded)
        write(out / "feedback" / name, feedback(graded, bank, protections))
        write(out / "gradescope" / f"{Path(name).stem}.json", schools.gradescope(graded, bank))
        write(out / "autolab" / f"{Path(name).stem}.json", schools.autolab(graded) + "\n")
    write(out / "results.json", json.dumps([as_record(graded) for graded in results]) + "\n")
    return in_words


def class_page(
    results: Sequence[Graded], bank: Bank, protections: Sequence[str], changed: Sequence[str] = ()
) -> str:
    """Return the class report: distribution, questions, misconceptions, help, similar code."""
    shares = analysis.shares(results) or [0.0]
    found = analysis.items(results, bank)
    named = [(item.id, *wrong) for item in found for wrong in item.misconceptions]
    bins = analysis.distribution(results)
    return page(
        "class.html",
        bank=bank,
        results=results,
        median=statistics.median(shares),
        mean=statistics.fmean(shares),
        problems=[graded for graded in results if graded.problem],
        bins=bins,
        largest=max(*bins, 1),
        items=found,
        misconceptions=sorted(named, key=lambda row: (-row[2], row[0], row[1])),
        help=analysis.need_help(results),
        similar=analysis.similar(results),
        changes=changed,
        protections=protections,
    )


def changes(
    before: Sequence[Graded], after: Sequence[Graded]
) -> list[tuple[str, str, float, float, str]]:
    """Return who has other points than before: student, submission, before, after, in words."""
    old = {graded.name: graded for graded in before}
    return [
        (new.student, new.name, old[new.name].earned, new.earned, _in_words(old[new.name], new))
        for new in after
        if new.name in old and _points(old[new.name]) != _points(new)
    ]


def _points(graded: Graded) -> list[tuple[str, float]]:
    return [(verdict.question, verdict.earned) for verdict in graded.verdicts]


def _in_words(old: Graded, new: Graded) -> str:
    was = dict(_points(old))
    moved = [
        f"{name} {was[name]:g} to {earned:g}" if name in was else f"{name} new, {earned:g}"
        for name, earned in _points(new)
        if was.get(name) != earned
    ]
    why = "another file was handed in" if old.digest != new.digest else "the same file"
    return f"{new.student}: {old.earned:g} to {new.earned:g} points ({', '.join(moved)}; {why})"


def _last(path: Path) -> list[Graded]:
    try:
        return [from_record(record) for record in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def write(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(text.encode("utf-8", "replace"))
    os.replace(part, path)
