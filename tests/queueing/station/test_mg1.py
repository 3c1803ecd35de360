"""M/G/1 and its variants, G/M/1: Lindley recursions, limits, conservation, bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import (
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Hyperexponential,
    Uniform,
    scv,
)
from perfmodel.queueing.station.gm1 import gm1
from perfmodel.queueing.station.mg1 import (
    mg1,
    mg1_batches,
    mg1_busy_period,
    mg1_setup,
    mg1_vacations,
    mg1_waiting_variance,
)
from perfmodel.queueing.station.mmc import mm1

JOBS = 400_000


@pytest.mark.parametrize(
    ("utilization", "waiting", "within"), [(0.3, 10.93, 5e-3), (0.8, 102.0, 0.05)]
)
def test_variable_sizes_by_hand(utilization, waiting, within):
    assert mg1(arrival_rate=utilization, mean_service=1.0, scv=50).waiting_time == pytest.approx(
        waiting, abs=within
    )


def test_the_utilization_at_which_equal_sizes_wait_as_long():
    # Which M/D/1 waits as long as M/G/1 at 30 % with scv 50?
    waiting = float(mg1(arrival_rate=0.3, mean_service=1.0, scv=50).waiting_time)
    steady = 2 * waiting / (1 + 2 * waiting)
    assert steady == pytest.approx(0.95625, abs=1e-4)
    assert mg1(arrival_rate=steady, mean_service=1.0, scv=0).waiting_time == pytest.approx(waiting)


def waits(between, service):
    """Lindley: each job waits for what the one before leaves behind."""
    steps = np.concatenate([[0.0], service[:-1] - between[1:]])
    walk = np.cumsum(steps)
    return walk - np.minimum.accumulate(walk)


LAWS = [Deterministic(1.0), Erlang(1.0, 4), Uniform(0.5, 1.5), Hyperexponential.balanced(1.0, 4.0)]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_mean_and_variance_against_lindley(law):
    rng = np.random.default_rng(11)
    waited = waits(rng.exponential(1 / 0.6, JOBS), law.sample(rng, JOBS))
    mean = mg1(arrival_rate=0.6, mean_service=1.0, scv=scv(law)).waiting_time
    assert waited.mean() == pytest.approx(mean, rel=0.04)
    assert waited.var() == pytest.approx(mg1_waiting_variance(0.6, law), rel=0.12)


def test_thirty_percent_busy_and_eleven_service_times():
    assert mg1(
        arrival_rate=0.3, mean_service=1.0, scv=[0, 1, 10, 50]
    ).waiting_time == pytest.approx([0.214286, 0.428571, 2.357143, 10.928571], rel=1e-5)


@given(st.floats(0.01, 0.99), st.floats(0.01, 50), st.floats(0, 1000))
def test_exponential_service_is_mm1_and_variability_costs(load, mean, spread):
    plain = mg1(arrival_rate=load / mean, mean_service=mean, scv=1.0)
    assert plain.response_time == pytest.approx(mm1(load / mean, 1 / mean).response_time)
    varied = mg1(arrival_rate=load / mean, mean_service=mean, scv=spread)
    assert varied.waiting_time == pytest.approx(plain.waiting_time * (1 + spread) / 2)


def test_variance_of_the_exponential_case():
    # The waiting time of M/M/1 has variance rho (2 - rho) / (mu (1 - rho))^2.
    load = np.array([0.2, 0.5, 0.9])
    expected = load * (2 - load) / (1 - load) ** 2
    assert mg1_waiting_variance(load, Exponential(1.0)) == pytest.approx(expected)


class TestVariants:
    def test_busy_period_against_a_run(self):
        law, rng = Uniform(0.5, 1.5), np.random.default_rng(2)
        between, service = rng.exponential(2.0, JOBS), law.sample(rng, JOBS)
        starts = np.flatnonzero(waits(between, service) == 0)
        periods = np.add.reduceat(service, starts)
        mean, spread = mg1_busy_period(0.5, law)
        assert periods.mean() == pytest.approx(mean, rel=0.02)
        assert periods.var() / periods.mean() ** 2 == pytest.approx(spread, rel=0.1)

    def test_vacations_against_a_run(self):
        assert mg1_vacations(0.6, Uniform(0.5, 1.5), Exponential(3.0)).waiting_time == (
            pytest.approx(self.run_vacations(), rel=0.03)
        )

    def run_vacations(self):
        rng = np.random.default_rng(4)
        arrive = np.cumsum(rng.exponential(1 / 0.6, 150_000))
        service = rng.uniform(0.5, 1.5, arrive.size)
        away = iter(rng.exponential(3.0, 400_000))
        free, total = 0.0, 0.0
        for moment, work in zip(arrive, service, strict=True):
            while free < moment:
                free += next(away)
            total += free - moment
            free += work
        return total / arrive.size

    def test_setup_against_a_run(self):
        rng = np.random.default_rng(6)
        arrive = np.cumsum(rng.exponential(1 / 0.5, 150_000))
        service, setups = rng.exponential(1.0, arrive.size), rng.uniform(0, 6, arrive.size)
        free, total = 0.0, 0.0
        for moment, work, setup in zip(arrive, service, setups, strict=True):
            start = free if free > moment else moment + setup
            total += start - moment
            free = start + work
        waiting = mg1_setup(0.5, Exponential(1.0), Uniform(0, 6)).waiting_time
        assert waiting == pytest.approx(total / arrive.size, rel=0.03)

    def test_batches_against_a_run(self):
        rng = np.random.default_rng(8)
        sizes = rng.integers(1, 6, 120_000)
        between = np.zeros(sizes.sum())
        between[np.cumsum(sizes) - sizes] = rng.exponential(3 / 0.6, sizes.size)
        waited = waits(between, rng.exponential(1.0, between.size))
        law = Empirical((1, 2, 3, 4, 5))
        result = mg1_batches(0.2, Exponential(1.0), law.moment(1), scv(law))
        assert result.waiting_time == pytest.approx(waited.mean(), rel=0.04)
        assert result.arrival_rate == pytest.approx(0.6)

    def test_limits(self):
        plain = mg1(arrival_rate=0.5, mean_service=1.0, scv=1.0).waiting_time
        law = Exponential(1.0)
        assert mg1_batches(0.5, law, 1).waiting_time == pytest.approx(plain)
        assert mg1_vacations(0.5, law, Deterministic(1e-9)).waiting_time == pytest.approx(plain)
        assert mg1_setup(0.5, law, Deterministic(1e-9)).waiting_time == pytest.approx(plain)

    def test_exponential_setup_adds_its_mean(self):
        # Memoryless set-up: (2 a + 2 lambda a^2) / (2 (1 + lambda a)) = a.
        extra = mg1_setup([0.1, 0.8], Exponential(1.0), Exponential(5.0)).waiting_time
        assert extra - mg1(
            arrival_rate=[0.1, 0.8], mean_service=1.0, scv=1.0
        ).waiting_time == pytest.approx([5, 5])


class TestRenewalArrivals:
    def test_poisson_arrivals_are_mm1(self):
        queue = gm1(Exponential(2.0), 1.0)
        assert queue.sigma == pytest.approx(0.5)
        assert queue.response_time == pytest.approx(2)
        assert queue.response_quantile(0.95) == pytest.approx(2 * np.log(20))
        assert queue.waiting_quantile([0.4, 0.75]) == pytest.approx([0, 2 * np.log(2)])

    @pytest.mark.parametrize("law", [Uniform(0, 3), Hyperexponential.balanced(1.5, 5.0)], ids=repr)
    def test_against_lindley(self, law):
        rng = np.random.default_rng(9)
        waited = waits(law.sample(rng, JOBS), rng.exponential(1.0, JOBS))
        queue = gm1(law, 1.0)
        assert (waited > 0).mean() == pytest.approx(queue.sigma, abs=0.01)
        assert waited.mean() == pytest.approx(queue.waiting_time, rel=0.04)
        assert np.quantile(waited, 0.9) == pytest.approx(queue.waiting_quantile(0.9), rel=0.05)

    @given(st.floats(0.01, 0.995))
    def test_sigma_solves_its_equation(self, load):
        law = Erlang(1 / load, 3)
        queue = gm1(law, 1.0)
        assert law.laplace(1 - queue.sigma).real == pytest.approx(queue.sigma, rel=1e-9)
        assert queue.sigma < load
