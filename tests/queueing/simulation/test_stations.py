"""Every discipline of the event core against its exact formula, and against plain Python."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.distributions.service import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
)
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.driver import run
from perfmodel.queueing.simulation.options import Batch, Options
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.state import AREA, ARRIVED, DEPARTED, PRESENT, RESPONSE, WORK
from perfmodel.queueing.simulation.streams import Trace
from perfmodel.queueing.station.mmc import mmc
from perfmodel.queueing.station.priorities import nonpreemptive_priorities

CUSTOMERS = 200_000
LAWS = {
    "deterministic": Deterministic(1.0),
    "erlang": Erlang(1.0, 3),
    "exponential": Exponential(1.0),
    "hyperexponential": Hyperexponential.balanced(1.0, 4.0),
}
DISCIPLINES = ("FCFS", "PS", "LCFS-PR", "SJF", "PSJF", "SRPT", "FB", "priority", "preemptive")


def station(discipline="FCFS", law=1.0, rate=0.8, **more):
    return Network([Station("s", discipline=discipline, **more)], [JobClass("c", rate)], [law])


def simulated(network, customers=CUSTOMERS, seed=5, **more):
    """Simulate with intervals so wide that a true value outside them is a fault, not chance."""
    return simulate(network, customers, seed, progress=False, **{"confidence": 0.9995, **more})


class TestAgainstFormulas:
    @pytest.mark.parametrize(
        ("discipline", "response_time"),
        [
            ("FCFS", 5.0),
            ("PS", 5.0),
            ("LCFS-PR", 5.0),
            ("FB", 5.0),
            ("SJF", 2.88221861957),
            ("PSJF", 2.6588968242),
            ("SRPT", 2.35277327202),
        ],
    )
    def test_single_server_with_exponential_sizes(self, discipline, response_time):
        seen = simulated(station(discipline))
        assert seen.response_time.covers(response_time).all()
        assert seen.jobs.covers(0.8 * response_time).all()
        assert seen.utilization.covers(0.8).all()
        assert seen.response_time.half_width[0] < 0.16 * response_time

    @pytest.mark.parametrize("law", LAWS)
    @pytest.mark.parametrize("discipline", ["PS", "LCFS-PR"])
    def test_these_do_not_care_for_the_law_of_sizes(self, discipline, law):
        assert simulated(station(discipline, LAWS[law])).response_time.covers(5.0).all()

    @pytest.mark.parametrize("law", LAWS)
    def test_pollaczek_khinchine(self, law):
        waiting = 0.8 * LAWS[law].moment(2) / (2 * 0.2)
        assert simulated(station(law=LAWS[law])).waiting_time.covers(waiting).all()

    def test_percentiles_of_an_exponential_response_time(self):
        seen = simulated(station(rate=0.5), percentiles=[50, 90, 95, 99])
        exact = -2.0 * np.log(1 - np.array([0.5, 0.9, 0.95, 0.99]))
        assert seen.response_percentiles.covers(exact).all()
        assert seen.response_percentiles.value[0] == pytest.approx(exact, rel=0.04)

    def test_several_servers(self):
        seen = simulated(station(rate=3.2, servers=4))
        exact = mmc(3.2, 1.0, 4)
        assert seen.response_time.covers(exact.response_time).all()
        assert seen.waiting_time.covers(exact.waiting_time).all()

    def test_delay_station_serves_all_at_once(self):
        seen = simulated(station("delay", rate=7.0))
        assert seen.response_time.covers(1.0).all()
        assert seen.queue_length.covers(7.0).all()

    def test_full_room_turns_away(self):
        seen = simulated(station(capacity=4))
        lost = 0.8**4 * 0.2 / (1 - 0.8**5)
        assert seen.loss_probability.covers(lost).all()
        assert seen.station_loss_probability.covers(lost).all()
        assert seen.throughput.covers(0.8 * (1 - lost)).all()

    def test_cobham_priorities(self):
        rates, means = [0.2, 0.3, 0.25], [0.5, 1.0, 1.2]
        classes = [JobClass(f"c{i}", r, priority=i) for i, r in enumerate(rates)]
        network = Network([Station("s", discipline="priority")], classes, [[m] for m in means])
        exact = nonpreemptive_priorities(rates, means)
        assert simulated(network).response_time.covers(exact.response_time).all()

    def test_preemptive_priority_hides_the_lower_class(self):
        classes = [JobClass("high", 0.4), JobClass("low", 0.4, priority=1)]
        network = Network([Station("s", discipline="preemptive")], classes, [1.0])
        exact = [1 / 0.6, (4.0 - 0.4 / 0.6) / 0.4]
        assert simulated(network).response_time.covers(exact).all()

    def test_speed_that_grows_with_the_load(self):
        network = station(rate=0.9, speeds=(1.0, 2.0))
        chance = np.array([1.0, *0.9 * 0.45 ** np.arange(200)])
        chance /= chance.sum()
        assert simulated(network).jobs.covers(chance @ np.arange(201)).all()

    def test_batches_of_two_wait_for_each_other(self):
        # two at a time, at least two: a server that starts when the second job has come
        network = station(law=Deterministic(0.01), rate=1.0)
        seen = simulated(network, batches={"s": Batch(max_size=2, min_size=2)})
        assert seen.response_time.value[0] == pytest.approx(0.51, rel=0.02)


class TestByHand:
    @pytest.mark.parametrize(
        ("discipline", "response_times"),
        [
            # arrivals at 1, 2, 3, 10; services 3, 1, 2, 1: departures 4, 5, 7, 11
            ("FCFS", [3, 3, 4, 1]),
            # at 2 the first has 2 left and the second needs 1: second, first, third
            ("SRPT", [1, 4, 4, 1]),
            # alone to 2, then two share, then three
            ("PS", [2.5, 5.5, 4.0, 1.0]),
            # 1-2 first alone (1 s), 2-3 second alone and done, 3-4 third to 1 s, then both share
            ("FB", [1.0, 3.0, 6.0, 1.0]),
            ("LCFS-PR", [1, 2, 6, 1]),
        ],
    )
    def test_four_jobs(self, discipline, response_times):
        seen = self.traced(discipline, [3, 1, 2, 1])
        assert seen.samples[0] == pytest.approx(response_times, abs=1e-12)

    @pytest.mark.parametrize("discipline", ["preemptive", "PSJF", "SRPT"])
    def test_equals_do_not_interrupt_each_other(self, discipline):
        # at 2 the first has as much left as the second, or is of the same size or class
        sizes = {"preemptive": [2, 2, 2, 2], "PSJF": [2, 2, 2, 2], "SRPT": [3, 2, 2, 1]}
        seen = self.traced(discipline, sizes[discipline])
        expected = {"preemptive": [2, 3, 4, 2], "PSJF": [2, 3, 4, 2], "SRPT": [3, 4, 5, 1]}
        assert seen.samples[0].tolist() == expected[discipline]

    def test_of_two_equals_the_one_that_ends_first_is_interrupted(self):
        # two servers; low from 1 to 4 and from 2 to 5; high comes at 3 for a second
        classes = [JobClass("low", 0.25, priority=1), JobClass("high", 0.2)]
        network = Network(
            [Station("s", 2, "preemptive")], classes, [[Trace([3] * 3)], [Trace([1] * 2)]]
        )
        gaps = {"low": Trace([1, 1, 10]), "high": Trace([3, 7])}
        seen = simulated(network, 3, arrivals=gaps, keep_samples=True, percentiles=[50])
        assert [sample.tolist() for sample in seen.samples] == [[4, 3], [1]]

    def traced(self, discipline, sizes):
        gaps = Trace([1, 1, 1, 7])
        network = station(discipline, Trace(sizes), rate=0.4)
        return simulated(network, 4, arrivals={"c": gaps}, keep_samples=True, percentiles=[50])


class TestInvariants:
    @given(
        discipline=st.sampled_from(DISCIPLINES),
        law=st.sampled_from(sorted(LAWS)),
        servers=st.integers(1, 3),
        load=st.floats(0.2, 0.95),
        seed=st.integers(0, 1000),
    )
    @settings(max_examples=40)
    def test_nothing_is_lost_or_made(self, discipline, law, servers, load, seed):
        servers = 1 if discipline == "FB" else servers
        network = station(discipline, LAWS[law], load * servers, servers=servers)
        raw = run(network, Options(), 300, seed, fast=False)
        last = raw.trail[-1, 0]
        assert last[ARRIVED] - last[DEPARTED] == last[PRESENT]
        assert last[DEPARTED] == 300
        assert raw.series[0].sum() == pytest.approx(last[RESPONSE])
        # Little's law along the path: area is response time so far, of those gone and still here
        assert last[AREA] >= last[RESPONSE] * (1 - 1e-9)
        assert last[WORK] <= raw.time[-1] * servers * (1 + 1e-9)

    @given(seed=st.integers(0, 1000), load=st.floats(0.3, 0.95))
    @settings(max_examples=20)
    def test_work_is_conserved_by_every_order(self, seed, load):
        """The last of a long run leaves a single server at one time, whatever the order."""
        networks = [station(d, Trace([0.7, 1.3] * 50), load) for d in DISCIPLINES]
        gaps = Trace([1 / load] * 100)
        ends = [
            run(n, Options(arrivals={"c": gaps}), 100, seed, fast=False).time[-1] for n in networks
        ]
        assert ends == pytest.approx([ends[0]] * len(ends))

    def test_srpt_beats_the_rest_on_one_path(self):
        means = {d: simulated(station(d), 50_000).response_time.value[0] for d in DISCIPLINES}
        assert min(means, key=means.get) == "SRPT"


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_compiled_code_gives_the_numbers_of_plain_python(discipline):
    classes = [JobClass("a", 0.5), JobClass("b", 0.6, priority=1), JobClass("c", population=3)]
    stations = [
        Station("s", 1 if discipline == "FB" else 2, discipline),
        Station("t", capacity=5),
        Station("u", discipline="PS"),
    ]
    service = [[0.5, LAWS["erlang"], 0.1], [0.4, 0.2, 0.3], [0.3, 0.1, 0.2]]
    routing = [[0, 0.5, 0.4], [0.3, 0, 0.3], [0, 0, 0]]
    network = Network(stations, classes, service, routing=routing)
    plain, fast = (run(network, Options(), 3000, 9, fast=f) for f in (False, True))
    np.testing.assert_array_equal(plain.trail, fast.trail)
    np.testing.assert_array_equal(plain.time, fast.time)
    for a, b in zip(plain.series, fast.series, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_short_run_never_loads_the_compiler():
    script = (
        "import sys, json\n"
        "from perfmodel.queueing.network.model import JobClass, Network, Station\n"
        "from perfmodel.queueing.simulation import simulate\n"
        "net = Network([Station('s')], [JobClass('c', 0.5)], [1.0])\n"
        "seen = simulate(net, customers=5000, seed=2)\n"
        "print(json.dumps(['numba' in sys.modules, seen.response_time.value[0]]))\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded, mean = json.loads(out.stdout)
    assert not loaded
    assert mean == simulated(station(rate=0.5), 5000, seed=2).response_time.value[0]


def test_ties_leave_in_the_order_they_came():
    gaps = Trace([4.0, *[0.0] * 5])
    network = Network([Station("s", servers=3)], [JobClass("c", 1.5)], [Deterministic(1.0)])
    seen = simulated(network, 6, arrivals={"c": gaps}, keep_samples=True, percentiles=[50])
    assert seen.samples[0].tolist() == [1, 1, 1, 2, 2, 2]
    assert math.isinf(seen.response_time.high[0])
