"""Networks that share an accelerator: FCFS with reloads (an Edge TPU), or PS (a GPU in slices).

Source: Q. Liang, W. A. Hanafy, A. Ali-Eldin, P. Shenoy, "Model-driven Cluster Resource Management
for AI Workloads in Edge Clouds", ACM TAAS 18(1), 2023 (equations 6 and 7 and the published code).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.edge_cluster.inputs import MIXTURES
from perfmodel.live.drawing import Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.simulation.statistics import Estimate, batch_means
from perfmodel.queueing.station.result import stable
from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class Shared:
    """An accelerator shared by applications; the last axis of an array counts them."""

    utilization: Floats
    """Of the accelerator, without that axis."""
    service_time: Floats
    """Mean seconds that a request keeps the accelerator, reloading included."""
    response_time: Floats
    """Mean seconds from arrival to the end."""


def fcfs_with_switching(
    arrival_rate: ArrayLike, service_time: ArrayLike, switch_overhead: ArrayLike
) -> Shared:
    """Solve an accelerator that runs requests in turn and reloads when the network changes.

    Rates are in requests per second (Poisson), shape (..., m), times in seconds. S_i = s_i + (1 -
    lambda_i / lambda) o_i is taken as constant, and the response is S_i + W, where W is the waiting
    time of Pollaczek and Khinchine.

    >>> tpu = fcfs_with_switching([3.455, 16.62], [0.12513, 0.00491], [0.01943, 0.01043])
    >>> print(tpu.utilization.round(4), tpu.response_time.round(4))
    0.5993 [0.2281 0.0936]
    """
    rate, time, reload = _mixed(arrival_rate, service_time, switch_overhead)
    total = rate.sum(axis=-1, keepdims=True)
    occupancy = time + (1 - rate / total) * reload
    load = stable((rate * occupancy).sum(axis=-1))
    waiting = (rate * occupancy**2).sum(axis=-1) / (2 * (1 - load))
    return Shared(load, occupancy, occupancy + waiting[..., np.newaxis])


def wait_of_correlation(
    arrival_rate: ArrayLike, service_time: ArrayLike, switch_overhead: ArrayLike
) -> Floats:
    """Return the mean wait that `fcfs_with_switching` leaves out, in seconds, approximately.

    A long service is followed by a switch, so that neighbouring services are not independent; and a
    reload happens or not, it is no constant. The wait is lambda (Cov + V / 2) / (1 - rho), shape
    (...): Cov is the covariance of two services in a row, -sum p_i^2 o_i (S_i - S) with shares p_i,
    and V the variance of the reloads within networks, sum p_i^2 (1 - p_i) o_i^2. It is the limit
    for a high load.

    >>> print(wait_of_correlation([3.455, 16.62], [0.12513, 0.00491], [0.01943, 0.01043]).round(4))
    0.0056
    """
    rate, _, reload = _mixed(arrival_rate, service_time, switch_overhead)
    simple = fcfs_with_switching(arrival_rate, service_time, switch_overhead)
    total = rate.sum(axis=-1)
    share = rate / total[..., np.newaxis]
    above = simple.service_time - (simple.utilization / total)[..., np.newaxis]
    covariance = -(share**2 * reload * above).sum(axis=-1)
    variance = (share**2 * (1 - share) * reload**2).sum(axis=-1)
    return np.asarray(total * (covariance + variance / 2) / (1 - simple.utilization))


def sharing_with_mean_wait(arrival_rate: ArrayLike, service_time: ArrayLike) -> Shared:
    """Solve an accelerator that slices its time, as the paper does: the same wait for everyone.

    The response is s_i + W with W = 1 / (mu - lambda) - 1 / mu, where 1 / mu is the mean inference
    (equations 6 and 7). Its mean over all requests is exact for processor sharing.

    >>> print(sharing_with_mean_wait([10, 10], [0.01, 0.04]).response_time)
    [0.035 0.065]
    """
    rate, time = _mixed(arrival_rate, service_time)
    load = stable((rate * time).sum(axis=-1))
    mean = load / rate.sum(axis=-1)
    waiting = mean / (1 - load) - mean
    return Shared(load, time, time + waiting[..., np.newaxis])


def sharing_by_size(arrival_rate: ArrayLike, service_time: ArrayLike) -> Shared:
    """Solve an accelerator that slices its time: everyone is slowed down by the same factor.

    The response is s_i / (1 - rho), exact for M/G/1 processor sharing.

    >>> print(sharing_by_size([10, 10], [0.01, 0.04]).response_time)
    [0.02 0.08]
    """
    rate, time = _mixed(arrival_rate, service_time)
    load = stable((rate * time).sum(axis=-1))
    return Shared(load, time, time / (1 - load)[..., np.newaxis])


def at_once(alone: ArrayLike, order: str) -> Floats:
    """Return when each of a set of requests that come at one instant is done, in seconds.

    `alone` is in the order of the queue; `order` is FCFS, PS or another of
    `sample_path.PATH_POLICIES`.

    >>> print(at_once([1, 2, 3], "FCFS"), at_once([1, 2, 3], "PS"))
    [1. 3. 6.] [3. 5. 6.]
    """
    return departures(np.zeros(np.shape(alone)), alone, order)


def replay(
    network: ArrayLike, arrivals: ArrayLike, service_time: ArrayLike, switch_overhead: ArrayLike
) -> Floats:
    """Return the response time of each request of a timetable, with the true state of the weights.

    Seconds, shape (n,), first come first served, for requests of `network` (an index) at `arrivals`
    in seconds; times are by network. The first request must load its weights.

    >>> print(replay([0, 0, 1], [0, 1, 2], [2.0, 1.0], [1.0, 0.5]))
    [3.  4.  4.5]
    """
    index = np.asarray(network, dtype=np.int64)
    time = positive("service_time", service_time)
    reload = non_negative("switch_overhead", switch_overhead)
    if index.size and not (index.min() >= 0 and index.max() < time.size):
        raise ValueError(f"network must be from 0 to {time.size - 1}, got {index.tolist()!r}")
    changed = np.append(True, index[1:] != index[:-1])
    sizes = time[index] + changed * reload[index]
    instants = np.asarray(arrivals, dtype=np.float64)
    return departures(instants, sizes) - instants


def simulated_switching(
    arrival_rate: Sequence[float],
    service_time: Sequence[float],
    switch_overhead: Sequence[float],
    requests: int = 100_000,
    seed: int = 1,
) -> list[Estimate]:
    """Simulate `fcfs_with_switching` with the true state of the weights instead of a probability.

    They are the mean response times in seconds of the applications with their 95 % intervals; the
    first tenth is left out as warm-up.

    >>> big, small = simulated_switching([3.455, 16.62], [0.12513, 0.00491], [0.01943, 0.01043])
    >>> bool(small.value < big.value)
    True
    """
    rate, time, reload = _mixed(arrival_rate, service_time, switch_overhead)
    count, rng = whole("requests", requests, low=1000), np.random.default_rng(seed)
    network = rng.choice(rate.size, count, p=rate / rate.sum())
    arrivals = rng.exponential(1 / rate.sum(), count).cumsum()
    response = replay(network, arrivals, time, reload)[count // 10 :]
    return [batch_means(response[network[count // 10 :] == i]) for i in range(rate.size)]


def _mixed(rate: ArrayLike, *times: ArrayLike) -> tuple[Floats, ...]:
    """Return the arguments checked and broadcast, with an axis for the applications."""
    names = ("service_time", "switch_overhead")
    checked = [positive("arrival_rate", rate)]
    for name, value in zip(names, times, strict=False):
        checked.append((positive if name == "service_time" else non_negative)(name, value))
    return tuple(np.atleast_1d(a) for a in np.broadcast_arrays(*checked))


REQUESTS = 8
_END, _TOP, _ROW = 540.0, 54.0, 20.0
_NAMES = ("Inc", "SSD")


def reload_turns(row: int) -> Scene:
    """Draw eight requests that come at one instant for the two networks of mixture B.

    A network has `row` requests, 1 to 4, before the other's turn.

    >>> reload_turns(4).values["reloads"]
    2
    """
    mixture = MIXTURES["B"]
    same = whole("row", row, 1, REQUESTS // 2)
    network = np.arange(REQUESTS) // same % 2
    times, reloads = mixture.service_time, mixture.switch_overhead
    ends = 1e3 * replay(network, np.zeros(REQUESTS), times, reloads)
    starts = np.append(0, ends[:-1])
    runs = ends - 1e3 * times[network]
    time = Scale(0, _END, 46, 350)
    shapes: list[Shape] = legend(46, 14, [("reload", 2, "hatch")])
    shapes += legend(136, 14, [("inference", 1, "solid")])
    shapes += [Line([(240, 14), (262, 14)], 2, "dashed"), Text("waits", 268, 14, "start")]
    for i, (start, run, end) in enumerate(zip(starts, runs, ends, strict=True)):
        shapes += _turn(time, _TOP + i * _ROW, _NAMES[network[i]], (start, run, end))
    shapes += time.below(_TOP + REQUESTS * _ROW, "time (ms), one row a request")
    count, lost = int((runs - starts > 1e-9).sum()), float((runs - starts).sum())
    says = (
        f"{count} of {REQUESTS} requests reload the weights. The last answer comes after "
        f"{ends[-1]:.0f} ms."
    )
    values = {"reloads": count, "reloading (ms)": lost, "last answer (ms)": float(ends[-1])}
    return Scene(_TOP + REQUESTS * _ROW + 38, shapes, says, values)


def _turn(time: Scale, y: float, name: str, instants: tuple[float, float, float]) -> list[Shape]:
    """Return a request's wait, its reload if there is one, and its inference."""
    start, run, end = instants
    shapes: list[Shape] = [Text(name, 40, y, "end")]
    if start > 0:
        shapes.append(Line([(time(0), y), (time(start), y)], 2, "dashed"))
    if run - start > 1e-9:
        shapes.append(time.bar(start, y - 7, run - start, 14, "", 2, "hatch"))
    return [*shapes, time.bar(run, y - 7, end - run, 14, "", 1, "solid")]
