"""`perfmodel collective`: the time of a collective at a size, from a benchmark's log."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.options import Assumed, answers, typed
from perfmodel.communication.point_to_point.bootstrap import MessageBootstrap, bootstrap_messages
from perfmodel.communication.point_to_point.fit import MessageFit, fit_messages
from perfmodel.readers.collectives import CollectiveTimes, read_collective
from perfmodel.units import percent, prefixed

_FURTHEST = 16.0
"""Times the largest size measured beyond which no time is given."""


@answers()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--size", required=True, metavar="BYTES", help="As 64MiB, 1GB or 1048576.")
@click.option("--ranks", type=int, help="Default: those of the log.")
@click.option("--in-place", is_flag=True, help="Of nccl-tests: take the in-place columns.")
def collective(assumed: Assumed, log: Path, size: str, ranks: int | None, in_place: bool) -> Answer:
    """How long does a collective take? LOG is the output of nccl-tests or an OSU benchmark.

    \b
      perfmodel collective all-reduce.txt --size 64MiB
      perfmodel collective all-reduce.txt --size 64MiB --ranks 64

    A latency and a bandwidth are fitted to each range of sizes in which one protocol holds, with
    the rounding of the log. One log holds one number of ranks: for another one there are bounds,
    if its links are the same.
    """  # noqa: D301
    asked = _bytes(size)
    times = read_collective(log, in_place)
    fit = fit_messages(times.sizes, times.times, resolution=times.resolution)
    return _answer(times, fit, bootstrap_messages(fit), asked, ranks)


def _bytes(text: str) -> float:
    try:
        given = typed(text)
    except ValueError:
        given = None
    if given is None or given.unit not in ("bytes", "1") or not given.value > 0:
        raise click.UsageError(f"--size must be bytes such as 64MiB or 1e6, got {text!r}")
    return given.value


def _answer(
    times: CollectiveTimes, fit: MessageFit, known: MessageBootstrap, size: float, ranks: int | None
) -> Answer:
    low, high = (float(end) for end in known.time(size))
    value: float | None = float(fit.time(size))
    unknown = []
    place = int(np.searchsorted(fit.breaks, size))
    latency, bandwidth = float(fit.latencies[place]), float(fit.bandwidths[place])
    largest = float(times.sizes.max())
    note = "interval of a mean, 95 %"
    bottom: float | None = low
    top: float | None = high
    if ranks is not None and times.ranks is not None and ranks != times.ranks:
        value, (bottom, top) = None, _other_ranks(times, low, high, latency, ranks)
        note = "if all links are like the log's; latency by log2(ranks) or by ranks"
        unknown.append(
            f"The log is of {times.ranks} ranks. On {ranks} other links and another algorithm may "
            "decide: measure there."
        )
    elif ranks is not None and times.ranks is None:
        unknown.append(f"The log doesn't say how many ranks it ran on; {ranks} is taken from you.")
    where = f" on the log's {times.ranks} ranks" if value is None else ""
    if size > _FURTHEST * largest:
        value, top = None, None
        unknown.append(
            f"The size is {size / largest:.3g} times the largest measured; another protocol may "
            "hold there."
        )
    elif size > largest or size < float(times.sizes.min()):
        unknown.append(
            f"The log's sizes go from {prefixed(float(times.sizes.min()), 'bytes')} to "
            f"{prefixed(largest, 'bytes')}: the line is drawn on beyond them."
        )
    what = times.collective or "the operation"
    on = f" on {ranks} ranks" if ranks else ""
    share = latency / (latency + size / bandwidth)
    shown = float(ranks or times.ranks or 0) or "not stated"
    measured = f"on {times.ranks} ranks" if times.ranks else "as measured"
    names = ("latency", "bandwidth")
    binds, after = names if share > 0.5 else names[::-1]
    return Answer(
        question=f"How long does {what} of {prefixed(size, 'bytes')} take{on}?",
        verdict="unknown" if value is None else None,
        summary=_summary(value, bottom, top, share, ranks or times.ranks),
        quantities=(
            Quantity("time", value, bottom, top, "s", note),
            *(
                Quantity("row of this size in the log", float(time), None, None, "s", measured)
                for time in times.times[np.isclose(times.sizes, size, rtol=1e-9)]
            ),
            Quantity("latency", latency, *_finite(known.latency(place)), "s", "in its range"),
            Quantity(
                "size over time",
                _or_none(bandwidth),
                *_finite(known.bandwidth(place)),
                "bytes/s",
                "in its range",
            ),
            Quantity(
                "half-performance size",
                _or_none(latency * bandwidth),
                None,
                None,
                "bytes",
                "below it latency binds",
            ),
        ),
        assumed=(Assumption("ranks", shown, "1", _ranks_from(times, ranks)),),
        binds=f"{binds}, {percent(max(share, 1 - share))} of the time{where}",
        next_binds=f"{after}, {percent(min(share, 1 - share))} of the time{where}",
        unknown=tuple(unknown),
        traps=times.traps,
        steps=(
            f"{times.sizes.size} rows of {times.format}; times are rounded to "
            f"{prefixed(times.resolution, 's')}.",
            f"{len(fit.breaks)} changes of protocol explain more than chance would.",
            "Intervals are from 400 fits to errors drawn again, as wide as Student's t.",
        ),
        chapter="book/communication.md",
        more={"Protocols": _rows(fit, known)},
    )


def _other_ranks(
    times: CollectiveTimes, low: float, high: float, latency: float, ranks: int
) -> tuple[float, float]:
    """Return bounds of the time on other ranks with like links, where a ring moves the bytes."""
    assert times.ranks is not None
    if ranks < 2:
        raise click.UsageError(f"--ranks must be 2 or more, got {ranks}")
    moved = ((ranks - 1) / ranks) / ((times.ranks - 1) / times.ranks)
    by_log, by_ring = (np.log2(ranks) / np.log2(times.ranks), (ranks - 1) / (times.ranks - 1))
    least, most = sorted((float(by_log), float(by_ring)))
    return (
        max(low - latency, 0.0) * moved + min(latency, low) * least,
        max(high - latency, 0.0) * moved + latency * most,
    )


def _summary(
    value: float | None, low: float | None, high: float | None, share: float, ranks: int | None
) -> str:
    on = f" on {ranks} ranks" if ranks else ""
    ends = f"{prefixed(low or 0.0, 's')} and {prefixed(high, 's')}" if high is not None else ""
    if value is None:
        said = f"between {ends}" if ends else f"{prefixed(low or 0.0, 's')} or more"
        return f"The log doesn't tell it{on}; with the same links it is {said}."
    binds = "latency" if share > 0.5 else "bandwidth"
    return f"{prefixed(value, 's')}{on}, between {ends}; {binds} binds."


def _ranks_from(times: CollectiveTimes, ranks: int | None) -> str:
    if ranks is not None:
        return "given"
    return "the log" if times.ranks else "the log doesn't say"


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _finite(ends: tuple[float, float]) -> tuple[float | None, float | None]:
    return _or_none(ends[0]), _or_none(ends[1])


def _rows(fit: MessageFit, known: MessageBootstrap) -> tuple[dict[str, Cell], ...]:
    starts = [0.0, *fit.breaks.tolist()]
    ends = [*fit.breaks.tolist(), float(fit.sizes.max())]
    return tuple(
        {
            "above (bytes)": starts[i],
            "up to (bytes)": ends[i],
            "latency (s)": float(fit.latencies[i]),
            "bandwidth (bytes/s)": _or_none(float(fit.bandwidths[i])),
        }
        for i in range(len(ends))
    )
