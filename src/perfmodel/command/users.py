"""`perfmodel users`: what the steps of a load test determine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from perfmodel.command.answer import Answer, Cell, Quantity, Verdict
from perfmodel.command.inputs.histograms import promise_of_histogram
from perfmodel.command.inputs.load_tests import read_runs, read_steps
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.command.output import value_text
from perfmodel.command.slo import Promise, parse
from perfmodel.queueing.operational_analysis.load_curve import Between, LoadCurve, read_load_curve
from perfmodel.readers.refusal import UnreadableFileError

_ASSUMED = (Assumable("confidence", "level of the intervals", 0.95, source="usual"),)


@answers(assume=_ASSUMED)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--users", metavar="NAME", help="Column of the users or connections of a step.")
@click.option(
    "--throughput", metavar="NAME:UNIT", help="Column of requests per time, 1/s or 1/min."
)
@click.option(
    "--response",
    metavar="NAME:UNIT",
    help="Column of response times, in ns, us, ms, s or min; or a part of a histogram's name.",
)
@click.option(
    "--promise", metavar="TEXT", help="Such as 'mean response < 200 ms' or 'p95 response < 1s'."
)
@click.option(
    "--at", type=click.FloatRange(0, min_open=True), help="A number of users to ask about."
)
def users(
    assumed: Assumed,
    files: tuple[Path, ...],
    users: str | None,
    throughput: str | None,
    response: str | None,
    promise: str | None,
    at: float | None,
) -> Answer:
    """Say how many users a system takes, from the steps of a load test.

    \b
      perfmodel users steps.csv --users N --throughput rate:1/s --response mean:ms
      perfmodel users ab-1.txt ab-2.txt ab-4.txt ab-8.txt
      perfmodel users locust_stats_history.csv --at 200
      perfmodel users metrics.prom --promise 'p99 response < 1s' --response first_token

    FILES is one table with a row for each step, or the output of a load generator for each step:
    ab, hey, wrk, wrk2, k6, vegeta, h2load, httperf, siege, loadtest, locust, JMeter, fio. Beyond
    the largest step nothing is extrapolated: only a bound is given. A histogram of Prometheus
    (text, the answer of a query, native) or OpenTelemetry says whether a --promise is kept.
    """  # noqa: D301
    asked = None if promise is None else parse(promise, ("response",))
    kept = None if len(files) > 1 else promise_of_histogram(files[0], asked, response or "")
    if kept is not None:
        return kept
    steps = read_steps(files[0], users, throughput, response) if len(files) == 1 else None
    traps = steps.traps if steps else ()
    if steps is not None and asked is not None:
        traps += (
            f"The column of response times is taken for {asked.statistic} of a step, as promised: "
            "the table can't say.",
        )
    steps = steps or read_runs(files, asked)
    curve = read_load_curve(
        steps.users, steps.throughput, steps.response, confidence=assumed["confidence"]
    )
    if asked is not None and asked.level is not None:
        # Little's law is about means: a percentile gives neither think times nor contradictions.
        curve = replace(curve, think_time=None, contradicts=False)
    if asked is not None and curve.response is None:
        cure = "add --response NAME:UNIT, or files that hold response times"
        raise UnreadableFileError(files[0], None, "there are no response times", cure)
    if steps.by_rate and asked is not None and at is None:
        return _answer_by_rate(curve, asked, steps.traps, assumed)
    return _answer(curve, asked, at, traps or steps.traps, assumed)


def _answer_by_rate(
    curve: LoadCurve, asked: Promise, traps: tuple[str, ...], assumed: Assumed
) -> Answer:
    """Say which rates keep a promise, where the files hold rates and no users."""
    inside = curve.users_within(asked.limit)
    low, high = (
        None if end is None else float(np.interp(end, curve.users, curve.throughput))
        for end in (inside.low, inside.high)
    )
    kept = "" if low is None else f"kept at {low:.4g} requests a second"
    missed = "" if high is None else f"not kept at {high:.4g} requests a second"
    told = " and ".join(part for part in (kept, missed) if part)
    rows = [{"requests inside": row.pop("users"), **row} for row in _rows(curve)]
    return Answer(
        f"Which rate keeps '{asked.text}'?",
        None,
        f"'{asked.text}' is {told}.",
        (
            Quantity("requests/s within the promise", None, low, high, "1/s", "between two steps"),
            Quantity("requests inside", inside.value, inside.low, inside.high, "1",
                     "by Little's law"),
        ),
        assumed.listed(),
        unknown=(
            f"What happens above {curve.throughput.max():.4g} requests a second.",
            "How many users send this: it takes their pauses.",
        ),
        traps=traps,
        steps=("The promise holds from the last rate that keeps it to the first that doesn't.",),
        chapter="book/queueing.md",
        more={"Steps": tuple(rows)},
    )  # fmt: skip


def _answer(
    curve: LoadCurve,
    asked: Promise | None,
    at: float | None,
    traps: tuple[str, ...],
    assumed: Assumed,
) -> Answer:
    within = None if asked is None else curve.users_within(asked.limit)
    verdict, summary = _conclusion(curve, asked, within, at)
    question = "How many users does the system take?"
    if at is not None:
        question = (
            f"Do {at:g} users keep '{asked.text}'?" if asked else f"What happens at {at:g} users?"
        )
    elif asked is not None:
        question = f"How many users keep '{asked.text}'?"
    binds, after = _binds(curve)
    return Answer(
        question,
        verdict,
        summary,
        tuple(_quantities(curve, within, at)),
        assumed.listed(),
        binds,
        after,
        tuple(_unknown(curve, at)),
        traps,
        tuple(_steps(curve)),
        "book/queueing.md",
        {"Steps": tuple(_rows(curve))},
    )


def _conclusion(
    curve: LoadCurve, asked: Promise | None, within: Between | None, at: float | None
) -> tuple[Verdict | None, str]:
    if asked is not None and within is not None:
        told = f"'{asked.text}' is kept by {_range(within)} users"
        if at is None:
            return None, f"{told}."
        low, high = within.low, within.high
        verdict: Verdict = "unknown"
        if low is not None and at <= low:
            verdict = "yes"
        elif high is not None and at >= high:
            verdict = "no"
        beyond = " The steps end before that." if at > curve.users[-1] and verdict != "no" else ""
        return verdict, f"{told}.{beyond}"
    if at is not None:
        found = curve.predict(at)
        if found.value is None:
            return "unknown", (
                f"The steps don't reach {at:g} users: they go from {curve.base:g} to "
                f"{curve.users[-1]:g}. A law that fits them may be wrong by a factor of 2 there."
            )
        return None, f"{at:g} users send {found.value:.4g} requests a second."
    if curve.saturated:
        most = f"{curve.capacity.value:.4g} requests a second"
        knee = f"{curve.saturation_users.value:.3g}" if curve.saturation_users.value else "?"
        return None, f"Throughput stops growing at {most}. The knee is near {knee} users."
    if np.unique(curve.users).size < 3:
        return (
            None,
            "So few steps can't tell whether the system is saturated. It takes at least these.",
        )
    return None, (
        f"{curve.users[-1]:g} users don't saturate the system: it takes at least that many, and "
        f"{curve.capacity.low:.4g} requests a second."
    )


def _range(within: Between) -> str:
    if within.low is None:
        return f"fewer than {within.high:g}"
    return (
        f"at least {within.low:g}" if within.high is None else f"{within.low:g} to {within.high:g}"
    )


def _quantities(curve: LoadCurve, within: Between | None, at: float | None) -> list[Quantity]:
    found = [
        Quantity("capacity", *curve.capacity, "1/s", "highest throughput of a step"),
        Quantity("knee N*", *curve.saturation_users, "1", "users; light and heavy load meet"),
    ]
    if curve.think_time is not None:
        found.append(
            Quantity("think time", *curve.think_time, "s", "N / X - R; range of the steps")
        )
    if within is not None:
        found.insert(0, Quantity("users within the promise", *within, "1", "between two steps"))
    if at is not None:
        note = "one further measurement" if curve.predict(at).value else "straight line as bound"
        found.insert(0, Quantity(f"throughput at {at:g} users", *curve.predict(at), "1/s", note))
    if curve.fit is not None:
        low, high = (curve.base * end for end in curve.fit.peak_load_interval)
        peak = curve.base * float(curve.fit.peak.load)
        last = float(curve.users[-1])
        seen = curve.fit.peak_observed and curve.saturated
        found.append(
            Quantity(
                "users at the peak",
                peak if seen else None,
                min(low, peak) if seen else last,
                high if seen and np.isfinite(high) else None,
                "1",
                "Universal Scalability Law" if seen else "no peak within the steps",
            )
        )
    return found


def _binds(curve: LoadCurve) -> tuple[str, str]:
    if np.unique(curve.users).size < 3:
        return "", ""
    if not curve.saturated or curve.capacity.value is None:
        return "nothing within these steps: throughput still grows", "the busiest resource"
    hold = value_text(1 / curve.capacity.value, "s")
    after = "not known from a load test alone: it takes the utilization of each resource"
    told = f"a resource that a request holds for {hold}"
    if curve.throughput[-1] < 0.97 * curve.capacity.value:
        told += ", and more users make it slower (locks, caches, context switches)"
    return told, after


def _unknown(curve: LoadCurve, at: float | None) -> list[str]:
    lines = [f"What happens above {curve.users[-1]:g} users."]
    if curve.why_no_fit:
        lines.append(curve.why_no_fit)
    if not curve.saturated:
        lines.append(
            "Capacity and knee: the steps bound them from below only."
            if curve.saturation_users.low is not None
            else "Capacity, which the steps bound from below, and the knee: give three loads or "
            "more, a light one among them."
        )
    if curve.superlinear is not None:
        low, high = curve.superlinear
        lines.append(
            f"Why throughput grows faster than the load from {low:g} to {high:g} users (warm "
            "caches, batches?); the law is fitted above this stretch."
        )
    if curve.contradicts:
        lines.append(
            "Whether the columns belong together: throughput times response exceeds the users, "
            "which Little's law excludes. Check the units, or requests were sent by the clock."
        )
    elif curve.think_time is not None and curve.think_time.low is not None:
        low, high = curve.think_time.low, curve.think_time.high or 0.0
        if high - low > 0.2 * float((curve.users / curve.throughput).max()):
            lines.append(
                "Why the think time that follows from Little's law changes between the steps: the "
                "response times may leave something out."
            )
    return lines


def _steps(curve: LoadCurve) -> list[str]:
    lines = [
        "Users send N / (R + Z) requests a second (Little's law), which gives the think time Z.",
        "Throughput has stopped growing if the last step adds less than a tenth of what it adds to "
        "the users, relatively. Then its highest value is the capacity.",
        "The knee is the capacity times the shortest cycle N / X.",
    ]
    if curve.fit is not None:
        fit = curve.fit
        lines.append(
            f"The Universal Scalability Law over loads in units of {curve.base:g} users has "
            f"contention {fit.contention:.3g} and coherency {fit.coherency:.3g}; it is used "
            "between the steps only."
        )
    return lines


def _rows(curve: LoadCurve) -> list[dict[str, Cell]]:
    rows = []
    for i, n in enumerate(curve.users):
        row: dict[str, Cell] = {"users": float(n), "requests/s": float(curve.throughput[i])}
        if curve.response is not None:
            row["response"] = value_text(float(curve.response[i]), "s")
        rows.append(row)
    return rows
