"""Operational laws: hand values, the laws as identities of a recorded run, bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.operational_analysis import operational_laws

RATE = st.floats(1e-3, 1e4)


class TestIdentities:
    @given(RATE, RATE, st.integers(1, 10**6))
    def test_three_ways_to_utilization(self, elapsed, share, count):
        busy = elapsed * share / 1e4
        seen = operational_laws.observe(elapsed, busy, count)
        assert operational_laws.utilization(seen.throughput, seen.service_time) == pytest.approx(
            seen.utilization
        )

    @given(RATE, RATE, RATE)
    def test_forced_flow_undoes_itself(self, throughput, visits, service):
        station = operational_laws.station_throughput(throughput, visits)
        assert operational_laws.system_throughput(station, visits) == pytest.approx(throughput)
        demand = operational_laws.service_demand(visits, service)
        assert throughput * demand == pytest.approx(station * service)

    @given(RATE, RATE)
    def test_little_both_ways(self, throughput, response):
        inside = operational_laws.little_population(throughput, response)
        assert operational_laws.little_response_time(inside, throughput) == pytest.approx(response)

    def test_little_holds_exactly_on_a_recorded_run(self):
        # Counter 1: area under the number inside; counter 2: the sum of times inside.
        rng = np.random.default_rng(5)
        arrive = np.cumsum(rng.exponential(1.0, 500))
        leave = arrive + rng.exponential(3.0, 500)
        span = leave.max()
        moments = np.sort(np.concatenate([[0.0, span], arrive, leave]))
        middle = (moments[1:] + moments[:-1]) / 2
        inside = (arrive[:, None] < middle).sum(0) - (leave[:, None] < middle).sum(0)
        mean_inside = (inside * np.diff(moments)).sum() / span
        by_law = operational_laws.little_population(500 / span, (leave - arrive).mean())
        assert mean_inside == pytest.approx(by_law, rel=1e-12)

    def test_interactive_is_little_around_the_loop(self):
        response = operational_laws.interactive_response_time(20, 0.5, 18)
        assert operational_laws.little_population(0.5, response + 18) == pytest.approx(20)
        assert operational_laws.interactive_response_time(10, 1.0, 10) == 0


class TestBadInput:
    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (
                lambda: operational_laws.utilization(30, 0.05),
                "utilization must be between 0 and 1, got 1.5",
            ),
            (lambda: operational_laws.utilization([1, 2], 0.6), "got 1.2"),
            (
                lambda: operational_laws.interactive_response_time(5, 1, 6),
                "think_time must be at most",
            ),
        ],
    )
    def test_message(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_four_servers_may_be_busy_three_times_over(self):
        assert operational_laws.utilization(60, 0.05, servers=4) == pytest.approx(0.75)
