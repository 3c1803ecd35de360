"""Erlang B and C: 28-digit recursion, limits, monotone, never NaN."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.station.erlang import erlang_b, erlang_c


def recursion(load, servers, start=0):
    """Return B at each of `servers` by Erlang's recursion in decimals, a double taken exactly.

    A recursion begun at `start` with a wrong value forgets it as exp(-(load - start)^2 / 2 load).
    """
    blocking, inverse, a = {}, Decimal(1), Decimal(load)
    with localcontext() as context:
        context.prec = 28
        for c in range(start + 1, max(servers) + 1):
            inverse = 1 + Decimal(c) / a * inverse
            if c in servers:
                blocking[c] = 1 / inverse
    return blocking


def error(ours, truth):
    return abs(float((Decimal(float(ours)) - truth) / truth))


class TestAccuracy:
    @pytest.mark.parametrize("load", [1e-3, 0.3, 1.0, 7.0, 15.5, 40.0, 333.3, 1000.0, 5000.0])
    def test_against_decimals_on_both_sides_of_the_load(self, load):
        deviations = (-30, -10, -6, -3, -1, 0, 0.5, 1, 3, 6, 10, 20, 30)
        near = {int(load + z * load**0.5) for z in deviations}
        servers = {c for c in near | {1, 2, 3, 15, 16, 17, 30} if c >= 1}
        for c, blocked in recursion(load, servers).items():
            if blocked < Decimal("1e-290"):
                continue
            assert error(erlang_b(c, load), blocked) < 1e-12
            if load < c:
                a = Decimal(load)
                waits = c * blocked / (c - a + a * blocked)
                assert error(erlang_c(c, load), waits) < 1e-12

    @pytest.mark.parametrize("load", [990_000.0, 1_000_000.0, 1_010_000.0])
    def test_a_million_servers(self, load):
        blocked = recursion(load, {1_000_000}, start=960_000)[1_000_000]
        assert error(erlang_b(1_000_000, load), blocked) < 1e-12

    def test_a_million_servers_that_make_jobs_wait(self):
        load = 999_000.0
        blocked = recursion(load, {1_000_000}, start=960_000)[1_000_000]
        waits = 1_000_000 * blocked / (1_000_000 - Decimal(load) * (1 - blocked))
        assert error(erlang_c(1_000_000, load), waits) < 1e-12

    def test_small_systems_in_fractions(self):
        for c, a in [(1, Fraction(1, 2)), (3, Fraction(5, 2)), (6, Fraction(9))]:
            terms, term = [Fraction(1)], Fraction(1)
            for k in range(1, c + 1):
                term = term * a / k
                terms.append(term)
            assert erlang_b(c, float(a)) == pytest.approx(float(terms[-1] / sum(terms)), rel=1e-15)


class TestLimits:
    def test_one_server(self):
        assert erlang_b(1, 3.0) == pytest.approx(0.75)
        assert erlang_c(1, 0.7) == pytest.approx(0.7)

    def test_no_servers_no_load(self):
        assert erlang_b(0, 5.0) == 1
        assert erlang_b(0, 0.0) == 1
        assert erlang_b(4, 0.0) == 0
        assert erlang_c(4, 0.0) == 0

    def test_far_overload_loses_all_but_what_fits(self):
        assert erlang_b(100, 1e12) == pytest.approx(1 - 100 / 1e12, rel=1e-15)

    def test_close_to_saturation_everyone_waits(self):
        assert erlang_c(50, 50 * (1 - 1e-12)) == pytest.approx(1, abs=1e-10)

    @given(st.integers(0, 10**6), st.floats(0, 1e300))
    def test_always_a_probability(self, servers, load):
        assert 0 <= erlang_b(servers, load) <= 1

    @given(st.integers(1, 10**6), st.floats(0, 1, exclude_max=True))
    def test_waiting_is_a_probability_above_blocking(self, servers, utilization):
        load = servers * utilization
        if load / servers < 1:
            assert erlang_b(servers, load) <= erlang_c(servers, load) <= 1

    @given(st.integers(1, 3000), st.floats(0.01, 3000))
    def test_one_step_of_the_recursion(self, servers, load):
        before = erlang_b(servers - 1, load)
        expected = load * before / (servers + load * before)
        assert erlang_b(servers, load) == pytest.approx(expected, rel=1e-12, abs=1e-300)

    def test_monotone_in_load_and_servers(self):
        servers, loads = np.arange(1, 60), np.linspace(0.5, 80, 60)
        table = erlang_b(servers[:, None], loads)
        assert table.shape == (59, 60)
        assert (np.diff(table, axis=0) < 0).all()
        assert (np.diff(table, axis=1) > 0).all()
