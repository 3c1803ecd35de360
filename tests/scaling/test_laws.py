"""Speedup laws against hand values, their limits, each other and a simulated job."""

import heapq

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.laws import (
    amdahl_limit,
    amdahl_speedup,
    gustafson_speedup,
    karp_flatt,
    sun_ni_speedup,
)

fractions = st.floats(0, 1)
counts = st.integers(1, 10**6)


def simulated_speedup(serial: int, tasks: int, processors: int) -> float:
    """Time of a serial task and then unit tasks, each taken by the processor free first."""
    free = [float(serial)] * processors
    for _ in range(tasks):
        heapq.heappush(free, heapq.heappop(free) + 1)
    return (serial + tasks) / max(free)


class TestAmdahl:
    def test_hand_values(self):
        # 95 % parallel on 20 and 4096 processors: 1/(0.05 + 0.0475), 1/(0.05 + 0.95/4096)
        assert amdahl_speedup(0.05, 20) == pytest.approx(10.25641, rel=1e-6)
        assert amdahl_speedup(0.05, 4096) == pytest.approx(19.90766, rel=1e-6)

    @pytest.mark.parametrize("processors", [1, 2, 3, 5, 8])
    def test_simulated_job(self, processors):
        ours = amdahl_speedup(40 / 400, processors)
        assert simulated_speedup(40, 360, processors) == pytest.approx(ours, rel=1e-12)

    def test_simulated_job_with_indivisible_rest_is_slower(self):
        assert simulated_speedup(40, 361, 8) < amdahl_speedup(40 / 401, 8)

    @given(fractions, counts)
    def test_bounds(self, s, p):
        speedup = amdahl_speedup(s, p)
        assert 1 - 1e-9 <= speedup <= min(p, amdahl_limit(s)) * (1 + 1e-9)

    @given(fractions, st.integers(1, 1000))
    def test_more_processors_never_hurt(self, s, p):
        assert amdahl_speedup(s, p + 1) >= amdahl_speedup(s, p)

    def test_limit(self):
        assert amdahl_limit(0.05) == pytest.approx(20)
        assert amdahl_limit(0) == np.inf
        assert amdahl_speedup(0.05, 1e12) == pytest.approx(amdahl_limit(0.05), rel=1e-9)

    def test_broadcasts(self):
        assert amdahl_speedup([[0.1], [0.5]], [1, 2, 4]).shape == (2, 3)


class TestGustafson:
    def test_value_of_the_paper(self):
        # Gustafson 1988: 1024 processors, serial fraction 0.4 % of the parallel run
        assert gustafson_speedup(0.004, 1024) == pytest.approx(1019.908)

    @given(st.floats(0, 1), st.integers(1, 10_000))
    def test_same_run_seen_by_amdahl(self, s_parallel, p):
        serial, parallel_on_one = s_parallel, (1 - s_parallel) * p
        s_one = serial / (serial + parallel_on_one)
        assert gustafson_speedup(s_parallel, p) == pytest.approx(amdahl_speedup(s_one, p))


class TestSunNi:
    def test_hand_value(self):
        # s = 0.2, p = 16, G = 64: (0.2 + 51.2) / (0.2 + 3.2)
        assert sun_ni_speedup(0.2, 16, lambda p: p**1.5) == pytest.approx(51.4 / 3.4)

    @given(fractions, counts)
    def test_limits_are_amdahl_and_gustafson(self, s, p):
        assert sun_ni_speedup(s, p, 1) == pytest.approx(amdahl_speedup(s, p))
        assert sun_ni_speedup(s, p, p) == pytest.approx(gustafson_speedup(s, p))

    @given(fractions, st.integers(2, 1000), st.floats(0.1, 1e6))
    def test_grows_with_memory_and_stays_below_p(self, s, p, growth):
        speedup = sun_ni_speedup(s, p, growth)
        assert speedup <= sun_ni_speedup(s, p, growth * 2) * (1 + 1e-12) <= p * (1 + 1e-9)

    def test_array_of_growth(self):
        both = sun_ni_speedup(0.2, [4, 16], [1, 16])
        assert both == pytest.approx([amdahl_speedup(0.2, 4), gustafson_speedup(0.2, 16)])


class TestKarpFlatt:
    def test_hand_value(self):
        # S = 4.71 on 8: (0.21231 - 0.125) / 0.875
        assert karp_flatt(4.71, 8) == pytest.approx(0.0997877, rel=1e-5)

    @given(fractions, st.integers(2, 10_000))
    def test_inverts_amdahl(self, s, p):
        assert karp_flatt(amdahl_speedup(s, p), p) == pytest.approx(s, abs=1e-9)

    def test_superlinear_is_negative(self):
        assert karp_flatt(4.5, 4) < 0
