"""Files of times as pairs of series to compare."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from perfmodel.command.answer import Verdict
from perfmodel.measurement.statistics.stored_comparison import (
    StoredComparison,
    compare_samples,
    ratio_of_means_interval,
)
from perfmodel.readers import timing
from perfmodel.readers.detect import detect
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import read_table
from perfmodel.readers.timing import TimingFile, TimingSeries, read_timing

READERS = (*timing.FORMATS, "CSV table", "JSON list of rows")


@dataclass(frozen=True)
class Pair:
    """Two series of one benchmark, with the known ratio of their times, B over A."""

    name: str
    a: TimingSeries
    b: TimingSeries
    samples: StoredComparison | None
    """None if a file holds no samples."""
    ratio: float | None
    low: float | None
    high: float | None

    def verdict(self, margin: float) -> Verdict:
        """Whether B is faster; `no` also if both take as long within the margin."""
        if self.low is None or self.high is None:
            return "unknown"
        if (1 / (1 + margin) < self.low and self.high < 1 + margin) or self.low > 1:
            return "no"
        return "yes" if self.high < 1 else "unknown"


def read_series(path: Path, columns: tuple[str, ...], field: str, wanted: int) -> TimingFile:
    """Return the series of a file: a timing tool's, or columns of a table."""
    format = detect(path, READERS)
    if format in timing.FORMATS:
        if columns:
            cure = "leave --column away and name benchmarks with --old and --new"
            raise UnreadableFileError(path, None, f"{format} has benchmarks, no columns", cure)
        return read_timing(path, format, field)
    table = read_table(path)
    if not columns and len(table.header) == wanted:
        columns = table.header
    if not columns:
        cure = f"name the times with --column NAME:UNIT; it has {', '.join(table.header)}"
        raise UnreadableFileError(path, 1, "a table needs a map of its columns", cure)
    series, stated = [], []
    for spec in columns:
        values, unit = table.numbers(spec, "s")
        if (values <= 0).any():
            line = table.lines[int((values <= 0).argmax())]
            raise UnreadableFileError(path, line, "a time isn't above 0", "delete the row")
        series.append(TimingSeries(spec, values))
        stated.append(f"Column {spec!r} of {path.name} was read {unit}.")
    return TimingFile(format, tuple(series), tuple(stated))


def read_pairs(
    files: list[TimingFile], old: str | None, new: str | None, paths: list[Path], level: float
) -> list[Pair]:
    """Return the pairs of series that are compared: by name, or the two that are named."""
    if len(files) == 2 and old is None and new is None:
        first, second = ({one.name: one for one in file.series} for file in files)
        common = [name for name in first if name in second]
        if common:
            share = 1 - (1 - level) / len(common)
            return [_pair(name, first[name], second[name], share) for name in common]
    a = _chosen(files[0], old, "--old", paths[0], 0, len(files))
    b = _chosen(files[-1], new, "--new", paths[1], 1, len(files))
    if a is b:
        cure = "name another with --new"
        raise UnreadableFileError(paths[0], None, f"A and B are both {a.name!r}", cure)
    return [_pair(a.name if a.name == b.name else f"{b.name} against {a.name}", a, b, level)]


def _chosen(
    file: TimingFile, name: str | None, option: str, path: Path, place: int, files: int
) -> TimingSeries:
    listed = [one.name for one in file.series]
    names = ", ".join(listed[:6]) + (", ..." if len(listed) > 6 else "")
    if name is None:
        if len(file.series) == 1 and files == 2:
            return file.series[0]
        if len(file.series) == 2 and files == 1:
            return file.series[place]
        what = f"it holds {len(file.series)} series: {names}"
        cure = "name two with --old and --new" if files == 1 else f"name one with {option}"
        raise UnreadableFileError(path, None, what, cure)
    found = [one for one in file.series if one.name == name]
    found = found or [one for one in file.series if one.name.endswith(name)]
    found = found or [one for one in file.series if name in one.name]
    if len(found) != 1:
        what = f"{option} {name!r} fits {len(found)} of its series"
        raise UnreadableFileError(path, None, what, f"write one of {names}")
    return found[0]


def _pair(name: str, a: TimingSeries, b: TimingSeries, level: float) -> Pair:
    if a.samples is not None and b.samples is not None and min(a.samples.size, b.samples.size) > 1:
        found = compare_samples(a.samples, b.samples, confidence=level)
        low, high = found.interval
        if isfinite(high):
            return Pair(name, a, b, found, found.ratio, low, high)
    first, second = summary_of(a), summary_of(b)
    if first.mean is None or second.mean is None:
        ratio = None
        if first.median is not None and second.median is not None:
            ratio = second.median / first.median
        return Pair(name, a, b, None, ratio, None, None)
    if (
        first.stddev is None
        or second.stddev is None
        or min(first.count or 0, second.count or 0) < 2
    ):
        return Pair(name, a, b, None, second.mean / first.mean, None, None)
    ends = ratio_of_means_interval(
        (first.mean, first.stddev, first.count or 0),
        (second.mean, second.stddev, second.count or 0),
        confidence=level,
    )
    return Pair(name, a, b, None, second.mean / first.mean, *ends)


def summary_of(series: TimingSeries) -> TimingSeries:
    """Return what a series' samples come to."""
    samples = series.samples
    if samples is None:
        return series
    spread = float(samples.std(ddof=1)) if samples.size > 1 else None
    middle = float(sorted(samples)[samples.size // 2])
    return TimingSeries(series.name, None, samples.size, float(samples.mean()), middle, spread)
