"""The Universal Scalability Law and forecasts by other forms: known data, intervals, coverage."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import curve_fit, minimize_scalar

from perfmodel.scaling import extrapolate_scaling
from perfmodel.scaling.laws import amdahl_limit, amdahl_speedup
from perfmodel.scaling.usl import fit_usl, usl_peak, usl_throughput

LOADS = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64])
PLANTED = (100.0, 0.05, 0.001)


def measured(rng: np.random.Generator, loads=LOADS, planted=PLANTED, noise=4.0) -> np.ndarray:
    return usl_throughput(loads, *planted) + noise * rng.standard_normal(len(loads))


class TestThroughput:
    def test_hand_value(self):
        # 1000 * 10 / (1 + 0.02 * 9 + 0.0005 * 90)
        assert usl_throughput(10, 1000, 0.02, 0.0005) == pytest.approx(10_000 / 1.225)

    @given(st.floats(0, 1), st.integers(1, 10_000), st.floats(0.01, 1e6))
    def test_without_coherency_it_is_amdahl(self, sigma, n, rate):
        assert usl_throughput(n, rate, sigma, 0) == pytest.approx(rate * amdahl_speedup(sigma, n))

    def test_one_user_has_the_base_rate_and_ideal_is_linear(self):
        assert usl_throughput(1, 42.0, 0.3, 0.1) == pytest.approx(42)
        assert usl_throughput([2, 8], 42.0, 0, 0) == pytest.approx([84, 336])


class TestPeak:
    @given(st.floats(0, 0.99), st.floats(1e-6, 0.5))
    def test_no_load_does_better(self, sigma, kappa):
        peak = usl_peak(sigma, kappa, 7.0)
        assert usl_throughput(peak.load, 7.0, sigma, kappa) == pytest.approx(peak.throughput)
        searched = minimize_scalar(
            lambda log_n: -usl_throughput(np.exp(log_n), 7.0, sigma, kappa),
            bounds=(0, np.log(2000)),
            options={"xatol": 1e-9},
        )
        assert peak.throughput >= -searched.fun * (1 - 1e-12)
        assert peak.throughput == pytest.approx(-searched.fun, rel=1e-6)

    def test_without_coherency_the_ceiling_is_amdahl_s_limit(self):
        peak = usl_peak([0.05, 0], 0)
        assert peak.load.tolist() == [np.inf, np.inf]
        assert peak.throughput.tolist() == amdahl_limit([0.05, 0]).tolist()

    def test_small_coherency_tends_to_the_ceiling(self):
        assert usl_peak(0.05, 1e-14).throughput == pytest.approx(20, rel=1e-4)

    @pytest.mark.parametrize(("sigma", "kappa"), [(1.0, 0.1), (0.5, 3.0)])
    def test_retrograde_from_the_first(self, sigma, kappa):
        assert usl_peak(sigma, kappa, 5.0) == (1, 5)


class TestFit:
    @pytest.mark.parametrize(
        "planted", [PLANTED, (0.3, 0.0, 0.002), (5e6, 0.2, 0.0), (1.0, 0.0, 0.0), (2.0, 1.0, 0.01)]
    )
    def test_recovers_exact_data(self, planted):
        fit = fit_usl(LOADS, usl_throughput(LOADS, *planted))
        assert (fit.rate_one, fit.contention, fit.coherency) == pytest.approx(
            planted, rel=1e-5, abs=1e-8
        )

    def test_agrees_with_an_unbounded_solver(self):
        data = measured(np.random.default_rng(3))
        fit = fit_usl(LOADS, data)
        theta, covariance = curve_fit(
            lambda n, a, b, c: a * n / (1 + b * (n - 1) + c * n * (n - 1)),
            LOADS,
            data,
            p0=[90, 0.03, 0.002],
        )
        assert (fit.rate_one, fit.contention, fit.coherency) == pytest.approx(theta, rel=1e-4)
        assert fit.covariance == pytest.approx(covariance, rel=1e-3)
        assert fit.at_bound == ()

    def test_intervals_cover_what_they_promise(self):
        rng = np.random.default_rng(7)
        fits = [fit_usl(LOADS, measured(rng)) for _ in range(200)]
        names = ("rate_one", "contention", "coherency")
        for name, truth in zip(names, PLANTED, strict=True):
            ends = np.array([fit.intervals[name] for fit in fits])
            assert 0.9 <= np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) <= 0.99, name
        peaks = np.array([fit.peak_load_interval for fit in fits])
        truth = usl_peak(*PLANTED[1:]).load
        assert 0.9 <= np.mean((peaks[:, 0] <= truth) & (truth <= peaks[:, 1])) <= 0.99

    def test_predictions_cover_what_they_promise(self):
        rng = np.random.default_rng(11)
        curve, new = [], []
        truth = usl_throughput(40, *PLANTED)
        for _ in range(200):
            fit = fit_usl(LOADS, measured(rng))
            _, low, high = fit.predict(40)
            curve.append(low <= truth <= high)
            _, low, high = fit.predict(40, new_observation=True)
            new.append(low <= truth + 4 * rng.standard_normal() <= high)
        assert 0.9 <= np.mean(curve) <= 0.99
        assert 0.9 <= np.mean(new) <= 0.99

    def test_prediction_shapes_and_order(self):
        band = fit_usl(LOADS, measured(np.random.default_rng(2))).predict([[1, 4], [16, 64]])
        assert band.low.shape == (2, 2)
        assert (band.low < band.throughput).all()
        assert (band.throughput < band.high).all()

    def test_data_that_reach_the_peak_say_so(self):
        fit = fit_usl(LOADS, measured(np.random.default_rng(2)))
        assert fit.peak_observed
        low, high = fit.peak_load_interval
        assert 25 < low < fit.peak.load < high < 40

    def test_data_that_stop_before_the_peak_leave_it_open(self):
        early = LOADS[:5]
        fit = fit_usl(early, measured(np.random.default_rng(2), early))
        assert not fit.peak_observed
        assert fit.intervals["coherency"][0] == 0
        assert fit.peak_load_interval[1] == np.inf
        assert fit.peak_load_interval[0] > 1

    def test_superlinear_data_lie_on_the_bound(self):
        fit = fit_usl([1, 2, 4, 8], [10.0, 22.0, 46.0, 95.0])
        assert fit.at_bound == ("contention", "coherency")
        assert fit.peak == (np.inf, np.inf)
        assert fit.residuals[-1] > 0

    def test_falling_data_have_full_contention(self):
        loads = np.array([1, 2, 4, 8])
        fit = fit_usl(loads, 10 * loads / (1 + 1.1 * (loads - 1)))
        assert "contention" in fit.at_bound
        assert fit.peak.load == 1
        assert fit.peak_load_interval == (1, np.inf)

    def test_units_do_not_matter(self):
        data = measured(np.random.default_rng(4))
        small, large = fit_usl(LOADS, data), fit_usl(LOADS, data * 1e9)
        assert large.rate_one == pytest.approx(small.rate_one * 1e9)
        assert large.coherency == pytest.approx(small.coherency)

    @pytest.mark.parametrize(
        ("load", "throughput", "message"),
        [
            ([5] * 4, [1, 2, 3, 4], "load must hold 3 or more different values, got 1"),
            ([1, 2, 3, 4], [1, 2, 3, 4, 5], "throughput must have one value for each of the 4"),
        ],
    )
    def test_loads_that_determine_no_fit_are_refused(self, load, throughput, message):
        with pytest.raises(ValueError, match=message):
            fit_usl(load, throughput)


class TestBeyondTheData:
    def fit(self):
        return fit_usl(LOADS, measured(np.random.default_rng(0)))

    def test_the_interval_is_open_at_more_than_twice_the_largest_load(self):
        band = self.fit().predict([128, 129])
        assert np.isfinite(band.high).tolist() == [True, False]
        assert band.low[1] == 0

    def test_a_system_that_follows_the_law_has_one_further_out(self):
        fit = self.fit()
        near, far = fit.predict([100, 256], if_law_holds=True), fit.predict(100)
        assert np.isfinite(near.high).all()
        assert near.low[0] == pytest.approx(far.low)

    def test_no_throughput_is_below_0(self):
        fit = fit_usl([1, 2, 3, 4], [10.0, 25, 20, 60])
        assert (fit.predict(np.arange(1, 9)).low >= 0).all()


COUNTS = 2.0 ** np.arange(8)
TRUTHS = {
    "Amdahl": lambda p: 1 + 100 / p,
    "USL": lambda p: 100 * (1 + 0.02 * (p - 1) + 3e-5 * p * (p - 1)) / p,
    "a tree": lambda p: 100 / p + 0.3 * np.log2(p) + 0.2,
    "a root": lambda p: 100 / p + 0.1 * np.sqrt(p),
    "perfect": lambda p: 100 / p,
}


def runs(truth, seed=0, counts=COUNTS):
    return truth(counts) * np.exp(0.02 * np.random.default_rng(seed).standard_normal(counts.size))


@pytest.mark.parametrize("name", TRUTHS)
def test_twice_the_largest_run_is_in_the_interval(name):
    """Forty draws: with 90 % each, fewer than 32 happen once in a hundred times."""
    held = 0
    for seed in range(40):
        forecast = extrapolate_scaling(COUNTS, runs(TRUTHS[name], seed), 256)
        held += forecast.low <= TRUTHS[name](256) <= forecast.high
    assert held >= 32


@pytest.mark.parametrize("base", [1, 4, 64])
def test_the_base_need_not_be_one_processor(base):
    counts = base * COUNTS
    forecast = extrapolate_scaling(counts, TRUTHS["Amdahl"](counts / base), 256 * base)
    assert forecast.time == pytest.approx(TRUTHS["Amdahl"](256.0), rel=0.02)


def test_a_form_is_judged_on_runs_that_it_did_not_see():
    forecast = extrapolate_scaling(COUNTS, TRUTHS["Amdahl"](COUNTS), 256)
    held_out = {form.name: form.held_out for form in forecast.forms}
    assert held_out["Amdahl"] == pytest.approx(1, abs=1e-6)
    assert held_out["perfect from the largest"] > 1.3
    in_order = [form.held_out for form in forecast.forms]
    assert in_order == pytest.approx(sorted(in_order), abs=1e-6)


@pytest.mark.parametrize(("at", "told"), [(512, True), (1024, True), (1025, False), (1e6, False)])
def test_there_is_no_number_further_out_than_was_tested(at, told):
    forecast = extrapolate_scaling(COUNTS, runs(TRUTHS["Amdahl"]), at)
    assert (forecast.time is not None) == told
    assert told or "too far" in forecast.reason
    assert forecast.low is not None


def test_three_counts_test_no_form():
    forecast = extrapolate_scaling([1, 2, 4], [8.0, 4.5, 2.8], 8)
    assert forecast.time is None
    assert "measure 4 or more" in forecast.reason


def test_a_job_that_is_still_superlinear_has_no_forecast():
    counts = np.array([20.0, 30, 40, 50, 60])
    forecast = extrapolate_scaling(counts, [725, 506, 319, 180, 82], 120)
    assert forecast.time is None
    assert forecast.low is None
    assert forecast.superlinear[-1] == (50, 60)


def test_an_early_superlinear_stretch_is_left_out():
    time = np.where(COUNTS < 4, 2.0, 1.0) * TRUTHS["Amdahl"](COUNTS)
    forecast = extrapolate_scaling(COUNTS, time, 256)
    assert forecast.superlinear == ((2, 4),)
    assert forecast.time == pytest.approx(TRUTHS["Amdahl"](256.0), rel=0.02)


def test_a_job_that_grows_with_the_processors():
    counts = 2.0 ** np.arange(7)
    forecast = extrapolate_scaling(counts, 10 + 0.5 * np.log2(counts), 128, job="weak")
    assert forecast.time == pytest.approx(13.5, rel=0.02)
    assert forecast.low <= 13.5 <= forecast.high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2, 2], [1, 2, 3], 4), "processors must hold 3 different counts or more, got 2"),
        (([1, 2, 4, 8], [1, 2, 3], 4), "times must be one for each of the 4 processors, got 3"),
    ],
)
def test_too_few_counts_or_times_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        extrapolate_scaling(*arguments)
