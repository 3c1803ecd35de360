"""Gains of nothing: simulation against the winner's curse and against the closed form for two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import linalg
from scipy.special import ndtr

from perfmodel.benchmarking import arithmetic_mean, geometric_mean
from perfmodel.labs.benchmarking.sysllmatic.best_of import (
    MOST,
    best_factors,
    best_of_dots,
    expected_gain,
)
from perfmodel.labs.benchmarking.sysllmatic.kernels import kernels, timed_kernel
from perfmodel.labs.benchmarking.sysllmatic.suites import (
    APPLICATIONS,
    KERNELS,
    METRICS,
    application_factors,
    improved_fraction,
    kernel_factors,
    suite_means,
)


@pytest.mark.parametrize("count", [1, 2, 5, MOST])
@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_the_best_of_many_measurements_gains_what_the_theory_says(count, noise):
    best = best_factors(count, noise, 40_000)
    assert geometric_mean(best) == pytest.approx(expected_gain(count, noise), rel=5e-3)


def test_the_arithmetic_mean_of_the_better_of_two_by_its_closed_form():
    noise = 0.1
    exact = 2 * np.exp(noise**2 / 2) * ndtr(noise / np.sqrt(2))
    assert exact == pytest.approx(1.0617, abs=1e-4)
    assert arithmetic_mean(best_factors(2, noise, 100_000)) == pytest.approx(exact, rel=1e-3)


def test_more_measurements_only_raise_what_is_reported():
    best = np.array([best_factors(count, 0.1, 50) for count in range(1, MOST + 1)])
    assert (np.diff(best, axis=0) >= 0).all()


@pytest.mark.parametrize("count", range(1, MOST + 1))
@pytest.mark.parametrize("noise", [0.05, 0.1, 0.15])
def test_every_state_can_be_read(count, noise):
    scene = best_of_dots(count, noise)
    assert scene.faults() == []
    assert len(scene.says) <= 160
    assert scene.values["typical best"] == pytest.approx(
        geometric_mean(best_factors(count, noise, 5))
    )


TUNED = {kernel.name: kernel for kernel in kernels()}


@pytest.mark.parametrize("seed", [1, 2])
def test_both_versions_of_each_kernel_return_the_same(seed):
    assert [kernel.name for kernel in kernels(seed) if not kernel.agrees()] == []


def test_results_are_right_by_other_means():
    area, fourier, lu = (TUNED[name] for name in ("Monte Carlo", "Fourier", "LU"))
    assert area.tuned(*area.arguments) == pytest.approx(np.pi, abs=0.2)
    (signal,) = fourier.arguments
    assert np.fft.ifft(fourier.slow(signal)).real == pytest.approx(signal)
    (matrix,) = lu.arguments
    packed = lu.slow(matrix)
    lower, upper = np.tril(packed, -1) + np.eye(24), np.triu(packed)
    assert lower @ upper == pytest.approx(matrix)
    assert linalg.det(matrix) == pytest.approx(np.prod(np.diag(packed)))


def test_relaxation_smooths_the_inside_and_keeps_the_edge():
    relax = TUNED["SOR"]
    grid, _ = relax.arguments
    smooth = relax.tuned(grid, 50)
    assert (smooth[0] == grid[0]).all()
    assert np.ptp(np.diff(smooth[1:-1, 1:-1])) < np.ptp(np.diff(grid[1:-1, 1:-1]))


def test_a_trial_says_how_much_faster_and_how_much_memory():
    trial = timed_kernel(TUNED["Fourier"], seconds=0.1)
    low, high = trial.gain_interval
    assert low <= trial.gain <= high
    assert trial.comparison.conclusion == "faster"
    assert trial.memory > 5
    assert trial.seconds > 0


# Factors and means of the printed programs, by hand and as the sheet of facts has them.

FACTORS = st.lists(st.floats(0.01, 100), min_size=1, max_size=8)
SECONDS = np.array([program.before[0] for program in APPLICATIONS])


def test_factors_are_before_over_after_and_of_throughput_the_other_way_round():
    expected = [
        [3.437, 4.628, 2.229, 0.475, 1.083],
        [1.110, 1.120, 1.159, 1.257, 1.001],
        [0.992, 0.983, 0.981, 0.944, 1.233],
    ]
    assert application_factors() == pytest.approx(np.array(expected), abs=6e-4)


def test_five_summaries_of_the_same_three_programs():
    found = suite_means(application_factors()[:, 0], SECONDS)
    total = SECONDS.sum() / sum(program.with_advisor[0] for program in APPLICATIONS)
    assert found == pytest.approx(
        {
            "arithmetic": 1.846,
            "geometric": 1.558,
            "harmonic": 1.364,
            "median": 1.110,
            "total time": total,
        },
        abs=6e-4,
    )


def test_the_throughputs_geometric_mean():
    factors = application_factors()[:, METRICS.index("throughput")]
    assert geometric_mean(factors) == pytest.approx(1.721, abs=6e-4)


def test_a_memory_cell_that_nobody_should_take_at_face_value():
    factors = application_factors(advisor=False)[:, METRICS.index("memory")]
    assert 1 / factors.min() == pytest.approx(97, rel=0.01)
    assert factors.mean() == pytest.approx(0.561, abs=6e-4)


def test_the_reported_iteration_is_the_one_with_the_larger_gain_in_its_metric():
    by_energy, by_latency = kernel_factors("energy"), kernel_factors("latency")
    assert (by_energy[:, 0] >= by_latency[:, 0]).all()
    assert (by_latency[:, 1] >= by_energy[:, 1]).all()
    assert by_energy[:, 1].mean() < by_latency[:, 1].mean()
    for kernel, row in zip(KERNELS, by_energy, strict=True):
        assert row.tolist() in kernel.factors.tolist()


def test_improved_by_a_tenth_or_more():
    assert improved_fraction(np.array([[1.1, 1.0], [1.09, 2.0], [3.0, 0.5]])) == pytest.approx(
        [2 / 3, 1 / 3]
    )


@given(FACTORS, st.integers(0, 9))
def test_means_lie_in_order_and_agree_where_all_programs_do(factors, seed):
    before = np.random.default_rng(seed).lognormal(0, 1, len(factors))
    found = suite_means(factors, before)
    slack = 1 + 1e-9
    assert found["harmonic"] <= found["geometric"] * slack
    assert found["geometric"] <= found["arithmetic"] * slack
    assert min(factors) <= found["total time"] * slack
    assert found["total time"] <= max(factors) * slack
    alike = suite_means([factors[0]] * len(factors), before)
    assert list(alike.values()) == pytest.approx([factors[0]] * 5)


@given(FACTORS)
def test_a_neutral_program_moves_every_mean_but_the_median_towards_one(factors):
    before = np.ones(len(factors))
    old = suite_means(factors, before)
    new = suite_means([*factors, 1.0], [*before, 1.0])
    for name in ("arithmetic", "geometric", "harmonic", "total time"):
        assert abs(np.log(new[name])) <= abs(np.log(old[name])) + 1e-9


def test_every_factor_needs_its_time_before():
    with pytest.raises(ValueError, match=r"before must have shape \(2,\), got \(1,\)"):
        suite_means([1, 2], [1])
