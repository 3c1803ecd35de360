"""Mean field: fixed points known in closed form, and the fluid of a closed network."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import poisson

from perfmodel.queueing.fleet import mean_field
from perfmodel.queueing.network.model import JobClass, Network, Station


class TestSupermarket:
    def test_rest_point(self):
        tail = mean_field.supermarket(0.9, 2, [400.0])[0]
        assert tail[:6] == pytest.approx(0.9 ** (2.0 ** np.arange(6) - 1), rel=1e-5)

    def test_one_choice_is_mm1(self):
        tail = mean_field.supermarket(0.5, 1, [500.0])[0]
        assert tail[:10] == pytest.approx(0.5 ** np.arange(10), abs=1e-8)

    def test_full_servers_without_arrivals_drain_to_the_last_level(self):
        """Three jobs each: i or more are left while at most 3 - i were served, a Poisson number."""
        times = np.array([0.5, 2.0, 6.0])
        tail = mean_field.supermarket(0.0, 2, times, start=[1, 1, 1, 1], levels=3)
        served = poisson.cdf(np.array([2, 1, 0]), times[:, None])
        assert tail[:, 1:] == pytest.approx(served, abs=1e-7)

    def test_it_starts_where_told(self):
        tail = mean_field.supermarket(0.5, 2, [0.0], start=[1, 0.4, 0.1])[0]
        assert tail[:4].tolist() == [1, 0.4, 0.1, 0]

    @given(st.floats(0.05, 0.95), st.integers(1, 4))
    def test_shares_fall_with_length(self, load, choices):
        tail = mean_field.supermarket(load, choices, [1.0, 10.0], levels=20)
        assert (np.diff(tail, axis=1) <= 1e-9).all()

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"utilization": 1.0}, "utilization must be between 0 and 1"),
            ({"choices": 0}, "choices must be a whole number, 1 or more"),
            ({"start": [0.9]}, "start must fall from 1"),
            ({"start": [1, 0.2, 0.5]}, "start must fall from 1"),
            ({"times": [2, 1]}, "times must be a list that increases"),
            ({"times": [-1]}, "times must be 0 or more"),
        ],
    )
    def test_refusals(self, values, message):
        with pytest.raises(ValueError, match=message):
            mean_field.supermarket(**{"utilization": 0.5, "choices": 2, "times": [1.0], **values})


class TestFluid:
    def test_overload_drains_at_the_spare_speed(self):
        net = Network([Station("cpu", servers=2)], [JobClass("web", 3)], [0.5])
        path = mean_field.fluid_network(net, [[20]], [0, 5, 10]).ravel()
        assert path == pytest.approx([20, 15, 10], abs=1e-6)

    def test_a_delay_fills_exponentially(self):
        net = Network([Station("z", discipline="delay")], [JobClass("web", 3)], [2.0])
        times = np.linspace(0, 10, 6)
        path = mean_field.fluid_network(net, [[0]], times).ravel()
        assert path == pytest.approx(6 * (1 - np.exp(-times / 2)), abs=1e-7)

    def test_closed_network_rests_at_the_asymptote(self):
        """Many jobs: the bottleneck is busy, all the others hold what flows through them."""
        users = JobClass("users", population=100, think_time=10)
        stations = [Station("cpu", servers=2), Station("disk")]
        jobs = mean_field.fluid_network(Network(stations, [users], [0.5, 1.0]), [[0, 0]], [0, 500])[
            -1, 0
        ]
        assert jobs == pytest.approx([0.5, 100 - 10 - 0.5], abs=1e-5)

    def test_jobs_are_conserved(self):
        ring = Network([Station("a"), Station("b")], [JobClass("u", population=9)], [1, 2])
        path = mean_field.fluid_network(ring, [[9, 0]], [0, 1, 2, 30])
        assert path.sum(axis=(1, 2)) == pytest.approx([9] * 4)

    @pytest.mark.parametrize(
        ("start", "message"),
        [
            ([[1]], r"start must have shape \(1, 2\), got \(1, 1\)"),
            ([[9, 9]], "start of class 'u' must hold its 9 jobs.*got 18"),
            ([[1, 0]], "start of class 'u' must hold its 9 jobs.*got 1"),
            ([[-1, 10]], "start must be 0 or more"),
        ],
    )
    def test_refusals(self, start, message):
        ring = Network([Station("a"), Station("b")], [JobClass("u", population=9)], [1, 2])
        with pytest.raises(ValueError, match=message):
            mean_field.fluid_network(ring, start, [0, 1])
