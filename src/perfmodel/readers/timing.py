"""Repeated times of benchmarks: hyperfine, pyperf, google-benchmark, pytest-benchmark, Go, JMH.

A series is one benchmark's times in the order in which they were taken, or what the tool kept of
them. A summary stays a summary: no samples are made up from it.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from perfmodel.readers.refusal import UnreadableFileError, json_of, number_of, refusing, text_of
from perfmodel.validation import Floats

_GBENCH_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_HYPERFINE_CSV = ["command", "mean", "stddev", "median", "user", "system", "min", "max"]
_GBENCH_CSV = "name,iterations,real_time,cpu_time,time_unit"
_GO = re.compile(r"^(Benchmark\S+)\s+\d+\s+(\S+) ns/op", re.M)
_JMH_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hr": 3600.0}
_AGGREGATES = ("mean", "median", "stddev", "cv", "BigO", "RMS", "min", "max")


@dataclass(frozen=True, eq=False)
class TimingSeries:
    """One benchmark's times in seconds; what the file doesn't hold is None."""

    name: str
    samples: Floats | None
    """In the order taken, shape (n,)."""
    count: int | None = None
    """How many values the summary is made of."""
    mean: float | None = None
    median: float | None = None
    stddev: float | None = None
    """With n - 1."""


@dataclass(frozen=True)
class TimingFile:
    """All series of a file, and what its numbers are and aren't."""

    format: str
    series: tuple[TimingSeries, ...]
    traps: tuple[str, ...]


def _keys(text: str) -> Mapping[str, Any]:
    if text.lstrip()[:1] != "{":
        return {}
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return _cut_off(text)
    return content if isinstance(content, dict) else {}


def _cut_off(text: str) -> Mapping[str, Any]:
    """Return the names that a broken JSON file begins with, so that its reader names the line."""
    marks = {
        "results": ('"results"', '"command"'),
        "benchmarks": ('"benchmarks"', '"benchmarks"'),
        "machine_info": ('"machine_info"', '"commit_info"'),
        "context": ('"context"', '"num_cpus"'),
    }
    return {name: None for name, words in marks.items() if all(word in text for word in words)}


def _is_hyperfine(text: str) -> bool:
    keys = _keys(text)
    results = keys.get("results", ())
    if results is None:
        return True
    return isinstance(results, list) and bool(results) and "command" in str(results[0])


FORMATS = {
    "hyperfine JSON": _is_hyperfine,
    "hyperfine CSV": lambda text: text.startswith(",".join(_HYPERFINE_CSV)),
    "google-benchmark JSON": lambda text: {"context", "benchmarks"} <= set(_keys(text)),
    "pytest-benchmark JSON": lambda text: {"machine_info", "benchmarks"} <= set(_keys(text)),
    "pyperf JSON": lambda text: "benchmarks" in _keys(text),
    "google-benchmark CSV": lambda text: _GBENCH_CSV in text,
    "JMH JSON": lambda text: text.lstrip().startswith("[") and '"primaryMetric"' in text,
    "Go benchmark": lambda text: _GO.search(text) is not None,
}


def read_timing(path: Path | str, format: str, field: str = "real_time") -> TimingFile:
    """Return the series of a timing tool's file.

    `format`: a key of `FORMATS`, as `detect` returns it. `field`, `real_time` or `cpu_time`: which
    of google-benchmark's two times is read. Raises `UnreadableFileError` if the file is damaged, or
    holds a time that is no positive number.
    """
    readers = {
        "hyperfine JSON": _hyperfine,
        "hyperfine CSV": _hyperfine_csv,
        "google-benchmark JSON": lambda path: _gbench(path, field),
        "google-benchmark CSV": lambda path: _gbench_csv(path, field),
        "pytest-benchmark JSON": _pytest_benchmark,
        "pyperf JSON": _pyperf,
        "JMH JSON": _jmh,
        "Go benchmark": _go,
    }
    path = Path(path)
    found = refusing(path, format, readers[format], path)
    if not found.series:
        raise UnreadableFileError(path, None, "no benchmark in the file", "run the tool again")
    for one in found.series:
        if one.samples is not None and not one.samples.size:
            what = f"{one.name!r} has no times"
            raise UnreadableFileError(path, None, what, "run this benchmark again")
    nameless = next((one.name for one in found.series if not isinstance(one.name, str)), None)
    if nameless is not None:
        what = f"a benchmark is called {nameless!r}, which is no text"
        raise UnreadableFileError(path, None, what, "write the file again with the tool")
    return found


def _times(path: Path, name: str, values: Sequence[Any], scale: float = 1.0) -> Floats:
    for i, value in enumerate(values, 1):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not isfinite(value) or value <= 0:
            what = f"value {i} of {name!r} is {value!r}, which is no time above 0"
            raise UnreadableFileError(path, None, what, "run this benchmark again")
    return np.array([float(value) for value in values]) * scale


def _summary(path: Path, name: str, count: int | None, **values: float | None) -> TimingSeries:
    for what, value in values.items():
        if value is not None and what != "stddev":
            _times(path, f"{name} ({what})", [value])
    return TimingSeries(name, None, count, **values)


def _hyperfine(path: Path) -> TimingFile:
    series, failed = [], []
    for result in json_of(path)["results"]:
        name = result["command"]
        if result.get("times"):
            series.append(TimingSeries(name, _times(path, name, result["times"])))
        else:
            middle = {key: result.get(key) for key in ("mean", "median", "stddev")}
            series.append(_summary(path, name, None, **middle))
        failed += [name] * any(code for code in result.get("exit_codes") or ())
    traps = ["A time of hyperfine is one run of the whole command, its start included."]
    if failed:
        traps.append(f"Runs of {', '.join(failed)} ended with an error; their times are in.")
    return TimingFile("hyperfine JSON", tuple(series), tuple(traps))


def _hyperfine_csv(path: Path) -> TimingFile:
    rows = list(csv.DictReader(text_of(path).splitlines()))
    series = []
    for line, row in enumerate(rows, 2):
        middle = {key: _cell(path, line, row, key) for key in ("mean", "median", "stddev")}
        series.append(_summary(path, row["command"], None, **middle))
    traps = (
        "hyperfine's CSV holds no single runs and not their number, so no interval follows from "
        "it: hyperfine --export-json writes all runs.",
    )
    return TimingFile("hyperfine CSV", tuple(series), traps)


def _cell(path: Path, line: int, row: Mapping[str, str | None], key: str) -> float | None:
    text = row.get(key)
    if text is None:
        what, cure = f"the row has no {key!r}", "the file may be truncated: write it again"
        raise UnreadableFileError(path, line, what, cure)
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        what = f"column {key!r} holds {text!r}, which is no number"
        raise UnreadableFileError(path, line, what, "write decimal points") from None


def _gbench(path: Path, field: str) -> TimingFile:
    rows = [row for row in json_of(path)["benchmarks"] if not row.get("error_occurred")]
    plain: dict[str, list[float]] = {}
    made: dict[str, dict[str, float]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        scale = _gbench_scale(path, None, row.get("time_unit"))
        if row.get("run_type") == "aggregate":
            kind, name = row["aggregate_name"], row["run_name"]
            if kind in ("mean", "median", "stddev"):
                made.setdefault(name, {})[kind] = float(row[field]) * scale
                counts[name] = int(row["repetitions"])
        else:
            times = _times(path, row["name"], [row[field]], scale)
            plain.setdefault(row["name"], []).append(float(times[0]))
    return _gbench_file("google-benchmark JSON", plain, made, counts, field)


def _gbench_csv(path: Path, field: str) -> TimingFile:
    lines = text_of(path).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(_GBENCH_CSV))
    rows = list(csv.DictReader(lines[start:]))
    names = {row["name"] for row in rows}
    plain: dict[str, list[float]] = {}
    made: dict[str, dict[str, float]] = {}
    for line, row in enumerate(rows, start + 2):
        if None in row.values():
            cure = "the file may be truncated: write it again"
            raise UnreadableFileError(path, line, "the row breaks off", cure)
        if row.get("error_occurred") == "true":
            continue
        scale = _gbench_scale(path, line, row.get("time_unit"))
        base, _, kind = row["name"].rpartition("_")
        value = _cell(path, line, row, field)
        if value is None or not isfinite(value) or value < 0:
            what = f"{row['name']!r} has no {field}"
            raise UnreadableFileError(path, line, what, "run this benchmark again")
        if kind in _AGGREGATES and (base in names or f"{base}_stddev" in names):
            made.setdefault(base, {})[kind] = value * scale
        else:
            plain.setdefault(row["name"], []).append(float(_times(path, base, [value], scale)[0]))
    return _gbench_file("google-benchmark CSV", plain, made, {}, field)


def _gbench_scale(path: Path, line: int | None, unit: str | None) -> float:
    if unit not in _GBENCH_UNITS:
        what = f"time_unit is {unit!r}"
        cure = "write the file again: ns, us, ms and s are known"
        raise UnreadableFileError(path, line, what, cure)
    return _GBENCH_UNITS[unit]


def _gbench_file(
    format: str,
    plain: Mapping[str, Sequence[float]],
    made: Mapping[str, Mapping[str, float]],
    counts: Mapping[str, int],
    field: str,
) -> TimingFile:
    series = [TimingSeries(name, np.array(times)) for name, times in plain.items()]
    for name, values in made.items():
        if name not in plain:
            kept = {key: values.get(key) for key in ("mean", "median", "stddev")}
            series.append(TimingSeries(name, None, counts.get(name), **kept))
    traps = [
        f"A time of google-benchmark is the mean {field} over the iterations of one repetition: "
        "single iterations vary more."
    ]
    if any(one.samples is None for one in series):
        traps.append(
            "The file holds aggregates without repetitions; without "
            "--benchmark_report_aggregates_only google-benchmark writes them."
        )
    return TimingFile(format, tuple(series), tuple(traps))


def _pytest_benchmark(path: Path) -> TimingFile:
    series = []
    for row in json_of(path)["benchmarks"]:
        name, stats = row.get("fullname") or row["name"], row["stats"]
        if stats.get("data"):
            series.append(TimingSeries(name, _times(path, name, stats["data"])))
        else:
            middle = {key: stats[key] for key in ("mean", "median", "stddev")}
            series.append(_summary(path, name, int(stats["rounds"]), **middle))
    traps = ["A time of pytest-benchmark is one round, all in one process."]
    if any(one.samples is None for one in series):
        traps.append("The file holds no rounds: --benchmark-save-data keeps them.")
    return TimingFile("pytest-benchmark JSON", tuple(series), tuple(traps))


def _pyperf(path: Path) -> TimingFile:
    content = json_of(path)
    shared = content.get("metadata") or {}
    series = []
    for row in content["benchmarks"]:
        about = {**shared, **(row.get("metadata") or {})}
        name = about.get("name") or "benchmark"
        if about.get("unit", "second") != "second":
            what = f"{name!r} is measured in {about['unit']}, not in seconds"
            raise UnreadableFileError(path, None, what, "give a file of times")
        runs = [run["values"] for run in row["runs"] if run.get("values")]
        means = [float(_times(path, name, values).mean()) for values in runs]
        series.append(TimingSeries(name, np.array(means)))
    traps = (
        "A sample of pyperf is here the mean of one process, because values of one process "
        "resemble each other.",
    )
    return TimingFile("pyperf JSON", tuple(series), traps)


def _jmh(path: Path) -> TimingFile:
    series = []
    for row in json_of(path):
        given = row.get("params") or {}
        name = " ".join([row["benchmark"], *(f"{key}={given[key]}" for key in sorted(given))])
        metric = row["primaryMetric"]
        unit, rate = metric["scoreUnit"].partition("/")[::2]
        if unit == "ops":
            unit, rate = rate, unit
        if row["mode"] not in ("thrpt", "avgt", "ss") or unit not in _JMH_UNITS:
            what = f"{name!r} is in {metric['scoreUnit']} by mode {row['mode']}"
            cure = "run it in mode avgt, thrpt or ss (-bm avgt), with a unit of time"
            raise UnreadableFileError(path, None, what, cure)
        scores = [_times(path, name, fork) for fork in metric["rawData"]]
        inverted = row["mode"] == "thrpt"
        times = [_JMH_UNITS[unit] * (1 / fork if inverted else fork) for fork in scores]
        forks = [fork.mean() for fork in times] if len(times) > 1 else times[0]
        series.append(TimingSeries(name, np.array(forks)))
    traps = (
        "A sample of JMH is here the mean of one fork, because the iterations of one fork resemble "
        "each other; with a single fork it is one iteration. Rates are turned into times.",
    )
    return TimingFile("JMH JSON", tuple(series), traps)


def _go(path: Path) -> TimingFile:
    plain: dict[str, list[float]] = {}
    packages: list[str] = []
    for line, text in enumerate(text_of(path).splitlines(), 1):
        if text.startswith("pkg: "):
            if text in packages:
                what = f"a second run of {text.removeprefix('pkg: ')} begins here"
                raise UnreadableFileError(path, line, what, "keep one run, or use -count=10")
            packages.append(text)
        if found := _GO.match(text):
            value = number_of(path, line, found[2], "run the benchmark again")
            name = " ".join([*(one.removeprefix("pkg: ") for one in packages[-1:]), found[1]])
            plain.setdefault(name, []).append(float(_times(path, name, [value], 1e-9)[0]))
    traps = ["A time of Go is the mean over the iterations of one run: single ones vary more."]
    if any(len(times) == 1 for times in plain.values()):
        traps.append("Each benchmark ran once; -count=10 runs it ten times.")
    series = tuple(TimingSeries(name, np.array(times)) for name, times in plain.items())
    return TimingFile("Go benchmark", series, tuple(traps))
