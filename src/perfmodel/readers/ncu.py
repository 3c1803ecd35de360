"""The CSV of NVIDIA's Nsight Compute, `ncu --csv`."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from perfmodel.readers.counter_file import CounterFile, KernelCounters, counted
from perfmodel.readers.refusal import UnreadableFileError

_NCU_TIMES = {"nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3, "second": 1.0}
_NCU_TIMES |= {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_NCU_SIZES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12}
_NCU_RATES = {f"{size}/{unit}": v for size, v in _NCU_SIZES.items() for unit in ("s", "second")}
_NCU_COUNTS = {"inst": 1.0, "Kinst": 1e3, "Minst": 1e6, "Ginst": 1e9, "": 1.0}
_NCU_FLOPS = re.compile(
    r"sm(?:sp)?__sass_thread_inst_executed_op_([dfh])(add|mul|fma)_pred_on\.sum$"
)


def read_ncu(path: Path, text: str) -> CounterFile:
    """Return the kernels of a file's text; launches of one kernel are added up."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if '"Metric Name"' in line)
    header = next(csv.reader([lines[start]]))
    if lines[start].count('";"') > lines[start].count('","'):
        what = "semicolons stand between the cells, as a spreadsheet writes them"
        raise UnreadableFileError(path, start + 1, what, "give the output of `ncu --csv` itself")
    wanted = ("Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
    absent = [name for name in wanted if name not in header]
    if absent:
        cure = "export it with `ncu --csv --page details` or `--metrics`"
        raise UnreadableFileError(path, start + 1, f"there is no column {absent[0]!r}", cure)
    place = {name: header.index(name) for name in wanted}
    kernels: dict[str, KernelCounters] = {}
    flops: dict[str, dict[str, float]] = {}
    launches: dict[tuple[str, str], dict[str, float]] = {}
    for i, line in enumerate(lines[start + 1 :], start + 2):
        if '"Metric Name"' in line:
            raise UnreadableFileError(path, i, "a second profile begins here", "keep one of them")
        if not line.startswith('"'):
            continue
        cells = next(csv.reader([line]))
        if len(cells) != len(header):
            cure = "the file may be truncated: export it again"
            what = f"the row has {len(cells)} cells below {len(header)} headers"
            raise UnreadableFileError(path, i, what, cure)
        name, metric, unit, value = (cells[place[key]] for key in wanted)
        kernel = kernels.setdefault(name, KernelCounters(name))
        launch = (cells[header.index("ID")] if "ID" in header else "", name)
        found = _NCU_FLOPS.search(metric)
        if found:
            count = _ncu_number(path, i, value) * _ncu_unit(path, i, unit, _NCU_COUNTS)
            precision = {"d": "fp64", "f": "fp32", "h": "fp16"}[found[1]]
            of = flops.setdefault(name, {})
            of[precision] = of.get(precision, 0.0) + count * (2 if found[2] == "fma" else 1)
        elif metric in ("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"):
            if metric == "dram__bytes.sum" or "dram__bytes.sum" not in text:
                size = _ncu_number(path, i, value) * _ncu_unit(path, i, unit, _NCU_SIZES)
                kernels[name] = replace(kernel, moved=(kernel.moved or 0.0) + size)
        elif metric in ("gpu__time_duration.sum", "Duration"):
            time = _ncu_number(path, i, value) * _ncu_unit(path, i, unit, _NCU_TIMES)
            kernels[name] = replace(kernel, seconds=(kernel.seconds or 0.0) + time)
            launches.setdefault(launch, {})["seconds"] = time
        elif metric == "Memory Throughput" and unit in _NCU_RATES:
            rate = _ncu_number(path, i, value) * _NCU_RATES[unit]
            launches.setdefault(launch, {})["rate"] = rate
    if "dram__bytes" not in text:
        # The sections of a whole profile give a rate of main memory for each launch instead.
        for (_, name), of in launches.items():
            if len(of) == 2:
                moved = (kernels[name].moved or 0.0) + of["rate"] * of["seconds"]
                kernels[name] = replace(kernels[name], moved=moved)
    for name, of in flops.items():
        most = max(of, key=lambda key: of[key])
        kernels[name] = replace(kernels[name], flops=sum(of.values()), precision=most)
    if not kernels:
        raise UnreadableFileError(path, None, "no kernel stands there", "profile it again")
    traps = (
        "ncu fixes the clocks and runs a kernel again for each pass, so that times aren't those of "
        "a plain run.",
        "Operations of matrix units aren't in the counts of add, mul and fma.",
        "Launches of one kernel are added up.",
    )
    return CounterFile("ncu CSV", tuple(kernels.values()), traps)


def _ncu_number(path: Path, line: int, text: str) -> float:
    if re.fullmatch(r"\d{1,3}(\.\d{3}){2,}(,\d+)?|\d+,\d{1,2}|\d{1,3}(\.\d{3})+,\d+", text):
        what = f"{text!r} has dots between thousands or a decimal comma"
        raise UnreadableFileError(path, line, what, "run ncu with LC_ALL=C")
    if text.lower() in ("n/a", "nan", ""):
        cure = "leave the metric out, or profile on a GPU that has it"
        raise UnreadableFileError(path, line, f"the value is {text!r}", cure)
    return counted(path, line, text.replace(",", ""))


def _ncu_unit(path: Path, line: int, unit: str, known: Mapping[str, float]) -> float:
    if unit not in known:
        what = f"the unit {unit!r} is none of {', '.join(name or 'none' for name in known)}"
        raise UnreadableFileError(path, line, what, "export it with `--print-units base`")
    return known[unit]
