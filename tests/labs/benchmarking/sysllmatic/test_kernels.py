import numpy as np
import pytest
from scipy import linalg

from perfmodel.labs.benchmarking.sysllmatic.kernels import kernels
from perfmodel.labs.benchmarking.sysllmatic.trials import timed_kernel

KERNELS = {kernel.name: kernel for kernel in kernels()}


@pytest.mark.parametrize("seed", [1, 2])
def test_both_versions_of_each_kernel_return_the_same(seed):
    assert [kernel.name for kernel in kernels(seed) if not kernel.agrees()] == []


def test_results_are_right_by_other_means():
    area, fourier, lu = (KERNELS[name] for name in ("Monte Carlo", "Fourier", "LU"))
    assert area.tuned(*area.arguments) == pytest.approx(np.pi, abs=0.2)
    (signal,) = fourier.arguments
    assert np.fft.ifft(fourier.slow(signal)).real == pytest.approx(signal)
    (matrix,) = lu.arguments
    packed = lu.slow(matrix)
    lower, upper = np.tril(packed, -1) + np.eye(24), np.triu(packed)
    assert lower @ upper == pytest.approx(matrix)
    assert linalg.det(matrix) == pytest.approx(np.prod(np.diag(packed)))


def test_relaxation_smooths_the_inside_and_keeps_the_edge():
    relax = KERNELS["SOR"]
    grid, _ = relax.arguments
    smooth = relax.tuned(grid, 50)
    assert (smooth[0] == grid[0]).all()
    assert np.ptp(np.diff(smooth[1:-1, 1:-1])) < np.ptp(np.diff(grid[1:-1, 1:-1]))


def test_a_trial_says_how_much_faster_and_how_much_memory():
    trial = timed_kernel(KERNELS["Fourier"], seconds=0.1)
    low, high = trial.gain_interval
    assert low <= trial.gain <= high
    assert trial.comparison.verdict == "faster"
    assert trial.memory > 5
    assert trial.seconds > 0
