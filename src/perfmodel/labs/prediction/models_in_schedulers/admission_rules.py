"""Admission rules: by a queueing formula, by utilization alone, or learned from the past.

Applications ask one after the other. A rule sees the admitted applications and the one that asks.
All rules see the same applications and are judged by the same simulation. A learner has a past:
sets of applications that shared a node, with their measured response times.

The simulation runs a node with an accelerator, request by request.

A request is preprocessed on its application's own core, waits for the accelerator, and crosses the
network. The accelerator reloads weights whenever the neural network changes. The simulation uses no
queueing formula, so it can judge the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, Application, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.validation import Floats, one_of, whole

Arrivals = Literal["Poisson", "bursts"]
BURST = 4
"""Mean number of requests in a burst."""
REQUESTS = 20_000
_WARM_UP = 0.1


class Outcome(NamedTuple):
    """The results of a set of applications on a node."""

    response_time: Floats
    """Mean seconds of each application."""
    in_time: int
    """Applications whose mean is below their limit."""
    late: int
    """The others."""


def fcfs_departures(arrivals: Floats, services: Floats) -> Floats:
    """Return when each job leaves a server that takes them first come, first served, in seconds.

    >>> fcfs_departures(np.array([0.0, 1.0, 9.0]), np.array([3.0, 3.0, 1.0])).tolist()
    [3.0, 6.0, 10.0]
    """
    done = np.cumsum(services)
    return done + np.maximum.accumulate(arrivals - (done - services))


def simulate(
    applications: Sequence[Application],
    arrivals: Arrivals = "Poisson",
    requests: int = REQUESTS,
    seed: int = 0,
) -> Outcome:
    """Let applications share a node of the kind `TPU_NODE` and see who is in time.

    Arrivals are single requests ('Poisson'), or groups of a geometric number with a mean of `BURST`
    ('bursts'), at the same rates; about `requests` in all, of which the first tenth of the time is
    left out. An application without a request after the warm-up counts as in time, with its time
    alone.
    """
    one_of("arrivals", arrivals, ("Poisson", "bursts"))
    count, rng = whole("requests", requests, 1000), np.random.default_rng(seed)
    if not applications:
        return Outcome(np.empty(0), 0, 0)
    horizon = count / sum(app.arrival_rate for app in applications)
    came, ready, network = [], [], []
    names = list(dict.fromkeys(app.network.name for app in applications))
    for app in applications:
        start = _instants(rng, app.arrival_rate, horizon, arrivals)
        came.append(start)
        ready.append(fcfs_departures(start, rng.exponential(TPU_NODE.cpu_time, start.size)))
        network.append(np.full(start.size, names.index(app.network.name)))
    owner = np.repeat(np.arange(len(applications)), [own_arrivals.size for own_arrivals in came])
    order = np.argsort(np.concatenate(ready), kind="stable")
    instants, index, owner = (
        np.concatenate(ready)[order],
        np.concatenate(network)[order],
        owner[order],
    )
    time, reload = _by_network(applications, names)
    changed = np.append(True, index[1:] != index[:-1])
    done = fcfs_departures(instants, time[index] + changed * reload[index])
    begun = np.concatenate(came)[order]
    late_enough = begun > _WARM_UP * horizon
    response = (done - begun + TPU_NODE.network_delay)[late_enough]
    owner = owner[late_enough]
    times = np.bincount(owner, response, len(applications))
    many = np.bincount(owner, minlength=len(applications))
    alone = np.array([alone_time(app) for app in applications])
    mean = np.where(many > 0, times / np.maximum(many, 1), alone)
    below = int((mean < [app.response_limit for app in applications]).sum())
    return Outcome(mean, below, len(applications) - below)


def alone_time(application: Application) -> float:
    """Return the seconds of a request when nobody delays it."""
    return application.network.service_time + TPU_NODE.cpu_time + TPU_NODE.network_delay


def _by_network(applications: Sequence[Application], names: list[str]) -> tuple[Floats, Floats]:
    known = {app.network.name: app.network for app in applications}
    networks = [known[name] for name in names]
    return (
        np.array([network.service_time for network in networks]),
        np.array([network.switch_overhead for network in networks]),
    )


def _instants(rng: np.random.Generator, rate: float, horizon: float, arrivals: Arrivals) -> Floats:
    groups = rate / BURST if arrivals == "bursts" else rate
    instants = np.sort(rng.uniform(0, horizon, rng.poisson(groups * horizon)))
    if arrivals == "bursts":
        instants = np.repeat(instants, rng.geometric(1 / BURST, instants.size))
    return instants


Batch = Sequence[Sequence[Application]]
Rule = Callable[[Batch], list[bool]]
"""Takes sets of applications; says about each whether it may share a node."""
ASKING = 30
"""Applications that ask, one after the other."""
THRESHOLD = 0.8
"""The largest utilization, as in Ibis."""
_GRID = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_LEARNING_REQUESTS = 5_000
_PAST_SEEDS, _SETS_SEEDS = 50_000, 90_000


def by_formula(sets: Batch) -> list[bool]:
    """Admit by the paper's rules: the formula's times are below the limits, and two caps hold.

    The caps are a utilization of 0.8, and 0.8 requests of an application in progress.
    """
    return [admission(TPU_NODE, apps).admitted for apps in sets]


def by_times(sets: Batch) -> list[bool]:
    """Admit where the formula puts every mean response time below its limit, without caps."""
    return [
        bool((admission(TPU_NODE, apps).response_time < [a.response_limit for a in apps]).all())
        for apps in sets
    ]


def by_utilization(threshold: float, sets: Batch) -> list[bool]:
    """Admit where inferences and expected reloads keep the accelerator busy for at most a share.

    The formula's utilization, without its response times.
    """
    return [admission(TPU_NODE, apps).utilization <= threshold for apps in sets]


class History(NamedTuple):
    """Sets of applications that shared a node, and what each application was measured to take."""

    sets: list[list[Application]]
    response_time: list[Floats]
    """Seconds, an array for each set."""


@cache
def history(count: int, arrivals: Arrivals = "Poisson", seed: int = 0) -> History:
    """Return the record of this many sets, from little loaded to overloaded.

    A longer past begins with the shorter one.
    """
    sets, times = [], []
    for index in range(whole("count", count, 1)):
        own = _PAST_SEEDS + 1000 * seed + index
        size = int(np.random.default_rng(own).integers(1, 13))
        apps = demand(size, own)
        sets.append(apps)
        times.append(simulate(apps, arrivals, _LEARNING_REQUESTS, own).response_time)
    return History(sets, times)


def features(sets: Batch, with_formula: bool = False) -> Floats:
    """Return what a learner sees of each application of each set, shape (applications, features).

    Rates, times, sums over the set, and the number of networks; `with_formula` adds the formula's
    response time over the time alone, and its utilization.
    """
    rows = []
    for apps in sets:
        rate = np.array([app.arrival_rate for app in apps])
        time = np.array([app.network.service_time for app in apps])
        reload = np.array([app.network.switch_overhead for app in apps])
        names = [app.network.name for app in apps]
        of_set = [
            len(apps), len(set(names)), rate.sum(), rate @ time, rate @ reload,
            rate @ time**2, time.max(), reload.mean(),
        ]  # fmt: skip
        same = np.array([rate[[n == name for n in names]].sum() for name in names])
        own = np.column_stack([rate, time, reload, same / rate.sum()])
        table = np.hstack([own, np.tile(of_set, (len(apps), 1))])
        if with_formula:
            said = admission(TPU_NODE, apps)
            alone = np.array([alone_time(app) for app in apps])
            over = np.log(np.minimum(said.response_time, 10.0) / alone)
            table = np.column_stack([table, over, np.full(len(apps), said.utilization)])
        rows.append(table)
    return np.vstack(rows)


class Learned(NamedTuple):
    """A rule learned from a past: a regression of response times over times alone."""

    model: Any
    with_formula: bool

    def admits(self, sets: Batch) -> list[bool]:
        """Admit where every application's predicted time is below its limit."""
        slowed = np.exp(self.model.predict(features(sets, self.with_formula)))
        alone = np.array([alone_time(app) for apps in sets for app in apps])
        limit = np.array([app.response_limit for apps in sets for app in apps])
        ends = np.cumsum([len(apps) for apps in sets])[:-1]
        return [bool(part.all()) for part in np.split(slowed * alone < limit, ends)]


def learned_rule(known: History, with_formula: bool = False) -> Learned:
    """Return the rule that a past teaches, by extremely randomized trees."""
    from sklearn.ensemble import ExtraTreesRegressor

    alone = np.array([alone_time(app) for apps in known.sets for app in apps])
    slowed = np.log(np.concatenate(known.response_time) / alone)
    model = ExtraTreesRegressor(60, random_state=0)
    return Learned(model.fit(features(known.sets, with_formula), slowed), with_formula)


def admit(demands: Batch, rule: Rule) -> list[list[Application]]:
    """Return who is in, for each demand, after all of its applications have asked in turn."""
    admitted: list[list[Application]] = [[] for _ in demands]
    for turn in range(max(len(apps) for apps in demands)):
        asking = [index for index, apps in enumerate(demands) if turn < len(apps)]
        tried = [[*admitted[index], demands[index][turn]] for index in asking]
        for index, fits, apps in zip(asking, rule(tried), tried, strict=True):
            if fits:
                admitted[index] = apps
    return admitted


def outcomes(
    rule: Rule, demands: Batch, arrivals: Arrivals = "Poisson", seed: int = 0
) -> list[Outcome]:
    """Return what those whom a rule admits get, a simulation for each demand."""
    return [
        simulate(admitted, arrivals, seed=_SETS_SEEDS + seed + index)
        for index, admitted in enumerate(admit(demands, rule))
    ]


def tuned_threshold(demands: Batch, arrivals: Arrivals = "Poisson") -> float:
    """Return the utilization up to which admitting had the best score on past demands.

    Each demand is tried with each of eight thresholds, so that each costs a trial; the score is
    applications in time less those late.
    """

    def score(threshold: float) -> int:
        judged = outcomes(partial(by_utilization, threshold), demands, arrivals)
        return sum(outcome.in_time - outcome.late for outcome in judged)

    return max(_GRID, key=score)
