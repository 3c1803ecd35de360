"""Whether a histogram of times meets a limit: exactly as much as its buckets say."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from perfmodel.command.answer import Answer, Quantity, Verdict
from perfmodel.command.inputs.load_tests import READERS
from perfmodel.command.output import value_text
from perfmodel.command.slo import Promise
from perfmodel.readers import histograms
from perfmodel.readers.detect import detect
from perfmodel.readers.histograms import Histogram, read_histogram
from perfmodel.readers.refusal import UnreadableFileError


def promise_of_histogram(path: Path, asked: Promise | None, part: str) -> Answer | None:
    """Return the answer of the histogram whose name holds `part`, None if the file holds none."""
    format = detect(path, READERS)
    if format not in histograms.FORMATS:
        return None
    if asked is None:
        cure = "add --promise 'p99 response < 1s'"
        raise UnreadableFileError(path, None, "a histogram has no steps of a load test", cure)
    found = read_histogram(path, format, part)
    low, high = _bounds(found, asked, path)
    verdict: Verdict = "unknown"
    if high is not None and high <= asked.limit * (1 + 1e-9):
        verdict = "yes"
    elif low is not None and low >= asked.limit * (1 - 1e-9):
        verdict = "no"
    value, told = None, f"The percentile lies above {value_text(low, 's')}."
    if asked.level is None:
        value, told = low, f"The mean is {value_text(low, 's')}."
    elif high is not None:
        told = f"The percentile lies between {value_text(low, 's')} and {value_text(high, 's')}."
    edge = value_text(asked.limit, "s")
    inside = f"Where in its bucket the percentile lies: put an edge at {edge}."
    return Answer(
        f"Does {found.name} keep '{asked.text}'?",
        verdict,
        told,
        (
            Quantity(asked.text.partition("<")[0].strip(), value, low, high, "s", "its bucket"),
            Quantity("requests", found.count, None, None, "1"),
        ),
        unknown=(inside,) if verdict == "unknown" else (),
        traps=found.traps,
        steps=("Counts are added up from the fastest bucket until they hold the percentile.",),
        chapter="book/measurement.md",
    )


def _bounds(found: Histogram, asked: Promise, path: Path) -> tuple[float | None, float | None]:
    if asked.level is None:
        if found.total is None:
            cure = "export the sum too, or promise a percentile"
            raise UnreadableFileError(path, None, f"{found.name} has no sum", cure)
        return found.total / found.count, found.total / found.count
    low, high = found.quantile_bounds(asked.level)
    return low, high if isfinite(high) else None
