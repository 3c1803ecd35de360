"""`perfmodel compare`: is B faster than A, from stored times."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import click

from perfmodel.command.answer import Answer, Cell, Quantity, Verdict
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.measurement.statistics.stored import (
    StoredComparison,
    compare_samples,
    ratio_of_means_interval,
)
from perfmodel.readers import timing
from perfmodel.readers.detect import detect
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import read_table
from perfmodel.readers.timing import TimingFile, TimingSeries, read_timing

READ = (*timing.FORMATS, "CSV table", "JSON list of rows")
_DRIFT = (
    "Runs taken one after the other also differ if the machine drifts between them, and these "
    "files can't show it. Run A B B A, or compare A with A: a clear difference there is drift."
)
_ASSUMED = (
    Assumable("confidence", "level of the intervals", 0.95, source="usual"),
    Assumable("margin", "a relative difference that doesn't matter", 0.01, source="usual"),
)


@dataclass(frozen=True)
class Pair:
    """Two series of one benchmark, with the ratio of times B over A that is known of them."""

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
        if self.high < 1:
            return "yes"
        same = 1 / (1 + margin) < self.low and self.high < 1 + margin
        return "no" if self.low > 1 or same else "unknown"


@answers(assume=_ASSUMED)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@click.option("--old", help="Name, or a part of it, of A's benchmark or column.")
@click.option("--new", help="Name, or a part of it, of B's benchmark or column.")
@click.option(
    "--column",
    multiple=True,
    metavar="NAME[:UNIT]",
    help="Column of a CSV file; for one file of two columns twice.",
)
@click.option(
    "--field",
    type=click.Choice(["real_time", "cpu_time"]),
    default="real_time",
    show_default=True,
    help="Of google-benchmark.",
)
def compare(
    assumed: Assumed,
    a: Path,
    b: Path | None,
    old: str | None,
    new: str | None,
    column: tuple[str, ...],
    field: str,
) -> Answer:
    """Is B faster than A? Compares times that are stored in files.

    \b
      perfmodel compare old.json new.json                      one file each
      perfmodel compare both.json --old 'sort -n' --new fast   one file of several commands
      perfmodel compare times.csv --column old:ms --column new:ms

    Reads JSON and CSV of hyperfine and google-benchmark, JSON of pyperf and pytest-benchmark, and
    any CSV by its columns. Benchmarks of two files are matched by name. The interval of the ratio
    rests on ranks, so that single pauses don't move it; medians and means stand beside it.
    """  # noqa: D301
    sources = [(a, column)] if b is None else [(a, column[:1]), (b, column[-1:])]
    files = [_series(path, names, field, 1 + (b is None)) for path, names in sources]
    pairs = _pairs(files, old, new, [a, b or a], assumed["confidence"])
    return _answer(pairs, files, assumed)


def _series(path: Path, columns: tuple[str, ...], field: str, wanted: int) -> TimingFile:
    format = detect(path, READ)
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


def _pairs(
    files: list[TimingFile], old: str | None, new: str | None, paths: list[Path], level: float
) -> list[Pair]:
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
    first, second = _summary(a), _summary(b)
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


def _summary(series: TimingSeries) -> TimingSeries:
    samples = series.samples
    if samples is None:
        return series
    spread = float(samples.std(ddof=1)) if samples.size > 1 else None
    middle = float(sorted(samples)[samples.size // 2])
    return TimingSeries(series.name, None, samples.size, float(samples.mean()), middle, spread)


def _answer(pairs: list[Pair], files: list[TimingFile], assumed: Assumed) -> Answer:
    margin, level = assumed["margin"], assumed["confidence"]
    verdicts = [pair.verdict(margin) for pair in pairs]
    traps = list(dict.fromkeys(trap for file in files for trap in file.traps))
    unknown = list(dict.fromkeys(s for pair in pairs for s in _unknown(pair, margin)))
    steps = [
        "The ratio of times, B over A, is the median over all pairs of a time of B and one of A.",
        "Its interval inverts the rank test of Mann and Whitney on logarithms: it holds the "
        "factors between A and B that the test doesn't reject.",
    ]
    if len(pairs) == 1:
        (pair,), (verdict,) = pairs, verdicts
        return Answer(
            f"Is B faster than A ({pair.name})?",
            verdict,
            _conclusion(pair, verdict, margin),
            tuple(_quantities(pair, level)),
            assumed.listed(),
            unknown=(*unknown, _DRIFT),
            traps=tuple(traps),
            steps=tuple(steps),
            chapter="book/measurement.md",
        )
    shared = _shared(verdicts)
    faster, slower = verdicts.count("yes"), sum((p.low or 0) > 1 for p in pairs)
    told = verdicts.count("unknown")
    steps.append(
        f"Each of the {len(pairs)} intervals has the level 1 - {1 - level:.3g} / {len(pairs)}, so "
        "that all of them hold together (Bonferroni)."
    )
    return Answer(
        f"Is B faster than A in each of {len(pairs)} benchmarks?",
        shared,
        f"B is faster in {faster}, slower in {slower}, and it can't be told in {told}.",
        (),
        assumed.listed(),
        unknown=(*unknown, _DRIFT),
        traps=tuple(traps),
        steps=tuple(steps),
        chapter="book/measurement.md",
        more={"Ratio of times, B over A": tuple(map(_row, pairs))},
    )


def _shared(verdicts: list[Verdict]) -> Verdict:
    if "no" in verdicts:
        return "no"
    return "unknown" if "unknown" in verdicts else "yes"


def _conclusion(pair: Pair, verdict: Verdict, margin: float) -> str:
    if pair.ratio is None:
        return "The files hold nothing of which a ratio of times can be made."
    if verdict == "yes":
        saved = 100 * (1 - pair.ratio)
        return f"B takes {pair.ratio:.3g} times as long as A: it saves {saved:.2g} % of the time."
    if verdict == "no" and (pair.low or 0) > 1:
        return f"B takes {pair.ratio:.3g} times as long as A: it is slower."
    if verdict == "no":
        return f"B takes as long as A within {100 * margin:g} %."
    if pair.low is None:
        return f"B takes {pair.ratio:.3g} times as long as A, but no interval can be given."
    return "The interval of the ratio of times holds 1: these runs can't tell A from B."


def _quantities(pair: Pair, level: float) -> list[Quantity]:
    by = f"{100 * level:g} %"
    made = [
        Quantity(f"{name} of {side}", getattr(_summary(one), name), None, None, "s")
        for name in ("median", "mean")
        for side, one in (("A", pair.a), ("B", pair.b))
    ]
    if pair.samples is None:
        note = f"of means, {by}" if pair.low is not None else "no interval: see below"
        return [Quantity("time of B over A", pair.ratio, pair.low, pair.high, "1", note), *made]
    found = pair.samples
    sizes = [str(one.samples.size) for one in (pair.a, pair.b) if one.samples is not None]
    note = f"by ranks, {by}, p = {found.p_ranks:.2g}; {' and '.join(sizes)} samples"
    return [
        Quantity("time of B over A", pair.ratio, pair.low, pair.high, "1", note),
        Quantity(
            "ratio of medians", found.median_ratio, *found.median_interval, "1", f"bootstrap, {by}"
        ),
        Quantity(
            "ratio of means",
            found.mean_ratio,
            *found.mean_interval,
            "1",
            f"{by}, p = {found.p_means:.2g}",
        ),
        *made,
    ]


def _row(pair: Pair) -> dict[str, Cell]:
    return {"benchmark": pair.name, "ratio": pair.ratio, "low": pair.low, "high": pair.high}


def _unknown(pair: Pair, margin: float) -> list[str]:
    lines = []
    if pair.samples is None and pair.low is None:
        lines.append(
            "A file holds a summary without the number of runs or their spread, so chance can't be "
            "excluded."
        )
    elif pair.samples is None and (pair.a.samples is not None or pair.b.samples is not None):
        lines.append(
            "So few samples allow no test by ranks. The interval is of the means, and right if the "
            "times scatter normally: take 10 or more of each."
        )
    if pair.samples is not None:
        for side, findings in zip("AB", pair.samples.findings, strict=True):
            lines += [
                f"{side} of {pair.name}: {one.name}, {one.evidence}; {one.advice}."
                for one in findings
                if one.label == "problem"
            ]
        medians, means = pair.samples.median_ratio, pair.samples.mean_ratio
        if (medians - 1) * (means - 1) < 0 and abs(medians / means - 1) > margin:
            lines.append(
                f"{pair.name}: medians and means point in opposite directions, because a few runs "
                "are far above the rest. The mean counts if you pay for all the time."
            )
    return lines
