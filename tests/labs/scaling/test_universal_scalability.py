"""Users that work in rounds: the law itself without variation, order statistics with it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.universal_scalability.rounds import (
    MOST,
    RoundCosts,
    round_trace,
    simulate_rounds,
)
from perfmodel.scaling import fit_usl, usl_throughput

LOADS = np.array([1, 2, 3, 5, 8, 13, 40])


@given(
    work=st.floats(1e-3, 10), lock=st.floats(0, 10), tell=st.floats(0, 1), seed=st.integers(0, 9)
)
def test_jobs_of_one_length_give_the_universal_scalability_law(work, lock, tell, seed):
    costs = RoundCosts(work, lock, tell)
    distribution = usl_throughput(LOADS, costs.rate_one, costs.contention, costs.coherency)
    assert simulate_rounds(LOADS, costs, rounds=3, seed=seed) == pytest.approx(distribution)


def test_a_round_of_three_by_hand():
    # 1 s of work together, 3 locks of 2 s, 6 messages of 0.5 s: 3 jobs in 10 s.
    assert simulate_rounds([3], RoundCosts(1.0, 2.0, 0.5), rounds=7) == pytest.approx([0.3])


def test_the_parameters_follow_from_the_times():
    costs = RoundCosts(work=3.0, lock=1.0, tell=0.5)
    assert (costs.rate_one, costs.contention, costs.coherency) == (0.25, 0.25, 0.125)


def test_the_slowest_of_n_exponential_jobs_takes_a_harmonic_number_of_means():
    loads = np.array([1, 4, 16])
    harmonic = np.array([sum(1 / i for i in range(1, n + 1)) for n in loads])
    throughput = simulate_rounds(
        loads, RoundCosts(work=2.0, work_variation=1.0), rounds=40_000, seed=3
    )
    assert throughput == pytest.approx(loads / (2.0 * harmonic), rel=0.02)


def test_locks_and_messages_keep_their_means_when_they_vary():
    costs = RoundCosts(work=1e-6, lock=1.0, tell=0.5, variation=0.8)
    throughput = simulate_rounds([1, 2, 6], costs, rounds=20_000, seed=1)
    assert throughput == pytest.approx([1.0, 2 / 3, 6 / 21], rel=0.02)


def test_only_work_that_varies_slows_the_mean_round_down():
    steady = simulate_rounds([8], RoundCosts(1.0, 0.05), rounds=500)
    noisy = simulate_rounds([8], RoundCosts(1.0, 0.05, variation=0.3), rounds=500)
    straggling = simulate_rounds([8], RoundCosts(1.0, 0.05, work_variation=0.3), rounds=500)
    assert noisy == pytest.approx(steady, rel=0.01)
    assert straggling < 0.8 * steady


def test_a_fit_finds_the_planted_parameters():
    costs = RoundCosts(work=0.095, lock=0.005, tell=5e-5)
    fit = fit_usl(LOADS, simulate_rounds(LOADS, costs))
    estimates = (fit.rate_one, fit.contention, fit.coherency)
    assert estimates == pytest.approx((10.0, 0.05, 5e-4), rel=1e-6)


def test_repeated_loads_are_independent_and_a_seed_repeats_them_all():
    costs = RoundCosts(1.0, work_variation=0.5)
    first, again = simulate_rounds([4, 4], costs, seed=5), simulate_rounds([4, 4], costs, seed=5)
    assert first[0] != first[1]
    assert first.tolist() == again.tolist()
    assert first.tolist() != simulate_rounds([4, 4], costs, seed=6).tolist()


@pytest.mark.parametrize("users", range(1, MOST + 1))
@pytest.mark.parametrize("tell", [0, 0.001, 0.002])
def test_every_round_can_be_read_and_follows_the_law(users, tell):
    scene = round_trace(users, tell)
    assert scene.faults() == []
    rate_one = 1 / 0.07
    distribution = usl_throughput(users, rate_one, 0.01 * rate_one, tell * rate_one)
    assert scene.values["jobs/s"] == pytest.approx(distribution)
    assert len(scene.says) <= 160


def test_a_round_of_eight_by_hand():
    assert round_trace(8).values["round (ms)"] == pytest.approx(60 + 8 * 10 + 8 * 7 * 2)
