"""The choice of storage, and what all cores gain over one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.scaling.svm_scaling.advantage import advantage, storage
from perfmodel.labs.scaling.svm_scaling.step_cost import EPYC_9654, FUSED, Data, Method, step_time

LARGE = Data(1e7, 1000)


class TestStorage:
    @given(st.floats(0.01, 1), st.sampled_from([4, 8]), st.floats(0.05, 1))
    def test_choice_is_the_faster_one(self, density, word, efficiency) -> None:
        data = Data(10**6, 1000, density, word)
        sparse = Method(sparse=True, gather_efficiency=efficiency)
        is_faster = step_time(data, EPYC_9654, sparse) < step_time(data, EPYC_9654)
        assert (storage(data, efficiency) == "sparse") == is_faster


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
