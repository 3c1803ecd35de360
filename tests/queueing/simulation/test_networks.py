"""Whole networks: exact solutions, blocking, forks, batches, traces, and what is refused."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import Deterministic, Hyperexponential
from perfmodel.queueing.network import bcmp, mva, solver_comparison
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.state_space import global_balance
from perfmodel.queueing.simulation.options import Batch
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.streams import Trace

A, B, C = Station("a"), Station("b"), Station("c")
OPEN = JobClass("open", arrival_rate=0.5)


def simulated(network, customers=200_000, seed=3, **more):
    """Simulate with intervals so wide that a true value outside them is a fault, not chance."""
    return simulate(network, customers, seed, progress=False, **{"confidence": 0.9995, **more})


class TestAgainstExactSolutions:
    def test_tandem(self):
        seen = simulated(Network([A, B, C], [OPEN], [1.0, 1.2, 0.8]))
        each = [m / (1 - 0.5 * m) for m in (1.0, 1.2, 0.8)]
        assert seen.residence_time.covers([each]).all()
        assert seen.response_time.covers(sum(each)).all()
        assert seen.station_throughput.covers(0.5).all()

    def test_routing_with_feedback(self):
        routing = [[0, 0.5, 0.3], [1, 0, 0], [0.6, 0.1, 0.2]]
        network = Network([A, B, C], [OPEN], [0.2, 0.3, 0.4], routing=routing)
        seen, exact = simulated(network), bcmp.bcmp(network)
        assert seen.residence_time.covers(exact.residence_time).all()
        assert seen.queue_length.covers(exact.queue_length).all()
        assert seen.utilization.covers(exact.utilization).all()
        assert seen.solution().throughput == pytest.approx(exact.throughput, rel=0.02)

    @pytest.mark.parametrize(("classes", "stations"), [(2, 3), (5, 4), (7, 11)])
    def test_many_classes_at_many_stations(self, classes, stations):
        kinds = [Station(f"s{i}", 2, "PS" if i % 2 else "FCFS") for i in range(stations)]
        jobs = [JobClass(f"c{i}", arrival_rate=1 / classes) for i in range(classes)]
        network = Network(kinds, jobs, [1.2] * stations)
        seen, exact = simulated(network, 100_000), 1.2 / (1 - 0.6**2)
        assert seen.response_time.covers(exact * stations).all()
        assert seen.station_response_time.covers(exact).mean() > 0.98
        assert seen.station_throughput.covers(1 / classes).mean() > 0.98

    def test_closed_network_of_all_kinds_of_stations(self):
        stations = [
            Station("cpu", discipline="PS"),
            Station("disks", servers=2),
            Station("net", speeds=(1.0, 1.5)),
            Station("user", discipline="delay"),
        ]
        classes = [JobClass("batch", population=4), JobClass("web", population=6, think_time=2.0)]
        laws = Hyperexponential.balanced(0.3, 4.0), Deterministic(0.2)
        service = [[laws[0], 0.4, 0.2, 1.0], [laws[1], 0.4, 0.2, Deterministic(0.5)]]
        network = Network(stations, classes, service, visits=[[2, 1, 1, 1], [1, 2, 0, 1]])
        seen, exact = simulated(network), mva.exact_mva(network)
        assert seen.throughput.covers(exact.throughput).all()
        assert seen.response_time.covers(exact.response_time).all()
        assert seen.residence_time.covers(exact.residence_time).mean() >= 0.75
        assert seen.residence_time.value == pytest.approx(exact.residence_time, rel=0.03)

    def test_closed_jobs_without_thinking_never_leave(self):
        seen = simulated(Network([A, B], [JobClass("jobs", population=20)], [1.0, 0.5]), 30_000)
        assert seen.queue_length.value.sum() == pytest.approx(20)
        assert seen.jobs.value == pytest.approx([20])

    def test_blocking_after_service(self):
        network = Network([A, Station("b", capacity=3)], [JobClass("x", 0.6)], [1.0, 1.0])
        seen = simulated(network)
        assert seen.queue_length.covers([[2.2079236451, 1.13686241771]]).all()
        assert seen.blocked.covers([[0.0791547223833, 0]]).tolist() == [[True, False]]
        assert seen.blocked.value[0, 1] == 0
        assert not seen.loss_probability.value.any()

    def test_losing_at_a_full_station(self):
        network = Network([A, Station("b", capacity=1)], [OPEN], [1.0, 1.0])
        seen = simulated(network, when_full="lose")
        assert seen.station_loss_probability.covers([[0, 0.5 / 1.5]]).all()
        assert seen.throughput.covers(0.5 / 1.5).all()
        assert seen.loss_probability.covers(0.5 / 1.5).all()
        assert not seen.blocked.value.any()

    def test_a_job_that_is_lost_was_offered_once(self):
        """At the door or inside: what doesn't come through of all that came, as the chain says."""
        row = [Station("a", capacity=2), Station("b", capacity=1)]
        network = Network(row, [JobClass("x", 1.5)], [1.0, 2.0])
        seen = simulated(network, when_full="lose")
        lost = 1 - global_balance(network).throughput / 1.5
        assert seen.loss_probability.covers(lost).all()
        assert seen.loss_probability.value == pytest.approx(lost, rel=0.02)

    def test_fork_join_of_two(self):
        network = Network([Station("fork", discipline="delay"), A, B], [OPEN], [0, 1.0, 1.0])
        seen = simulated(network, forks={"fork": ["a", "b"]})
        assert seen.response_time.covers(2.875).all()
        assert seen.station_response_time.covers([[0, 2, 2]]).all()

    def test_batches_of_all_that_wait(self):
        # whoever finds the server busy waits for the rest of its service, half a second
        idle = np.exp(-1.6) / 1.6 / (1 + np.exp(-1.6) / 1.6)
        network = Network([Station("gpu")], [JobClass("x", 1.6)], [Deterministic(1.0)])
        seen = simulated(network, batches={"gpu": Batch(max_size=50)})
        assert seen.throughput.covers(1.6).all()
        assert seen.response_time.covers(1.5 - 0.5 * idle).all()
        assert seen.response_time.half_width[0] < 0.01

    def test_batches_that_take_longer_when_larger(self):
        network = Network([Station("gpu")], [JobClass("x", 0.9)], [Deterministic(1.0)])
        alone = simulated(network)
        slow = simulated(network, batches={"gpu": Batch(max_size=2, stretch=(1.0, 2.0))})
        fast = simulated(network, batches={"gpu": Batch(max_size=2, stretch=(1.0, 1.1))})
        assert fast.response_time.high < alone.response_time.low < slow.response_time.low


class TestRepeatability:
    NETWORK = Network([A, Station("b", 2, "PS")], [OPEN], [1.0, Deterministic(1.5)])

    def test_same_seed_same_result(self):
        first, second = simulated(self.NETWORK, 5000), simulated(self.NETWORK, 5000)
        assert first.response_time.value == second.response_time.value
        np.testing.assert_array_equal(
            first.station_percentiles.high, second.station_percentiles.high
        )

    def test_another_seed_another_result(self):
        first, second = simulated(self.NETWORK, 5000), simulated(self.NETWORK, 5000, seed=4)
        assert first.response_time.value != second.response_time.value

    def test_a_longer_run_begins_like_a_shorter_one(self):
        short = simulated(self.NETWORK, 3000, keep_samples=True).samples[0]
        long = simulated(self.NETWORK, 60_000, keep_samples=True).samples[0]
        np.testing.assert_array_equal(short, long[:3000])

    def test_trace_of_both_arrivals_and_services(self):
        network = Network([A], [JobClass("x", 0.5)], [Trace([1.0, 3.0, 1.0])])
        gaps = Trace([1.0, 1.0, 4.0])
        seen = simulated(network, 3, arrivals={"x": gaps}, keep_samples=True, percentiles=[100])
        assert seen.samples[0].tolist() == [1, 3, 1]
        assert seen.customers == 3

    def test_a_run_ends_with_its_trace_of_arrivals(self):
        seen = simulated(self.NETWORK, 1000, arrivals={"open": Trace([2.0] * 50)})
        assert seen.customers == 50

    def test_progress_is_told_and_ends_at_the_end(self):
        told = []
        simulate(Network([A], [OPEN], [1.0]), 2_000_000, progress=told.append)
        assert told == sorted(told)
        assert 0 < told[0] < told[-1] <= 1


def test_intervals_go_into_the_comparison_of_solvers():
    network = Network([A, B], [JobClass("x", population=5, think_time=3)], [1.0, 0.5])
    rows = solver_comparison.compare_solvers(network, lambda n: simulated(n, 50_000).intervals())
    exact = next(row for row in rows if row.method == "exact MVA")
    seen = next(row for row in rows if row.method == "simulation")
    assert seen.response_low <= exact.response_low <= seen.response_high
    assert seen.throughput_low <= exact.throughput_low <= seen.throughput_high


def test_a_class_that_was_never_seen_gets_no_interval():
    rare = [OPEN, JobClass("rare", arrival_rate=1e-9)]
    routing = [[[0, 1], [0, 0]], [[0, 0], [0, 0]]]
    seen = simulated(Network([A, B], rare, [1.0, 1.0], routing=routing), 2000)
    assert seen.response_time.too_short.tolist() == [False, True]
    assert np.isinf(seen.station_percentiles.high[1, 0]).all()
    assert seen.station_response_time.high[1].tolist() == [np.inf, 0]
    assert "run too short for an interval of: response_time" in seen.warning


def test_table_has_a_row_for_each_class_and_station():
    rows = simulated(Network([A, B], [OPEN], [1.0, 1.0]), 2000).table()
    assert [row["station"] for row in rows] == ["a", "b"]
    assert rows[0]["utilization low"] <= rows[0]["utilization"] <= rows[0]["utilization high"]


SMALL = Station("small", capacity=1)
REFUSED = [
    ({}, [1.0, 2.5], r"station 'b' must have utilization below 1.*got 1\.25"),
    ({"customers": 0}, [1.0, 1.0], "customers must be a whole number, 1 or more, got 0"),
    ({"seed": -1}, [1.0, 1.0], "seed must be a whole number, 0 or more, got -1"),
    ({"percentiles": [101]}, [1.0, 1.0], r"percentiles must be between 0 and 100, got \[101\]"),
    ({"confidence": 1.0}, [1.0, 1.0], "confidence must be between 0.5 and 0.9999, got 1.0"),
    ({"when_full": "wait"}, [1.0, 1.0], "when_full must be one of block, lose, got 'wait'"),
    ({"arrivals": {"x": Deterministic(2.0)}}, [1.0, 1.0], "arrivals must name.*'open'.*got 'x'"),
    (
        {"arrivals": {"open": Deterministic(1.0)}},
        [1.0, 1.0],
        "arrivals of class 'open' must have a mean of 1 / arrival_rate = 2 s, got 1 s",
    ),
    ({"forks": {"a": ["z"]}}, [1.0, 1.0], r"forks must name stations of \['a', 'b'\], got 'z'"),
    ({"forks": {"a": []}}, [1.0, 1.0], r"forks at 'a' must name branches that do not fork, got"),
    ({"batches": {"z": Batch(2)}}, [1.0, 1.0], "batches must name stations.*got 'z'"),
    (
        {"customers": 50},
        [1.0, Trace([1.0] * 10)],
        "trace of service of class 'open' at station 'b' must be as long as the run, got 10 times",
    ),
]


@pytest.mark.parametrize(("options", "service", "message"), REFUSED)
def test_refused(options, service, message):
    with pytest.raises(ValueError, match=message):
        simulated(Network([A, B], [OPEN], service), **{"customers": 100, **options})


@pytest.mark.parametrize(
    ("stations", "options", "message"),
    [
        ([Station("s", 2, "FB")], {}, "servers of station 's' must be 1 with FB, got 2"),
        (
            [Station("s", discipline="SRPT", speeds=(1, 2))],
            {},
            "speeds of station 's' go with FCFS or PS, got 'SRPT'",
        ),
        (
            [Station("s", discipline="PS")],
            {"batches": {"s": Batch(4)}},
            "batches go with FCFS and one speed, got 'PS' at 's'",
        ),
        (
            [A, SMALL],
            {"batches": {"a": Batch(4)}},
            "capacity of station 'small' must be unlimited with forks and batches, got 1",
        ),
        (
            [A, B, SMALL],
            {"forks": {"a": ["b"]}},
            "capacity of station 'small' must be unlimited with forks",
        ),
    ],
)
def test_features_that_do_not_go_together(stations, options, message):
    with pytest.raises(ValueError, match=message):
        simulated(Network(stations, [OPEN], [0.5] * len(stations)), 100, **options)


def test_a_deadlock_is_named():
    ring = [Station("a", capacity=1), Station("b", capacity=1)]
    jobs = [JobClass("x", population=1), JobClass("y", population=1)]
    network = Network(
        ring,
        jobs,
        [1.0, 1.0],
        routing=[[[0, 1], [0, 0]], [[0, 0], [1, 0]]],
        entry=[[1, 0], [0, 1]],
    )
    with pytest.raises(ValueError, match="all blocked for ever at"):
        simulated(network, 100)


def test_more_jobs_than_the_entry_has_room_for():
    network = Network([SMALL, B], [JobClass("x", population=3)], [1.0, 1.0])
    with pytest.raises(ValueError, match="capacity of station 'small' must be 3 or more.*got 1"):
        simulated(network, 100)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Batch(2, min_size=3), "min_size must be at most 2, got 3"),
        (lambda: Trace([]), "values must be a one-dimensional sample of 1 or more"),
    ],
)
def test_options_that_make_no_sense(make, message):
    with pytest.raises(ValueError, match=message):
        make()
