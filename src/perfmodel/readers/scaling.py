"""Runs on several processor counts: Extra-P's text, JSON and JSON Lines, or any table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from perfmodel.readers.refusal import UnreadableFileError, json_of, text_of
from perfmodel.readers.slurm import ASK, FORMATS as SLURM, read_sacct
from perfmodel.readers.tables import read_table
from perfmodel.validation import Floats

COUNTS = (
    *("processors", "processes", "procs", "cores", "threads", "ranks", "tasks", "nodes", "gpus"),
    *("workers", "cpus", "p", "n", "np", "nprocs", "ntasks"),
)
TIMES = ("time", "seconds", "wall", "walltime", "wall_time", "runtime", "elapsed", "duration")
_TEXT = re.compile(r"^\s*(PARAMETER|POINTS)\b", re.MULTILINE)


def _json(text: str) -> bool:
    start = text.lstrip()[:400]
    return start.startswith("{") and ('"measurements"' in text or '"params"' in start)


FORMATS: dict[str, Callable[[str], bool]] = {
    "Extra-P JSON": _json,
    "Extra-P text": lambda text: len(_TEXT.findall(text)) > 1 and "DATA" in text,
}


@dataclass(frozen=True, eq=False)
class ScalingRuns:
    """Processors and seconds of each run."""

    processors: Floats
    times: Floats
    source: str
    """Where they stand in the file."""
    traps: tuple[str, ...]


def read_scaling(
    path: Path | str, processors: str = "", time: str = "", region: str = "", metric: str = ""
) -> ScalingRuns:
    """Return the runs of a file.

    `path`: Extra-P text, JSON or JSON Lines, `sacct -P`, or a table. `processors` and `time`:
    columns of a table, `NAME` or `NAME:UNIT`; in Extra-P's files the parameter, and the time's unit
    after a colon. Found by usual names if empty. `region` and `metric`: of Extra-P's files; the one
    there is, or the metric `time`, if empty. Raises `UnreadableFileError` if the file can't be
    read, or says not which of several is meant.
    """
    path = Path(path)
    text = text_of(path)
    if FORMATS["Extra-P text"](text):
        return _extra_p(path, _text_runs(path, text), processors, time, region, metric)
    if FORMATS["Extra-P JSON"](text):
        return _extra_p(path, _json_runs(path, text), processors, time, region, metric)
    if SLURM["sacct -P"](text):
        return _jobs(path, processors)
    if re.match(r" *JobID +.*\n[- ]+\n", text):
        what = "sacct cuts names and numbers to the width of this table's columns"
        raise UnreadableFileError(path, 1, what, f"run {ASK}")
    return _table(path, processors, time)


def _jobs(path: Path, processors: str) -> ScalingRuns:
    """Return the completed jobs of `sacct -P` by the CPUs or nodes that they had."""
    read = read_sacct(path)
    by_nodes = "node" in processors.lower()
    p, t = [], []
    for job in read.jobs:
        count = job.nodes if by_nodes else job.cpus
        if job.state != "COMPLETED" or not job.elapsed:
            continue
        if count is None:
            cure = f"ask for it: {ASK}"
            if job.nodes is not None:
                cure = f"add --processors nodes to take its nodes, or {cure}"
            what = "the file doesn't say how many processors a job had"
            raise UnreadableFileError(path, job.line, what, cure)
        p.append(float(count))
        t.append(job.elapsed)
    if not p:
        cure = "ask sacct for completed jobs"
        raise UnreadableFileError(path, None, "no job of the file was completed", cure)
    left = len(read.jobs) - len(p)
    note = f"{left} jobs that weren't completed are left out; all jobs are taken as the same work."
    what = "nodes" if by_nodes else "CPUs"
    return ScalingRuns(np.array(p), np.array(t), f"sacct, by {what}", (note, *read.traps))


def _table(path: Path, processors: str, time: str) -> ScalingRuns:
    table = read_table(path)
    count = processors or _column(path, table.header, COUNTS, "processors")
    seconds = time or _column(path, table.header, TIMES, "time")
    p, _ = table.numbers(count)
    t, stated = table.numbers(seconds, "s")
    for values, what, least in ((p, count, 1.0), (t, seconds, 0.0)):
        bad = values < least if least else values <= least
        if bad.any():
            line = table.lines[int(bad.argmax())]
            said = f"column {what!r} holds {values[bad.argmax()]:g}"
            cure = f"it must be {'1 or more' if least else 'above 0'}: correct or delete the row"
            raise UnreadableFileError(path, line, said, cure)
    return ScalingRuns(p, t, f"columns {count!r} and {seconds!r}, {stated}", ())


def _column(path: Path, header: tuple[str, ...], usual: tuple[str, ...], what: str) -> str:
    from perfmodel.readers.headers import split_header

    names = {name: split_header(name)[0].strip().lower().replace(" ", "_") for name in header}
    found = [name for name, short in names.items() if short in usual]
    if len(found) == 1:
        return found[0]
    said = f"columns {', '.join(map(repr, found))} could be" if found else "no column is called as"
    cure = f"name it: --{what} COLUMN, one of {', '.join(header)}"
    raise UnreadableFileError(path, 1, f"{said} the {what}", cure)


Runs = list[tuple[str, str, dict[str, float], list[float], int | None]]
"""Region, metric, parameters, values and line of each point."""


def _extra_p(
    path: Path, runs: Runs, processors: str, time: str, region: str, metric: str
) -> ScalingRuns:
    unit = time.rpartition(":")[2] if ":" in time else ""
    place = _chosen(path, "region", region, [one[0] for one in runs])
    of_region = [one for one in runs if one[0] == place]
    what = _chosen(path, "metric", metric or "", [one[1] for one in of_region], "time")
    points = [one for one in of_region if one[1] == what]
    parameter = _chosen(path, "processors", processors, [name for one in points for name in one[2]])
    others = {n: {one[2][n] for one in points} for n in points[0][2] if n != parameter}
    for name, values in others.items():
        if len(values) > 1:
            cure = "keep the points of one value of it"
            raise UnreadableFileError(path, None, f"parameter {name!r} varies as well", cure)
    if not unit:
        cure = f"say it: --time {what}:s, if they are seconds"
        raise UnreadableFileError(path, None, f"the file states no unit of {what!r}", cure)
    from perfmodel.readers.headers import scale_of

    scale, si = scale_of(unit)
    if si != "s":
        raise UnreadableFileError(path, None, f"{unit} is no unit of time", "name one, such as s")
    p = [one[2][parameter] for one in points for _ in one[3]]
    t = [scale * value for one in points for value in one[3]]
    for value, line in ((v, one[4]) for one in points for v in one[3]):
        if not value > 0:
            cure = "delete the point, or measure it again"
            raise UnreadableFileError(path, line, f"a time is {value:g}", cure)
    trap = "Extra-P's files state no unit: the times are read as given on the command line."
    source = f"region {place!r}, metric {what!r}, parameter {parameter!r}"
    return ScalingRuns(np.array(p), np.array(t), source, (trap,))


def _chosen(path: Path, what: str, given: str, there: list[str], usual: str = "") -> str:
    different = list(dict.fromkeys(there))
    wanted = given.partition(":")[0] or (usual if usual in different else "")
    if wanted in different:
        return wanted
    if not wanted and len(different) == 1:
        return different[0]
    said = f"there is no {what} {wanted!r}" if wanted else f"there are {len(different)} {what}s"
    cure = f"name one: --{what} with {', '.join(different[:8]) or 'a name'}"
    raise UnreadableFileError(path, None, said, cure)


def _number(path: Path, line: int | None, text: Any) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = float("nan")
    if isinstance(text, bool) or not isfinite(value):
        cure = "write numbers with a decimal point"
        raise UnreadableFileError(path, line, f"{str(text)[:40]!r} is no number", cure)
    return value


def _text_runs(path: Path, text: str) -> Runs:
    """Read sections of a line each: PARAMETER, POINTS, REGION, METRIC, DATA."""
    names: list[str] = []
    points: list[list[float]] = []
    region, metric, place = "<root>", "<default>", 0
    runs: Runs = []
    for i, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            continue
        if word == "PARAMETER":
            if points:
                what = "a PARAMETER stands after the POINTS"
                raise UnreadableFileError(path, i, what, "name all parameters first")
            names += rest.split()
        elif word == "POINTS":
            points += _points(path, i, rest, len(names))
        elif word == "REGION":
            region, place = rest.strip(), 0
        elif word == "METRIC":
            metric, place = rest.strip(), 0
        elif word == "DATA":
            if place >= len(points):
                cure = f"there are {len(points)} POINTS: give one DATA line for each"
                raise UnreadableFileError(path, i, "a DATA line has no point", cure)
            values = [_number(path, i, one) for one in rest.split()]
            if not values:
                raise UnreadableFileError(path, i, "a DATA line is empty", "give its values")
            runs.append((region, metric, dict(zip(names, points[place], strict=True)), values, i))
            place += 1
        elif word not in ("EXPERIMENT", "PATTERN"):
            cure = "lines start with PARAMETER, POINTS, REGION, METRIC or DATA"
            raise UnreadableFileError(path, i, f"{word!r} is no section", cure)
    if not runs or place < len(points):
        what = f"{place} of {len(points)} points have DATA"
        raise UnreadableFileError(path, None, what, "the file may be truncated: write it again")
    return runs


def _points(path: Path, line: int, text: str, width: int) -> list[list[float]]:
    if not width:
        cure = "put PARAMETER before POINTS"
        raise UnreadableFileError(path, line, "POINTS stand before any PARAMETER", cure)
    groups = re.findall(r"\(([^()]*)\)", text) or text.split()
    rows = [[_number(path, line, cell) for cell in group.split()] for group in groups]
    for row in rows:
        if len(row) != width:
            what = f"a point has {len(row)} coordinates for {width} parameters"
            raise UnreadableFileError(path, line, what, "put each point in brackets")
    return rows


def _json_runs(path: Path, text: str) -> Runs:
    if '"measurements"' not in text:
        return [
            _json_line(path, i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    content = json_of(path)
    names, measured = content.get("parameters"), content.get("measurements")
    if not isinstance(names, list) or not isinstance(measured, Mapping) or not measured:
        cure = "export it from Extra-P 4 again"
        raise UnreadableFileError(path, None, "it lacks parameters or measurements", cure)
    runs: Runs = []
    try:
        for region, metrics in measured.items():
            for metric, points in metrics.items():
                for one in points:
                    where = [_number(path, None, value) for value in one["point"]]
                    values = [_number(path, None, value) for value in one["values"]]
                    runs.append(
                        (region, metric, dict(zip(names, where, strict=True)), values, None)
                    )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        cure = "each must hold a point and its values"
        raise UnreadableFileError(path, None, "a measurement is damaged", cure) from None
    return runs


def _json_line(
    path: Path, line: int, text: str
) -> tuple[str, str, dict[str, float], list[float], int]:
    try:
        one = json.loads(text)
        where = {name: _number(path, line, value) for name, value in one["params"].items()}
        value = _number(path, line, one["value"])
    except (AttributeError, KeyError, TypeError, json.JSONDecodeError):
        cure = 'write {"params": {"p": 8}, "metric": "time", "value": 1.5} on each line'
        raise UnreadableFileError(path, line, "the line is no measurement", cure) from None
    return one.get("callpath", "<root>"), one.get("metric", "<default>"), where, [value], line
