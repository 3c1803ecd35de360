"""The farm: its bounds hold for every schedule, and queueing's own models agree with each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.labs.benchmarking.kgym.farm import Farm, schedule
from perfmodel.labs.benchmarking.kgym.farm_trace import farm_trace
from perfmodel.labs.benchmarking.kgym.sieve import patch_sieve
from perfmodel.queueing import qna, simulate

times = st.floats(0.5, 20)
machines = st.integers(1, 6)


def test_bounds_worked_out_by_hand() -> None:
    assert Farm(12, 16, 8, 8).least_makespan(2790) == 2802
    assert Farm(12, 16, 8, 12).least_makespan(2790) == 2100.5
    assert Farm(12, 16, 8, 8).bottleneck == "boot"
    assert Farm(12, 16, 8, 12).bottleneck == "build"


@given(st.integers(1, 60), times, machines, times, machines)
def test_no_schedule_beats_the_bound_and_ours_comes_near(
    jobs: int, build: float, builders: int, boot: float, boots: int
) -> None:
    farm = Farm(build, builders, boot, boots)
    _, booted = schedule(np.full(jobs, build), np.full(jobs, boot), builders, boots)
    assert farm.least_makespan(jobs) - 1e-9 <= booted.max()
    assert booted.max() <= farm.least_makespan(jobs) + build + boot
    assert jobs / booted.max() <= farm.capacity


@given(st.lists(st.tuples(times, times), min_size=1, max_size=20), machines, machines)
def test_no_machine_serves_two_patches_at_once(
    pairs: list[tuple[float, float]], builders: int, boots: int
) -> None:
    builds, takes = np.array(pairs).T
    built, booted = schedule(builds, takes, builders, boots)
    for ends, lengths, servers in ((built, builds, builders), (booted, takes, boots)):
        starts = ends - lengths
        busy = [(starts <= at + 1e-9) & (at + 1e-9 < ends) for at in starts]
        assert max(int(now.sum()) for now in busy) <= servers
    assert (booted - takes >= built - 1e-9).all()


def test_open_farm_by_two_moments_is_that_of_the_simulation() -> None:
    farm = Farm(720, 16, 480, 12)
    network = farm.network(0.8 * farm.capacity)
    run = simulate(network, customers=30_000, seed=3, progress=False)
    assert_allclose(qna(network).response_time, run.response_time.value, rtol=0.04)


def test_drawings_say_what_the_models_compute() -> None:
    assert farm_trace(3, 3).values["last one done (min)"] == 44
    assert farm_trace(1, 1).values["last one done (min)"] == 8 * 12 + 8
    scenes = [farm_trace(b, m) for b in (1, 2, 3) for m in (1, 2, 3)]
    scenes += [patch_sieve(runs, crash) for runs in range(9) for crash in (0.1, 0.3, 0.5, 0.8)]
    assert [scene.faults() for scene in scenes if scene.faults()] == []
    assert patch_sieve(0, 0.3, 0.05).values["true among those left (%)"] == pytest.approx(5)
    assert patch_sieve(8, 1.0).values["patches left"] == pytest.approx(10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Farm(0, 1, 1, 1), "build must be above 0"),
        (lambda: Farm(1, 1, 1, 0), "boots must be a whole number, 1 or more"),
        (lambda: schedule([1.0], [1.0, 2.0], 1, 1), "boots must have as many jobs"),
        (lambda: farm_trace(4, 1), "builders must be between 1 and 3"),
        (lambda: patch_sieve(9, 0.3), "runs must be between 0 and 8"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
