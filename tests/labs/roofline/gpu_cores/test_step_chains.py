"""Chains end where the geometric series says; the model has two limits; no clock is judged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores.step_chains import (
    CHAINS,
    measure_step,
    run_chains,
    step_time,
)


@pytest.mark.parametrize("chains", CHAINS)
class TestRunChains:
    def test_is_a_geometric_series(self, chains: int) -> None:
        ends = run_chains(chains, 12, 0.75, start=3.0)
        fixed = 1 / (1 - 0.75)
        expected = [fixed + (3.0 + i - fixed) * 0.75**12 for i in range(chains)]
        assert ends == pytest.approx(expected, rel=1e-12)

    def test_no_steps(self, chains: int) -> None:
        assert run_chains(chains, 0, 0.5, start=1.0) == tuple(1.0 + i for i in range(chains))

    def test_times_are_positive(self, chains: int) -> None:
        assert (measure_step(chains, steps=1000, repeats=2) > 0).all()


class TestStepTime:
    @settings(max_examples=30, deadline=None)
    @given(st.floats(1e-10, 1e-6), st.floats(1e6, 1e11))
    def test_limits(self, latency, throughput) -> None:
        times = step_time([1e-9, 1e9], latency, throughput)
        assert times == pytest.approx([latency / 1e-9, 1 / throughput])

    def test_never_rises_with_chains(self) -> None:
        assert (np.diff(step_time(np.arange(1, 20), 8e-9, 1e9)) <= 0).all()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"chains must be one of \(1, 2, 4, 8\), got 3"):
        run_chains(3, 1, 0.5)
    with pytest.raises(ValueError, match="steps must be a whole number, 1 or more, got 0"):
        measure_step(1, steps=0)
    with pytest.raises(ValueError, match="latency must be above 0, got 0"):
        step_time(1, 0, 1)
