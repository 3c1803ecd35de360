"""Warm-up, batches, intervals: hand values, coverage by seeded runs, and the word on short runs."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.queueing.distributions.heavy_tail import BoundedPareto
from perfmodel.queueing.distributions.service import Exponential
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import driver
from perfmodel.queueing.simulation.driver import run
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.statistics import (
    BATCHES,
    USUAL_QUANTILE,
    Estimate,
    batch_means,
    effective_size,
    mser5,
    of_replications,
    quantiles,
    ratio,
)
from perfmodel.queueing.simulation.streams import Trace
from perfmodel.queueing.simulation.summary import warm_up


def noise(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def autoregressive(size, memory, count, seed=1):
    """Return `count` series of variance 1 whose neighbours are correlated by `memory`."""
    shocks = noise(size, count, seed=seed) * np.sqrt(1 - memory**2)
    shocks[0] /= np.sqrt(1 - memory**2)
    for i in range(1, size):
        shocks[i] += memory * shocks[i - 1]
    return shocks


class TestMser5:
    def test_cuts_a_step(self):
        assert mser5(np.r_[np.full(100, 7.0), np.tile([1.0, 2, 3, 2, 1, 2, 1], 100)]) == 100

    def test_keeps_a_settled_series(self):
        assert mser5(np.tile([1.0, 2, 3, 4, 5, 6, 7], 50)) <= 35

    def test_ties_go_to_the_least_cut(self):
        assert mser5(np.ones(50)) == 0

    @given(st.integers(10, 300), st.integers(0, 50))
    def test_by_the_definition(self, size, seed):
        x = noise(size, seed=seed).cumsum()
        y = x[: size // 5 * 5].reshape(-1, 5).mean(axis=1)
        scores = [
            ((y[d:] - y[d:].mean()) ** 2).sum() / (len(y) - d) ** 2 for d in range(len(y) // 2 + 1)
        ]
        assert scores[mser5(x) // 5] == pytest.approx(min(scores), abs=1e-9)

    def test_too_few(self):
        with pytest.raises(ValueError, match="series must be a one-dimensional sample of 5 or"):
            mser5([1.0, 2.0])


class TestBatchMeans:
    def test_by_hand(self):
        # batch means 2, 3, 4: s = 1, t(2) = 4.302653, half width t / sqrt(3)
        seen = batch_means([9.0, 1, 3, 2, 4, 3, 5], batches=3)
        assert seen.value == 3
        assert seen.half_width == pytest.approx(4.302652730 / np.sqrt(3))

    def test_needs_a_value_for_each_batch(self):
        with pytest.raises(ValueError, match="sample of 20 or more values"):
            batch_means(np.ones(19))

    def test_the_usual_quantile_is_students(self):
        assert math.isclose(USUAL_QUANTILE, stats.t.ppf(0.975, BATCHES - 1), rel_tol=1e-13)

    def test_replications(self):
        seen = of_replications([[1.0, 5], [2, 5], [3, 5]])
        assert seen.value.tolist() == [2, 5]
        assert seen.half_width == pytest.approx([4.302652730 / np.sqrt(3), 0])


class TestRatio:
    def test_independent_rows_get_students_interval(self):
        x = 3 + noise(400, 3000)
        seen = ratio(x, np.ones(x.shape))
        assert seen.value == pytest.approx(x.mean(axis=0))
        assert np.median(seen.half_width) == pytest.approx(2.09 / np.sqrt(400), rel=0.2)
        assert 0.93 < seen.covers(3).mean() < 0.98

    def test_correlated_rows_get_a_wider_one(self):
        x = autoregressive(1000, 0.7, 400)
        seen = ratio(x, np.ones(x.shape))
        assert seen.covers(0).mean() > 0.92
        naive = 1.96 * x.std(axis=0) / np.sqrt(1000)
        assert (np.abs(x.mean(axis=0)) <= naive).mean() < 0.65

    @pytest.mark.parametrize("memory", [0.0, 0.4, 0.7])
    def test_the_intervals_given_hold_in_93_to_97_of_100(self, memory):
        x = autoregressive(1000, memory, 4000)
        seen = ratio(x, np.ones(x.shape))
        assert seen.too_short.mean() < 0.05
        assert 0.93 <= seen.covers(0)[~seen.too_short].mean() <= 0.97

    def test_the_correlation_of_batches_by_hand(self):
        """Means 5 up and 5 down: sum of squares 20, lagged 13; (.65 + 1 / 20) / .8 = .875."""
        means = np.tile(np.repeat([1.0, -1.0], 5), 2)
        rows = 3 + np.repeat(means, 20) + np.tile([10.0, -10.0], 200)
        seen = ratio(rows, np.ones(400))
        assert seen.value == 3
        assert seen.half_width == pytest.approx(
            2.093024 * np.sqrt(1 / 19 * 1.875 / 0.125), rel=1e-4
        )

    def test_long_memory_is_a_run_too_short(self):
        x = autoregressive(1000, 0.99, 200)
        seen = ratio(x, np.ones(x.shape))
        assert seen.too_short.mean() > 0.95
        assert str(ratio(x[:, 0], np.ones(1000))).endswith("(run too short)")

    def test_ratio_is_of_sums(self):
        top, bottom = np.r_[1.0, 2, 3] * 2, np.r_[1.0, 2, 3]
        assert ratio(np.tile(top, 100), np.tile(bottom, 100)).value == 2

    def test_constants_are_known_exactly(self):
        seen = ratio(np.full(200, 3.0), np.ones(200))
        assert (seen.low, seen.high) == (3, 3)

    def test_nothing_seen_is_a_run_too_short(self):
        seen = ratio(np.zeros(200), np.zeros(200))
        assert seen.value == 0
        assert seen.too_short

    def test_few_rows_are_a_run_too_short(self):
        assert ratio(np.ones(19), np.ones(19)).too_short

    def test_effective_size_of_an_autoregression(self):
        x = autoregressive(5000, 0.5, 50)
        assert np.median(effective_size(x)) == pytest.approx(5000 / 3, rel=0.15)


class TestQuantiles:
    def test_of_independent_values(self):
        x = np.random.default_rng(3).exponential(size=(200, 10_000))
        bounds = np.arange(0, 10_001, 50)
        exact = -np.log([0.5, 0.05])
        hits = [quantiles(row, bounds, np.array([0.5, 0.95])).covers(exact) for row in x]
        assert (np.mean(hits, axis=0) > 0.9).all()
        assert (np.mean(hits, axis=0) < 0.99).all()

    @pytest.mark.parametrize("size", [100, 1000, 30_000])
    def test_value_is_that_of_every_other_sample(self, size):
        levels = np.array([0.0, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0])
        x = np.random.default_rng(size).exponential(size=size)
        seen = quantiles(x, np.arange(0, size + 1, 2), levels)
        assert seen.value == pytest.approx(np.quantile(x, levels), rel=1e-9)

    def test_999_of_a_thousand_is_not_the_largest(self):
        seen = quantiles(np.arange(1.0, 1001), np.arange(0, 1001, 2), np.array([0.999]))
        assert seen.value == pytest.approx(999.001)

    def test_empty_rows_and_dropped_beginning(self):
        x = np.r_[np.full(50, 99.0), np.tile(np.arange(100.0), 10)]
        bounds = np.r_[50, 50, np.arange(50, 1051, 10)]
        seen = quantiles(x, bounds, np.array([0.5]))
        assert seen.value.tolist() == [49.5]
        assert seen.low <= 49.5 <= seen.high

    def test_too_few(self):
        seen = quantiles(np.array([3.0, 1.0]), np.array([0, 1, 2]), np.array([0.5]))
        assert seen.too_short.all()


def test_an_infinite_interval_covers_nothing():
    ends = np.array([[-np.inf, np.inf], [0.0, np.inf], [-np.inf, 2.0], [0.0, 2.0]])
    seen = Estimate(np.ones(4), *ends.T)
    assert seen.covers(1.0).tolist() == [False, False, False, True]
    assert not ratio(np.ones(19), np.ones(19)).covers(1.0)


def test_estimate_prints_itself():
    assert str(Estimate(*np.array([1.0, 0.5, 2.0]))) == "1 in [0.5, 2]"
    assert str(Estimate(*np.ones((3, 2)))) == "[1 in [1, 1], 1 in [1, 1]]"
    assert "2 in [1, 3]" in repr(Estimate(*(np.full((2, 2), v) for v in (2.0, 1.0, 3.0))))


def test_warm_up_is_where_the_slowest_class_has_settled():
    departed = np.stack([np.arange(0, 1001, 10), np.arange(0, 2001, 20)], axis=1)
    settled, late = np.tile([1.0, 2, 3, 2], 250), np.r_[np.full(400, 9.0), np.tile([1.0, 2], 800)]
    assert warm_up((settled, late), departed) == (20, False)
    assert warm_up((settled, np.linspace(1, 9, 2000)), departed)[1]


def test_bursts_are_no_warm_up_and_a_filling_network_is(monkeypatch):
    """MSER-5 of the times themselves dropped 5 % of such runs, those with the early bursts."""
    monkeypatch.setattr(driver, "WORTH_COMPILING", 0)
    settled = Network([Station("s")], [JobClass("c", 0.8)], [1.0])
    runs = [simulate(settled, 10_000, seed, progress=False) for seed in range(30)]
    assert np.mean([r.warm_up_customers for r in runs]) < 0.01 * 10_000
    filling = Network([Station(n) for n in "abc"], [JobClass("c", population=60)], [1.0, 0.8, 0.9])
    runs = [simulate(filling, 600, seed, progress=False) for seed in range(30)]
    assert 30 < np.median([r.warm_up_customers for r in runs]) < 200


@pytest.mark.parametrize(
    ("discipline", "load", "customers", "runs"),
    [("FCFS", 0.5, 5_000, 150), ("FCFS", 0.9, 100_000, 40), ("PS", 0.8, 50_000, 50)],
)
def test_coverage_of_nominal_95_per_cent(discipline, load, customers, runs, monkeypatch):
    """`benchmarks/simulation.py --coverage` runs 400 seeds of more models."""
    monkeypatch.setattr(driver, "WORTH_COMPILING", 0)
    network = Network([Station("s", discipline=discipline)], [JobClass("c", load)], [1.0])
    seen = [
        simulate(network, customers, seed, progress=False).response_time for seed in range(runs)
    ]
    assert 0.9 <= np.mean([e.covers(1 / (1 - load)) for e in seen]) <= (0.99 if runs > 100 else 1)
    assert np.mean([e.too_short for e in seen]) < 0.1


def test_a_run_too_short_says_so_instead_of_a_narrow_interval():
    network = Network([Station("s")], [JobClass("c", 0.9)], [1.0])
    runs = [simulate(network, 1000, seed, progress=False) for seed in range(15)]
    short = [r for r in runs if r.response_time.too_short[0]]
    assert len(short) == 15
    assert all("response_time, " in r.warning.partition("interval of: ")[2] for r in short)
    assert all(np.isinf(r.response_percentiles.high).all() for r in short)


def test_samples_and_sums_agree():
    raw = run(Network([Station("s")], [JobClass("c", 0.5)], [1.0]), Options(), 1000, 1)
    assert raw.done == raw.series[0].size == 1000


class TestUnseenSizes:
    """A run that can't have seen the tail of its sizes gives no interval of delays."""

    def run(self, law, load, customers, discipline="PS"):
        rate = load / law.moment(1)
        network = Network([Station("s", 1, discipline)], [JobClass("j", rate)], [[law]])
        return simulate(network, customers, 1, progress=False)

    def test_heavy_tails_near_full_load(self):
        run = self.run(BoundedPareto(1.5, 1.0, 1e6), 0.7, 50_000)
        assert run.response_time.too_short.all()
        assert run.queue_length.too_short.all()
        assert run.throughput.too_short.all()
        assert "run too short" in run.warning

    @pytest.mark.parametrize(("load", "short"), [(0.9, False), (0.95, True)])
    def test_work_and_jobs_done_take_a_relaxation_time_a_batch(self, load, short):
        """That of M/M/1 is 4 rho^2 / (1 - rho)^2 visits: 324 and 1,444, twenty times over."""
        run = self.run(Exponential(1.0), load, 10_000, "FCFS")
        assert bool(run.utilization.too_short.any()) == short
        assert bool(run.throughput.too_short.any()) == short
        assert (
            run.customers_needed.get("throughput", 0.0) == pytest.approx(29_000, rel=0.05)
        ) == short

    @pytest.mark.parametrize(("load", "short"), [(0.5, False), (0.97, True)])
    def test_it_takes_a_load_to_matter(self, load, short):
        """The sum of 10,000 exponential sizes is off by 1 %, times 1 / (1 - load)."""
        run = self.run(Exponential(1.0), load, 10_000, "FCFS")
        assert bool(run.response_time.too_short[0]) == short

    def test_the_times_of_a_trace_are_all_seen(self):
        drawn = BoundedPareto(1.5, 1.0, 1e6)
        sizes = np.random.default_rng(3).pareto(1.5, 30_000) + 1.0
        assert self.run(drawn, 0.5, 20_000).response_time.too_short.all()
        given = Trace(sizes.tolist())
        network = Network([Station("s")], [JobClass("j", 0.2 / sizes.mean())], [[given]])
        assert not simulate(network, 20_000, 1, progress=False).response_time.too_short.any()

    def test_other_stations_keep_their_intervals(self):
        heavy, light = BoundedPareto(1.5, 1.0, 1e6), Exponential(1.0)
        network = Network(
            [Station("heavy", 1, "PS"), Station("light", 1, "PS")],
            [JobClass("a", 0.25), JobClass("b", 0.3)],
            [[heavy, light], [heavy, light]],
            visits=[[1, 0], [0, 1]],
        )
        run = simulate(network, 40_000, 1, progress=False)
        assert run.response_time.too_short.tolist() == [True, False]
