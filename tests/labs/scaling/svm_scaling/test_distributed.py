"""Training over nodes, against one node and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.svm_scaling.distributed import Interconnect, distributed_step_time
from perfmodel.labs.scaling.svm_scaling.inputs import A100
from perfmodel.labs.scaling.svm_scaling.step_cost import Data, smo_step_time

LINKS = Interconnect(latency=2e-6, bandwidth=10e9)
LARGE = Data(1e7, 1000)


class TestDistributed:
    def test_one_node_is_the_plain_step(self) -> None:
        assert distributed_step_time(LARGE, A100, 1, LINKS) == smo_step_time(LARGE, A100)

    def test_by_hand(self) -> None:
        """8 nodes: 3 rounds, each two latencies and 2 x 1000 x 4 bytes at 10 GB/s."""
        eight = distributed_step_time(LARGE, A100, 8, LINKS)
        own = smo_step_time(Data(1.25e6, 1000), A100)
        assert eight - own == pytest.approx(3 * (4e-6 + 0.8e-6))

    @given(st.integers(2, 4096))
    def test_speedup_is_below_the_nodes(self, nodes: int) -> None:
        alone, shared = (distributed_step_time(LARGE, A100, p, LINKS) for p in (1, nodes))
        assert alone / shared < nodes

    def test_small_data_stops_scaling(self) -> None:
        data = Data(60_000, 780)
        times = [distributed_step_time(data, A100, 2**k, LINKS) for k in range(12)]
        best = int(np.argmin(times))
        assert 0 < best < 11
        large = [distributed_step_time(LARGE, A100, 2**k, LINKS) for k in range(12)]
        assert int(np.argmin(large)) > best

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: distributed_step_time(LARGE, A100, 0, LINKS), "nodes must be a whole number"),
            (
                lambda: distributed_step_time(Data(4, 1), A100, 5, LINKS),
                "nodes must be at most the samples, got 5 of 4",
            ),
            (lambda: Interconnect(-1, 1), "latency must be 0 or more, got -1"),
            (lambda: Interconnect(1, 0), "bandwidth must be above 0, got 0"),
        ],
    )
    def test_bad_input(self, call, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call()
