"""Times of collectives by message size: nccl-tests (and rccl-tests), OSU micro-benchmarks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perfmodel.readers.refusal import UnreadableFileError, number_of, text_of
from perfmodel.validation import Floats

FORMATS: dict[str, Callable[[str], bool]] = {
    "nccl-tests": lambda text: "algbw" in text and "busbw" in text,
    "OSU micro-benchmarks": lambda text: bool(re.search(r"^# OSU (MPI|NCCL|RCCL)", text, re.M)),
}
_COLLECTIVES = {
    *("allreduce", "allgather", "reducescatter", "broadcast", "alltoall", "reduce", "gather"),
    *("scatter", "sendrecv", "hypercube"),
}
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_NCCL_TRAPS = (
    "algbw is the size divided by the time. busbw multiplies it by the bytes that a ring moves, "
    "so a busbw compares with a link and an algbw doesn't.",
    "The time is a mean over the iterations, so that single slow ones aren't seen.",
    "The size of an all-gather or reduce-scatter is that of the whole buffer, not of one rank's.",
)
_OSU_TRAPS = (
    "The latency is a mean over ranks and iterations; the slowest rank takes longer.",
    "The size is that of one rank's message, in bytes.",
)


@dataclass(frozen=True, eq=False)
class CollectiveTimes:
    """Times of one collective on one number of ranks."""

    format: str
    collective: str
    """As the file names it; empty if it doesn't."""
    ranks: int | None
    """None if the file doesn't say."""
    sizes: Floats
    """Bytes, shape (n,)."""
    times: Floats
    """Seconds, shape (n,)."""
    resolution: float
    """Seconds of the last digit printed of the shortest time."""
    traps: tuple[str, ...]


def read_collective(path: Path | str, in_place: bool = False) -> CollectiveTimes:
    """Return the times of a log.

    `in_place`: of nccl-tests, whether the columns of the in-place runs are read. Raises
    `UnreadableFileError` if it is no such log, or a line is damaged.
    """
    path = Path(path)
    text = text_of(path)
    for name, matches in FORMATS.items():
        if matches(text):
            read = _nccl if name == "nccl-tests" else _osu
            return read(path, text.splitlines(), in_place)
    cure = "give the text output of nccl-tests or of an OSU benchmark"
    raise UnreadableFileError(path, None, "it is no log of a collective", cure)


def _nccl(path: Path, lines: list[str], in_place: bool) -> CollectiveTimes:
    columns, unit = _nccl_columns(path, lines)
    place = [i for i, name in enumerate(columns) if name == "time"]
    wrong = [i for i, name in enumerate(columns) if name in ("#wrong", "error")]
    if len(place) < 2 and in_place:
        cure = "leave --in-place away"
        raise UnreadableFileError(path, None, "the log has no in-place columns", cure)
    column = place[int(in_place)]
    sizes, times, ratios = list[float](), list[float](), list[float]()
    printed, redops, faults = list[str](), set[str](), 0
    for i, line in enumerate(lines, 1):
        cells = line.split()
        if "algbw" in line and "time" in line and sizes:
            raise UnreadableFileError(path, i, "a second test begins here", "keep one test's table")
        if not cells or not cells[0].isdigit():
            if cells and not line.lstrip().startswith("#") and sizes:
                _check_foreign(path, i, line)
            continue
        if len(cells) != len(columns):
            what = f"the row has {len(cells)} cells below {len(columns)} columns"
            cure = "the log may be truncated, or a rank's message is mixed in: run it again"
            raise UnreadableFileError(path, i, what, cure)
        sizes.append(_number(path, i, cells[0]))
        times.append(_number(path, i, cells[column]) * unit)
        printed.append(cells[column])
        if times[-1] <= 0:
            what = f"the time is {cells[column]}"
            raise UnreadableFileError(path, i, what, "delete the row")
        slow, bus = (_number(path, i, cells[column + k]) for k in (1, 2))
        ratios.append(bus / slow if slow > 0 else float("nan"))
        redops |= {cells[columns.index("redop")]} if "redop" in columns else set()
        faults += wrong != [] and cells[wrong[int(in_place) % len(wrong)]] not in (
            "0",
            "N/A",
            "0e+00",
        )
    if not sizes:
        raise UnreadableFileError(path, None, "the log has no rows", "run the test again")
    collective = _nccl_name(lines, redops, ratios)
    traps: tuple[str, ...] = _NCCL_TRAPS
    if faults:
        traps = (f"{faults} of {len(sizes)} rows have wrong results: look for the fault.", *traps)
    listed = len({found[1] for line in lines if (found := re.match(r"#\s+Rank\s+(\d+)\s", line))})
    ranks = _nccl_ranks(collective, np.array(sizes), np.array(ratios))
    if ranks is None and listed > 1:
        ranks = listed
    resolution = _resolution(printed[int(np.argmin(times))]) * unit
    return CollectiveTimes(
        "nccl-tests", collective, ranks, np.array(sizes), np.array(times), resolution, traps
    )


def _check_foreign(path: Path, line: int, text: str) -> None:
    if re.match(r"^\s*[\d.,]+\s", text):
        what = f"{text.split()[0]!r} is no size in bytes"
        raise UnreadableFileError(path, line, what, "write sizes as whole numbers of bytes")


def _nccl_columns(path: Path, lines: list[str]) -> tuple[list[str], float]:
    for i, line in enumerate(lines):
        if "algbw" in line and "time" in line:
            columns = line.lstrip("# ").split()
            units = re.findall(r"\((us|ms|s)\)", lines[i + 1]) if i + 1 < len(lines) else []
            if len(set(units)) != 1:
                cure = "keep the line of units below the header"
                raise UnreadableFileError(path, i + 2, "no unit of time stands there", cure)
            return columns, _UNITS[units[0]]
    cure = "keep the log's header"
    raise UnreadableFileError(path, None, "no line names the columns", cure)


def _nccl_name(lines: list[str], redops: set[str], ratios: list[float]) -> str:
    for line in lines:
        found = re.search(
            r"\b(all_?reduce|all_?gather|reduce_?scatter|broadcast|alltoall|reduce)_?perf", line
        )
        if found and found[1].replace("_", "") in _COLLECTIVES:
            return found[1].replace("_", "")
    usual = np.nanmedian(ratios) if np.isfinite(ratios).any() else float("nan")
    return "allreduce" if redops & {"sum", "prod", "max", "min", "avg"} and usual > 1.001 else ""


def _nccl_ranks(collective: str, sizes: Floats, ratios: Floats) -> int | None:
    """Return the ranks by busbw over algbw, which is 2 (n - 1) / n of an all-reduce."""
    large = ratios[sizes >= np.quantile(sizes, 0.6)]
    ratio = float(np.nanmedian(large)) if np.isfinite(large).any() else float("nan")
    top = {"allreduce": 2.0, "allgather": 1.0, "reducescatter": 1.0, "alltoall": 1.0}
    if collective not in top or not 0.45 * top[collective] < ratio < top[collective]:
        return None
    return round(1 / (1 - ratio / top[collective]))


def _osu(path: Path, lines: list[str], _: bool) -> CollectiveTimes:
    titles = [(i, line) for i, line in enumerate(lines, 1) if re.match(r"# OSU ", line)]
    if len(titles) > 1:
        cure = "keep one benchmark's table"
        raise UnreadableFileError(path, titles[1][0], "a second benchmark begins here", cure)
    found = re.match(r"# OSU \w+(?:-CUDA|-ROCM)? (.*?) (?:Latency )?Test", titles[0][1])
    name = found[1].lower().replace(" ", "") if found else ""
    header = next((i for i, line in enumerate(lines) if re.match(r"# ?Size", line)), None)
    if header is None:
        raise UnreadableFileError(path, None, "no line names the columns", "keep the log's header")
    if "atency" not in lines[header]:
        cure = "give a latency test, such as osu_allreduce or osu_latency"
        raise UnreadableFileError(path, header + 1, "the table holds no latency", cure)
    unit = re.search(r"Latency ?\((us|ms|s)\)", lines[header])
    if unit is None:
        cure = "keep the header as Avg Latency(us)"
        raise UnreadableFileError(path, header + 1, "the latency states no unit", cure)
    sizes, times, printed = [], [], []
    width = None
    for i, line in enumerate(lines[header + 1 :], header + 2):
        cells = line.split()
        if not cells or line.startswith("#"):
            continue
        if not re.match(r"[-\d.,]|nan|inf", cells[0], re.I):
            continue
        if len(cells) < 2 or (width is not None and len(cells) != width):
            cure = "the log may be truncated: run it again, or delete the row"
            raise UnreadableFileError(path, i, f"the row has {len(cells)} cells", cure)
        width = len(cells)
        size, time = (_number(path, i, cell) for cell in cells[:2])
        if size != round(size) or size < 0:
            what = f"{cells[0]!r} is no size in bytes"
            raise UnreadableFileError(path, i, what, "write sizes as whole numbers of bytes")
        if not time > 0:
            raise UnreadableFileError(path, i, f"the latency is {cells[1]}", "delete the row")
        sizes.append(size)
        times.append(time * _UNITS[unit[1]])
        printed.append(cells[1])
    if not sizes:
        raise UnreadableFileError(path, None, "the log has no rows", "run the test again")
    one_way = (
        ("The latency is half a round trip: one way.",) if name in ("", "point-to-point") else ()
    )
    return CollectiveTimes(
        "OSU micro-benchmarks",
        name,
        None,
        np.array(sizes),
        np.array(times),
        _resolution(printed[int(np.argmin(times))]) * _UNITS[unit[1]],
        one_way or _OSU_TRAPS,
    )


def _number(path: Path, line: int, text: str) -> float:
    return number_of(path, line, text, "delete the row, or run the test again")


def _resolution(printed: str) -> float:
    """Return what one unit of the last digit is: '24.31' gives 0.01."""
    _, point, decimals = printed.partition(".")
    return 10.0 ** -len(decimals) if point else 1.0
