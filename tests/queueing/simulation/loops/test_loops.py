"""Each loop gives the numbers of the general one, over random networks, pauses included."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.distributions.service import (
    Deterministic,
    Erlang,
    Hyperexponential,
    Uniform,
)
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import driver, storage
from perfmodel.queueing.simulation.driver import run
from perfmodel.queueing.simulation.loops.choice import RANKED, loop_of
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.state import AREA, GENERAL, ROUTING, TALLY

LAWS = {
    "exponential": lambda mean: mean,
    "constant": Deterministic,
    "uniform": lambda mean: Uniform(0.5 * mean, 1.5 * mean),
    "erlang": lambda mean: Erlang(mean, 3),
    "spread": lambda mean: Hyperexponential.balanced(mean, 9.0),
}
laws = st.sampled_from(sorted(LAWS))
loads = st.sampled_from([0.25, 0.5, 0.75]) | st.floats(0.1, 0.97)
"""Some at which times that are constant meet."""


def check_same(network, options, customers, seed, fast):
    assert loop_of(network, options) != GENERAL
    own, general = (run(network, options, customers, seed, fast=fast, general=g) for g in (0, 1))
    assert own.done == general.done == customers
    np.testing.assert_array_equal(own.time, general.time)
    for ours, theirs in zip(own.series, general.series, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for field in range(TALLY):
        if field == AREA:
            np.testing.assert_allclose(own.trail[..., AREA], general.trail[..., AREA], 1e-10, 1e-8)
        else:
            np.testing.assert_array_equal(own.trail[..., field], general.trail[..., field])


@st.composite
def rows(draw):
    """Return an open or closed row of stations, with means of other laws than one another."""
    means = draw(st.lists(st.sampled_from([0.25, 0.5, 0.93, 1.0]), min_size=1, max_size=4))
    service = [LAWS[draw(laws)](mean) for mean in means]
    stations = [Station(f"s{i}") for i in range(len(means))]
    people, load = draw(st.integers(0, 25)), draw(loads)
    job = JobClass("j", population=people) if people else JobClass("j", load / max(means))
    between = {} if people else {"j": LAWS[draw(laws)](max(means) / load)}
    return Network(stations, [job], service), Options(arrivals=between)


@st.composite
def single_stations(draw):
    """Return a station of several servers, shared, or that takes jobs by rank; any law."""
    discipline = draw(st.sampled_from(["FCFS", "PS", *RANKED]))
    servers = draw(st.integers(2, 7)) if discipline in ("FCFS", "PS") else 1
    load, law = draw(loads), draw(laws)
    network = Network(
        [Station("s", servers, discipline)], [JobClass("j", load * servers)], [LAWS[law](1.0)]
    )
    return network, Options(arrivals={"j": LAWS[draw(laws)](1 / (load * servers))})


@st.composite
def routed(draw):
    """Return stations first come, first served and delays, with routes of one to three classes."""
    size, classes = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    kinds = draw(st.lists(st.sampled_from([1, 1, 2, 40, "delay"]), min_size=size, max_size=size))
    stations = [
        Station(f"s{i}", discipline="delay") if kind == "delay" else Station(f"s{i}", kind)
        for i, kind in enumerate(kinds)
    ]
    odds = st.lists(st.sampled_from([0.0, 0.0, 0.25, 1.0]), min_size=size, max_size=size)
    routing = np.array([[draw(odds) for _ in range(size)] for _ in range(classes)])
    routing *= 0.75 / np.maximum(routing.sum(axis=2, keepdims=True), 1.0)
    entry = np.eye(size)[[draw(st.integers(0, size - 1)) for _ in range(classes)]]
    jobs = []
    for name in "ijk"[:classes]:
        people, think = draw(st.integers(0, 12)), draw(st.sampled_from([0.0, 2.5]))
        if people:
            jobs.append(JobClass(name, population=people, think_time=think))
        else:
            jobs.append(JobClass(name, 0.02))
    law = draw(laws)
    service = [[LAWS[law](draw(st.sampled_from([0.5, 1.0]))) for _ in kinds] for _ in jobs]
    arrivals = {job.name: LAWS[draw(laws)](50.0) for job in jobs if job.arrival_rate}
    return Network(stations, jobs, service, routing=routing, entry=entry), Options(arrivals)


def tight(patch):
    """Make pauses many: few numbers drawn ahead, few samples kept."""
    patch.setattr(storage, "POOL", 300)
    patch.setattr(storage, "SAMPLES", 500)
    patch.setattr(storage, "STRIDE", 8)


class TestAgainstTheGeneralLoop:
    @given(case=rows(), customers=st.integers(1, 900), seed=st.integers(0, 99), small=st.booleans())
    @settings(max_examples=60)
    def test_rows_of_stations(self, case, customers, seed, small):
        with pytest.MonkeyPatch.context() as patch:
            if small:
                tight(patch)
            check_same(*case, customers, seed, fast=False)

    @given(
        case=single_stations(),
        customers=st.integers(1, 900),
        seed=st.integers(0, 9),
        small=st.booleans(),
    )
    @settings(max_examples=80)
    def test_single_stations(self, case, customers, seed, small):
        with pytest.MonkeyPatch.context() as patch:
            if small:
                tight(patch)
            check_same(*case, customers, seed, fast=False)

    @given(
        case=routed(), customers=st.integers(1, 300), seed=st.integers(0, 9), small=st.booleans()
    )
    @settings(max_examples=80)
    def test_routes(self, case, customers, seed, small):
        with pytest.MonkeyPatch.context() as patch:
            if small:
                tight(patch)
            check_same(*case, customers, seed, fast=False)

    @pytest.mark.parametrize("think", [0.0, 3.0])
    def test_long_routes_in_machine_code(self, think):
        disks = [Station("cpu", 2), Station("disk"), Station("net", discipline="delay")]
        jobs = [JobClass("users", population=30, think_time=think), JobClass("batch", 0.05)]
        routing = [[0, 0.6, 0.2], [1, 0, 0], [0.5, 0, 0]]
        network = Network(disks, jobs, [1.0, Deterministic(1.0), 4.0], routing=routing)
        assert loop_of(network, Options()) == ROUTING
        check_same(network, Options(), 40_000, 5, fast=True)

    @pytest.mark.parametrize("servers", [1, 3])
    def test_a_queue_that_outgrows_its_room(self, servers, monkeypatch):
        """It gets more room at the pause that asks for it, in a few pauses."""
        tight(monkeypatch)
        pauses = itertools.count()

        def attend(*arguments):
            assert next(pauses) < 1000
            return storage.attend(*arguments)

        monkeypatch.setattr(driver, "attend", attend)
        network = Network([Station("s", servers)], [JobClass("j", 3.0 * servers)], [1.0])
        check_same(network, Options(), 2000, 5, fast=False)

    @pytest.mark.parametrize("discipline", ["FCFS", "PS", *RANKED])
    def test_long_single_stations_in_machine_code(self, discipline):
        servers = 5 if discipline == "FCFS" else 1
        network = Network(
            [Station("s", servers, discipline)],
            [JobClass("j", 0.95 * servers)],
            [Hyperexponential.balanced(1.0, 4.0)],
        )
        check_same(network, Options(), 40_000, 5, fast=True)

    @pytest.mark.parametrize("people", [0, 1, 20, 3000])
    def test_long_rows_in_machine_code(self, people):
        job = JobClass("j", population=people) if people else JobClass("j", 0.95)
        service = [Hyperexponential.balanced(1.0, 4.0), 0.9, Deterministic(1.0)]
        network = Network([Station(name) for name in "abc"], [job], service)
        check_same(network, Options(), 40_000, 5, fast=True)
