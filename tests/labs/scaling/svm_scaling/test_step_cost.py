"""Counts of a step, against arrays that are really stored, and the times that follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import random as random_sparse

from perfmodel.labs.scaling.svm_scaling.inputs import EPYC_9654, PROCESSORS
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Data(0, 20), "samples must be above 0, got 0"),
        (lambda: Data(10, 20, density=1.1), "density must be between 0 and 1, got 1.1"),
        (lambda: Data(10, np.nan), "features must be finite, got nan"),
        (lambda: Method(gather_efficiency=0), "gather_efficiency must be above 0, got 0"),
        (lambda: Method(hit_ratio=1.5), "hit_ratio must be between 0 and 1, got 1.5"),
        (lambda: Processor("none", 0, 1), "flop_rate must be above 0, got 0"),
        (lambda: Processor("none", 1, 1, -1), "sync_time must be 0 or more, got -1"),
        (lambda: sparse_crossover(0), "word_bytes must be above 0, got 0"),
        (lambda: sparse_crossover(4, 2), "gather_efficiency must be between 0 and 1"),
        (lambda: cached_rows(-1, Data(1, 1)), "cache_bytes must be 0 or more, got -1"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


class TestAdvantage:
    def test_limit_of_a_large_table(self) -> None:
        """Compute-bound scalar side, memory-bound vector side: ratio of ridge to intensity."""
        ratio = advantage(Data(1e8, 1e5), EPYC_9654, 1 / 768, FUSED)
        assert ratio == pytest.approx(768 / EPYC_9654.ridge, rel=1e-3)

    def test_grows_with_the_table(self) -> None:
        ratios = advantage(Data(np.logspace(2, 7, 6), 100), EPYC_9654, 1 / 768, FUSED)
        assert (np.diff(ratios) > 0).all()
        assert ratios[0] < 1

    @pytest.mark.parametrize("share", [0, 1.5])
    def test_share_out_of_range(self, share: float) -> None:
        with pytest.raises(ValueError, match="scalar_share must be"):
            advantage(Data(1e7, 1000), EPYC_9654, share, FUSED)


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
