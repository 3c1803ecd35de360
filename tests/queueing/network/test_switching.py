"""Class switching: Markov chains built by hand, equal networks without switching, properties."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network.amva import linearizer
from perfmodel.queueing.network.bcmp import bcmp
from perfmodel.queueing.network.convolution import convolution_algorithm
from perfmodel.queueing.network.markov_chain import explore_chain, steady_state
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.mva import exact_mva
from perfmodel.queueing.network.switching import SwitchingNetwork, solve_switching

TWO = [Station("web", discipline="PS"), Station("disk", discipline="PS")]
RETRIES = {
    ("first", "web"): {("first", "disk"): 0.8, ("retry", "web"): 0.2},
    ("first", "disk"): {("first", "web"): 0.5},
    ("retry", "web"): {("retry", "web"): 0.3, ("retry", "disk"): 0.7},
    ("retry", "disk"): {("first", "web"): 0.4},
}


def close(expected):
    return pytest.approx(expected, rel=1e-9)


def balanced(network, start, arrivals=(), thinkers=None, room=np.inf):
    """Return the mean jobs by class and station from the balance of all their counts.

    `arrivals` are (class, station, rate); a job that leaves thinks for the time, and begins at the
    class and station, that `thinkers` says (population, class, station, think time).
    """
    names = [job if isinstance(job, str) else job.name for job in network.classes]
    stations = [station.name for station in network.stations]
    service = np.broadcast_to(np.array(network.service, float), (len(names), len(stations)))

    def moved(jobs, *changes):
        counts = [list(row) for row in jobs]
        for j, k, by in changes:
            counts[j][k] += by
        return tuple(map(tuple, counts))

    def moves(jobs):
        inside = sum(map(sum, jobs))
        for j, k, rate in arrivals:
            if inside < room:
                yield moved(jobs, (j, k, 1)), rate
        if thinkers and inside < thinkers[0]:
            yield moved(jobs, (*thinkers[1:3], 1)), (thinkers[0] - inside) / thinkers[3]
        for j, k in np.argwhere(np.array(jobs) > 0).tolist():
            present = sum(row[k] for row in jobs)
            speed = float(network.stations[k].speed(present))
            rate = jobs[j][k] / present * speed / service[j][k]
            left = 1.0
            for (job, station), chance in network.routing.get((names[j], stations[k]), {}).items():
                goal = names.index(job), stations.index(station)
                yield moved(jobs, (j, k, -1), (*goal, 1)), rate * chance
                left -= chance
            if left > 1e-12:
                yield moved(jobs, (j, k, -1)), rate * left

    chain = explore_chain(start, moves)
    return np.tensordot(steady_state(chain), np.array(chain.states), axes=1)


class TestMarkovChains:
    @pytest.mark.parametrize(
        "web",
        [
            Station("web", discipline="PS"),
            Station("web", servers=2, discipline="PS"),
            Station("web", discipline="PS", speeds=(1.0, 1.5, 1.2)),
            Station("web", discipline="delay"),
        ],
    )
    def test_closed_with_thinking(self, web):
        users = JobClass("first", population=4, think_time=3.0)
        network = SwitchingNetwork([web, TWO[1]], [users, "retry"], [[1, 2], [0.5, 3]], RETRIES)
        solved = solve_switching(network)
        expected = balanced(network, ((0, 0), (0, 0)), thinkers=(4, 0, 0, 3.0))
        assert solved.exact
        assert solved.queue_length == close(expected)
        thinking = 4 - expected.sum()
        assert solved.throughput == close([thinking / 3.0] * 2)

    def test_two_chains_one_of_which_goes_round_for_ever(self):
        """The first is b -> c -> b, in all its four jobs; the second stays what it is."""
        classes = [JobClass("b", population=3), "c", JobClass("other", population=2)]
        routing = {
            ("b", "web"): {("c", "disk"): 0.6, ("b", "disk"): 0.4},
            ("b", "disk"): {("b", "web"): 1.0},
            ("c", "disk"): {("c", "disk"): 0.1, ("b", "web"): 0.9},
            ("other", "web"): {("other", "disk"): 1.0},
            ("other", "disk"): {("other", "web"): 1.0},
        }
        service = [[1, 2], [0.5, 3], [0.7, 0.9]]
        network = SwitchingNetwork(TWO, classes, service, routing)
        expected = balanced(network, ((3, 0), (0, 0), (2, 0)))
        for solve in (bcmp, exact_mva, convolution_algorithm):
            assert solve_switching(network, solve).queue_length == close(expected)
        assert network.chain_of.tolist() == [0, 0, 1]

    def test_open_with_two_classes_in_which_jobs_come(self):
        classes = [JobClass("first", arrival_rate=0.02), JobClass("retry", arrival_rate=0.005)]
        network = SwitchingNetwork(
            TWO, classes, [[1, 0.8], [0.5, 1.2]], RETRIES, entry={"retry": "disk"}
        )
        arrivals = [(0, 0, 0.02), (1, 1, 0.005)]
        expected = balanced(network, ((0, 0), (0, 0)), arrivals=arrivals, room=10)
        assert network.chains.utilization.max() < 0.08
        assert solve_switching(network).queue_length == close(expected)

    def test_a_closed_chain_beside_an_open_one(self):
        """The open one is lost beyond 60 jobs at the one station."""
        cpu = [Station("cpu", discipline="PS")]
        classes = [JobClass("a", population=2, think_time=2.0), "b", JobClass("o", 0.2), "p"]
        routing = {
            ("a", "cpu"): {("b", "cpu"): 0.5},
            ("o", "cpu"): {("p", "cpu"): 0.25},
            ("p", "cpu"): {("p", "cpu"): 0.5},
        }
        service = [[1.0], [0.5], [0.8], [0.6]]
        network = SwitchingNetwork(cpu, classes, service, routing)
        chains = Network(
            [Station("cpu", discipline="PS")],
            [JobClass("a", population=2, think_time=2.0), JobClass("o", 0.2)],
            [[1.25], [0.8 + 0.25 * 2 * 0.6]],
        )
        whole, solved = bcmp(chains).queue_length, solve_switching(network).queue_length
        assert solved[:2].sum() == close(whole[0, 0])
        assert solved[2:].sum() == close(whole[1, 0])
        assert solved[:, 0] / [1.0, 0.25, 0.8, 0.3] == close(
            np.repeat(whole[:, 0] / [1.25, 1.1], 2)
        )


class TestWithoutSwitching:
    def test_it_is_the_ordinary_network(self):
        jobs = [JobClass("a", population=3, think_time=1), JobClass("b", arrival_rate=0.1)]
        routing = {(j.name, "web"): {(j.name, "disk"): 0.5} for j in jobs}
        switching = SwitchingNetwork(TWO, jobs, [[1, 2], [2, 1]], routing)
        plain = bcmp(Network(TWO, jobs, [[1, 2], [2, 1]], routing=[[0, 0.5], [0, 0]]))
        solved = solve_switching(switching)
        assert solved.residence_time == close(plain.residence_time)
        assert solved.throughput == close(plain.throughput)

    @given(
        st.floats(0.01, 1),
        st.floats(0.01, 0.95),
        st.integers(1, 12),
        st.floats(0.1, 3),
        st.floats(0, 5),
    )
    def test_two_names_for_one_kind_of_job_change_nothing(self, turns, again, jobs, demand, think):
        routing = {(name, "disk"): {(name, "web"): 1.0} for name in "xy"}
        for job, other in ("xy", "yx"):
            row = {(job, "disk"): again * (1 - turns), (other, "disk"): again * turns}
            routing[job, "web"] = row
        users = [JobClass("x", population=jobs, think_time=think), JobClass("y", population=1)]
        switching = SwitchingNetwork(TWO, users, [1.0, demand], routing)
        all_jobs = JobClass("x", population=jobs + 1, think_time=think)
        plain = exact_mva(Network(TWO, [all_jobs], [1.0, demand], routing=[[0, again], [1, 0]]))
        solved = solve_switching(switching)
        assert solved.queue_length.sum(axis=0) == close(plain.queue_length[0])
        assert solved.throughput == close([plain.throughput[0]] * 2)

    def test_a_route_that_nobody_takes_joins_no_classes(self):
        jobs = [JobClass("a", population=2, think_time=1), JobClass("b", arrival_rate=0.1)]
        routing = {("a", "disk"): {("b", "web"): 1.0}}
        assert SwitchingNetwork(TWO, jobs, [1, 1], routing).chain_of.tolist() == [0, 1]

    def test_passes_that_are_counted(self):
        """Twice through the web and once through the disk between, by two classes."""
        routing = {
            ("in", "web"): {("in", "disk"): 1.0},
            ("in", "disk"): {("out", "web"): 1.0},
        }
        users = JobClass("in", population=5, think_time=1)
        switching = SwitchingNetwork(TWO, [users, "out"], [[1, 2], [0.5, 1]], routing)
        plain = exact_mva(Network(TWO, [users], [0.75, 2], visits=[2, 1]))
        assert switching.visits.tolist() == [[1, 1], [1, 0]]
        assert solve_switching(switching).residence_time.sum(axis=0) == close(
            plain.residence_time[0]
        )

    def test_linearizer_takes_many_jobs(self):
        users = JobClass("first", population=5000, think_time=100)
        network = SwitchingNetwork(TWO, [users, "retry"], [[0.1, 0.2], [0.1, 0.3]], RETRIES)
        close_by, exact = solve_switching(network, linearizer), solve_switching(network)
        assert not close_by.exact
        assert exact.exact
        assert close_by.throughput == pytest.approx(exact.throughput, rel=1e-3)


class TestProperties:
    @given(st.integers(0, 10**6))
    def test_jobs_are_conserved_and_flows_balance(self, seed):
        rng = np.random.default_rng(seed)
        names, rooms = ["a", "b", "c"], ["web", "disk"]
        pairs = [(job, room) for job in names for room in rooms]
        rows = rng.dirichlet(np.full(len(pairs), 0.3), len(pairs))
        routing = {
            p: dict(zip(pairs, row, strict=True)) for p, row in zip(pairs, rows, strict=True)
        }
        users = JobClass("a", population=7, think_time=2.0)
        network = SwitchingNetwork(TWO, [users, "b", "c"], rng.uniform(0.1, 2, (3, 2)), routing)
        solved = solve_switching(network)
        inside = solved.queue_length.sum() + 2.0 * solved.throughput[0]
        assert inside == close(7)
        flow = network.visits.ravel()
        back = rows.T @ flow
        assert back == pytest.approx(flow, rel=1e-9, abs=1e-12)
        assert flow[0] == close(1)

    def test_classes_that_differ_at_a_first_come_first_served_station(self):
        """The chain alone has one mean there and would be taken for exact."""
        stations = [Station("web", discipline="PS"), Station("disk")]
        users = JobClass("first", population=4, think_time=3.0)
        network = SwitchingNetwork(stations, [users, "retry"], [[1, 2], [0.5, 3]], RETRIES)
        solved = solve_switching(network)
        assert not solved.exact
        assert "'disk' is FCFS with means that differ by class, 2 and 3 s" in solved.warning

    def test_it_prints_a_row_a_class_and_station(self):
        users = JobClass("first", population=4, think_time=3.0)
        network = SwitchingNetwork(TWO, [users, "retry"], [[1, 2], [0.5, 3]], RETRIES)
        lines = str(solve_switching(network)).splitlines()
        assert lines[0] == "exact MVA of chains (exact)"
        assert [line.split()[:2] for line in lines[2:]] == [
            [job, place] for job in ("first", "retry") for place in ("web", "disk", "all")
        ]


WEB = [Station("web")]
A, B = JobClass("a", population=1), JobClass("b", arrival_rate=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SwitchingNetwork(3, [A], [1], {}), "stations must be one or more Station, got 3"),
        (
            lambda: SwitchingNetwork(WEB, [], [1], {}),
            "classes must be one or more JobClass or word",
        ),
        (lambda: SwitchingNetwork(WEB, [A, "a"], [1], {}), "of different names"),
        (lambda: SwitchingNetwork(WEB, [A, ""], [1], {}), "classes must be one or more JobClass"),
        (lambda: SwitchingNetwork(WEB, [A], [1, 2], {}), "service must have shape"),
        (lambda: SwitchingNetwork(WEB, [A], [1], 3), "routing must be a dictionary, got 3"),
        (
            lambda: SwitchingNetwork(WEB, [A], [1], {("a", "web"): 1}),
            "routing must be a dictionary",
        ),
        (
            lambda: SwitchingNetwork(WEB, [A], [1], {("a", "tape"): {}}),
            r"routing must name pairs of a class \(a\) and a station \(web\), got \('a', 'tape'\)",
        ),
        (
            lambda: SwitchingNetwork(WEB, [A], [1], {("a", "web"): {("a", "web"): 1.5}}),
            "routing from web as a to web as a must be between 0 and 1, got 1.5",
        ),
        (
            lambda: SwitchingNetwork(
                WEB, [A, "b"], [1], {("a", "web"): {("a", "web"): 0.6, ("b", "web"): 0.6}}
            ),
            "routing from web as a must be probabilities that sum to at most 1, got a sum of 1.2",
        ),
        (
            lambda: SwitchingNetwork(
                WEB,
                [B, "c"],
                [1],
                {("b", "web"): {("c", "web"): 1}, ("c", "web"): {("c", "web"): 1}},
            ),
            "routing of class 'b' must let every job leave or return, got station 'web as c'",
        ),
        (
            lambda: SwitchingNetwork(
                WEB,
                [A, JobClass("d", population=1), "c"],
                [1],
                {
                    ("a", "web"): {("a", "web"): 1},
                    ("d", "web"): {("a", "web"): 0.5, ("c", "web"): 0.5},
                    ("c", "web"): {("c", "web"): 1},
                },
            ),
            "routing of class 'a' must let every job leave or return, got station 'web as c'",
        ),
        (
            lambda: SwitchingNetwork(WEB, [A, "lost"], [1], {}),
            "class 'lost' must be a JobClass or be reached by a route from one",
        ),
        (
            lambda: SwitchingNetwork(WEB, [A, B], [1], {("a", "web"): {("b", "web"): 0.5}}),
            r"classes \['a', 'b'\] switch into each other: must be all open or all closed",
        ),
        (
            lambda: SwitchingNetwork(
                WEB,
                [A, JobClass("d", population=1, think_time=2)],
                [1],
                {("a", "web"): {("d", "web"): 0.5}},
            ),
            "think_time of class 'd' must be 0, as cycles of its chain begin with class 'a', got 2",
        ),
        (lambda: SwitchingNetwork(WEB, [A], [1], {}, {"a": "tape"}), "entry must name pairs"),
        (
            lambda: SwitchingNetwork(WEB, [A, *map(str, range(2000))], [1], {}),
            "classes times stations must be at most 2000, got 2001",
        ),
        (lambda: solve_switching(3), "network must be a SwitchingNetwork, got 3"),
        (
            lambda: solve_switching(SwitchingNetwork(WEB, [A], [1], {}), 3),
            "solve must be a function such as bcmp, got 3",
        ),
        (
            lambda: solve_switching(SwitchingNetwork(WEB, [B], [10], {})),
            "station 'web' must have utilization below 1 to be stable, got 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
