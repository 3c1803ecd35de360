"""Training over nodes, the choice of storage, and the platforms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.scaling.svm_cost import FUSED, Data, Method, row_cost, step_time
from perfmodel.scaling.svm_scaling import (
    A100,
    EPYC_9654,
    PLATFORMS,
    Network,
    advantage,
    distributed_step_time,
    storage,
)

FABRIC = Network(latency=2e-6, bandwidth=10e9)
LARGE = Data(1e7, 1000)


class TestDistributed:
    def test_one_node_is_the_plain_step(self) -> None:
        assert distributed_step_time(LARGE, A100, 1, FABRIC) == step_time(LARGE, A100)

    def test_by_hand(self) -> None:
        """8 nodes: 3 rounds, each two latencies and 2 x 1000 x 4 bytes at 10 GB/s."""
        found = distributed_step_time(LARGE, A100, 8, FABRIC)
        own = step_time(Data(1.25e6, 1000), A100)
        assert found - own == pytest.approx(3 * (4e-6 + 0.8e-6))

    @given(st.integers(2, 4096))
    def test_speedup_is_below_the_nodes(self, nodes: int) -> None:
        one, many = (distributed_step_time(LARGE, A100, p, FABRIC) for p in (1, nodes))
        assert one / many < nodes

    def test_small_data_stops_scaling(self) -> None:
        data = Data(60_000, 780)
        times = [distributed_step_time(data, A100, 2**k, FABRIC) for k in range(12)]
        best = int(np.argmin(times))
        assert 0 < best < 11
        large = [distributed_step_time(LARGE, A100, 2**k, FABRIC) for k in range(12)]
        assert int(np.argmin(large)) > best

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (lambda: distributed_step_time(LARGE, A100, 0, FABRIC), "nodes must be a whole number"),
            (
                lambda: distributed_step_time(Data(4, 1), A100, 5, FABRIC),
                "nodes must be at most the samples, got 5 of 4",
            ),
            (lambda: Network(-1, 1), "latency must be 0 or more, got -1"),
            (lambda: Network(1, 0), "bandwidth must be above 0, got 0"),
        ],
    )
    def test_bad_input(self, call, said: str) -> None:
        with pytest.raises(ValueError, match=said):
            call()


class TestStorage:
    @given(st.floats(0.01, 1), st.sampled_from([4, 8]), st.floats(0.05, 1))
    def test_choice_is_the_faster_one(self, density, word, efficiency) -> None:
        data = Data(10**6, 1000, density, word)
        sparse = Method(sparse=True, gather_efficiency=efficiency)
        is_faster = step_time(data, EPYC_9654, sparse) < step_time(data, EPYC_9654)
        assert (storage(data, efficiency) == "sparse") == is_faster


class TestPlatforms:
    @pytest.mark.parametrize("platform", PLATFORMS, ids=lambda p: p.name)
    def test_all_are_memory_bound_even_fused(self, platform) -> None:
        flops, moved = row_cost(LARGE, FUSED)
        assert flops / moved < platform.ridge / 5

    def test_order_follows_bandwidth(self) -> None:
        times = [float(step_time(LARGE, platform)) for platform in PLATFORMS]
        widths = [platform.bandwidth for platform in PLATFORMS]
        assert np.argsort(times).tolist() == np.argsort(widths)[::-1].tolist()

    def test_figures_come_with_a_source(self) -> None:
        assert all(platform.source.startswith("https://") for platform in PLATFORMS)


class TestAdvantage:
    def test_limit_of_a_large_table(self) -> None:
        """Compute-bound scalar side, memory-bound vector side: ratio of ridge to intensity."""
        found = advantage(Data(1e8, 1e5), EPYC_9654, 1 / 768, FUSED)
        assert found == pytest.approx(768 / EPYC_9654.ridge, rel=1e-3)

    def test_grows_with_the_table(self) -> None:
        found = advantage(Data(np.logspace(2, 7, 6), 100), EPYC_9654, 1 / 768, FUSED)
        assert (np.diff(found) > 0).all()
        assert found[0] < 1

    @pytest.mark.parametrize("share", [0, 1.5])
    def test_share_out_of_range(self, share: float) -> None:
        with pytest.raises(ValueError, match="scalar_share must be"):
            advantage(LARGE, EPYC_9654, share, FUSED)
