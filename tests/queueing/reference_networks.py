"""How each network row of reference.csv is answered, by its id; run by test_reference."""

import numpy as np

from perfmodel.queueing.fleet.fork_join import fork_join
from perfmodel.queueing.network import bcmp, convolution, markov_chain, mva
from perfmodel.queueing.network.amva import bard_schweitzer
from perfmodel.queueing.network.model import JobClass, Network, Station


def stations(count, servers=None, discipline="PS"):
    return [
        Station(f"station {k}", servers=servers[k] if servers else 1, discipline=discipline)
        for k in range(count)
    ]


def one_class(D, N, Z=0, V=None, servers=None):
    jobs = JobClass("jobs", population=N, think_time=Z)
    return Network(stations(len(D), servers, "FCFS"), [jobs], D, visits=V)


def transient_mm1(arrival_rate, service_rate, t, n0):
    room = 400
    chain = markov_chain.birth_death_chain([arrival_rate] * room, [service_rate] * room)
    chance = markov_chain.transient_state(chain, markov_chain.state_at(chain, n0), t)
    return {"p0": chance[0], "mean_number": chain.mean(chance, lambda n: n)}


def jackson(external, P, S):
    rate = sum(external)
    jobs = JobClass("jobs", arrival_rate=rate)
    entry = np.array(external) / rate
    net = Network(stations(len(S), discipline="FCFS"), [jobs], S, routing=P, entry=entry)
    solved = bcmp.bcmp(net)
    return {
        "X": rate * net.visits[0],
        "U": solved.utilization[0],
        "R": solved.residence_time[0] / net.visits[0],
        "Q": solved.queue_length[0],
    }


def open_classes(arrival_rates, D):
    jobs = [JobClass(f"class {c}", arrival_rate=rate) for c, rate in enumerate(arrival_rates)]
    solved = bcmp.bcmp(Network(stations(len(D[0])), jobs, D))
    return {
        "U_station": solved.utilization.sum(axis=0),
        "residence": solved.residence_time,
        "Q": solved.queue_length,
        "Q_class0_cpu": solved.queue_length[0, 0],
    }


def database(S, V, N, unit):
    assert unit == "seconds"
    solved = convolution.convolution_algorithm(one_class(S, N, V=V))
    return {
        "p_2_0_0": solved.marginals[0][2],
        "Q": solved.queue_length[0],
        "U": solved.utilization[0],
        "X_per_minute": 60 * solved.throughput[0],
        "R": solved.response_time[0],
    }


def terminals(D, Z, N):
    exact, guess = (solve(one_class(D, N, Z)) for solve in (mva.exact_mva, bard_schweitzer))
    return {
        "X": exact.throughput[0],
        "R": exact.response_time[0],
        "Q": exact.queue_length[0],
        "X_schweitzer": guess.throughput[0],
        "R_schweitzer": guess.response_time[0],
        "Q_schweitzer": guess.queue_length[0],
    }


def timesharing(S, V, Z, N):
    solved = mva.exact_mva(one_class(S, N, Z, V))
    return {
        "X": solved.throughput[0],
        "R": solved.response_time[0],
        "R_per_visit": solved.residence_time[0] / V,
        "Q": solved.queue_length[0],
        "U": solved.utilization[0],
    }


def several_servers(S, V, servers, N):
    solved = convolution.convolution_algorithm(one_class(S, N, V=V, servers=servers))
    return {
        "G": np.exp(solved.log_constants),
        "X": solved.throughput[0] * np.array(V),
        "Q": solved.queue_length[0],
        "U": solved.utilization[0],
    }


def two_classes(D, N, Z):
    jobs = [
        JobClass(f"class {c}", population=n, think_time=z)
        for c, (n, z) in enumerate(zip(N, Z, strict=True))
    ]
    solved = mva.exact_mva(Network(stations(len(D[0])), jobs, D))
    return {"X": solved.throughput, "residence": solved.residence_time, "Q": solved.queue_length}


def mixed(arrival_rates, D_open, N, D_closed):
    opened = [JobClass(f"open {c}", arrival_rate=rate) for c, rate in enumerate(arrival_rates)]
    closed = [JobClass(f"closed {c}", population=n) for c, n in enumerate(N)]
    net = Network(stations(len(D_open[0])), [*opened, *closed], [*D_open, *D_closed])
    solved, split = bcmp.bcmp(net), len(opened)
    return {
        "X_closed": solved.throughput[split:],
        "residence_closed": solved.residence_time[split:],
        "Q_closed": solved.queue_length[split:],
        "residence_open": solved.residence_time[:split],
        "Q_open": solved.queue_length[:split],
    }


def blocking_tandem(arrival_rate, service_rates, capacity_2):
    """State: jobs at the first station, at the second, and whether the first is blocked."""

    def moves(state):
        first, second, blocked = state
        if first < 150:
            yield (first + 1, second, blocked), arrival_rate
        if first and not blocked:
            full = second == capacity_2
            yield (first - (not full), second + (not full), full), service_rates[0]
        if second:
            yield (first - blocked, second - (not blocked), False), service_rates[1]

    chain = markov_chain.explore_chain((0, 0, False), moves)
    chance = markov_chain.steady_state(chain)
    names = ("L1", "L2", "P_blocked")
    return {name: chain.mean(chance, lambda s, i=i: s[i]) for i, name in enumerate(names)}


def forked(arrival_rate, service_rate, branches):
    return {"R": fork_join(arrival_rate, service_rate, branches).response_time}


ANSWERS = {
    "mm1-transient": transient_mm1,
    "open-bolch-7.4": jackson,
    "open-multiclass": open_classes,
    "closed-menasce-db": database,
    "closed-lazowska-terminals": terminals,
    "closed-jain-20": timesharing,
    "closed-bolch-8.1": several_servers,
    "closed-two-class": two_classes,
    "mixed-lazowska": mixed,
    "tandem-blocking": blocking_tandem,
    "fork-join-2": forked,
}
