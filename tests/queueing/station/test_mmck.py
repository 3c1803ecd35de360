"""Finite rooms and birth-death chains: linear solves, Erlang B, limits, overload, bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.station.birth_death import (
    birth_death_probabilities,
    machine_repair,
    machine_repair_probabilities,
)
from perfmodel.queueing.station.erlang import erlang_b
from perfmodel.queueing.station.mmc import mmc, mmc_waiting_tail
from perfmodel.queueing.station.mmck import (
    mmck,
    mmck_probabilities,
    mmck_waiting_quantile,
    mmck_waiting_tail,
)


@given(st.floats(0.01, 50), st.integers(1, 8), st.integers(0, 30))
def test_means_against_the_probabilities(rate, servers, room):
    law = mmck_probabilities(rate, 1.0, servers, servers + room)
    result = mmck(rate, 1.0, servers, servers + room)
    number = np.arange(law.size)
    assert result.loss_probability == pytest.approx(law[-1], rel=1e-9)
    assert result.queue_length == pytest.approx(law @ number, rel=1e-9)
    assert result.throughput == pytest.approx(law @ np.minimum(number, servers), rel=1e-9)
    assert result.waiting_length == pytest.approx(
        law @ np.maximum(number - servers, 0), rel=1e-9, abs=1e-15
    )
    assert result.throughput == pytest.approx(rate * (1 - law[-1]), rel=1e-9, abs=1e-12)
    assert result.queue_length == pytest.approx(result.throughput * result.response_time)


def test_no_waiting_room_is_erlangs_loss_system():
    result = mmck(95.0, 1.0, [90, 100], [90, 100])
    assert result.loss_probability == pytest.approx(erlang_b([90, 100], 95.0))
    assert result.waiting_time.tolist() == [0, 0]


def test_a_large_room_is_mmc():
    result, open_queue = mmck(3.2, 1.0, 4, 600), mmc(3.2, 1.0, 4)
    assert result.response_time == pytest.approx(open_queue.response_time)
    assert 0 < result.loss_probability < 1e-50


def test_overload_serves_at_capacity_and_fills_the_room():
    result = mmck(1e9, 1.0, 3, 1003)
    assert result.throughput == pytest.approx(3)
    assert result.waiting_length == pytest.approx(1000)
    assert result.loss_probability == pytest.approx(1 - 3e-9, rel=1e-12)


def test_a_million_servers_do_not_overflow():
    result = mmck([9e5, 1e6, 1.5e6], 1.0, 1_000_000, 1_000_500)
    assert np.isfinite(result.response_time).all()
    assert result.loss_probability[0] == 0
    assert result.loss_probability[2] == pytest.approx(1 / 3, rel=1e-5)


def test_at_load_one_all_states_of_one_server_are_equally_likely():
    assert mmck_probabilities(2, 2, 1, 4) == pytest.approx([0.2] * 5)
    assert mmck(2, 2, 1, 4).queue_length == pytest.approx(2)


def test_waiting_percentiles():
    wide = mmck_waiting_tail([0.0, 0.4, 2.0], 3.2, 1.0, 4, 400)
    assert wide == pytest.approx(mmc_waiting_tail([0.0, 0.4, 2.0], 3.2, 1.0, 4), rel=1e-9)
    late = mmck_waiting_quantile([0.6, 0.9, 0.99], 5.0, 1.0, 4, 12)
    assert mmck_waiting_tail(late, 5.0, 1.0, 4, 12) == pytest.approx([0.4, 0.1, 0.01])
    times = np.linspace(0, 40, 80_001)
    area = np.trapezoid(mmck_waiting_tail(times, 5.0, 1.0, 4, 12), times)
    assert area == pytest.approx(mmck(5.0, 1.0, 4, 12).waiting_time, rel=1e-6)
    assert mmck_waiting_tail(1.0, 5.0, 1.0, 4, 4) == 0


@given(st.lists(st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)), min_size=1, max_size=12))
def test_birth_death_against_a_linear_solve(rates):
    up, down = np.array(rates).T
    generator = np.diag(up, 1) + np.diag(down, -1)
    generator -= np.diag(generator.sum(1))
    law = birth_death_probabilities(up, down)
    assert law @ generator == pytest.approx(np.zeros(law.size), abs=1e-10)
    assert law.sum() == pytest.approx(1)


def test_birth_death_of_a_hundred_thousand_states():
    law = birth_death_probabilities(np.full(100_000, 5.0), np.full(100_000, 1.0))
    assert law[-1] == pytest.approx(0.8)
    assert np.isfinite(law).all()


class TestMachineRepair:
    def test_one_customer_never_waits(self):
        alone = machine_repair(1, think_time=3.0, service_time=2.0)
        assert alone.response_time == pytest.approx(2)
        assert alone.throughput == pytest.approx(1 / 5)
        assert alone.waiting_time == 0

    @given(st.integers(1, 60), st.floats(0.1, 50), st.floats(0.1, 5), st.integers(1, 6))
    def test_interactive_response_time_law(self, population, think, service, servers):
        result = machine_repair(population, think, service, servers)
        by_law = population / result.throughput - think
        assert result.response_time == pytest.approx(by_law, rel=1e-9, abs=1e-9 * think)
        assert result.throughput <= min(servers / service, population / (think + service)) + 1e-12

    def test_as_many_servers_as_customers(self):
        law = machine_repair_probabilities(3, 1.0, 1.0, 3)
        assert law == pytest.approx(np.array([1, 3, 3, 1]) / 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mmck(1, 1, 3, 2), "capacity must be from servers = 3 to 10000000 more, got 2"),
        (lambda: mmck(1, 1, 1, 10**9), "capacity must be from servers = 1"),
        (
            lambda: birth_death_probabilities([1, 2], [1]),
            "death_rates must be 2 values as birth_rates, got 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
