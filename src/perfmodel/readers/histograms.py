"""Histograms of times: Prometheus text and queries, OpenTelemetry JSON.

A bucket bounds a percentile.

>>> seen = Histogram("t_seconds", (0.1, 1.0), (90, 9, 1), 12.0, ())
>>> seen.quantile_bounds(0.5), seen.quantile_bounds(0.995)
((0.0, 0.1), (1.0, inf))
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import inf, nan
from pathlib import Path
from typing import Any

from perfmodel.readers.headers import scale_of, split_header
from perfmodel.readers.refusal import UnreadableFileError, json_of, refusing, text_of

_LABELS = r'(?:[^"}]|"(?:[^"\\]|\\.)*")*'
_BUCKET = re.compile(rf"([\w:]+)_bucket\{{({_LABELS})\}}\s+(\S+)")
_SUM = re.compile(rf"([\w:]+)_sum(?:\{{{_LABELS}\}})?\s+(\S+)")
_EDGE = re.compile(r'(?:^|,)\s*le="([^"]+)"')

_NATIVE = re.compile(r"\{count:([^,]+), sum:([^,}]+)((?:, [\[(][^,]+,[^,\])]+[\])]:[^,}]+)*)\}")
_NATIVE_BUCKET = re.compile(r"[\[(]([^,]+),([^,\])]+)[\])]:([^,}]+)")

FORMATS = {
    "Prometheus query": lambda text: '"resultType"' in text[:2000],
    "Prometheus native histogram": lambda text: _NATIVE.search(text) is not None,
    "Prometheus histogram": lambda text: _BUCKET.search(text) is not None,
    "OpenTelemetry histogram": lambda text: re.search("explicit_?[bB]ounds", text) is not None,
}


@dataclass(frozen=True)
class Histogram:
    """Counts of times between edges."""

    name: str
    edges: tuple[float, ...]
    """Upper ends of the buckets in seconds, rising; the last bucket has none."""
    counts: tuple[float, ...]
    """Times in each bucket, one more than edges."""
    total: float | None
    """Sum of all times in seconds; None if it isn't in the file."""
    traps: tuple[str, ...]

    @property
    def count(self) -> float:
        """How many times there are."""
        return sum(self.counts)

    def quantile_bounds(self, level: float) -> tuple[float, float]:
        """Return the ends of the bucket that holds a quantile, in seconds."""
        wanted = level * self.count
        place = next(
            (i for i, seen in enumerate(accumulate(self.counts)) if seen >= wanted * (1 - 1e-12)),
            len(self.edges),
        )
        low = max(0.0, self.edges[place - 1]) if place else 0.0
        return low, self.edges[place] if place < len(self.edges) else inf


def read_histogram(path: Path | str, format: str, part: str = "") -> Histogram:
    """Return a histogram of times in a file, summed over its labels.

    `part`: of its name, where the file holds several. Raises `UnreadableFileError` if several names
    hold this part, the unit isn't stated, or counts fall.
    """
    path = Path(path)
    reader = {
        "Prometheus query": _query,
        "Prometheus native histogram": _native_text,
        "Prometheus histogram": _prometheus,
    }.get(format, _opentelemetry)
    return refusing(path, format, reader, path, part)


def _prometheus(path: Path, part: str) -> Histogram:
    above: dict[str, dict[float, float]] = {}
    sums: dict[str, float] = {}
    series: set[tuple[str | None, ...]] = set()
    for line, text in enumerate(text_of(path).splitlines(), 1):
        if found := _BUCKET.match(text):
            edge = _EDGE.search(found[2])
            if edge is None:
                raise UnreadableFileError(path, line, "the bucket has no le", "write it again")
            if found.group(1, 2) in series:
                cure = "keep the text of one scrape"
                raise UnreadableFileError(path, line, "the bucket stands there twice", cure)
            series.add(found.group(1, 2))
            seen = above.setdefault(found[1], {})
            le = _number(path, line, edge[1])
            seen[le] = seen.get(le, 0.0) + _number(path, line, found[3])
        elif found := _SUM.match(text):
            sums[found[1]] = sums.get(found[1], 0.0) + _number(path, line, found[2])
    return _cumulative(path, part, above, sums)


def _cumulative(
    path: Path, part: str, above: dict[str, dict[float, float]], sums: Mapping[str, float]
) -> Histogram:
    """Return the histogram of counts at or below edges, by name."""
    name = _only(path, part, list(above))
    edges = sorted(above[name])
    if edges[-1] != inf:
        cure = "the file may be truncated: write it again"
        raise UnreadableFileError(path, None, f'{name} has no bucket le="+Inf"', cure)
    cumulative = [above[name][edge] for edge in edges]
    counts = [b - a for a, b in zip([0.0, *cumulative], cumulative, strict=False)]
    scale = _scale(path, name, split_header(name)[1])
    trap = "Prometheus counts since the process started, unless rates were exported."
    return _made(
        path, name, [scale * e for e in edges[:-1]], counts, _times(sums.get(name), scale), trap
    )


def _query(path: Path, part: str) -> Histogram:
    """Return the histogram in an answer of Prometheus' HTTP interface, classic or native."""
    data = json_of(path)["data"]
    if data["resultType"] != "vector":
        what = f"the query gave a {data['resultType']}"
        raise UnreadableFileError(path, None, what, "query one instant: /api/v1/query")
    above: dict[str, dict[float, float]] = {}
    native: list[tuple[str, list[tuple[float, float, float]], float]] = []
    for one in data["result"]:
        name = str(one["metric"].get("__name__", "the query's result"))
        if "histogram" in one:
            found = one["histogram"][1]
            rows = [(float(b[1]), float(b[2]), float(b[3])) for b in found.get("buckets", [])]
            native.append((name, rows, float(found["sum"])))
        elif "le" in one["metric"]:
            seen = above.setdefault(name.removesuffix("_bucket"), {})
            le = float(one["metric"]["le"])
            seen[le] = seen.get(le, 0.0) + float(one["value"][1])
    if native and not above:
        return _native(path, part, native)
    return _cumulative(path, part, above, {})


def _native_text(path: Path, part: str) -> Histogram:
    """Return the native histogram in what Prometheus and promtool print of one."""
    found = []
    for line, text in enumerate(text_of(path).splitlines(), 1):
        if shown := _NATIVE.search(text):
            rows = [
                (
                    -_number(path, line, low[1:]) if low[:1] == "-" else _number(path, line, low),
                    _number(path, line, high),
                    _number(path, line, count),
                )
                for low, high, count in _NATIVE_BUCKET.findall(shown[3])
            ]
            name = re.match(r"[\w:]*", text)
            found.append((name[0] if name else "", rows, _number(path, line, shown[2])))
    return _native(path, part, found)


def _native(
    path: Path, part: str, found: list[tuple[str, list[tuple[float, float, float]], float]]
) -> Histogram:
    name = _only(path, part, [one[0] for one in found])
    found = [one for one in found if one[0] == name]
    rows = [row for one in found for row in one[1]]
    ends = sorted({max(0.0, end) for low, high, _ in rows for end in (low, high)} - {0.0, inf})
    if any(low < end < high for low, high, _ in rows for end in ends):
        what = f"the series of {name} have buckets of different widths"
        raise UnreadableFileError(path, None, what, "query their sum, or keep one series")
    counts = [0.0] * (len(ends) + 1)
    for _, high, count in rows:
        counts[ends.index(high) if high in ends else -1] += count
    scale = _scale(path, name, split_header(name)[1])
    trap = "Prometheus counts since the process started, unless rates were queried."
    edges = [scale * end for end in ends]
    return _made(path, name, edges, counts, _times(sum(one[2] for one in found), scale), trap)


def _opentelemetry(path: Path, part: str) -> Histogram:
    found = list(_metrics(json_of(path)))
    name = _only(path, part, [str(one["name"]) for one in found])
    found = [one for one in found if str(one["name"]) == name]
    points = found[0].get("histogram", found[0].get("data"))
    points = points.get("data_points") or points.get("dataPoints")
    bounds = [float(e) for e in points[0].get("explicit_bounds") or points[0]["explicitBounds"]]
    counts = [0.0] * (len(bounds) + 1)
    for point in points:
        given = point.get("explicit_bounds") or point["explicitBounds"]
        if [float(edge) for edge in given] != bounds:
            what = f"{name} has points with different bounds"
            raise UnreadableFileError(path, None, what, "export one of them")
        cells = point.get("bucket_counts") or point["bucketCounts"]
        counts = [a + float(b) for a, b in zip(counts, cells, strict=True)]
    scale = _scale(path, name, found[0].get("unit") or "")
    sums = [point["sum"] for point in points if point.get("sum") is not None]
    total = float(sum(sums)) if len(sums) == len(points) else None
    trap = (
        "OpenTelemetry's default edges are 0, 5, 10, ... 10000 in whatever unit: seconds below 5 "
        "all fall into one bucket."
    )
    return _made(path, name, [scale * e for e in bounds], counts, _times(total, scale), trap)


def _metrics(content: Any) -> Iterator[Mapping[str, Any]]:
    """Return the metrics with a histogram, wherever they stand."""
    if isinstance(content, dict):
        if "name" in content and re.search("explicit_?[bB]ounds", json.dumps(content)):
            yield content
            return
        content = list(content.values())
    if isinstance(content, list):
        for one in content:
            yield from _metrics(one)


def _made(
    path: Path, name: str, edges: list[float], counts: list[float], total: float | None, trap: str
) -> Histogram:
    if min(counts) < 0:
        cure = "export one instant, of one process"
        raise UnreadableFileError(path, None, f"the buckets of {name} fall", cure)
    if not sum(counts) > 0:
        raise UnreadableFileError(path, None, f"{name} counts nothing", "wait for requests")
    inside = "A percentile is known to its bucket only; interpolating inside is a guess."
    return Histogram(name, tuple(edges), tuple(counts), total, (trap, inside))


def _only(path: Path, part: str, names: list[str]) -> str:
    known = sorted(set(names))
    asked = [name for name in known if part in name]
    if part in known or len(asked) == 1:
        return part if part in known else asked[0]
    what = f"it holds {len(asked)} histograms: {', '.join(asked)}"
    if known and not asked:
        what = f"no histogram's name holds {part!r}; there are {', '.join(known)}"
    if not known:
        cure = "query or export the buckets of a histogram"
        raise UnreadableFileError(path, None, "it holds no histogram", cure)
    cure = "choose one with --response NAME, or keep one of them"
    raise UnreadableFileError(path, None, what, cure)


def _scale(path: Path, name: str, unit: str) -> float:
    scale, si = scale_of(unit) if unit else (1.0, "")
    if si != "s":
        what = f"{name} states no unit of time" if not unit else f"{name} is in {unit}"
        cure = "export times, with a unit in the name such as _seconds"
        raise UnreadableFileError(path, None, what, cure)
    return scale


def _times(total: float | None, scale: float) -> float | None:
    return None if total is None else scale * total


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if value >= 0:
        return value
    cure = "the file may be truncated: write it again"
    raise UnreadableFileError(path, line, f"{text!r} is no number from 0 up", cure)
