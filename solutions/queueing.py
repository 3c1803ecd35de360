"""Question bank of the topic queueing: why it is slow, and what would help.

Thirty-three questions in four levels. Units are SI: seconds, jobs per second. Shares run from 0
to 1; a load is in servers (erlangs). In the models' arguments C is a coefficient of variation.
"""

from math import ceil, floor, log, sqrt

import numpy as np

from perfcourse.bank import (
    Bank,
    array,
    by_place,
    choice,
    function,
    measured,
    mistakes,
    number,
    rounded,
)
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.queueing.fleet.staffing import servers_for_blocking, servers_for_waiting
from perfmodel.queueing.network.bounds import asymptotic_bounds, saturation_population
from perfmodel.queueing.network.elements import JobClass, Station
from perfmodel.queueing.network.flow_equivalent import admission_limit
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.mva import mva_of_demands, throughput_curve
from perfmodel.queueing.operational_analysis.operational_laws import interactive_response_time
from perfmodel.queueing.station.erlang import erlang_b, erlang_c
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.validation import non_negative

ARRAYS = (
    "Let NumPy do the loop: given an array of {}, the function should return an array of the "
    "same shape. If one of your checks stops it, wrap the comparison in np.any(...)."
)


def built(names):
    """Return the full names of functions that the package offers and the student is to build."""
    return ["perfmodel.queueing." + name for name in names.split()]


# Level 1: count, before you assume anything


def _web_site(rng):
    between = rng.uniform(0.02, 0.5)
    service = between * rng.uniform(0.3, 0.9)
    response = service * rng.uniform(1.5, 6)
    return {"seconds_between": between, "response_time": response, "service_time": service}


in_system = number(
    "in_system",
    "How many requests are there at once?",
    reference=by_place(lambda between, response, service: response / between),
    inputs=_web_site,
    points=2,
    mistakes=mistakes(
        lambda between, response, service: between * response,
        "interarrival time for rate: You multiplied by the time between arrivals as if it were the "
        "arrival rate. Check the units: seconds times seconds isn't a number of requests.",
        lambda between, response, service: (response + service) / between,
        "service counted twice: You added the service time. The response time already includes it.",
        lambda between, response, service: (response - service) / between,
        "only those waiting: You counted the waiting requests only. Requests in service haven't "
        "left yet.",
        lambda between, response, service: service / between,
        "only those in service: That is the utilization, the mean number in service. The other "
        "requests in the site are waiting.",
    ),
)


def _monitor(rng):
    elapsed, requests = rng.uniform(300, 3600), int(rng.integers(500, 3000))
    completions = np.round(requests * rng.uniform([0.2, 1.3, 2.5], [0.8, 2.2, 6]))
    return {
        "elapsed": elapsed,
        "requests": requests,
        "busy": elapsed * rng.uniform(0.15, 0.95, 3),
        "completions": completions.astype(int),
    }


def _log(**changed):
    """Return a model of the table from functions of (elapsed, requests, busy, completions)."""
    columns = {
        "utilization": lambda t, n, busy, done: busy / t,
        "service_time": lambda t, n, busy, done: busy / done,
        "service_demand": lambda t, n, busy, done: busy / n,
    } | changed

    def model(elapsed, requests, busy, completions):
        return {
            name: column(elapsed, requests, busy, completions) for name, column in columns.items()
        }

    return model


station_log = array(
    "station_log",
    "Utilization, service time and demand from a monitor",
    reference=_log(),
    inputs=_monitor,
    points=3,
    mistakes=mistakes(
        _log(service_demand=lambda t, n, busy, done: busy / done),
        "visits forgotten: Your demand is the service time of one visit. A request can visit a "
        "station several times or not at all: its demand is its total time there.",
        _log(service_time=lambda t, n, busy, done: t / done),
        "time between completions: You divided the whole time by the completions. This includes "
        "the time in which the station is idle.",
        _log(utilization=lambda t, n, busy, done: busy / busy.sum()),
        "share of all busy time: Your utilizations add up to 1, as if only one station could be "
        "busy at a time. Each station can be busy for any fraction of the time.",
        _log(service_demand=lambda t, n, busy, done: done / n),
        "visits for demand: Your demand is a number of visits. A demand is a time, in seconds per "
        "request.",
        _log(
            service_time=lambda t, n, busy, done: busy / n,
            service_demand=lambda t, n, busy, done: busy / done,
        ),
        "columns swapped: Service time and demand are exchanged. Which one is for one visit, and "
        "which one for all visits of a request?",
    ),
)


def _terminals(rng):
    users, think = int(rng.integers(5, 200)), rng.uniform(1, 20)
    return {
        "users": users,
        "throughput": users / (think + rng.uniform(0.2, 8)),
        "think_time": think,
    }


response_law = function(
    "response_law",
    "Build the interactive response time law",
    answer="response_time",
    reference=interactive_response_time,
    inputs=_terminals,
    points=4,
    builds=built("operational_analysis.operational_laws.interactive_response_time"),
    mistakes=mistakes(
        lambda n, x, z: n / x,
        "think time forgotten: That is the whole cycle of a user, think time included. Subtract "
        "the part that isn't spent waiting for an answer.",
        lambda n, x, z: n / x + z,
        "think time added: You added the think time to the cycle. The cycle already includes it.",
        lambda n, x, z: n - x * z,
        "people for seconds: That is how many users wait for an answer, not how long each waits. "
        "Divide by the throughput.",
        lambda n, x, z: n * x - z,
        "interarrival time for rate: You used the throughput as if it were the time between "
        "completions. It counts requests per second.",
    ),
    properties=[
        limit(
            "no thinking",
            (10, 4.0, 0.0),
            0.5,
            "Try it without think time: then it is Little's law.",
        ),
        vectorised((np.array([10.0, 20.0]), 0.5, 3.0), 0.5, ARRAYS.format("users")),
        refuses(
            (2, 1.0, 5.0),
            1,
            "2 users who think for 5 s can't make 1 request per second, and a negative response "
            "time would result: raise a ValueError.",
            "refuses a contradiction",
        ),
    ],
)


def _growing_load(rng):
    servers, service = int(rng.integers(2, 7)), rng.uniform(0.02, 0.5)
    shares = rng.uniform([0.2, 0.6, 1.1, 1.6], [0.4, 0.9, 1.4, 2.2])
    return {
        "arrival_rates": shares * servers / service,
        "servers": servers,
        "service_time": service,
    }


def _full(utilization, throughput):
    """Return a model of both columns from functions of (load per server, rates, capacity)."""

    def model(arrival_rates, servers, service_time):
        capacity = servers / service_time
        given = arrival_rates / capacity, arrival_rates, capacity
        return {"utilization": utilization(*given), "throughput": throughput(*given)}

    return model


_saturated = _full(
    lambda load, x, top: np.minimum(load, 1), lambda load, x, top: np.minimum(x, top)
)

saturation = array(
    "saturation",
    "What happens above 100 %?",
    reference=_saturated,
    inputs=_growing_load,
    points=3,
    mistakes=mistakes(
        _full(lambda load, x, top: load, lambda load, x, top: np.minimum(x, top)),
        "utilization above 1: Your throughput is right, but some servers are busy for more than "
        "all of the time. Only the offered load can exceed 1.",
        _full(lambda load, x, top: np.minimum(load, 1), lambda load, x, top: x),
        "everything gets through: Your utilization stops at 1, but your throughput grows on. How "
        "many jobs can all servers complete per second?",
        _full(lambda load, x, top: load, lambda load, x, top: x),
        "no limit at all: You used the law for a stable station where it doesn't hold. Neither the "
        "utilization nor the throughput can grow without limit.",
        lambda rates, servers, service: {
            "utilization": np.minimum(rates * service, 1),
            "throughput": np.minimum(rates, servers / service),
        },
        "load of all for one: Your utilization is the load of all servers together. For which "
        "fraction of the time is one of them busy?",
        lambda rates, servers, service: {
            "utilization": rates * service,
            "throughput": np.minimum(rates, servers / service),
        },
        "load of all for one, and above 1: Your utilization is the load of all servers together, "
        "without a limit. For which fraction of the time is one of them busy?",
        lambda rates, servers, service: {
            "utilization": np.minimum(rates * service / servers, 1),
            "throughput": np.minimum(rates, 1 / service),
        },
        "throughput of one server: Your utilization counts all servers, but your throughput stops "
        "at the limit of one server.",
        lambda arrival_rates, servers, service_time: _saturated(arrival_rates, 1, service_time),
        "one server: You gave the station one server. All of its servers work at the same time.",
    ),
)


def _minutes(rng):
    completions = rng.integers([20, 20, 30, 400, 300, 25], [60, 60, 90, 900, 800, 70])
    response = rng.uniform([0.05] * 3 + [0.5, 0.4, 0.05], [0.2] * 3 + [1.5, 1.2, 0.2])
    mean = completions @ response / completions.sum()
    promised = mean * rng.choice([rng.uniform(0.55, 0.85), rng.uniform(1.15, 1.5)])
    return {"completions": completions, "mean_response": response, "promised": promised}


def _kept(mean):
    """Return a model that decides by a mean response time of (completions, means)."""

    def model(completions, mean_response, promised):
        seconds = mean(completions, mean_response)
        return ("kept" if seconds <= promised else "broken"), float(seconds)

    return model


promise = choice(
    "promise",
    "Was the promise kept?",
    choices=("kept", "broken"),
    reference=_kept(lambda n, r: n @ r / n.sum()),
    inputs=_minutes,
    points=3,
    mistakes=mistakes(
        _kept(lambda n, r: r.mean()),
        "mean of means: You averaged the six means, so a request of a quiet minute counts many "
        "times as much as one of a busy minute. The promise is about all requests.",
        _kept(lambda n, r: n.sum() / np.sum(n / r)),
        "weights upside down: You averaged the reciprocals and took the reciprocal of the result. "
        "Times add up: start from the sum over all requests.",
        _kept(lambda n, r: n @ r / n.size),
        "divided by the minutes: You divided the seconds of all requests by the number of minutes. "
        "How many requests share these seconds?",
        _kept(lambda n, r: n @ r),
        "all the seconds: That is the sum of the seconds of all requests. What is the mean?",
        _kept(lambda n, r: r.max()),
        "worst minute: You used the worst minute. The promise is about the mean of all requests.",
    ),
)

# Level 2: one station


def _station(rng):
    mean = rng.uniform(0.05, 4)
    return {
        "arrival_rate": rng.uniform(0.2, 0.95) / mean,
        "mean_service": mean,
        "cv": rng.uniform(0.2, 5),
    }


def _khinchine(arrival_rate, mean_service, cv):
    return mg1(
        arrival_rate=arrival_rate, mean_service=mean_service, scv=non_negative("cv", cv) ** 2
    ).waiting_time


def _waiting(spread):
    """Return a model: the load's part of the waiting time times a function of C."""
    return lambda rate, mean, cv: rate * mean / (1 - rate * mean) * mean * spread(cv)


khinchine = function(
    "khinchine",
    "Build the Pollaczek-Khinchine formula",
    answer="waiting_time",
    reference=_khinchine,
    inputs=_station,
    points=5,
    builds=built(
        "station.mg1.mg1 station.mg1.mg1_batches station.mg1.mg1_vacations "
        "station.ggc.allen_cunneen station.ggc.kraemer_langenbach_belz "
        "station.priorities.nonpreemptive_priorities station.scheduling.mean_response"
    ),
    mistakes=mistakes(
        _waiting(lambda cv: (1 + cv) / 2),
        "C for C squared: You put the coefficient of variation where its square belongs. The "
        "argument is a standard deviation over a mean.",
        _waiting(lambda cv: cv**2 / 2),
        "spread without the mean: With your formula, jobs of equal length never wait. Even they "
        "find a job half done: the mean residual time also contains the mean.",
        _waiting(lambda cv: 1 + cv**2),
        "half forgotten: Your time is twice too long: each arrival waits for all of the job in "
        "service. On average it arrives in the middle of it, if jobs are equal.",
        _waiting(lambda cv: 1.0),
        "spread forgotten: That is M/M/1 for any variability. Your result doesn't depend on the "
        "coefficient of variation.",
        lambda rate, mean, cv: _khinchine(rate, mean, cv) + mean,
        "response time: That is the response time, with the job's own service in it. The "
        "question asks for the time before it.",
        lambda rate, mean, cv: rate * mean * mean * (1 + cv**2) / 2,
        "job in service only: You counted the job in service, but not the waiting jobs. They make "
        "the delay very long near full load.",
        lambda rate, mean, cv: rate * _khinchine(rate, mean, cv),
        "number for time: That is the number of waiting jobs. By Little's law, how long does each "
        "of them wait?",
    ),
    properties=[
        limit(
            "equal jobs", (0.5, 1.0, 0.0), 0.5, "Try jobs of equal length: C is 0, but they wait."
        ),
        vectorised((np.array([0.1, 0.5, 0.9]), 1.0, 2.0), 0.5, ARRAYS.format("arrival rates")),
        refuses(
            (1.2, 1.0, 1.0),
            1,
            "More work arrives than the server can do, and the queue grows without limit: raise a "
            "ValueError.",
            "refuses a utilization above 1",
        ),
        refuses(
            (0.5, 1.0, -1.0),
            0.5,
            "A coefficient of variation can't be negative: raise a ValueError.",
            "refuses C below 0",
        ),
    ],
)


def _equivalent(times):
    """Return a model: utilization at which equal jobs wait `times(C^2)` rho/(1 - rho) E[S]."""

    def model(utilization, scv):
        twice = 2 * times(scv) * utilization / (1 - utilization)
        return twice / (1 + twice)

    return model


same_wait = number(
    "same_wait",
    "How busy does a half-idle server feel?",
    reference=_equivalent(lambda scv: (1 + scv) / 2),
    inputs=lambda rng: {"utilization": rng.uniform(0.15, 0.45), "scv": rng.uniform(3, 12)},
    points=3,
    mistakes=mistakes(
        _equivalent(lambda scv: scv / 2),
        "spread without the mean: You left out the part of the residual time that equal jobs have "
        "as well. With your formula they would never wait.",
        _equivalent(lambda scv: (1 + sqrt(scv)) / 2),
        "C for C squared: You took a square root. The parameter already is the squared coefficient "
        "of variation.",
        lambda utilization, scv: (1 + scv) * utilization / (1 - utilization),
        "ratio for utilization: That is the busy time over the idle time, which can exceed 1. The "
        "utilization follows from it.",
        lambda utilization, scv: utilization,
        "utilization decides: You assumed that the delay depends on the utilization alone. Compute "
        "both waiting times.",
        _equivalent(lambda scv: (1 + scv) / 4),
        "compared with exponential jobs: You compared with exponential service. On the other "
        "server all jobs are equal: what is their squared coefficient of variation?",
    ),
)


def _gaps(rng):
    return {
        "short_gap": rng.uniform(60, 180),
        "long_gap": rng.uniform(1500, 5400),
        "share_long": rng.uniform(0.05, 0.3),
    }


def _passenger(wait):
    """Return a model from a function of the first two moments of the gaps."""

    def model(short_gap, long_gap, share_long):
        def moment(k):
            return (1 - share_long) * short_gap**k + share_long * long_gap**k

        return wait(moment(1), moment(2))

    return model


bus = number(
    "bus",
    "How long for the bus?",
    reference=_passenger(lambda mean, square: square / mean / 2),
    inputs=_gaps,
    points=3,
    mistakes=mistakes(
        _passenger(lambda mean, square: mean),
        "mean gap: That is the mean interval between buses. You don't arrive just as a bus leaves, "
        "and you meet long intervals more often.",
        _passenger(lambda mean, square: mean / 2),
        "half the mean gap: Half the mean gap is right if all gaps are equal. How likely is a "
        "passenger to arrive in a long gap rather than in a short one?",
        _passenger(lambda mean, square: square / mean),
        "gap met: That is the mean length of the interval that you meet. Part of it is over when "
        "you arrive.",
        lambda short_gap, long_gap, share_long: (short_gap + long_gap) / 4,
        "as many long as short: You gave long and short intervals the same weight. The fraction of "
        "long intervals must matter.",
    ),
)


def _odds(share):
    return share / (1 - share)


def _survey(rng):
    trains = rng.uniform(0.03, 0.15)
    return {"late_trains": trains, "late_passengers": trains * rng.uniform(2.5, 6)}


who_counts = number(
    "who_counts",
    "Late trains, or late passengers?",
    reference=by_place(lambda trains, passengers: _odds(passengers) / _odds(trains)),
    inputs=_survey,
    points=2,
    mistakes=mistakes(
        lambda trains, passengers: passengers / trains,
        "against the mean train: You compared a late train with the mean of all trains. The "
        "question is about a train on time.",
        lambda trains, passengers: _odds(passengers),
        "passengers only: You compared all late passengers with all others. They are in very "
        "different numbers of trains: divide by the trains.",
        lambda trains, passengers: passengers - trains,
        "difference: You subtracted the two fractions. How many passengers per train are in late "
        "trains, and how many in the others?",
    ),
)


def _jobs_by_clock(rng):
    jobs, service = int(rng.integers(3, 13)), rng.uniform(2, 9)
    return {"jobs": jobs, "service_time": service, "period": jobs * service / rng.uniform(0.4, 0.9)}


by_the_clock = number(
    "by_the_clock",
    "Jobs that all start on the hour",
    reference=by_place(lambda jobs, service, period: service * (jobs - 1) / 2),
    inputs=_jobs_by_clock,
    points=3,
    mistakes=mistakes(
        lambda jobs, service, period: service * service * jobs * (jobs + 1) / 2 / period,
        "time average seen: You let each job find the mean number over time. Only arrivals at "
        "random moments see this (PASTA). These jobs arrive all at once, when the server is idle.",
        lambda jobs, service, period: (
            mg1(arrival_rate=jobs / period, mean_service=service, scv=0).waiting_time
        ),
        "Poisson arrivals: That is M/D/1, for arrivals at random moments. The rate is the same "
        "here, but the jobs come together.",
        lambda jobs, service, period: 0.0,
        "idle server found: The server is idle when the jobs arrive, but it can start only one of "
        "them. What do the others wait for?",
        lambda jobs, service, period: service * (jobs + 1) / 2,
        "response time: That is the mean response time: each job's own service is in it.",
        lambda jobs, service, period: service * jobs / 2,
        "half of all jobs: You let a job wait for half of all jobs, itself included. Try two jobs "
        "by hand: how long does each wait?",
        lambda jobs, service, period: service * (jobs - 1),
        "last job: That is how long the last job waits. The first one doesn't wait at all.",
    ),
)


def _exponential(rng):
    service = rng.uniform(0.01, 0.3)
    return {
        "arrival_rate": rng.uniform(0.4, 0.9) / service,
        "service_time": service,
        "share": rng.choice([0.9, 0.97, 0.98, 0.99]),
    }


percentile = number(
    "percentile",
    "A promise for nearly all requests",
    reference=by_place(lambda rate, service, share: -log(1 - share) / (1 / service - rate)),
    inputs=_exponential,
    points=3,
    mistakes=mistakes(
        lambda rate, service, share: 1 / (1 / service - rate),
        "mean: That is the mean, which more than a third of the requests exceed. Which multiple of "
        "it does your fraction need?",
        lambda rate, service, share: -log(1 - share) * service,
        "service only: That is the percentile of the service time, as if no request waited.",
        lambda rate, service, share: log(rate * service / (1 - share)) / (1 / service - rate),
        "waiting only: That is the percentile of the waiting time; the response time includes the "
        "service. Percentiles can't be added: use the distribution of the response time.",
        lambda rate, service, share: -log(share) / (1 / service - rate),
        "wrong tail: You found the time that this fraction of the requests exceed. They should "
        "stay below it.",
        lambda rate, service, share: -np.log10(1 - share) / (1 / service - rate),
        "decimal logarithm: You used a decimal logarithm. The exponential distribution has base e.",
        lambda rate, service, share: 3 / (1 / service - rate),
        "three means: Three times the mean is the promise for 95 %. Which multiple of the mean "
        "belongs to your share?",
        lambda rate, service, share: 1 / (1 - share) / (1 / service - rate),
        "bound for any law: You divided the mean by the fraction that may take longer. That is "
        "Markov's bound for any distribution, far above the percentile of this one.",
        lambda rate, service, share: share / (1 / service - rate),
        "share of the mean: You took that fraction of the mean. The response times are "
        "exponential: some are far above their mean.",
    ),
)


def _servers(rng):
    servers = int(rng.integers(2, 41))
    return {"servers": servers, "offered_load": servers * rng.uniform(0.4, 0.95)}


must_wait = function(
    "must_wait",
    "Build Erlang's C formula",
    answer="wait_probability",
    reference=erlang_c,
    inputs=_servers,
    points=5,
    builds=built(
        "station.erlang.erlang_b station.erlang.erlang_c network.recursion_tables.erlang_b_table "
        "network.recursion_tables.erlang_c_table station.mmc.mmc "
        "station.mmc.mmc_waiting_tail station.ggc.approximate_wait_probability "
        "station.ggc.allen_cunneen station.mmck.mmck station.mmck.mmck_probabilities"
    ),
    mistakes=mistakes(
        erlang_b,
        "Erlang B: That is Erlang's B: the fraction of jobs that are lost if no job can wait. "
        "Waiting jobs keep the servers busy for longer.",
        lambda c, a: a / c,
        "utilization: That is the utilization, the probability that one given server is busy. An "
        "arrival waits only if all servers are busy.",
        lambda c, a: (a / c) ** c,
        "independent servers: You multiplied the utilizations, as if servers were busy "
        "independently. They share one queue: when it is long, all of them are busy together.",
        lambda c, a: erlang_c(c, a) * (1 - a / c),
        "nobody waiting yet: You used the one state in which all servers are busy and no job waits "
        "yet. An arrival that finds a queue must wait as well.",
    ),
    properties=[
        limit("one server", (1, 0.6), 0.5, "Try one server: an arrival waits while it is busy."),
        limit(
            "many servers",
            (1000, 970.0),
            1,
            "Try 1,000 servers: factorials and powers overflow. Use the recursion of Erlang's B, "
            "whose numbers stay between 0 and 1.",
        ),
        monotone(
            "more servers, less waiting",
            0,
            [4, 5, 8, 12],
            (4, 3.5),
            0.5,
            "More servers at the same load must make fewer jobs wait.",
            rises=False,
        ),
        refuses(
            (4, 4.5),
            0.5,
            "A load of 4.5 is more than 4 servers can do: raise a ValueError.",
            "refuses too much load",
        ),
    ],
)


def _sites(rng):
    return {
        "sites": int(rng.integers(4, 16)),
        "load_per_site": rng.uniform(8, 60),
        "wait_probability": rng.uniform(0.05, 0.3),
    }


def _saved(fewest):
    """Return a model that staffs the sites and the pool by a function of (load, probability)."""

    def model(sites, load_per_site, wait_probability):
        alone = fewest(load_per_site, wait_probability)
        return float(sites * alone - fewest(sites * load_per_site, wait_probability))

    return model


def _one_safety(sites, load_per_site, wait_probability):
    spare = servers_for_waiting(load_per_site, wait_probability) - load_per_site
    return float((sites - 1) * spare)


def _first_below(waits, load, late):
    """Return the smallest number of servers above the load that makes so few jobs wait."""
    servers = floor(load) + 1
    while waits(servers) > late:
        servers += 1
    return servers


pooling = number(
    "pooling",
    "What does one big site save?",
    reference=_saved(servers_for_waiting),
    inputs=_sites,
    points=3,
    mistakes=mistakes(
        lambda sites, load_per_site, wait_probability: 0.0,
        "nothing saved: You kept the servers of all sites. A large site needs fewer spare servers: "
        "when one part is busy, another is idle.",
        _saved(servers_for_blocking),
        "lost calls: You used Erlang's B, for jobs that leave. Here they wait.",
        lambda n, load, late: float(n * servers_for_waiting(load, late) - ceil(n * load)),
        "no spare servers in the pool: You gave the merged site only the servers that its load "
        "keeps busy. Without spare servers, the queue grows without limit.",
        lambda n, load, late: float(servers_for_waiting(n * load, late)),
        "the pool itself: That is how many servers the merged site has. How many fewer is this "
        "than all sites together?",
        lambda n, load, late: float(n * servers_for_waiting(load, late)),
        "the sites together: That is how many servers the sites have together. How many does the "
        "merged site need?",
        lambda n, load, late: float(
            n * servers_for_waiting(load, late) - servers_for_waiting(load, late)
        ),
        "one site for all: You kept the servers of a single site. The merged site has the load of "
        "all.",
        lambda n, load, late: _saved(servers_for_waiting)(n, load, late) / n,
        "a site's part: That is the saving per site. The question asks for all sites together.",
        lambda n, load, late: (
            _saved(servers_for_waiting)(n, load, late) / (n * servers_for_waiting(load, late))
        ),
        "a fraction: That is the fraction of the servers that is saved. The question asks how "
        "many.",
        _saved(lambda load, late: ceil(load / late)),
        "utilization for the probability: You used the utilization as the probability of waiting. "
        "A job waits only if all servers are busy.",
        _saved(lambda load, late: _first_below(lambda c: (load / c) ** c, load, late)),
        "independent servers: You multiplied the utilizations, as if servers were busy "
        "independently. They share one queue: when it is long, all of them are busy together.",
        _one_safety,
        "one site's spare servers: You gave the merged site the spare servers of one site. It "
        "needs more than this, but fewer than all sites together.",
    ),
)


def _upgrade_offer(rng):
    load = rng.uniform(0.7, 0.93)
    service = rng.uniform(0.05, 2)
    even = (1 + load) - load**2 / 4
    return {
        "arrival_rate": load / service,
        "service_time": service,
        "speed": even * rng.choice([rng.uniform(0.8, 0.93), rng.uniform(1.07, 1.2)]),
    }


def _two_or_fast(two=lambda load: 1 / (1 - load**2 / 4), fast=lambda load, g: 1 / (g - load)):
    """Return a model that compares two response times, in units of the service time."""

    def model(arrival_rate, service_time, speed):
        load = arrival_rate * service_time
        ratio = two(load) / fast(load, speed)
        return ("fast" if ratio > 1 else "second"), ratio

    return model


fast_or_second = choice(
    "fast_or_second",
    "A second server, or a faster one?",
    choices=("second", "fast"),
    reference=_two_or_fast(),
    inputs=_upgrade_offer,
    points=4,
    mistakes=mistakes(
        _two_or_fast(two=lambda load: 0.5 / (1 - load)),
        "twice the servers, half the delay: You halved the delay because the servers were doubled. "
        "A second server shortens the waiting only, by more than half; the service stays as long.",
        _two_or_fast(two=lambda load: 1 / (1 - load / 2)),
        "two queues: You split the jobs over two queues. With one queue for both, no server is "
        "idle while a job waits.",
        _two_or_fast(fast=lambda load, g: 1 / (1 - load) / g),
        "delay in proportion to speed: You divided the delay by the speed. A faster server also "
        "has a lower utilization, so its delay falls by more.",
        _two_or_fast(two=lambda a: 1 + erlang_b(2, a) / (2 - a)),
        "Erlang's B: You used Erlang's B as the probability of waiting. It is for jobs that leave; "
        "here they wait, so use Erlang's C.",
        _two_or_fast(two=lambda a: 1 + a / 2 / (2 - a)),
        "utilization for the probability: You used the utilization of a server as the probability "
        "of waiting. A job waits only if both servers are busy.",
        _two_or_fast(two=lambda a: 1 + erlang_c(2, a) / (1 - a / 2)),
        "twice the waiting: Your mean waiting time is twice too long. Two servers work off the "
        "queue.",
        _two_or_fast(two=lambda a: 1 + erlang_c(2, a)),
        "the probability for the wait: You added the probability of waiting as if it were a time. "
        "Multiply it by the mean time that a waiting job waits.",
        _two_or_fast(two=lambda a: erlang_c(2, a) / (2 - a), fast=lambda a, g: a / g / (g - a)),
        "waiting only: You compared the waiting times. The response time includes the service.",
        _two_or_fast(two=lambda load: 1.0, fast=lambda load, g: 1 / g),
        "service only: You compared the service times. The response time includes the waiting.",
    ),
)

# Level 3: networks, schedulers, systems


def _closed(rng):
    demands = rng.uniform([0.05, 0.2, 0.4], [0.4, 0.9, 1.4])
    return {"demands": demands, "think_time": rng.uniform(2, 25)}


def _users(rng):
    drawn = _closed(rng)
    knee = (drawn["demands"].sum() + drawn["think_time"]) / drawn["demands"].max()
    off = rng.choice([rng.uniform(0.4, 0.75), rng.uniform(1.3, 2)])
    return {**drawn, "users": round(float(off * knee))}


def _limited(knee):
    """Return a model that decides by a number of users, a function of (demands, think time)."""

    def model(demands, think_time, users):
        at = float(knee(demands, think_time))
        return ("users" if users < at else "bottleneck"), at

    return model


knee = choice(
    "knee",
    "Too few users, or too slow a station?",
    choices=("users", "bottleneck"),
    reference=_limited(saturation_population),
    inputs=_users,
    points=3,
    tolerance=0.002,
    mistakes=rounded(_limited(saturation_population))
    + mistakes(
        _limited(lambda d, z: d.sum() / d.max()),
        "think time forgotten: You left out the think time. Users who think use no station, so "
        "more users are needed.",
        _limited(lambda d, z: (d.sum() + z) / d.sum()),
        "total for the largest demand: You divided by the total demand, as if the stations worked "
        "one after the other. They work at the same time: which one is full first?",
        _limited(lambda d, z: z / d.max()),
        "demand forgotten: You counted the users who think. Some users are at the stations, even "
        "before any queue forms.",
        _limited(lambda d, z: 1 / d.max()),
        "largest throughput: That is the largest throughput. How many users produce it if nobody "
        "waits?",
    ),
)


def _population(rng):
    demands, think = _closed(rng).values()
    return {"demands": demands, "population": int(rng.integers(4, 30)), "think_time": think}


def _cycle(demands, population, think_time):
    return float(throughput_curve(demands, population, think_time)[-1])


def _open_inside(demands, population, think_time):
    """Return X where every arrival sees the time average of all: R = sum D / (1 - X D)."""
    low, high = 0.0, 1 / np.max(demands)
    for _ in range(60):
        x = (low + high) / 2
        users = x * (think_time + np.sum(demands / (1 - x * demands)))
        low, high = (x, high) if users < population else (low, x)
    return low


mva = function(
    "mva",
    "Build mean value analysis",
    answer="closed_throughput",
    reference=_cycle,
    inputs=_population,
    points=6,
    builds=built(
        "network.mva.exact_mva network.mva.mva_of_demands network.mva.throughput_curve "
        "network.convolution.convolution_algorithm network.convolution.convolution_of_demands "
        "network.compiled_recursions.single_class_mva network.compiled_recursions.multi_class_mva "
        "network.recursion_tables.mva_table network.recursion_tables.convolution_table "
        "network.state_space.global_balance"
    ),
    mistakes=mistakes(
        lambda d, n, z: float(asymptotic_bounds(d, n, z).throughput_high),
        "asymptotes: That is the upper bound from the two asymptotes. A network with queueing "
        "doesn't reach it near the knee.",
        lambda d, n, z: n / (z + np.sum(d)),
        "no queueing: You let every user pass without waiting. At each step, how many others "
        "does an arrival find at a station?",
        lambda d, n, z: _cycle(d, n, 0.0),
        "think time forgotten: Your users don't think. The think time is part of the cycle by "
        "which you divide the population.",
        _open_inside,
        "arrival sees itself: You let an arrival find the mean queue of the full network, as in "
        "an open one. In a closed one it can't meet itself: it finds the network with one user "
        "fewer.",
        lambda d, n, z: n / _cycle(d, n, z) - z,
        "response time: That is the response time. You have the throughput already, as a step on "
        "the way.",
    ),
    properties=[
        limit("one user", (np.array([0.2, 0.3]), 1, 4.0), 0.5, "One user alone never waits."),
        limit(
            "many users",
            (np.array([0.2, 0.5]), 400, 4.0),
            0.5,
            "With very many users the bottleneck is always busy: what is the throughput then?",
        ),
        refuses(
            (np.array([0.2, -0.5]), 3, 1.0),
            0.5,
            "A demand of -0.5 s makes no sense: raise a ValueError.",
            "refuses a negative demand",
        ),
    ],
)


def _load_test(rng):
    service, think = rng.uniform(0.05, 0.5), rng.uniform(1, 5)
    users = max(3, round(rng.uniform(0.6, 0.97) * (think + service) / service))
    return {"users": users, "think_time": think, "service_time": service}


def _response(users, think, service):
    return users / _cycle(np.array([service]), users, think) - think


load_test = number(
    "load_test",
    "What does a load test measure?",
    reference=by_place(_response),
    inputs=_load_test,
    points=3,
    mistakes=mistakes(
        lambda users, think, service: service / (1 - users / think * service),
        "open for closed: You used M/M/1 with one request per think time from each user. A waiting "
        "user sends no request, so in a closed system delay reduces the load.",
        lambda n, z, service: service / (1 - service * _open_inside(np.array([service]), n, z)),
        "arrival meets itself: You let each arrival find the mean queue of the full system. In a "
        "closed system it can't meet itself: it finds the system with one user fewer.",
        lambda n, z, service: service / (1 - service * _cycle(np.array([service]), n, z)),
        "open at the same throughput: Your throughput is right, but you put it into M/M/1, whose "
        "arrivals never stop. Which law needs no such assumption?",
        lambda n, z, service: service / (1 - service * n / (z + service)),
        "users who never wait: You put the throughput of users who never wait into M/M/1. If no "
        "user waited, there would be no queue.",
        lambda n, z, service: n / _cycle(np.array([service]), n, z),
        "think time left in: That is a user's whole cycle, think time included. How much of it is "
        "the response?",
        lambda users, think, service: users * service,
        "all queue: You let all users queue all the time. Most of them are thinking.",
        lambda users, think, service: max(service, users * service - think),
        "asymptote: That is the lower bound from the asymptotes, as if requests came one after the "
        "other. They come at random, so some must wait.",
    ),
)


def _two_classes(rng):
    return {
        "users": int(rng.integers(8, 21)),
        "think_time": rng.uniform(8, 30),
        "web": rng.uniform([0.2, 0.2], [0.7, 0.8]),
        "batch_jobs": int(rng.integers(2, 9)),
        "batch": rng.uniform([0.2, 0.05], [1.0, 0.5]),
    }


def _consolidated(users, think_time, web, batch_jobs, batch):
    residence = mva_of_demands([web, batch], [users, batch_jobs], [think_time, 0])[1]
    return float(residence[0].sum())


def _better(response, pick=min):
    """Return a model that takes the upgrade after which web users get the shorter response."""

    def model(users, think_time, web, batch_jobs, batch):
        processor, network = np.array([2, 1]), np.array([1, 2])
        return pick(
            (response(users, think_time, web / speed, batch_jobs, batch / speed), word)
            for word, speed in (("processor", processor), ("network", network))
        )[::-1]

    return model


def _alone(users, think_time, web, *batch):
    return float(mva_of_demands([web], [users], [think_time])[1].sum())


upgrade = choice(
    "upgrade",
    "Which upgrade helps the users?",
    choices=("processor", "network"),
    reference=_better(_consolidated),
    inputs=_two_classes,
    points=4,
    mistakes=mistakes(
        _better(_consolidated, pick=max),
        "other upgrade: You chose the other upgrade, perhaps because that device is busier. Who "
        "keeps it busy? Solve the network both ways and compare the web users' response times.",
        _better(_alone),
        "batch left out: You solved the network without the batch jobs. They are always there.",
        _better(lambda users, think_time, *rest: _consolidated(users, 0.0, *rest)),
        "think time forgotten: Your web users never think, so all of them are always in the "
        "queues.",
        _better(lambda users, think_time, web, *batch: float(web.sum())),
        "no queues: You added up the demands, as if no job waited. With that many jobs, some wait.",
    ),
)


def _accelerator(rng):
    service = rng.uniform([0.004, 0.01, 0.03], [0.01, 0.03, 0.13])
    switch = rng.uniform(0.01, 0.025, 3)
    return {
        "arrival_rates": rng.uniform(0.4, 0.8) * rng.dirichlet([4, 4, 4]) / (service + switch),
        "service_times": service,
        "switch_times": switch,
    }


def _shared(effective=lambda share, s, o: s + (1 - share) * o, wait=None):
    """Return a model from the effective service times and, where given, another waiting time."""

    def model(arrival_rates, service_times, switch_times):
        share = arrival_rates / arrival_rates.sum()
        seconds = effective(share, service_times, switch_times)
        free = 1 - arrival_rates @ seconds
        if free <= 0:
            raise ValueError("no steady state")
        queue = arrival_rates @ seconds**2 / 2 / free
        return seconds + (queue if wait is None else wait(share, seconds, free, queue))

    return model


edge = array(
    "edge",
    "Three neural networks on one accelerator",
    reference=_shared(),
    inputs=_accelerator,
    points=4,
    mistakes=mistakes(
        _shared(lambda share, s, o: s),
        "switching free: You left out the reloading. A request finds other weights loaded unless "
        "the previous request was of its own application.",
        _shared(lambda share, s, o: s + o),
        "switching always: You reloaded the weights for every request. After a request of the same "
        "application, they are already loaded.",
        _shared(wait=lambda share, s, free, queue: (1 - free) / free * (share @ s) / 2),
        "square of the mean: You squared the mean of the service times. The formula needs the mean "
        "of their squares, in which long ones weigh more.",
        _shared(wait=lambda share, s, free, queue: s / free - s),
        "processor sharing: You shared the accelerator by time slices. It runs each request to its "
        "end, so short ones wait behind long ones.",
        _shared(wait=lambda share, s, free, queue: queue - s),
        "waiting only: That is the waiting time, the same for all three. The response time "
        "includes the service.",
    ),
)


def _inference_server(rng):
    drawn = {
        "preprocess_time": rng.uniform(0.003, 0.012),
        "setup_time": rng.uniform(0.001, 0.004),
        "image_time": rng.uniform(0.0002, 0.0008),
        "batch": int(rng.choice([8, 16, 32])),
    }
    off = rng.choice([rng.uniform(0.4, 0.75), rng.uniform(1.3, 2)])
    return {"cores": round(float(off * _cores_needed(*drawn.values()))), **drawn}


def _cores_needed(preprocess, setup, image, batch):
    return preprocess * batch / (setup + batch * image)


def _feeds(needed):
    """Return a model that decides by the number of cores that keep the GPU busy."""
    return lambda cores, *times: ("cpu" if cores < needed(*times) else "gpu", needed(*times))


capacity = choice(
    "capacity",
    "Does the image server need a faster GPU?",
    choices=("cpu", "gpu"),
    reference=by_place(_feeds(_cores_needed)),
    inputs=_inference_server,
    points=3,
    tolerance=0.002,
    mistakes=rounded(by_place(_feeds(_cores_needed)))
    + mistakes(
        _feeds(lambda preprocess, setup, image, batch: preprocess / (setup + image)),
        "set up for every image: You counted the set-up for every image. A batch needs it once.",
        _feeds(lambda preprocess, setup, image, batch: preprocess / image),
        "set-up free: You left out the set-up of a batch. A full batch needs it, too.",
        _feeds(lambda preprocess, setup, image, batch: preprocess * batch / setup),
        "images free: You counted the set-up of a batch, but not its images.",
        _feeds(lambda preprocess, setup, image, batch: preprocess / (setup + batch * image)),
        "batch for image: You compared the time of a whole batch with the time of one image. How "
        "many images does a batch need?",
        _feeds(lambda *times: 1 / _cores_needed(*times)),
        "upside down: You divided the GPU's time for an image by the core's. A slower core means "
        "that more cores are needed.",
    ),
)


def _kernels(rng):
    host = rng.uniform(4e-6, 12e-6)
    return {
        "kernels": int(rng.integers(10, 60)),
        "launch_latency": rng.uniform(2e-6, 4e-6),
        "host_time": host,
        "kernel_time": host * rng.uniform(1.05, 2.5),
    }


def _launches(queued):
    """Return a model of the total from a function of (kernels, growth of the queue)."""
    return lambda n, latency, host, kernel: n * latency + queued(n, kernel - host)


launch = number(
    "launch",
    "The queue in front of a GPU",
    reference=by_place(_launches(lambda n, more: more * n * (n - 1) / 2)),
    inputs=_kernels,
    points=3,
    mistakes=mistakes(
        lambda n, latency, host, kernel: n * latency + kernel * n * (n - 1) / 2,
        "launched all at once: You launched all kernels at the same moment. The processor takes "
        "its time for each launch: by how much does the queue really grow?",
        _launches(lambda n, more: 0.0),
        "no queue: You added up the latencies of an idle GPU. Here kernels are launched faster "
        "than they run, so they queue.",
        _launches(lambda n, more: more * (n - 1)),
        "each waits as long: You let every kernel add its delay once. All later kernels wait for "
        "it, so each waits longer than the previous one.",
        _launches(lambda n, more: more * n * (n + 1) / 2),
        "first waits, too: You have one term too many: the first kernel doesn't wait for another "
        "one. How many kernels are before the last?",
        _launches(lambda n, more: more * n * (n - 1)),
        "all wait like the last: You let all kernels wait as long as the last one. The first "
        "doesn't wait at all.",
        lambda n, latency, host, kernel: (kernel - host) * n * (n - 1) / 2,
        "launch latency forgotten: You have the queueing. The metric also counts the launches' "
        "own latency.",
        lambda n, latency, host, kernel: latency + (kernel - host) * (n - 1),
        "last kernel only: That is how long the last kernel waits. Add up the times of all "
        "kernels.",
    ),
)


def _two_sizes(rng):
    short, busy = rng.uniform(0.01, 0.5), rng.uniform(0.35, 0.85, 2)
    long = short * 10 ** rng.uniform(0.3, 2.3)
    few, many = busy[1] / long, busy[0] / short
    return {
        "arrival_rate": few + many,
        "short": short,
        "long": long,
        "share_long": few / (few + many),
    }


def _dispatch(
    by_size=lambda part, p: part @ p, scv=0.0, pooled=lambda w, s, c2, a: w * (1 + c2) / 2 + s
):
    """Return a model that compares hosts by size with one queue; times are means over jobs."""

    def model(arrival_rate, short, long, share_long):
        share, sizes = np.array([1 - share_long, share_long]), np.array([short, long])
        mean, square = share @ sizes, share @ sizes**2
        hosts = mg1(arrival_rate=arrival_rate * share, mean_service=sizes, scv=scv).response_time
        waiting = erlang_c(2, arrival_rate * mean) * mean / (2 - arrival_rate * mean)
        one_queue = pooled(waiting, mean, square / mean**2 - 1, arrival_rate)
        ratio = one_queue / by_size(hosts, share)
        return ("by size" if ratio > 1 else "one queue"), float(ratio)

    return model


dispatch = choice(
    "dispatch",
    "One queue for all, or one for each size?",
    choices=("by size", "one queue"),
    reference=_dispatch(),
    inputs=_two_sizes,
    points=4,
    mistakes=mistakes(
        _dispatch(pooled=lambda w, s, c2, a: w + s),
        "one queue always best: Your single queue is that of exponential sizes, as if only the "
        "mean counted. With sizes this different, what do short jobs wait behind?",
        _dispatch(scv=1.0),
        "exponential hosts: You gave each server jobs of exponential size. By size, all jobs of a "
        "server are equal. What is their coefficient of variation?",
        _dispatch(by_size=lambda part, p: part.mean()),
        "hosts count the same: You averaged the two servers. Nearly all jobs go to one of them, so "
        "weight the servers by their jobs.",
        _dispatch(
            pooled=lambda w, s, c2, a: mg1(arrival_rate=a / 2, mean_service=s, scv=c2).response_time
        ),
        "jobs at random: You compared with two queues to which jobs go at random. In one queue, no "
        "job waits while a server is idle.",
    ),
)


def _old_job(rng):
    short = rng.uniform(0.5, 3)
    long, share = short * rng.uniform(5, 15), rng.uniform(0.3, 0.8)
    rank = min(short / share, share * short + (1 - share) * long)
    left = rank * rng.choice([rng.uniform(0.4, 0.85), rng.uniform(1.2, 2)])
    return {
        "short": short,
        "long": long,
        "share_short": share,
        "age": max(long - left, 1.01 * short),
    }


def _runs(rank):
    """Return a model that compares the old job with a fresh one's rank of (short, long, share)."""

    def model(short, long, share_short, age):
        fresh = rank(short, long, share_short)
        return ("fresh" if fresh < long - age else "old"), fresh

    return model


def _fresh_rank(short, long, share):
    return min(short / share, share * short + (1 - share) * long)


def _old_rank(short, long, share, age):
    return _runs(_fresh_rank)(short, long, share, age)[0], long - age


gittins = choice(
    "gittins",
    "Which job, if nobody knows the sizes?",
    choices=("fresh", "old"),
    reference=_runs(_fresh_rank),
    inputs=_old_job,
    points=4,
    mistakes=mistakes(
        _runs(lambda s, b, p: p * s + (1 - p) * b),
        "expected remaining size: That is the rank of SERPT. Gittins' rank can stop a job that "
        "turns out to be long. What does such a try cost, and how often does it succeed?",
        _old_rank,
        "old job's rank: That is the remaining time of the old job, which is its own rank. The "
        "question asks for the fresh job's rank.",
        _runs(lambda s, b, p: s),
        "short size: You took the cost of a short try. It doesn't always complete the job: divide "
        "the cost by the probability of success.",
        _runs(lambda s, b, p: s / (1 - p)),
        "chance of failure: You divided by the probability that the try fails. The rank is the "
        "cost per success.",
    ),
)


def _own_requests(rng):
    arrivals = np.cumsum(rng.exponential(0.2, 30))
    return {"arrivals": arrivals, "departures": arrivals + rng.exponential(0.5, 30) + 0.01}


def _complaint(arrivals, departures):
    if (np.diff(arrivals) < 0).any():
        return "Give the requests in the order in which they arrived."
    if not (departures > arrivals).all():
        return "Every request must leave after it has arrived."
    return ""


def _window(arrivals, departures):
    return departures.max() - arrivals[0]


own_queue = measured(
    "own_queue",
    "Little's law on your own machine",
    columns=("arrivals", "departures"),
    reference=lambda arrivals, departures: float(
        np.sum(departures - arrivals) / _window(arrivals, departures)
    ),
    example=_own_requests,
    least=10,
    plausible=_complaint,
    points=3,
    mistakes=mistakes(
        lambda arrivals, departures: float(np.mean(departures - arrivals)),
        "mean response time: That is the mean response time, in seconds. How many requests were "
        "there at once?",
        lambda arrivals, departures: len(arrivals) / float(_window(arrivals, departures)),
        "throughput: That is the throughput. By which time does Little's law multiply it?",
        lambda arrivals, departures: float(np.sum(departures - arrivals)),
        "all the seconds: That is the area under the number of requests. Over how many seconds "
        "does it extend?",
    ),
)

# Level 4: chains, fluids and control


def _mirror(rng):
    return {"life": rng.uniform(2e4, 2e5), "repair_time": rng.uniform(4, 2000)}


def _until_loss(life, repair_time):
    return life * (3 * non_negative("repair_time", repair_time) + life) / (2 * repair_time)


until_loss = function(
    "until_loss",
    "Build the time until a mirrored store loses data",
    answer="time_to_loss",
    reference=_until_loss,
    inputs=_mirror,
    points=5,
    mistakes=mistakes(
        lambda life, repair: life**2 / (2 * repair),
        "first failure forgotten: That is the usual approximation for fast repairs. It leaves out "
        "the time to the first failures, which matters if repairs are slow. Write down both "
        "equations and solve them.",
        lambda life, repair: life**2 / repair,
        "either may fail: In your model only one disk can fail first. While both work, a failure "
        "comes at twice the rate of one.",
        lambda life, repair: 1.5 * life + 0 * repair,
        "never repaired: That is the life of two disks without repair: half a life until the first "
        "failure, and a whole one until the second.",
        lambda life, repair: life / 2 + repair + 0 * life,
        "first failure only: That is one round: a failure and the repair. Most rounds end without "
        "a loss.",
    ),
    properties=[
        limit("slow repair", (100.0, 1e12), 1, "Without repair, the answer is 1.5 lives."),
        vectorised((1e5, np.array([10.0, 20.0, 40.0])), 1, ARRAYS.format("repair times")),
        refuses(
            (1e5, -3.0),
            1,
            "No repair takes -3 hours: raise a ValueError.",
            "refuses a negative repair time",
        ),
    ],
)


def _small_service(rng):
    arrival = rng.uniform(0.5, 2)
    return {
        "arrival_rate": arrival,
        "service_rate": arrival / rng.uniform(0.4, 1.6),
        "crowded_rate": arrival / rng.uniform(1.8, 4),
    }


def _shares(weights):
    """Return a model of the shares of time from functions of (arrival, service, crowded)."""

    def model(arrival_rate, service_rate, crowded_rate):
        times = np.array(weights(arrival_rate, service_rate, crowded_rate), dtype=float)
        return {"share": times / times.sum()}

    return model


balance = array(
    "balance",
    "From a text to balance equations",
    reference=_shares(lambda a, s, c: (1, a / s, a**2 / (s * c))),
    inputs=_small_service,
    points=4,
    mistakes=mistakes(
        _shares(lambda a, s, c: (1, a / s, (a / s) ** 2)),
        "same speed in a crowd: With two inside, your service works at its usual rate. Which rate "
        "leads from 2 to 1?",
        _shares(lambda a, s, c: (1, a / s, (a / c) ** 2)),
        "crowded at both: You used the crowded rate twice. It holds with two inside; with one, the "
        "usual rate does.",
        _shares(lambda a, s, c: (1, s / a, s * c / a**2)),
        "ratios upside down: Your fractions grow where they should fall. The flow from 0 to 1 is "
        "the fraction of 0 times the arrival rate.",
        _shares(lambda a, s, c: (1, a / s, a / c)),
        "each balanced with empty: You balanced state 2 with state 0. No move connects them: the "
        "flows between 1 and 2 must balance.",
        lambda a, s, c: {"share": np.array([1, a / s, a**2 / (s * c)])},
        "not shares yet: Your numbers are in the right proportion, but their sum isn't 1. Divide "
        "by the sum.",
        lambda a, s, c: {"share": (1 - a / s) * np.array([1, a / s, a**2 / (s * c)])},
        "room without end: You used the empty fraction of a queue without limit. Here only three "
        "states exist.",
    ),
)


def _outage(rng):
    return {"utilization": rng.uniform(0.3, 0.92), "minutes_down": rng.uniform(2, 60)}


backlog = number(
    "backlog",
    "How long after an outage?",
    reference=lambda utilization, minutes_down: utilization * minutes_down / (1 - utilization),
    inputs=_outage,
    points=2,
    mistakes=mistakes(
        lambda utilization, minutes_down: utilization * minutes_down,
        "nobody comes meanwhile: That is the work that waits at the restart. While the service "
        "does it, new requests arrive.",
        lambda utilization, minutes_down: minutes_down / (1 - utilization),
        "outage for work: You let a whole minute of work arrive per minute. At this utilization it "
        "is less.",
        lambda utilization, minutes_down: minutes_down,
        "as long as it lasted: You assumed that the backlog takes as long as the outage. Compare "
        "how fast it grew with how fast it shrinks.",
        lambda utilization, minutes_down: minutes_down / utilization,
        "divided by the load: You divided by the utilization. Which speed is left for the backlog, "
        "when the new requests are served as well?",
    ),
)


def _retrying(rng):
    servers, service = int(rng.integers(2, 20)), rng.uniform(0.02, 0.3)
    retries = int(rng.integers(1, 4))
    top = rng.choice([rng.uniform(0.6, 0.93), rng.uniform(1.07, 1.6)])
    rate = min(top / (1 + retries), 0.95) * servers / service
    return {
        "arrival_rate": rate,
        "servers": servers,
        "service_time": service,
        "retries": retries,
    }


def _storm(tries):
    """Return a model that decides by the load at `tries` tries a request."""

    def model(arrival_rate, servers, service_time, retries):
        load = tries(retries) * arrival_rate * service_time / servers
        return ("recovers" if load < 1 else "stays down"), load

    return model


storm = choice(
    "storm",
    "Will it come back by itself?",
    choices=("recovers", "stays down"),
    reference=_storm(lambda retries: 1 + retries),
    inputs=_retrying,
    points=3,
    mistakes=mistakes(
        _storm(lambda retries: 1),
        "load of a good day: That is the load when all goes well. While every try times out, each "
        "request is sent more than once.",
        _storm(lambda retries: retries),
        "first try forgotten: You counted the retries but not the first try. It keeps the servers "
        "busy as well.",
        lambda arrival_rate, servers, service_time, retries: _storm(lambda retries: 1 + retries)(
            arrival_rate, 1, service_time, retries
        ),
        "load of one server: You gave all the work to one server. All servers share it.",
        _storm(lambda retries: 2**retries),
        "doubled each time: You doubled the copies with each retry. A request that times out is "
        "sent once more each time.",
    ),
)


def _field(rng):
    return {
        "utilization": rng.uniform(0.6, 0.97),
        "choices": int(rng.integers(2, 4)),
        "jobs": int(rng.integers(2, 4)),
    }


two_choices = number(
    "two_choices",
    "How many servers have a queue?",
    reference=lambda utilization, choices, jobs: (
        utilization ** ((choices**jobs - 1) / (choices - 1))
    ),
    inputs=_field,
    points=3,
    mistakes=mistakes(
        lambda utilization, choices, jobs: utilization**jobs,
        "one choice: That is M/M/1: each job goes to a random server. Here it compares servers "
        "before it joins.",
        lambda utilization, choices, jobs: utilization ** (choices * jobs),
        "exponent once: You let the comparison count once for each job in the queue. For a queue "
        "to grow by one, all compared servers must have this length: at every step, multiply the "
        "exponent and add one.",
        lambda utilization, choices, jobs: utilization ** (choices**jobs),
        "one step too far: Your exponent is a power. Start with one job, where the fraction is the "
        "utilization, and add the arrivals step by step.",
        lambda utilization, choices, jobs: (
            utilization ** ((choices ** (jobs + 1) - 1) / (choices - 1))
        ),
        "one job more: That is the fraction with one job more. Check it at one job: it must be the "
        "utilization.",
        lambda utilization, choices, jobs: (
            utilization ** ((choices**jobs - 1) / (choices - 1))
            - utilization ** ((choices ** (jobs + 1) - 1) / (choices - 1))
        ),
        "exactly so many: That is the fraction with exactly this number. The question asks for "
        "this number or more.",
    ),
)


def _memory(rng):
    drawn = _closed(rng)
    users = int(rng.integers(8, 30))
    return {**drawn, "users": users, "limit": int(rng.integers(2, 6))}


def _admitted(demands, think_time, users, limit):
    inside = Network(
        [Station(f"station {k}") for k in range(len(demands))],
        [JobClass("users", population=users, think_time=think_time)],
        demands,
    )
    return float(admission_limit(inside, limit).throughput[0])


memory = number(
    "memory",
    "What if only a few fit inside?",
    reference=_admitted,
    inputs=_memory,
    points=5,
    mistakes=mistakes(
        lambda demands, think_time, users, limit: _cycle(demands, users, think_time),
        "no limit: You let all users inside at once. Above the limit, the inside works at the "
        "speed of the limit, and the others wait outside.",
        lambda demands, think_time, users, limit: _cycle(demands, limit, think_time),
        "users for the limit: You left most of the users out. They are there, thinking or "
        "waiting outside.",
        lambda demands, think_time, users, limit: _cycle(demands, limit, 0.0),
        "always full: That is the speed with the limit inside. Are there always this many inside?",
        lambda demands, think_time, users, limit: min(
            users / (think_time + demands.sum()), 1 / demands.max()
        ),
        "asymptotes: That is the upper bound from the two asymptotes, which doesn't know the "
        "limit.",
    ),
)


def _cache(rng):
    return {
        "hit_ratios": rng.uniform([0.6, 0.85], [0.75, 0.99]),
        "disk_time": rng.choice([rng.uniform(8e-7, 1.5e-6), rng.uniform(4e-6, 8e-6)]),
        "list_time": rng.uniform(9e-7, 1.4e-6),
        "miss_list_time": rng.uniform(1e-7, 4e-7),
    }


def _faster(bound):
    """Return a model that compares two bounds of throughput at the two hit ratios."""

    def model(hit_ratios, disk_time, list_time, miss_list_time):
        before, after = (bound(h, disk_time, list_time, miss_list_time) for h in hit_ratios)
        return ("faster" if after > before else "slower"), after / before

    return model


cache = choice(
    "cache",
    "Do more hits help?",
    choices=("faster", "slower"),
    reference=_faster(lambda h, disk, hit, miss: 1 / max((1 - h) * disk, h * hit + (1 - h) * miss)),
    inputs=_cache,
    points=4,
    mistakes=mistakes(
        _faster(lambda h, disk, hit, miss: 1 / ((1 - h) * disk)),
        "disk only: You used the disk alone, and it does get less work. What does each hit need of "
        "the list?",
        _faster(lambda h, disk, hit, miss: 1 / ((1 - h) * (disk + miss) + h * hit)),
        "one request at a time: You added the demands, as if one request were in the system. With "
        "many, the busiest station limits the throughput.",
        _faster(lambda h, disk, hit, miss: 1 / max((1 - h) * disk, h * hit)),
        "misses at the list: You left out the list for misses. A miss uses it as well, for less "
        "time.",
        _faster(lambda h, disk, hit, miss: 1 / max(h * disk, (1 - h) * hit + h * miss)),
        "hits for misses: You sent the hits to the disk. Which requests use the disk?",
        _faster(lambda h, disk, hit, miss: 1 / max(disk, hit)),
        "visits forgotten: You let every request use the disk. A demand is the time per visit "
        "times the visits.",
    ),
)


def _crowd(rng):
    servers, service = int(rng.integers(20, 400)), rng.uniform(60, 600)
    return {
        "arrival_rate": rng.uniform(1.1, 2.5) * servers / service,
        "servers": servers,
        "service_time": service,
    }


impatience = number(
    "impatience",
    "How many give up?",
    reference=lambda arrival_rate, servers, service_time: (
        1 - servers / (arrival_rate * service_time)
    ),
    inputs=_crowd,
    points=3,
    mistakes=mistakes(
        lambda rate, servers, service: rate * service / servers - 1,
        "against the capacity: You compared the excess with the capacity. The question asks for a "
        "fraction of the customers who call.",
        lambda rate, servers, service: servers / (rate * service),
        "those who stay: That is the fraction that is served. The others give up.",
        lambda rate, servers, service: rate - servers / service,
        "rate for share: That is how many give up per second. Which fraction of all customers is "
        "this?",
        lambda rate, servers, service: float(erlang_b(servers, rate * service)),
        "no waiting room: That is Erlang's loss formula, where no customer can wait. Here they "
        "wait, so no server is idle in this overload.",
        lambda rate, servers, service: rate * service - servers,
        "servers missing: That is how many servers are missing. Which fraction of the customers "
        "isn't served?",
        lambda rate, servers, service: 1 - rate * service / servers,
        "upside down: Your fraction is below 0. Divide the lost requests by all arrivals.",
    ),
)


def _idle_times(rng):
    keep, start = rng.uniform(0.5, 3), rng.uniform(10, 60)
    return {
        "keep_cost": keep,
        "start_cost": start,
        "idle_times": start / keep * rng.uniform([0.1, 0.3, 0.6, 1.2, 2], [0.3, 0.6, 0.9, 2, 6]),
    }


def _over_hindsight(pays):
    """Return a model: what a rule pays for the idle times, over what hindsight pays."""

    def model(keep_cost, start_cost, idle_times):
        hindsight = np.minimum(keep_cost * idle_times, start_cost).sum()
        return float(pays(keep_cost, start_cost, idle_times).sum() / hindsight)

    return model


def _break_even(keep, start, idle):
    return np.where(keep * idle < start, keep * idle, 2 * start)


keep_warm = number(
    "keep_warm",
    "Keep it warm, or stop it?",
    reference=_over_hindsight(_break_even),
    inputs=_idle_times,
    points=3,
    mistakes=mistakes(
        _over_hindsight(lambda keep, start, idle: np.minimum(keep * idle, start)),
        "hindsight: You used a rule that knows each idle time, which can't be beaten. What has the "
        "given rule paid when it stops the function?",
        _over_hindsight(lambda keep, start, idle: keep * idle),
        "always warm: You kept the function warm for every idle time, however long. The rule stops "
        "it at some point.",
        _over_hindsight(lambda keep, start, idle: start + 0 * idle),
        "always stopped: You stopped the function at once in every idle time. The rule keeps it "
        "warm at first.",
        _over_hindsight(lambda keep, start, idle: keep * idle + start),
        "started after every pause: You paid for a start after every idle time. After a short one "
        "the function is still warm.",
        lambda keep_cost, start_cost, idle_times: 2.0,
        "worst case: 2 is what the rule guarantees for the worst case. What does it pay for these "
        "idle times?",
    ),
)


bank = Bank(
    "queueing",
    "Why it is slow, and what would help",
    [
        in_system,
        station_log,
        response_law,
        saturation,
        promise,
        khinchine,
        same_wait,
        bus,
        who_counts,
        by_the_clock,
        percentile,
        must_wait,
        pooling,
        fast_or_second,
        knee,
        mva,
        load_test,
        upgrade,
        edge,
        capacity,
        launch,
        dispatch,
        gittins,
        own_queue,
        until_loss,
        balance,
        backlog,
        storm,
        two_choices,
        memory,
        cache,
        impatience,
        keep_warm,
    ],
)
