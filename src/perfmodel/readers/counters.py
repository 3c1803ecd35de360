"""Counters of kernels: likwid-perfctr (text and CSV), `perf stat -x,` and `-j`, ncu's CSV.

A kernel's time, operations and bytes of main memory are what a roofline needs. What a file doesn't
hold is None, and never made up from another counter.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from perfmodel.readers.counter_file import CounterFile, KernelCounters, counted
from perfmodel.readers.ncu import read_ncu
from perfmodel.readers.refusal import UnreadableFileError, refusing, text_of

_LIKWID = re.compile(r"Group \d+:? .*(MEM|FLOPS|DP|SP)")
_PERF_LINE = re.compile(
    r"^(?:[ \d.]+[,;\t])?(?:[\d.]+|<not \w+>)[,;\t](?:[A-Za-z]*)[,;\t]"
    r"[a-zA-Z_][\w/:=.-]*[,;\t]\d+[,;\t][\d.]+",
    re.M,
)
FORMATS: dict[str, Callable[[str], bool]] = {
    "likwid-perfctr": lambda text: "Runtime (RDTSC)" in text or bool(_LIKWID.search(text)),
    "ncu CSV": lambda text: '"Metric Name"' in text and '"Metric Value"' in text,
    "perf stat -j": lambda text: '"counter-value"' in text,
    "perf stat -x": lambda text: bool(_PERF_LINE.search(text)),
}
_PERF_FLOPS = {
    "scalar_double": ("fp64", 1),
    "128b_packed_double": ("fp64", 2),
    "256b_packed_double": ("fp64", 4),
    "512b_packed_double": ("fp64", 8),
    "scalar_single": ("fp32", 1),
    "128b_packed_single": ("fp32", 4),
    "256b_packed_single": ("fp32", 8),
    "512b_packed_single": ("fp32", 16),
}
_PERF_SIZES = {"B": 1.0, "Bytes": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}


def read_counters(path: Path | str) -> CounterFile:
    """Return the counters of a profiler's file.

    Raises `UnreadableFileError` if it is of no profiler that is read here, or a line is damaged or
    wasn't counted.
    """
    path = Path(path)
    text = text_of(path)
    for name, matches in FORMATS.items():
        if matches(text):
            readers = {"likwid-perfctr": _likwid, "ncu CSV": read_ncu, "perf stat -j": _perf_json}
            return refusing(path, f"file of {name}", readers.get(name, _perf_csv), path, text)
    cure = "give the output of likwid-perfctr, `perf stat -x,`, `perf stat -j` or `ncu --csv`"
    raise UnreadableFileError(path, None, "it holds no counters that are read here", cure)


def _likwid(path: Path, text: str) -> CounterFile:
    tables = list(_likwid_tables(path, text))
    kernels, odd = [], False
    for name, values in tables:
        rates = {kind: values.get(f"{kind} [MFLOP/s]") for kind in ("DP", "SP", "HP")}
        seconds = values.get("Runtime (RDTSC) [s]")
        if seconds is None or not seconds[0] > 0:
            continue
        time = max(seconds)
        flops = {
            kind: 1e6 * sum(rate * each for rate, each in zip(row, seconds, strict=True))
            for kind, row in rates.items()
            if row is not None
        }
        volume = values.get("Memory data volume [GBytes]")
        moved = None if volume is None else 1e9 * sum(volume)
        most = max(flops, key=lambda kind: flops[kind], default="DP")
        precision = {"DP": "fp64", "SP": "fp32", "HP": "fp16"}[most]
        odd |= sum(value > 0 for value in flops.values()) > 1
        total = sum(flops.values()) if flops else None
        kernels.append(KernelCounters(name, time, total, moved, precision))
    if not kernels:
        cure = "measure a group that has a runtime, such as MEM_DP"
        raise UnreadableFileError(path, None, "no table of metrics stands there", cure)
    traps = [
        "Memory traffic is counted once a socket and shows under its first core only; it is of all "
        "programs on that socket.",
        "likwid's MBytes are 1e6 and its GBytes 1e9 bytes; the runtime is the longest thread's.",
    ]
    if odd:
        traps.append("Operations of several precisions are added up.")
    named = re.search(r"^CPU name:[\s,]*([^,\n]+)", text, re.M)
    processor = named[1].strip() if named else ""
    return CounterFile("likwid-perfctr", tuple(kernels), tuple(traps), processor)


def _likwid_tables(path: Path, text: str) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """Yield each region's metrics, a list of the threads' values by the metric's name."""
    region, inside, width = "the program", False, 0
    values: dict[str, list[float]] = {}
    for i, line in enumerate(text.splitlines(), 1):
        if found := re.search(r"(?:^|,)Region,? ?([^,]+),(?: ?Group)", line):
            region = found[1].strip()
        cells = [
            cell.strip() for cell in line.strip().strip("|").split("|" if "|" in line else ",")
        ]
        label = cells[0]
        if label == "Metric":
            threads = [cell for cell in cells[1:] if cell]
            if values:
                yield region, values
            values, inside = {}, threads[:1] != ["Sum"]
            width = len(threads)
            continue
        if label in ("Event", "TABLE", "STRUCT", "Region Info"):
            inside = False
        if not inside or not re.search(r"[A-Za-z]", label) or len(cells) < 2:
            continue
        row = [cell for cell in cells[1:] if cell != ""][:width]
        if len(row) < width:
            cure = "the file may be truncated: measure again"
            what = f"{label!r} has {len(row)} values for {width} threads"
            raise UnreadableFileError(path, i, what, cure)
        if label.startswith(("Runtime (RDTSC)", "DP [", "SP [", "HP [", "Memory data volume")):
            values[label] = [counted(path, i, cell) for cell in row]
    if values:
        yield region, values


def _perf_csv(path: Path, text: str) -> CounterFile:
    rows, metric = [], ""
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        mark = max(",;\t", key=line.count)
        cells = next(csv.reader([line], delimiter=mark))
        if len(cells) < 5 or not cells[2]:
            cure = "give the output of `perf stat -x,` alone; it may be truncated"
            raise UnreadableFileError(path, i, f"the line has {len(cells)} fields", cure)
        if re.fullmatch(r" *\d+\.\d{9}", cells[0]) and not re.match(r"[a-z<]", cells[1]):
            what = "the line starts with a time, as perf stat -I prints it"
            raise UnreadableFileError(path, i, what, "count the whole run, without -I")
        if re.fullmatch(r"\d+", cells[0]) and re.fullmatch(r"\d+", cells[1]):
            cure = "run it with LC_ALL=C, or with another separator, as -x ';'"
            raise UnreadableFileError(path, i, "a decimal comma splits the number", cure)
        if re.fullmatch(r"\d+,\d+", cells[0]):
            raise UnreadableFileError(path, i, f"{cells[0]!r} is no number", "run it with LC_ALL=C")
        rows.append((i, cells[0], cells[1], cells[2], cells[4]))
        if cells[6:7] == ["CPUs utilized"]:
            metric = cells[5]
    return _perf(path, rows, "perf stat -x", metric)


def _perf_json(path: Path, text: str) -> CounterFile:
    rows, metric = [], ""
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            one: Mapping[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            cure = "give the output of `perf stat -j` alone; it may be truncated"
            raise UnreadableFileError(path, i, "the line is no JSON", cure) from None
        if "counter-value" not in one or "event" not in one:
            continue
        rows.append(
            (
                i,
                str(one["counter-value"]),
                one.get("unit", ""),
                one["event"],
                str(one.get("pcnt-running", 100)),
            )
        )
        if one.get("metric-unit") == "CPUs utilized":
            metric = str(one.get("metric-value", ""))
    return _perf(path, rows, "perf stat -j", metric)


def _perf(
    path: Path, rows: list[tuple[int, str, str, str, str]], form: str, utilized: str
) -> CounterFile:
    """Return the counters of rows (line, value, unit, event, percent running).

    `utilized` is perf's "CPUs utilized", the task-clock over the time elapsed; empty if unknown.
    """
    flops: dict[str, float] = {}
    moved: float | None = None
    seconds: float | None = None
    shared, derived, seen = 0.0, False, set[str]()
    for i, value, unit, event, running in rows:
        name = event.lower().removesuffix(":u").removesuffix(":k")
        kind = next((key for key in _PERF_FLOPS if f"fp_arith_inst_retired.{key}" in name), None)
        data = "cas_count_read" in name or "cas_count_write" in name or "data_read" in name
        data |= "data_write" in name
        if name == "task-clock" and seconds is None and utilized and unit == "msec":
            used = counted(path, i, utilized)
            seconds = 1e-3 * counted(path, i, value) / used if used > 0 else None
            derived = seconds is not None
        if event in seen and not data:
            cure = "give the output of one run; perf's own repeats are -r"
            raise UnreadableFileError(path, i, f"{event} stands there a second time", cure)
        seen.add(event)
        if not (kind or data or name == "duration_time"):
            continue
        if value.startswith("<not"):
            what = f"{event} was {value.strip('<>')}"
            cure = "count fewer events at once" if "counted" in value else "leave the event out"
            raise UnreadableFileError(path, i, what, f"{cure}, or measure on hardware that has it")
        number = counted(path, i, value)
        shared = max(shared, 100 - float(running or 100))
        if kind:
            precision, lanes = _PERF_FLOPS[kind]
            flops[precision] = flops.get(precision, 0.0) + lanes * number
        elif data:
            if unit not in _PERF_SIZES:
                cure = "count the uncore's alias, which states MiB"
                raise UnreadableFileError(path, i, f"{event} states no unit of bytes", cure)
            moved = (moved or 0.0) + _PERF_SIZES[unit] * number
        else:
            seconds, derived = number * (1e-9 if unit in ("ns", "") else 1.0), False
    if not rows:
        raise UnreadableFileError(path, None, "no counters stand there", "measure again")
    traps = [
        "perf's task-clock is CPU time of all threads. The time elapsed is "
        + (
            "the task-clock over perf's 'CPUs utilized', which has three digits after the point."
            if derived
            else "read from duration_time, or given by --assume seconds=."
        )
    ]
    if shared > 0.5:
        traps.append(
            f"Events shared the counters: one ran {100 - shared:.0f} % of the time, and its count "
            "was scaled up."
        )
    traps.append(
        "Counts of the uncore are of all programs on the socket; a fused multiply-add "
        "counts twice in fp_arith_inst_retired, as it should."
    )
    most = max(flops, key=lambda key: flops[key], default="fp64")
    total = sum(flops.values()) if flops else None
    kernel = KernelCounters("the program", seconds, total, moved, most)
    return CounterFile(form, (kernel,), tuple(traps))
