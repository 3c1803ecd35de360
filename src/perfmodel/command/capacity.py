"""`perfmodel capacity`: how many servers a log needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from perfmodel.command.answer import Answer, Assumption, Quantity, Verdict
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.command.slo import Promise, parse
from perfmodel.queueing.fleet.log_sizing import LogSizing, size_from_log
from perfmodel.readers.access_logs import HEADER
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import Table, read_table
from perfmodel.units import percent
from perfmodel.validation import Floats

_JMETER = ("timeStamp", "elapsed")
_ASSUMED = (
    Assumable("growth", "how many times as fast requests will arrive", 1.0, source="the log's own"),
    Assumable("confidence", "level of the interval", 0.95, source="usual"),
    Assumable(
        "logged",
        "when the arrival column was taken: at a request's start or end",
        "start",
        unit="",
        source="a guess: look it up for your log",
        choices=("start", "end"),
    ),
)
_LONG = 10_000
"""Requests above which a line of progress is printed."""
_FEWEST_BEYOND = 10
"""With fewer requests above a percentile, it rests on single requests."""


@answers(assume=_ASSUMED)
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "--promise",
    required=True,
    metavar="TEXT",
    help="Such as 'p99 wait < 1s', 'mean response < 200 ms'; limits in ns, us, ms, s, min or h.",
)
@click.option(
    "--arrival",
    metavar="NAME:UNIT",
    help="Column of arrival times, in ns, us, ms, s, min, h; iso for dates.",
)
@click.option(
    "--service",
    metavar="NAME:UNIT",
    help="Column of service times, without waiting, in such a unit.",
)
@click.option("--servers", type=click.IntRange(1), help="Ask whether this many are enough.")
def capacity(
    assumed: Assumed,
    log: Path,
    promise: str,
    arrival: str | None,
    service: str | None,
    servers: int | None,
) -> Answer:
    """Size a pool of servers: how many does a log need to meet a limit.

    \b
      perfmodel capacity requests.csv --arrival start:s --service took:ms --promise 'p99 wait < 1s'
      perfmodel capacity requests.csv ... --servers 8 --assume growth=1.5
      perfmodel capacity access.log --service added1:s --assume logged=end --promise 'p99 wait < 1s'

    LOG is a CSV file, a JSON list or lines of JSON, one row a request, or the access log of nginx
    or Apache with a duration added to each line. The log is replayed with 1, 2, ... servers, first
    come first served, and by formulas. Service is the time for which a request holds a server: a
    response time contains waiting, and gives too many servers. A log of JMeter needs no --arrival
    and --service.
    """  # noqa: D301
    asked = parse(promise, ("wait", "response"))
    logged, work, traps, stated = _requests(log, arrival, service)
    at_end = assumed["logged"] == "end"
    growth = assumed["growth"]
    if not growth > 0:
        raise click.UsageError(f"--assume growth must be above 0, got {growth!r}")
    if logged.size >= _LONG:
        click.echo(f"perfmodel: replaying {logged.size:,} requests", err=True)

    def sized(times: Floats) -> LogSizing:
        came = times - work if at_end else times
        order = np.argsort(came, kind="stable")
        return size_from_log(
            (came[order] - came.min()) / growth,
            work[order],
            limit=asked.limit,
            level=asked.level,
            target="response" if asked.of == "response" else "wait",
            confidence=assumed["confidence"],
        )

    try:
        found = sized(logged)
        if _whole_seconds(logged):
            found = _either(found, sized(_spread(logged)))
            traps.append(
                "The log's times are whole seconds. The replay takes the requests of a second as "
                "coming together, and again as spread evenly over it; the interval holds both."
            )
    except ValueError as error:
        cure = "give a longer log"
        raise UnreadableFileError(log, None, str(error), cure) from None
    if not at_end and (np.diff(logged) < 0).any():
        traps.append("The rows aren't in the order of arrival; they were sorted.")
    named = [name for name in assumed if name != "logged" or not stated]
    return _answer(found, asked, servers, traps, assumed.listed(*named))


def _whole_seconds(times: Floats) -> bool:
    """Return whether the clock shows seconds only, and several requests in some of them."""
    return bool((times == np.floor(times)).all() and np.unique(times).size < 0.8 * times.size)


def _spread(times: Floats) -> Floats:
    """Return times with those of each second spread evenly over it, in the order of the rows."""
    _, second, counts = np.unique(times, return_inverse=True, return_counts=True)
    order = np.argsort(second, kind="stable")
    begin = np.cumsum(counts) - counts
    rank = np.empty(times.size)
    rank[order] = np.arange(times.size) - begin[second[order]]
    return np.asarray(times + (rank + 0.5) / counts[second])


def _either(together: LogSizing, apart: LogSizing) -> LogSizing:
    """Return the sizing of requests that come together, with an interval that holds the other."""
    if together.interval is None or apart.interval is None:
        return together
    low, high = zip(together.interval, apart.interval, strict=True)
    return replace(together, interval=(min(low), max(high)))


def _requests(
    log: Path, arrival: str | None, service: str | None
) -> tuple[Floats, Floats, list[str], bool]:
    """Return times, service times, what they are, and whether the log's tool says which times."""
    table, traps = read_table(log), []
    jmeter = all(name in table.header for name in _JMETER)
    if jmeter:
        arrival, service = arrival or "timeStamp:ms", service or "elapsed:ms"
        traps.append(
            "JMeter's timeStamp is the start of a sample unless sampleresult.timestamp.start is "
            "false; elapsed is the response time, with any waiting at the server in it."
        )
    if table.header[: len(HEADER)] == HEADER:
        arrival = arrival or "time:iso"
        service = service or _duration(table)
        traps.append(
            "nginx takes the time of a line at the request's end (--assume logged=end), Apache's "
            "%t at its start."
        )
    if arrival is None or service is None:
        cure = f"add --arrival NAME:UNIT --service NAME:UNIT; it has {', '.join(table.header)}"
        raise UnreadableFileError(log, 1, "a log needs a map of its columns", cure)
    when, of_arrival = table.numbers(arrival, "s")
    work, of_service = table.numbers(service, "s")
    traps += [f"Arrivals were read {of_arrival}, service times {of_service}."]
    _check(table, work)
    return when - when.min(), work, traps, jmeter


def _duration(table: Table) -> str:
    added = table.header[len(HEADER) :]
    names = [name for name in added if name not in ("referer", "agent")]
    if not names:
        cure = "add $request_time to nginx's log_format, or %D to Apache's LogFormat"
        raise UnreadableFileError(table.path, 1, "the access log holds no durations", cure)
    name = names[-1]
    cure = f"add --service {name}:s for nginx's $request_time, {name}:us for Apache's %D"
    raise UnreadableFileError(table.path, 1, "the access log states no unit of durations", cure)


def _check(table: Table, work: Floats) -> None:
    if (work < 0).any():
        line = table.lines[int((work < 0).argmax())]
        what = "a service time is below 0"
        raise UnreadableFileError(table.path, line, what, "correct or delete the row")


def _answer(
    found: LogSizing,
    asked: Promise,
    servers: int | None,
    traps: list[str],
    assumed: tuple[Assumption, ...],
) -> Answer:
    verdict = _verdict(found, servers)
    low, high = found.interval or (None, None)
    needed = found.servers
    if _ends_early(found):
        needed = low = high = None
    traps += [
        "The replay starts with free servers, as the log starts, and counts every request.",
        "Service times are taken to stay as they are with more servers.",
    ]
    quantities = [
        Quantity("servers needed", needed, low, high, "1", "by replay, over its stretches"),
        Quantity("by M/M/c", found.markovian, None, None, "1", "memoryless arrivals and service"),
        Quantity("by Allen-Cunneen", found.two_moments, None, None, "1", "two moments"),
        Quantity("busy on average", found.offered_load, None, None, "1", "servers"),
        Quantity("arrival rate", found.arrival_rate, None, None, "1/s"),
        Quantity("mean service", found.mean_service, None, None, "s"),
        Quantity("scv of the gaps", found.gap_scv, None, None, "1", "1 for Poisson arrivals"),
        Quantity("scv of the service", found.service_scv, None, None, "1", "1 if exponential"),
        Quantity("requests", found.requests, None, None, "1"),
    ]
    if asked.of == "response":
        quantities = [one for one in quantities if not one.name.startswith("by ")]
    binds, after = _binds(found)
    return Answer(
        f"How many servers keep '{asked.text}'?"
        if servers is None
        else f"Do {servers} servers keep '{asked.text}'?",
        verdict,
        _summary(found, asked, servers, verdict),
        tuple(quantities),
        assumed,
        binds,
        after,
        tuple(_unknown(found, asked)),
        tuple(traps),
        (
            f"The log has {found.requests} requests at {found.arrival_rate:.4g} per second, of "
            f"{found.mean_service:.4g} s each: {found.offered_load:.4g} servers are busy.",
            "Each request takes the server that is free first, or waits for it. The fewest servers "
            f"are sought for which {asked.statistic} stay within {asked.limit:g} s.",
            "The interval comes from logs put together from 20 stretches drawn from this one, so "
            "that bursts stay whole.",
            "M/M/c knows the two means only. Allen-Cunneen stretches its wait by half the sum of "
            "the two scv. Where they disagree with the replay, the replay counts.",
        ),
        "book/queueing.md",
    )


def _ends_early(found: LogSizing) -> bool:
    """Return whether the log's last request comes before an average one is done."""
    return found.offered_load >= found.requests


def _verdict(found: LogSizing, servers: int | None) -> Verdict | None:
    if found.expected_exceedances < 1 or _ends_early(found):
        return "unknown"
    if found.servers is None:
        return "no"
    if servers is None:
        return None
    low, high = found.interval or (found.servers, None)
    if high is not None and servers >= high:
        return "yes"
    return "no" if servers < low else "unknown"


def _summary(found: LogSizing, asked: Promise, servers: int | None, verdict: Verdict | None) -> str:
    if _ends_early(found):
        return (
            "The log doesn't tell it: its last request comes before an average one is done. A "
            "lasting load is never seen."
        )
    if found.servers is None:
        return (
            "No number of servers meets the limit: the service times alone exceed it. Only faster "
            "service helps."
        )
    keep = "server keeps" if found.servers == 1 else "servers keep"
    told = f"{found.servers} {keep} it in the replay"
    if found.interval:
        low, high = found.interval
        told += " and in each of its stretches" if low == high else f" ({low} to {high})"
    if servers is not None and verdict == "unknown" and found.expected_exceedances >= 1:
        return f"{told}, so {servers} may be enough or not."
    if found.two_moments is not None and found.servers > 1.25 * found.two_moments:
        return (
            f"{told}. The two-moment formula says {found.two_moments}: it doesn't know how this "
            "log's arrivals bunch, so the replay counts."
        )
    return f"{told}."


def _binds(found: LogSizing) -> tuple[str, str]:
    if _ends_early(found):
        return "", ""
    if found.servers is None:
        return "the service times themselves", "the number of servers, once service is faster"
    busy = found.offered_load / found.servers
    bursts = "bursts of arrivals, which find all servers busy"
    if found.gap_scv < 2:
        bursts = "requests that come together by chance"
    work = "the work: servers are busy most of the time"
    if busy < 0.5:
        return (
            f"{bursts} (utilization {percent(busy)})",
            "the work, once there are fewer servers",
        )
    return f"{work} (utilization {percent(busy)})", bursts


def _unknown(found: LogSizing, asked: Promise) -> list[str]:
    lines = ["Whether tomorrow's load is that of the log."]
    if found.expected_exceedances < 1:
        lines.append(
            f"{found.requests} requests don't determine {asked.statistic}: less than one request "
            "lies beyond. Give a longer log, or promise a lower percentile."
        )
    elif found.expected_exceedances < _FEWEST_BEYOND and asked.level is not None:
        lines.append(
            f"{asked.statistic} rests on {found.expected_exceedances:.0f} requests that may lie "
            "beyond; a longer log would determine it better."
        )
    if _ends_early(found):
        lines.append(
            "What a lasting load needs: all requests come within one mean service time. Check the "
            "units of both columns, or give a longer log."
        )
    if found.tied > 0.2:
        lines.append(
            f"{percent(found.tied)} of the requests arrive at the same instant as the one "
            "before: if that is the clock's resolution, the bursts are an artefact."
        )
    if found.servers is not None and found.interval is None:
        lines.append("Some parts of the log miss the limit with any number of servers.")
    return lines
