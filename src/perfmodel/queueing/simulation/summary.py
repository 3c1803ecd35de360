"""From the raw outcome of a run to its measures: warm-up cut, ratios, percentiles, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.driver import Run
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.result import SimulationResult, short_measures
from perfmodel.queueing.simulation.run_length import drop_intervals
from perfmodel.queueing.simulation.setup import one_stop
from perfmodel.queueing.simulation.state import (
    AREA,
    ARRIVED,
    DEPARTED,
    HELD,
    LOST,
    PRESENT,
    RESPONSE,
    TALLY,
    WORK,
)
from perfmodel.queueing.simulation.statistics import Estimate, mser5, quantiles, ratio
from perfmodel.validation import Floats

LONG = 100_000
"""Response times beyond which the search for the warm-up takes means of several at a time."""


def summary(
    network: Network,
    options: Options,
    run: Run,
    seed: int,
    levels: tuple[float, ...],
    confidence: float,
    keep_samples: bool,
) -> SimulationResult:
    """Return the measures of a run."""
    trail = np.concatenate([np.zeros((1, *run.trail.shape[1:])), run.trail])
    time = np.append(0.0, run.time)
    series = class_series(network, options, run)
    cut, unsettled = warm_up(series, trail[:, -len(network.classes) :, DEPARTED])
    steps, spans = np.diff(trail[cut:], axis=0), np.diff(time[cut:])
    estimates: dict[str, Any] = _of_classes(network, steps, spans, confidence)
    visited = options.visits(network) > 0
    estimates |= _of_stations(network, visited, steps, spans, confidence)
    shares = np.array(levels) / 100
    span = float(spans.sum())
    means = estimates["response_time"], estimates["station_response_time"]
    estimates |= _percentiles(run, series, trail[cut:], shares, confidence, *means)
    needed = drop_intervals(network, options, estimates, shares, span, run.done)
    warning = short_measures(needed)
    if unsettled:
        warning = f"the warm-up may not be over; {warning}".rstrip("; ")
    return SimulationResult(
        network=network,
        method="event simulation",
        seed=seed,
        confidence=confidence,
        customers=run.done,
        warm_up=float(time[cut]),
        warm_up_customers=int(trail[cut, -len(network.classes) :, DEPARTED].sum()),
        percentile_levels=levels,
        warning=warning,
        customers_needed=needed,
        samples=series if keep_samples else (),
        **estimates,
    )


def class_series(network: Network, options: Options, run: Run) -> tuple[Floats, ...]:
    """Return the response times of each class in order of departure."""
    classes = len(network.classes)
    first = len(run.column) - classes
    series = []
    for job in range(classes):
        column = run.column[first + job]
        if one_stop(network, options, job):
            column = run.column[
                int(np.flatnonzero(options.visits(network)[job])[0]) * classes + job
            ]
        series.append(run.series[column])
    return tuple(series)


def warm_up(series: tuple[Floats, ...], departed: Floats) -> tuple[int, bool]:
    """Return the row where all classes have left their warm-up, and whether one may not have.

    `departed` is the number done of each class at each row, shape (rows, classes).
    """
    half = len(departed) // 2
    cuts = [_settled(s) for s in series]
    rows = [int(np.searchsorted(departed[:, j], cut)) for j, cut in enumerate(cuts)]
    return min(max(rows), half), max(rows) >= half > 0


def _settled(series: Floats) -> int:
    """Return where MSER-5 cuts the logarithms of a series, of means of several if it is very long.

    Of the times themselves it would cut after every burst of long times, which are few but matter:
    means were too low by 1 % (M/M/1) to 13 % (sizes of scv 20), and intervals missed the truth.
    """
    several = 1 + series.size // LONG
    means = series[: series.size // several * several].reshape(-1, several).mean(axis=1)
    if means.size < 10 or not means.any():
        return 0
    return several * mser5(np.log(means + means.mean() / 1000))


def _of_classes(
    network: Network, steps: Floats, spans: Floats, confidence: float
) -> dict[str, Estimate]:
    rows = steps[:, -len(network.classes) :]
    span = np.repeat(spans[:, None], rows.shape[1], axis=1)
    offered = rows[..., DEPARTED] + rows[..., LOST] + rows[..., PRESENT]
    over = {
        "throughput": (rows[..., DEPARTED], span),
        "response_time": (rows[..., RESPONSE], rows[..., DEPARTED]),
        "jobs": (rows[..., AREA], span),
        "loss_probability": (rows[..., LOST], offered),
    }
    return {name: ratio(*pair, confidence) for name, pair in over.items()}


def _of_stations(
    network: Network, visited: np.ndarray, steps: Floats, spans: Floats, confidence: float
) -> dict[str, Estimate]:
    classes, stations = len(network.classes), len(network.stations)
    visits = steps[:, : stations * classes].reshape(-1, stations, classes, TALLY)
    visits = visits.transpose(0, 2, 1, 3)
    done = np.broadcast_to(steps[:, -classes:, None, DEPARTED], visits.shape[:3])
    span = np.broadcast_to(spans[:, None, None], visits.shape[:3])
    servers = np.array([1 if s.is_delay else s.servers for s in network.stations])
    left, response, work = (visits[..., i] for i in (DEPARTED, RESPONSE, WORK))
    over = {
        "station_throughput": (left, span),
        "residence_time": (response, done),
        "station_response_time": (response, left),
        "waiting_time": (response - work, left),
        "queue_length": (visits[..., AREA], span),
        "utilization": (work / servers, span),
        "blocked": (visits[..., HELD], span),
        "station_loss_probability": (visits[..., LOST], visits[..., ARRIVED] + visits[..., LOST]),
    }
    seen = {name: ratio(*pair, confidence) for name, pair in over.items()}
    return {name: _where(visited, estimate) for name, estimate in seen.items()}


def _where(visited: np.ndarray, e: Estimate) -> Estimate:
    value, low, high = (np.where(visited, end, 0.0) for end in (e.value, e.low, e.high))
    return Estimate(value, low, high, e.effective_size)


def _percentiles(
    run: Run,
    series: tuple[Floats, ...],
    trail: Floats,
    levels: Floats,
    confidence: float,
    of_job: Estimate,
    of_visit: Estimate,
) -> dict[str, Estimate]:
    classes, stations = of_visit.value.shape
    departed = trail[..., DEPARTED].astype(np.int64)
    known: dict[int, Estimate] = {}

    def of(values: Floats, row: int) -> Estimate:
        if id(values) not in known:
            known[id(values)] = quantiles(values, departed[:, row], levels, confidence)
        return known[id(values)]

    first = departed.shape[1] - classes
    whole = [of(values, first + job) for job, values in enumerate(series)]
    nothing = Estimate(*np.zeros((3, levels.size)))
    visits = [
        of(run.series[run.column[s * classes + c]], s * classes + c)
        if run.column[s * classes + c] >= 0
        else nothing
        for c in range(classes)
        for s in range(stations)
    ]
    return {
        "response_percentiles": _stacked(whole, (classes, levels.size), of_job),
        "station_percentiles": _stacked(visits, (classes, stations, levels.size), of_visit),
    }


def _stacked(estimates: list[Estimate], shape: tuple[int, ...], mean: Estimate) -> Estimate:
    """Return percentiles as one estimate, without an interval where their mean has none."""
    ends = zip(*((e.value, e.low, e.high, e.effective_size) for e in estimates), strict=True)
    value, low, high, worth = (
        np.array([np.broadcast_to(part, estimates[0].value.shape) for part in end]).reshape(shape)
        for end in ends
    )
    return Estimate(value, low, high, worth).without_interval(mean.too_short[..., None])
