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

    def test_all_queues_are_counted_however_long(self):
        tail = mean_field.supermarket(0.99, 1, [1e6])[0]
        assert tail[1:].sum() == pytest.approx(99, rel=1e-6)
        assert tail[:600] == pytest.approx(0.99 ** np.arange(600), rel=1e-6)

    def test_a_long_start_does_not_overflow_the_longest_queue(self):
        tail = mean_field.supermarket(0.9, 1, [0.0, 50.0], start=[1.0] * 61)
        assert tail[:, 1:].sum(axis=1) == pytest.approx([60, 55], rel=1e-3)

    def test_levels_choose_what_is_returned_and_change_nothing(self):
        few, all_of_them = (mean_field.supermarket(0.95, 1, [300.0], levels=n) for n in (10, None))
        assert few[0] == pytest.approx(all_of_them[0][:11], rel=1e-6)

    @given(st.floats(0.05, 0.99), st.integers(1, 3), st.floats(0.1, 500))
    def test_shares_are_shares(self, load, choices, time):
        tail = mean_field.supermarket(load, choices, [time])[0]
        assert ((tail >= 0) & (tail <= 1)).all()
        assert (np.diff(tail) <= 0).all()

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"utilization": 1 - 1e-9, "choices": 1, "times": [1e9]}, "queues of at most 20000"),
            ({"start": [0.9]}, "start must fall from 1"),
            ({"start": [1, 0.2, 0.5]}, "start must fall from 1"),
            ({"times": [2, 1]}, "times must be a list that increases"),
        ],
    )
    def test_refusals(self, values, message):
        with pytest.raises(ValueError, match=message):
            mean_field.supermarket(**{"utilization": 0.5, "choices": 2, "times": [1.0], **values})


class TestDrift:
    @pytest.mark.parametrize("small", [1e-14, 1e-30, 1.0, 1e20])
    def test_a_value_keeps_its_digits_in_any_unit(self, small):
        path = mean_field.follow_drift(lambda x: x, [small], [1.0, 20.0])[:, 0]
        assert path == pytest.approx(small * np.exp([1.0, 20.0]), rel=1e-6)

    def test_a_small_value_next_to_a_large_one(self):
        """Logistic growth, whose path is known, with its complement."""
        path = mean_field.follow_drift(
            lambda x: np.array([-x[0] * x[1], x[0] * x[1]]), [1.0, 1e-14], [10.0, 32.0]
        )
        grown = 1e-14 * np.exp([10.0, 32.0])
        assert path[:, 1] == pytest.approx(grown / (1 + grown), rel=1e-5)

    def test_from_nothing_at_all(self):
        path = mean_field.follow_drift(lambda x: 1e-20 - 0 * x, [0.0], [2.0, 4.0])[:, 0]
        assert path == pytest.approx([2e-20, 4e-20], rel=1e-8)

    def test_time_0_alone_is_the_start(self):
        assert mean_field.follow_drift(lambda x: x, [3.0], [0.0]).tolist() == [[3.0]]


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
        ],
    )
    def test_refusals(self, start, message):
        ring = Network([Station("a"), Station("b")], [JobClass("u", population=9)], [1, 2])
        with pytest.raises(ValueError, match=message):
            mean_field.fluid_network(ring, start, [0, 1])
