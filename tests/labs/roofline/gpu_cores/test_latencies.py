"""Wide accesses take two cycles for each further word."""

from __future__ import annotations

import pytest

from perfmodel.labs.roofline.gpu_cores.latencies import vector_latency


class TestVectorLatency:
    def test_two_cycles_for_each_further_word(self) -> None:
        assert [vector_latency(10, words) for words in (1, 2, 4)] == [10, 12, 16]

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="words must be 1, 2 or 4, got 3"):
            vector_latency(10, 3)
