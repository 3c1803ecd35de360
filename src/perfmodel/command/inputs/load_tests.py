"""Files of a load test as columns: one table of steps, or one load generator's output a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perfmodel.command.slo import Promise
from perfmodel.readers import histograms, load_generators
from perfmodel.readers.detect import detect
from perfmodel.readers.load_generators import read_load_test
from perfmodel.readers.load_generators.steps import LoadStep
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import read_table
from perfmodel.units import percent
from perfmodel.validation import Floats

READERS = (*load_generators.FORMATS, *histograms.FORMATS, "CSV table", "JSON list of rows")


@dataclass(frozen=True)
class Steps:
    """The columns of a load test, and what was read."""

    users: Floats
    throughput: Floats
    response: Floats | None
    traps: tuple[str, ...]
    by_rate: bool = False
    """Whether a rate was set or is all that is known, and not a number of users."""


def read_steps(
    path: Path, users: str | None, throughput: str | None, response: str | None
) -> Steps | None:
    """Return the steps of a table, None if the file is a load generator's."""
    format = detect(path, READERS)
    if format in load_generators.FORMATS:
        return None
    table = read_table(path)
    if users is None or throughput is None:
        cure = f"add --users NAME --throughput NAME:1/s; it has {', '.join(table.header)}"
        raise UnreadableFileError(path, 1, "a table needs a map of its columns", cure)
    n, _ = table.numbers(users)
    x, of_rate = table.numbers(throughput, "1/s")
    r, of_time = (None, "") if response is None else table.numbers(response, "s")
    for name, values in ((users, n), (throughput, x), (response or "", r)):
        if values is not None and (values <= 0).any():
            line = table.lines[int((values <= 0).argmax())]
            raise UnreadableFileError(path, line, f"{name!r} isn't above 0", "delete the row")
    traps = [
        f"Throughput was read {of_rate}"
        + (f", response times {of_time}." if r is not None else ".")
    ]
    if table.decimal_comma:
        traps.append("Commas in the numbers were read as decimal commas.")
    return Steps(n, x, r, tuple(traps))


def read_runs(files: Sequence[Path], asked: Promise | None) -> Steps:
    """Return one step for each run of load generators' files."""
    found: list[tuple[Path, LoadStep]] = []
    traps: list[str] = []
    for path in files:
        test = read_load_test(path, detect(path, tuple(load_generators.FORMATS)))
        found += [(path, step) for step in test.steps]
        traps += test.traps
    loads = []
    by_rate = True
    for path, step in found:
        if step.users is not None and not step.open_loop:
            loads.append(step.users)
            by_rate = False
        elif step.mean_response is not None:
            loads.append(step.throughput * step.mean_response)
            traps.append(
                f"{path.name} doesn't hold the number of users: its load is the mean number of "
                "requests inside, throughput times mean response (Little's law)."
            )
        else:
            cure = "give a table with a column of users"
            raise UnreadableFileError(path, None, "it holds neither users nor times", cure)
        if step.failed > 0.01:
            traps.append(
                f"{path.name}: {percent(step.failed)} of the requests failed, and most tools "
                "count them in throughput and times."
            )
    times = [_time(path, step, asked) for path, step in found]
    known = None if None in times else np.array([time for time in times if time is not None])
    rates = np.array([step.throughput for _, step in found])
    return Steps(np.array(loads), rates, known, tuple(dict.fromkeys(traps)), by_rate)


def _time(path: Path, step: LoadStep, asked: Promise | None) -> float | None:
    """Return the response time of a step: the percentile that is promised, or the mean."""
    if asked is None or asked.level is None:
        return step.mean_response
    near = [time for level, time in step.quantiles.items() if abs(level - asked.level) < 1e-9]
    if not near:
        listed = ", ".join(["mean", *(f"p{100 * level:g}" for level in step.quantiles)])
        cure = f"promise what it holds ({listed}), or let the tool write percentiles"
        raise UnreadableFileError(path, None, f"it holds no p{100 * asked.level:g}", cure)
    return near[0]
