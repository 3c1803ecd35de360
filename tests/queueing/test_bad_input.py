"""Bad calls of all rooms: refused at once, by a sentence that names argument, value and range."""

import re

import numpy as np
import pytest

from perfmodel import queueing as q

LAW, PARETO = q.Exponential(1.0), q.BoundedPareto(1.0, 1.0, 1e4)
CLOSED = q.Network(
    [q.Station("cpu"), q.Station("disk")],
    [q.JobClass("users", population=3, think_time=15)],
    [0.6, 2.1],
)
OPEN = q.Network([q.Station("web")], [q.JobClass("users", arrival_rate=4)], [0.05])
PAIR = [q.Station("a", capacity=2), q.Station("b", capacity=2)]
CHAIN = q.birth_death_chain([1, 1], [2, 2])
DRAWS = np.random.default_rng(0)
NAN, INF, HUGE, EMPTY = np.nan, np.inf, 10**9, np.array([])

MACHINES = [q.Station(name, capacity=3) for name in "abc"]


def line(service, jobs=4, stations=MACHINES, **route):
    """Return machines with little room that parts visit in turn."""
    return q.Network(stations, [q.JobClass("parts", population=jobs)], service, **route)


def retries(solve=q.bcmp, service=((0.2,), (0.2,))):
    """Return requests that become retries, solved."""
    classes = [q.JobClass("first", arrival_rate=2), "retry"]
    route = {("first", "web"): {("retry", "web"): 0.1}}
    return q.solve_switching(q.SwitchingNetwork(OPEN.stations, classes, service, route), solve)


LAYERS = [q.ServerLayer("web", 0.1, 4, 2, 1.0), q.ServerLayer("base", 0.2, 2)]

CALLS = {
    # laws
    "Exponential([])": (lambda: q.Exponential([]), "mean must be one number, got []"),
    "Uniform(shape)": (lambda: q.Uniform([0, 1], 2), "low must be one number, got [0, 1]"),
    "BoundedPareto(-1)": (lambda: q.BoundedPareto(-1, 1, 2), "shape must be above 0, got -1"),
    "balanced(scv)": (lambda: q.Hyperexponential.balanced(1, 1e300), "scv must be at most"),
    "PhaseType.erlang": (lambda: q.PhaseType.erlang(1, HUGE), "stages must be at most 1000, got"),
    "renewal(law)": (
        lambda: q.ArrivalProcess.renewal(2.0),
        "distribution must be a PhaseType, got 2.0",
    ),
    "modulated": (lambda: q.ArrivalProcess.modulated([1, 2], [[0.0]]), "switching must be like"),
    "tail(law)": (
        lambda: q.tail(None, 1.0),
        "distribution must be a law such as Exponential(1.0), got",
    ),
    "fit_map_em(0)": (lambda: q.fit_map_em([1.0, 0.0], 2), "times must be above 0, got [1. 0.]"),
    # one station
    "mm1(overload)": (lambda: q.mm1(2, 1), "utilization must be below 1 for a steady state, got 2"),
    "mm1([])": (
        lambda: q.mm1(EMPTY, 1),
        "arrival_rate must have one value or more, got shape (0,)",
    ),
    "mm1(shapes)": (
        lambda: q.mm1([0.1, 0.2], [1, 2, 3]),
        "arrival_rate and service_rate must have shapes that broadcast, got (2,) and (3,)",
    ),
    "mmc(shapes)": (lambda: q.mmc(0.5, [1, 2], [1, 2, 3]), "service_rate and servers must have"),
    "mmc(2.7)": (lambda: q.mmc(0.5, 1, 2.7), "servers must be whole and 1 or more, got 2.7"),
    "mmc(1e300)": (lambda: q.mmc(0.5, 1, 1e300), "servers must be at most 1000000000000, got"),
    "erlang_b(None)": (
        lambda: q.erlang_b(None, 1),
        "servers must be whole and 0 or more, got None",
    ),
    "erlang_c(ragged)": (lambda: q.erlang_c([[1], [2, 3]], 1), "servers must be whole and 1 or"),
    "mmc_response_quantile": (
        lambda: q.mmc_response_quantile([0.5, 0.9], [0.1, 0.2, 0.3], 1),
        "probability and arrival_rate must have shapes that broadcast",
    ),
    "mmck_probabilities(1e9)": (
        lambda: q.mmck_probabilities(3, 2, 1, HUGE),
        "capacity must be at most 10000000, got 1000000000",
    ),
    "mg1(shapes)": (
        lambda: q.mg1(arrival_rate=0.5, mean_service=[1, 1], scv=[1, 2, 3]),
        "mean_service and scv must have",
    ),
    "mg1_vacations": (
        lambda: q.mg1_vacations(0.5, LAW, 2.0),
        "vacation must be a law such as Exponential(1.0), got 2.0",
    ),
    "mg1_waiting_tail": (
        lambda: q.mg1_waiting_tail(1, [0.1, 0.2], LAW),
        "arrival_rate must be one",
    ),
    "gm1": (lambda: q.gm1(1.25, 1.0), "interarrival must be a law such as Exponential(1.0)"),
    "allen_cunneen": (
        lambda: q.allen_cunneen(0.5, 1, [1, 2], [1, 2, 3]),
        "arrival_scv, service_scv and servers must have shapes that broadcast",
    ),
    "mean_response": (lambda: q.mean_response([], 0.5, LAW), "policy must be one of FCFS, LCFS"),
    "priorities": (
        lambda: q.preemptive_priorities([0.1], [1, 2]),
        "mean_services must be 1 values",
    ),
    "polling(overload)": (
        lambda: q.polling([0.5, 0.6], 1.0, 0.1),
        "utilization must be below 1 for a steady state, got 1.1",
    ),
    "polling(discipline)": (
        lambda: q.polling([0.1, 0.2], 1.0, 0.1, "1-limited"),
        "discipline must be one of exhaustive, gated, or one for each of 2 queues, got '1-limited'",
    ),
    "polling(shapes)": (
        lambda: q.polling([0.1, 0.2], 1.0, [1, 2, 3]),
        "mean_switchovers must be 2 values, one a queue, got shape (3,)",
    ),
    "polling(1e6)": (
        lambda: q.polling(np.zeros(10**6), 1.0, 0.1),
        "number of arrival_rates must be at most 200, got 1000000",
    ),
    "pseudo_conserved_wait": (
        lambda: q.pseudo_conserved_wait([0.5, 0.1], 1.0, 0.5, "1-limited"),
        "arrival_rates must bring less than one job in a mean round to a 1-limited queue, got 1.25",
    ),
    "holding_cost": (lambda: q.holding_cost([1, 2], [1, 2], 0), "order must be a one-dimensional"),
    "stretched_batch": (
        lambda: q.stretched_batch(0.1, 0.1, HUGE),
        "largest must be at most 1000000",
    ),
    # fleets
    "random_split": (lambda: q.random_split(1, 2.0, 2), "service must be a law such as"),
    "size_interval": (lambda: q.size_interval(0.1, PARETO, [100], 2.5), "servers must be a whole"),
    "fork_join(1e9)": (lambda: q.fork_join(0.5, 1, HUGE), "branches must be at most 1000000, got"),
    "split_merge": (lambda: q.split_merge(0.1, [1, 2], 2), "service_rate must be one number, got"),
    "supermarket(1e9)": (
        lambda: q.supermarket(0.5, 2, [0, 1], levels=HUGE),
        "levels must be at most 1000, got 1000000000",
    ),
    "supermarket([])": (
        lambda: q.supermarket(0.5, 2, [0, 1], start=[]),
        "start must be a one-dimensional sample of 1 or more",
    ),
    "follow_drift": (
        lambda: q.follow_drift(3, [1.0], [0, 1]),
        "drift must be a function of x, got 3",
    ),
    "power_of_choices_tail": (
        lambda: q.power_of_choices_tail(0.5, 2, HUGE),
        "length must be at most 1000000, got 1000000000",
    ),
    "servers_for_blocking": (
        lambda: q.servers_for_blocking([1, 2], [0.1, 0.2, 0.3]),
        "offered_load and loss_probability must have shapes that broadcast",
    ),
    # networks
    "JobClass(-3)": (lambda: q.JobClass("a", population=-3), "population of class 'a' must be a"),
    "JobClass(2.7)": (lambda: q.JobClass("a", population=2.7), "population of class 'a' must be a"),
    "Station(K<c)": (lambda: q.Station("a", 4, capacity=3), "capacity of station 'a' must be a"),
    "Network(3)": (lambda: q.Network(3, [], []), "stations must be one or more Station, got 3"),
    "exact_mva(None)": (lambda: q.exact_mva(None), "network must be a Network, got None"),
    "bcmp(overload)": (
        lambda: q.bcmp(q.Network(OPEN.stations, [q.JobClass("a", 40)], [0.05])),
        "station 'web' must have utilization below 1 to be stable, got 2",
    ),
    "mva_of_demands": (
        lambda: q.mva_of_demands([[1, 2]], [2.7], [0]),
        "population must be whole and 0 or more, got [2.7]",
    ),
    "geometric_bounds": (
        lambda: q.geometric_bounds([1, 2], [1, 2], [0, 1, 2]),
        "population and think_time must have shapes that broadcast",
    ),
    "balanced_job_bounds": (
        lambda: q.balanced_job_bounds([1, 2], 1e300),
        "population must be at most 1e+100, got 1",
    ),
    "SwitchingNetwork": (
        lambda: q.SwitchingNetwork(OPEN.stations, OPEN.classes, [1.0], {("users", "disk"): {}}),
        "routing must name pairs of a class (users) and a station (web), got ('users', 'disk')",
    ),
    "solve_switching": (
        lambda: q.solve_switching(CLOSED),
        "network must be a SwitchingNetwork, got Network(",
    ),
    "solve_layers": (lambda: q.solve_layers(None, 3), "layers must end with one that makes no"),
    "solve_blocking(cycle)": (
        lambda: q.solve_blocking(q.Network(PAIR, [q.JobClass("j", population=4)], [1, 1])),
        "population of class 'j' must be below 4, the room of stations a, b, or jobs could block",
    ),
    "solve_blocking(open)": (
        lambda: q.solve_blocking(OPEN),
        "network must have one class, closed, for blocking, got classes ['users'] (open)",
    ),
    "solve_blocking(None)": (lambda: q.solve_blocking(None), "network must be a Network, got None"),
    "matched_throughput": (
        lambda: q.matched_throughput(q.Network(PAIR, [q.JobClass("j", population=3)], [1, 0])),
        "station 'b' must be visited and serve for a time above 0, got a demand of 0",
    ),
    "visit_ratios": (lambda: q.visit_ratios([1, 0], [[0, 1], [1, 0]]), "matrix must let every job"),
    "explore_chain": (
        lambda: q.explore_chain(0, None),
        "transitions must be a function of states, got",
    ),
    "transient_state": (
        lambda: q.transient_state(CHAIN, [1, 0, 0], HUGE),
        "times must be at most 333333 s, 1e+06 moves of the quickest state",
    ),
    "steady_state": (lambda: q.steady_state(None), "chain must be a MarkovChain, got None"),
    # measured and simulated
    "utilization": (
        lambda: q.utilization([1, 2], [0.1, 0.2, 0.3]),
        "throughput, service_time and servers must have shapes that broadcast",
    ),
    "between_readings": (
        lambda: q.between_readings(None, 3),
        "first must be a CounterReading, got",
    ),
    "departures": (lambda: q.departures([0, 1], [1]), "sizes must have the shape (2,) of arrivals"),
    "simulate(None)": (lambda: q.simulate(None), "network must be a Network, got None"),
    "simulate(percentiles)": (
        lambda: q.simulate(OPEN, 100, percentiles=[]),
        "percentiles must be a one-dimensional sample",
    ),
    # a second run over all public functions
    "erlang_a(1e-300)": (
        lambda: q.erlang_a(3, 1e-300, 4, 1),
        "service_rate must be so high that of 1e15 jobs one is served, got 1e-300",
    ),
    "marchal(1e300)": (
        lambda: q.marchal(0.5, 1, 1, 1e300),
        "service_scv must be at most 1e+100, got",
    ),
    "mean_response(array)": (
        lambda: q.mean_response(np.ones(2), 0.5, LAW),
        "policy must be one of FCFS, LCFS",
    ),
    "moment(1e300)": (lambda: q.PhaseType.erlang(1, 2).moment(1e300), "order must be at most 100"),
    "first_passage_time(None)": (
        lambda: q.first_passage_time(None, [0]),
        "chain must be a MarkovChain, got None",
    ),
    "first_passage_time(targets)": (
        lambda: q.first_passage_time(CHAIN, 2),
        "targets must be one or more of the chain's 3 states, got 2",
    ),
    "first_passage_law(start)": (
        lambda: q.first_passage_distribution(CHAIN, np.zeros(2), [2]),
        "start must be a state of the chain and no target, got array",
    ),
    "MarkovChain(nan)": (
        lambda: q.MarkovChain((0, 1), CHAIN.rates[:2, :2] * NAN),
        "rates must be finite, got",
    ),
    "MarkovChain(shape)": (
        lambda: q.MarkovChain((0, 1), CHAIN.rates),
        "rates must be sparse, 2 by 2, got",
    ),
    "explore_chain(None)": (
        lambda: q.explore_chain(0, lambda state: None),
        "transitions must return pairs (state, rate), got None from 0",
    ),
    "compare_solvers": (
        lambda: q.compare_solvers(CLOSED, simulate=3),
        "simulate must be a function of a network, got 3",
    ),
    "qna(array)": (lambda: q.qna(OPEN, EMPTY), "arrivals must be a scv for each class by name"),
    "follow_drift(None)": (
        lambda: q.follow_drift(lambda x: x[:1], [1.0, 2.0], [0, 1]),
        "drift must return the shape (2,) of start, got (1,)",
    ),
    "follow_drift(1e5)": (
        lambda: q.follow_drift(lambda x: -x, np.ones(100_000), [0, 1]),
        "number of values in start must be at most 5000, got 100000",
    ),
    "Gauge": (lambda: q.Gauge(3.0), "clock must be a function, got 3.0"),
    "area_inside(array)": (
        lambda: q.population_area([0], [1], EMPTY, 2),
        "start must be one number, got []",
    ),
    "departures(array)": (
        lambda: q.departures([0], [1], np.ones(2)),
        "policy must be one of FCFS, LCFS",
    ),
    "serve_tasks(clock)": (
        lambda: q.serve_tasks([int], [0.0], [1.0], clock=None),
        "clock must be a function, got None",
    ),
    "serve_tasks(1e300)": (
        lambda: q.serve_tasks([int], [1e300], [1.0]),
        "arrivals must be at most 86400, got",
    ),
    "wait_for_next": (
        lambda: q.wait_for_next([2, 1], [0]),
        "events must not fall, got [2, 1]",
    ),
    "Batch(stretch)": (
        lambda: q.Batch(4, stretch=1.5),
        "stretch must be a one-dimensional sample of 1 or more values, got shape ()",
    ),
    "JoinShortestQueue": (
        lambda: q.JoinShortestQueue([["a"], ["b"]]),
        "stations must be two or more to",
    ),
    "batch_means(1e300)": (
        lambda: q.batch_means([1e300, -1e300], 2),
        "size of series must be at most 1e+100, got",
    ),
    "batch_means(confidence)": (
        lambda: q.batch_means([1, 2], 2, confidence=[0.9]),
        "confidence must be one number, got [0.9]",
    ),
    "simulate(arrivals)": (
        lambda: q.simulate(OPEN, 100, arrivals=3),
        "arrivals must say what belongs to each name, got 3",
    ),
    "simulate(law)": (
        lambda: q.simulate(OPEN, 100, arrivals={"users": "a"}),
        "arrivals of class 'users' must be a number or an array of numbers, got 'a'",
    ),
    "simulate(batches)": (
        lambda: q.simulate(OPEN, 100, batches={"web": 4}),
        "batches at 'web' must be a Batch, got 4",
    ),
    "simulate(forks)": (
        lambda: q.simulate(OPEN, 100, forks={"web": "web"}),
        "forks at 'web' must name several stations, got 'web'",
    ),
    "simulate(dispatch)": (
        lambda: q.simulate(OPEN, 100, dispatch=["web"]),
        "dispatch must be a list of JoinShortestQueue, got ['web']",
    ),
    "simulate(progress)": (
        lambda: q.simulate(OPEN, 100, progress=3.0),
        "progress must be a function of the share done, or True or False, got 3.0",
    ),
    "simulate(levels)": (
        lambda: q.simulate(OPEN, 100, percentiles=np.linspace(1, 99, 10_000)),
        "number of percentiles must be at most 1000, got 10000",
    ),
    "simulate(keep)": (
        lambda: q.simulate(OPEN, 100, keep_samples="a"),
        "keep_samples must be True or False, got 'a'",
    ),
    "replicate(cluster)": (
        lambda: q.replicate(OPEN, 100, 2, cluster=3),
        "cluster must be a Client or an address such as tcp://host:8786, got 3",
    ),
    "difference(workers)": (
        lambda: q.difference(OPEN, OPEN, customers=100, workers=0),
        "workers must be a whole number, 1 or more, got 0",
    ),
    # a third run, over the newest solvers
    "polling(word)": (
        lambda: q.polling([0.1, 0.2], 1.0, 0.1, np.array("gated")),
        "discipline must be one of exhaustive, gated, or one for each of 2 queues, got array('gat",
    ),
    "polling(rows)": (
        lambda: q.polling([0.1, 0.2], 1.0, 0.1, np.ones((2, 2))),
        "discipline must be one of exhaustive, gated, or one for each of 2 queues, got array([[1.",
    ),
    "Network(word)": (
        lambda: q.Network(np.array("web"), OPEN.classes, [0.1]),
        "stations must be one or more Station, got array('web'",
    ),
    "Network(service)": (
        lambda: q.Network(OPEN.stations, OPEN.classes, np.array(0.1)),
        "service must have shape (classes, stations) = (1, 1), got array(0.1)",
    ),
    "Network(visits)": (
        lambda: line([1, 1, 1], visits=[1, [0.5, 0.5], 1]),
        "visits of class 'parts' at station 'b' must be one number, got [0.5, 0.5]",
    ),
    "Network(5e-324)": (
        lambda: q.Network(OPEN.stations, OPEN.classes, [5e-324]),
        "service and visits of class 'users' must give demands of 0 or from 1e-200 to 1e+200",
    ),
    "SwitchingNetwork(row)": (
        lambda: retries(service=[[0.2], 0.2]),
        "service must have shape (classes, stations) = (2, 1), got [[0.2], 0.2]",
    ),
    "SwitchingNetwork(entry)": (
        lambda: q.SwitchingNetwork(
            OPEN.stations, OPEN.classes, [0.1], {}, entry={"users": np.ones(2)}
        ),
        "entry must name pairs of a class (users) and a station (web), got ('users', array([1., 1.",
    ),
    "solve_switching(solver)": (
        lambda: retries(lambda network: network.visits),
        "solve must return a Solution, as bcmp does, got array([[1.1]])",
    ),
    "solve_blocking(far apart)": (
        lambda: q.solve_blocking(line([1e-9, 1.0, 1e9])),
        "service and routing must give moves at rates within a factor of 1e+12, got from 1e-09 to",
    ),
    "solve_blocking(rare)": (
        lambda: q.solve_blocking(
            line([1, 1, 1], routing=[[0, 1e-13, 1], [1, 0, 0], [1, 0, 0]]), "repeat"
        ),
        "service and routing must give moves at rates within a factor of 1e+12, got from 1e-13 to",
    ),
    "solve_blocking(stations)": (
        lambda: q.solve_blocking(
            line(np.ones(1001), 1, [q.Station(f"s{k}", capacity=1) for k in range(1001)])
        ),
        "number of stations must be at most 1000, got 1001",
    ),
    "solve_blocking(waiting)": (
        lambda: q.solve_blocking(
            line([1, 1], 10**5, [q.Station("a", discipline="delay"), q.Station("b", capacity=2)])
        ),
        "at most 1000 jobs may wait for room, each holding a server, but of a population of 100000",
    ),
    "matched_throughput(jobs)": (
        lambda: q.matched_throughput(
            line(np.ones(200), 10**6, [q.Station(f"s{k}", capacity=10**9) for k in range(200)])
        ),
        "population of class 'parts' must be at most 500000, got 1000000",
    ),
    "erlang_a(1e5)": (
        lambda: q.erlang_a(np.full(10**5, 900.0), 1.0, 1000, 100.0),
        "number of values must be at most 10161, got 100000",
    ),
    "mmck(1e5)": (
        lambda: q.mmck(np.ones(10**5), 1.0, 2, 10**5),
        "number of values must be at most 199, got 100000",
    ),
    "gittins_rank(1e5)": (
        lambda: q.gittins_rank(np.ones(10**5), LAW),
        "number of ages must be at most 39432, got 100000",
    ),
}


def test_many_values_are_solved_as_each_alone():
    rates, ages = np.linspace(0.5, 3.0, 1000), np.linspace(0.0, 3.0, 1000).reshape(2, 500)
    assert q.mmck(rates, 1.0, 2, 9).waiting_time[-1] == q.mmck(3.0, 1.0, 2, 9).waiting_time
    assert (
        q.erlang_a(rates, 1.0, 4, 1.0).mean_queue_time[-1]
        == q.erlang_a(3.0, 1.0, 4, 1.0).mean_queue_time
    )
    assert q.gittins_rank(ages, PARETO)[1, -1] == q.gittins_rank(3.0, PARETO)


def test_a_think_time_far_below_the_other_times_is_as_good_as_none():
    least, none = (q.exact_layers(LAYERS, 3, think).throughput for think in (1e-300, 0.0))
    assert least == pytest.approx(none, rel=1e-12)


@pytest.mark.parametrize("call", CALLS)
def test_bad_call(call):
    run, message = CALLS[call]
    with pytest.raises(ValueError, match=re.escape(message)):
        run()


OVERLOADED = {
    "mmc": lambda: q.mmc(5, 2, 2),
    "mmc_waiting_tail": lambda: q.mmc_waiting_tail(1, 5, 2, 2),
    "erlang_c": lambda: q.erlang_c(4, 5),
    "mg1": lambda: q.mg1(arrival_rate=1.25, mean_service=1, scv=1),
    "mg1_waiting_variance": lambda: q.mg1_waiting_variance(1.25, LAW),
    "mg1_batches": lambda: q.mg1_batches(0.3125, LAW, 4),
    "mg1_waiting_tail": lambda: q.mg1_waiting_tail(1, 1.25, LAW),
    "md1_waiting_tail": lambda: q.md1_waiting_tail(1, 0.5, 2.5),
    "mdc": lambda: q.mdc(2.5, 1, 2),
    "gm1": lambda: q.gm1(LAW, 0.8),
    "kingman_bound": lambda: q.kingman_bound(1.25, 1, 1, 1),
    "allen_cunneen": lambda: q.allen_cunneen(2.5, 1, 1, 1, 2),
    "priorities": lambda: q.nonpreemptive_priorities([0.5, 0.75], [1, 1]),
    "mean_response": lambda: q.mean_response("PS", 1.25, LAW),
    "solve_phase_queue": lambda: q.solve_phase_queue(
        q.ArrivalProcess.poisson(1.25), q.PhaseType.exponential(1)
    ),
    "fork_join": lambda: q.fork_join(1.25, 1, 2),
    "random_split": lambda: q.random_split(2.5, LAW, 2),
    "least_work_left": lambda: q.least_work_left(2.5, LAW, 2),
}
"""Each argument is in its range, so that the common test of refusals has no such call."""


@pytest.mark.parametrize("call", OVERLOADED)
def test_an_overloaded_station_has_no_steady_state(call):
    message = "utilization must be below 1 for a steady state, got 1.25"
    with pytest.raises(ValueError, match=message):
        OVERLOADED[call]()


@pytest.mark.parametrize(
    "overloaded",
    [
        lambda: q.split_merge(1, 1, 2),
        lambda: q.size_interval(1.8, q.Uniform(0, 2), [0.2]),
        lambda: q.mm1([0.5, 1.0], 1),
    ],
)
def test_one_overloaded_part_or_point_is_enough(overloaded):
    with pytest.raises(ValueError, match="utilization must be below 1"):
        overloaded()
