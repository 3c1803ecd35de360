"""The SMO trainer against a solver of the dual, counts of a step against stored arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.sparse import random as random_sparse

from perfmodel.labs.scaling.svm_scaling.inputs import EPYC_9654, INDEPENDENT_RUNS, PROCESSORS
from perfmodel.labs.scaling.svm_scaling.smo import (
    STEPS,
    KernelFunction,
    noisy_halves,
    products,
    table_passes,
    train_svm,
)
from perfmodel.labs.scaling.svm_scaling.step_cost import (
    FUSED,
    Data,
    Method,
    Processor,
    advantage,
    cached_rows,
    row_cost,
    smo_step_time,
    sparse_crossover,
    vector_cost,
)

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
        (
            lambda: KernelFunction().matrix([[1, 2]], [[1]]),
            "right must have the 2 features of left, got 1",
        ),
    ],
)
def test_labels_and_tables_that_do_not_fit_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


NODE = Processor("node", flop_rate=1e12, bandwidth=1e11, sync_time=1e-5)
DATA = st.builds(
    Data, st.integers(1, 10**6), st.integers(1, 10**4), st.floats(0.01, 1), st.sampled_from([4, 8])
)
METHODS = st.builds(Method, st.booleans(), st.booleans(), st.floats(0.05, 1), st.floats(0, 1))


class TestRowCost:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_bytes_of_stored_tables(self, dtype) -> None:
        """CSR as SciPy stores it: values and 4-byte column indices (row pointers left out)."""
        table = random_sparse(200, 50, density=0.1, format="csr", dtype=dtype, random_state=0)
        data = Data(200, 50, table.nnz / 10_000, table.data.itemsize)
        stored = table.data.nbytes + table.indices.nbytes
        assert row_cost(data, Method(sparse=True)).bytes == pytest.approx(stored)
        assert row_cost(data).bytes == table.toarray().nbytes

    def test_flops_of_two_products(self) -> None:
        """A product with d features is d multiplications and d additions; n samples, two rows."""
        assert row_cost(Data(7, 5)).flops == 2 * 7 * (5 + 5)

    @given(DATA, st.booleans())
    def test_fusing_halves_the_bytes_only(self, data: Data, sparse: bool) -> None:
        fused, separate = (
            row_cost(data, Method(fused=way, sparse=sparse)) for way in (True, False)
        )
        assert separate.bytes == 2 * fused.bytes
        assert separate.flops == fused.flops

    def test_cached_rows_cost_nothing(self) -> None:
        assert row_cost(Data(100, 10), Method(hit_ratio=1)) == (0, 0)
        half = row_cost(Data(100, 10), Method(hit_ratio=0.5))
        assert half.bytes == row_cost(Data(100, 10)).bytes / 2

    def test_vectors_grow_with_samples_only(self) -> None:
        assert vector_cost(Data(1000, 5)) == vector_cost(Data(1000, 500)) == (8000, 20_000)

    @pytest.mark.parametrize(
        ("fused", "word_bytes", "intensity"),
        [(False, 4, 0.5), (False, 8, 0.25), (True, 4, 1.0), (True, 8, 0.5)],
    )
    def test_flop_per_byte(self, fused: bool, word_bytes: int, intensity: float) -> None:
        flops, moved = row_cost(Data(1000, 100, word_bytes=word_bytes), Method(fused=fused))
        assert flops / moved == intensity


class TestStepTime:
    def test_worked_example(self) -> None:
        """60,000 x 780 in single precision, fused, at 80 GB/s and 0.9 TFLOP/s."""
        flops, moved = row_cost(Data(60_000, 780))
        assert moved == pytest.approx(187.2e6, abs=0.05e6)
        traffic, arithmetic = moved / 80e9, flops / 0.9e12
        assert traffic == pytest.approx(2.34e-3, abs=5e-6)
        assert arithmetic == pytest.approx(2.1e-4, abs=5e-6)
        assert 1000 * max(traffic, arithmetic) == pytest.approx(2.34, abs=5e-3)
        assert traffic / arithmetic == pytest.approx(11, abs=0.5)

    def test_memory_bound_by_hand(self) -> None:
        """(1e6 x 100 + 5e6) values of 4 bytes at 100 GB/s, and 2 x 10 us."""
        assert smo_step_time(Data(1e6, 100), NODE) == pytest.approx(4.2e-3 + 2e-5)

    def test_compute_bound_by_hand(self) -> None:
        slow = Processor("slow", flop_rate=1e9, bandwidth=1e11, sync_time=0)
        assert smo_step_time(Data(1e6, 100), slow) == pytest.approx((4e8 + 8e6) / 1e9)

    def test_small_tables_only_wait(self) -> None:
        assert smo_step_time(Data(1, 1), NODE) == pytest.approx(2 * NODE.sync_time, rel=1e-4)

    @given(DATA, METHODS)
    def test_a_faster_machine_is_no_slower(self, data: Data, method: Method) -> None:
        faster = Processor("faster", 2 * NODE.flop_rate, 2 * NODE.bandwidth, NODE.sync_time)
        waiting = 2 * NODE.sync_time
        assert smo_step_time(data, faster, method) - waiting == pytest.approx(
            (smo_step_time(data, NODE, method) - waiting) / 2
        )

    def test_broadcasts(self) -> None:
        assert smo_step_time(Data([[10], [20]], [1, 2, 3]), NODE).shape == (2, 3)

    def test_ridge_decides_what_binds(self) -> None:
        assert NODE.ridge == 10
        assert row_cost(Data(1e6, 100)).flops / row_cost(Data(1e6, 100)).bytes < NODE.ridge


class TestSparseCrossover:
    @pytest.mark.parametrize(
        ("word", "efficiency", "density"), [(4, 1, 0.5), (4, 0.25, 0.125), (8, 0.5, 0.333)]
    )
    def test_by_hand(self, word: int, efficiency: float, density: float) -> None:
        assert sparse_crossover(word, efficiency) == pytest.approx(density, abs=5e-4)

    @given(st.floats(0.01, 1), st.sampled_from([4, 8]), st.floats(0.05, 1))
    def test_sparse_wins_below_only(self, density: float, word: int, efficiency: float) -> None:
        data = Data(10**6, 1000, density, word)
        sparse = Method(sparse=True, gather_efficiency=efficiency)
        is_faster = smo_step_time(data, EPYC_9654, sparse) < smo_step_time(data, EPYC_9654)
        assert (density < sparse_crossover(word, efficiency)) == is_faster

    @given(st.sampled_from([4, 8]), st.floats(0.05, 1))
    def test_both_storages_take_the_same_time_there(self, word: int, efficiency: float) -> None:
        limit = sparse_crossover(word, efficiency)
        data = Data(10**6, 1000, limit, word)
        sparse = Method(sparse=True, gather_efficiency=efficiency)
        assert smo_step_time(data, NODE, sparse) == pytest.approx(
            smo_step_time(data, NODE), rel=1e-9
        )

    def test_sparser_is_faster(self) -> None:
        times = smo_step_time(Data(1e6, 1000, [0.01, 0.1, 0.5, 1]), NODE, Method(sparse=True))
        assert (np.diff(times) > 0).all()


def test_cache_holds_whole_rows() -> None:
    data = Data(1000, 20)
    assert cached_rows([3999, 4000, 8000], data).tolist() == [0, 1, 2]


class TestAdvantage:
    def test_limit_of_a_large_table(self) -> None:
        """Compute-bound scalar side, memory-bound vector side: ratio of ridge to intensity."""
        ratio = advantage(Data(1e8, 1e5), EPYC_9654, 1 / 768, FUSED)
        assert ratio == pytest.approx(768 / EPYC_9654.ridge, rel=1e-3)

    def test_grows_with_the_table(self) -> None:
        ratios = advantage(Data(np.logspace(2, 7, 6), 100), EPYC_9654, 1 / 768, FUSED)
        assert (np.diff(ratios) > 0).all()
        assert ratios[0] < 1


class TestProcessors:
    @pytest.mark.parametrize("processor", PROCESSORS, ids=lambda p: p.name)
    def test_all_are_memory_bound_even_fused(self, processor) -> None:
        flops, moved = row_cost(Data(1e7, 1000), FUSED)
        assert flops / moved < processor.ridge / 5

    def test_order_follows_bandwidth(self) -> None:
        times = [float(smo_step_time(Data(1e7, 1000), processor)) for processor in PROCESSORS]
        widths = [processor.bandwidth for processor in PROCESSORS]
        assert np.argsort(times).tolist() == np.argsort(widths)[::-1].tolist()

    def test_figures_come_with_a_source(self) -> None:
        assert all(processor.source.startswith("https://") for processor in PROCESSORS)


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_every_state_can_be_read(passes, step):
    scene = table_passes(passes, step)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_separate_rows_read_the_table_twice():
    ends = [table_passes(passes, STEPS).values["blocks read"] for passes in (1, 2)]
    assert ends == [6, 12]
    assert table_passes(1, 4).values["blocks read"] == 2
    assert table_passes(2, 4).values["blocks read"] == 4
