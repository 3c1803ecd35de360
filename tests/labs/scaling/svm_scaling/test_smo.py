"""The SMO trainer: optimality, an independent solver of the dual, and its steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from perfmodel.labs.scaling.svm_scaling.inputs import INDEPENDENT_RUNS
from perfmodel.labs.scaling.svm_scaling.smo import KernelFunction, noisy_halves, products, train_svm

KERNELS = [
    KernelFunction("linear"),
    KernelFunction("polynomial", gamma=0.5, offset=1, degree=2),
    KernelFunction("rbf", gamma=0.3),
    KernelFunction("sigmoid", gamma=0.05),
]


def dual_by_slsqp(gram: np.ndarray, y: np.ndarray, cost: float) -> float:
    signed = gram * np.outer(y, y)
    solution = minimize(
        lambda a: a @ signed @ a / 2 - a.sum(),
        np.zeros(y.size),
        jac=lambda a: signed @ a - 1,
        bounds=[(0, cost)] * y.size,
        constraints={"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert solution.success
    return -float(solution.fun)


class TestKernel:
    def test_by_hand(self) -> None:
        x, z = [[1.0, 2.0]], [[3.0, -1.0]]
        values = [kernel.matrix(x, z).item() for kernel in KERNELS]
        assert values == pytest.approx([1, 1.5**2, np.exp(-0.3 * 13), np.tanh(0.05)])

    def test_rbf_of_a_sample_with_itself_is_one(self) -> None:
        table = noisy_halves(20).features * 1e3
        assert KernelFunction("rbf", 0.1).matrix(table, table).diagonal() == pytest.approx(1)

    @pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda k: k.kind)
    def test_matrix_is_positive_semidefinite(self, kernel: KernelFunction) -> None:
        table = noisy_halves(30).features
        assert np.linalg.eigvalsh(kernel.matrix(table, table)).min() > -1e-9 * 30**2


class TestOptimality:
    @pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda k: k.kind)
    @pytest.mark.parametrize("cost", [0.5, 5.0])
    def test_objective_agrees_with_slsqp(self, kernel: KernelFunction, cost: float) -> None:
        table, y = noisy_halves(40, 3, seed=1)
        machine = train_svm(table, y, kernel, cost, tolerance=1e-6)
        expected = dual_by_slsqp(kernel.matrix(table, table), y, cost)
        assert machine.converged
        assert machine.objective(y) == pytest.approx(expected, rel=1e-5)

    @settings(max_examples=12)
    @given(st.integers(10, 40), st.integers(1, 5), st.floats(0.05, 5), st.integers(0, 99))
    def test_kkt_conditions(self, n: int, d: int, cost: float, seed: int) -> None:
        table, y = noisy_halves(n, d, seed=seed)
        y[:2] = -1, 1
        kernel = KernelFunction("rbf", 1 / d)
        machine = train_svm(table, y, kernel, cost)
        a = machine.multipliers
        assert machine.converged
        assert a.min() >= 0
        assert a.max() <= cost
        assert abs(a @ y) < 1e-9
        margin = y * (kernel.matrix(table, table) @ (a * y) - machine.bias)
        slack = 2e-3 + 1e-9
        assert (margin[a < 1e-9] >= 1 - slack).all()
        assert (margin[a > cost - 1e-9] <= 1 + slack).all()
        free = (a > 1e-9) & (a < cost - 1e-9)
        assert np.abs(margin[free] - 1).max(initial=0) <= slack

    def test_gradient_does_not_drift(self) -> None:
        table, y = noisy_halves(400)
        kernel = KernelFunction("rbf", 1 / 20)
        machine = train_svm(table, y, kernel)
        exact = kernel.matrix(table, table) @ (machine.multipliers * y) - y
        assert np.abs(machine.gradient - exact).max() < 1e-10

    def test_two_samples_by_hand(self) -> None:
        """Samples at -1 and 1: w = 1, so a = 1/2 each, bias 0, objective 1/2."""
        machine = train_svm([[-1.0], [1.0]], [-1, 1], KernelFunction("linear"))
        assert machine.multipliers == pytest.approx([0.5, 0.5])
        assert machine.bias == pytest.approx(0, abs=1e-12)
        assert machine.objective([-1, 1]) == pytest.approx(0.5)
        assert machine.iterations == 1

    def test_indefinite_kernel_still_ends(self) -> None:
        table, y = noisy_halves(60, 3)
        machine = train_svm(table, y, KERNELS[3])
        assert machine.converged
        assert abs(machine.multipliers @ y) < 1e-9

    def test_equal_samples_of_two_classes(self) -> None:
        """Curvature 0: both multipliers go to C and no division by zero happens."""
        machine = train_svm([[1.0], [1.0]], [-1, 1], KernelFunction("linear"), cost=2)
        assert machine.multipliers.tolist() == [2, 2]


class TestIndependentProgram:
    @pytest.mark.parametrize("samples", INDEPENDENT_RUNS)
    def test_same_steps_objective_and_support_vectors(self, samples: int) -> None:
        table, labels = noisy_halves(samples)
        machine = train_svm(table, labels, KernelFunction("rbf", gamma=1 / 20))
        other = INDEPENDENT_RUNS[samples]
        assert machine.iterations == pytest.approx(other.steps, abs=2)
        assert machine.objective(labels) == pytest.approx(other.objective, abs=1e-3)
        assert machine.support_vectors.size == other.support_vectors

    def test_exponent_of_steps_in_samples(self) -> None:
        steps = [
            train_svm(*noisy_halves(n), KernelFunction("rbf", gamma=1 / 20)).iterations
            for n in INDEPENDENT_RUNS
        ]
        slope = np.polyfit(np.log(list(INDEPENDENT_RUNS)), np.log(steps), 1)[0]
        assert slope == pytest.approx(0.775, abs=0.025)


class TestProducts:
    @pytest.mark.parametrize("block_bytes", [None, 1, 8 * 7 * 10, 8 * 7 * 33, 2**19])
    def test_blocks_do_not_change_the_result(self, block_bytes: int | None) -> None:
        table = noisy_halves(100, 7).features
        assert np.allclose(products(table, table[[3, 50]], block_bytes), table[[3, 50]] @ table.T)


class TestSteps:
    @pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.kind)
    def test_fused_and_separate_rows_agree(self, kernel: KernelFunction) -> None:
        table, y = noisy_halves(100, 5)
        fused, separate = (train_svm(table, y, kernel, fused=way) for way in (True, False))
        assert fused.objective(y) == pytest.approx(separate.objective(y), rel=1e-4)

    def test_tighter_tolerance_takes_more_steps(self) -> None:
        table, y = noisy_halves(200)
        runs = [
            train_svm(table, y, KernelFunction("rbf", 0.05), tolerance=t)
            for t in (1e-1, 1e-2, 1e-3)
        ]
        assert np.diff([run.iterations for run in runs]).min() > 0
        assert np.diff([run.objective(y) for run in runs]).min() > 0

    def test_out_of_steps_says_so(self) -> None:
        table, y = noisy_halves(200)
        machine = train_svm(table, y, KernelFunction("rbf", 0.05), max_iterations=10)
        assert (machine.iterations, machine.converged) == (10, False)

    def test_exact_bounds_make_some_runs_cycle(self) -> None:
        """Multipliers a rounding error off a bound are picked again and again."""

        def cycles(at_bound: float) -> int:
            samples = (noisy_halves(120, 5, seed=seed) for seed in range(15))
            limits = {"max_iterations": 600, "at_bound": at_bound}
            runs = [
                train_svm(table, y, KernelFunction("rbf", 0.2), **limits) for table, y in samples
            ]
            return sum(not run.converged for run in runs)

        assert cycles(0) > 0
        assert cycles(1e-9) == 0

    def test_data_is_the_same_for_a_seed(self) -> None:
        assert np.array_equal(noisy_halves(9).features, noisy_halves(9).features)
        assert set(noisy_halves(50).labels) == {-1, 1}

    def test_without_noise_a_plane_separates(self) -> None:
        table, y = noisy_halves(60, 2, noise=0)
        machine = train_svm(table, y, KernelFunction("linear"), cost=1e4, max_iterations=10**6)
        decision = table @ (machine.multipliers * y @ table) - machine.bias
        assert (np.sign(decision) == y).all()


TABLE = [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: train_svm(TABLE, [1, 1], KernelFunction()),
            r"labels must be -1 and 1, both .* got \[1.0\]",
        ),
        (
            lambda: train_svm(TABLE, [0, 1], KernelFunction()),
            "labels must be -1 and 1, both present",
        ),
        (
            lambda: train_svm(TABLE, [-1, 1, 1], KernelFunction()),
            r"one for each of 2 samples, got shape \(3,",
        ),
        (lambda: train_svm([0.0, 1.0], [-1, 1], KernelFunction()), "features must be a table"),
        (lambda: train_svm([[np.nan], [1]], [-1, 1], KernelFunction()), "features must be finite"),
        (
            lambda: train_svm(TABLE, [-1, 1], KernelFunction(), cost=0),
            "cost must be above 0, got 0",
        ),
        (
            lambda: train_svm(TABLE, [-1, 1], KernelFunction(), tolerance=0),
            "tolerance must be above 0, got 0",
        ),
        (
            lambda: train_svm(TABLE, [-1, 1], KernelFunction(), max_iterations=0),
            "max_iterations must be a whole number, 1 or more, got 0",
        ),
        (lambda: KernelFunction("cubic"), "kind must be one of linear, polynomial, .* got 'cubic'"),
        (lambda: KernelFunction(gamma=0), "gamma must be above 0, got 0"),
        (lambda: KernelFunction(degree=1.5), "degree must be a whole number, 1 or more, got 1.5"),
        (
            lambda: KernelFunction().matrix([[1, 2]], [[1]]),
            "right must have the 2 features of left, got 1",
        ),
        (lambda: noisy_halves(0), "samples must be a whole number, 1 or more, got 0"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
