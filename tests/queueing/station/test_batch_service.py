"""Dynamic batching: chain against simulation, bound and the queues that it contains."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.station.batch_service import (
    batch_capacity,
    batch_queue,
    batch_response_bound,
    simulated_batches,
    stretched_batch,
)
from perfmodel.queueing.station.mg1 import mg1


def test_capacity_by_hand():
    assert batch_capacity(0.0015, 0.0003, 32) == pytest.approx(32 / 0.0111)
    assert batch_capacity(0, 0.5, [1, 7]) == pytest.approx([2, 2])


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_batches_of_one_are_an_ordinary_queue(load):
    result = batch_queue(load / 1.8, 1.5, 0.3, 1)
    assert result.response_time == pytest.approx(
        float(mg1(arrival_rate=load / 1.8, mean_service=1.8, scv=0).response_time)
    )
    assert result.waiting_time == pytest.approx(
        float(mg1(arrival_rate=load / 1.8, mean_service=1.8, scv=0).waiting_time)
    )
    assert result.utilization == pytest.approx(load)
    assert result.mean_batch == pytest.approx(1)


def test_a_rare_request_is_alone():
    result = batch_queue(1e-6, 2.0, 0.5)
    assert result.response_time == pytest.approx(2.5, rel=1e-5)
    assert result.waiting_time == pytest.approx(0, abs=1e-5)
    assert batch_response_bound(1e-9, 2.0, 0.5) == pytest.approx(2.5)


@pytest.mark.parametrize("largest", [1, 4, 32])
def test_limited_batches_against_simulation(largest):
    rate = 0.7 * float(batch_capacity(1.5, 0.3, largest))
    run = simulated_batches(rate, 1.5, 0.3, largest, requests=150_000)
    result = batch_queue(rate, 1.5, 0.3, largest)
    assert run.response_time.value.item() == pytest.approx(result.response_time, rel=0.02)
    assert result.queue_length - result.waiting_length == pytest.approx(
        rate * (result.response_time - result.waiting_time)
    )


@pytest.mark.parametrize(("rate", "fixed", "item"), [(0.7, 1, 1), (3.3, 1.9, 0.15), (1, 2, 0.5)])
def test_batches_without_limit_against_simulation_and_bound(rate, fixed, item):
    result = batch_queue(rate, fixed, item)
    run = simulated_batches(rate, fixed, item, requests=150_000)
    assert run.response_time.value.item() == pytest.approx(result.response_time, rel=0.025)
    # Throughput is conserved: batches per second times requests in a batch.
    service = fixed + item * result.mean_batch
    assert result.utilization / service * result.mean_batch == pytest.approx(rate, rel=1e-6)


@settings(max_examples=25)
@given(st.floats(0.02, 0.9), st.floats(0.05, 5))
def test_the_bound_is_close_and_a_wide_limit_is_none(load, fixed):
    free = batch_queue(load, fixed, 1.0)
    assert free.response_time <= batch_response_bound(load, fixed, 1.0) * (1 + 1e-6)
    assert free.response_time >= 0.88 * batch_response_bound(load, fixed, 1.0)
    assert batch_queue(load, fixed, 1.0, 400).response_time == pytest.approx(
        free.response_time, rel=1e-6
    )


def test_a_limit_helps_where_the_fixed_part_is_small_and_hurts_where_it_is_large():
    # In a large batch the first to come waits for all to be done.
    for fixed, helps in ((0.1, True), (0.8, False)):
        limited = batch_queue(0.5, fixed, 1.0, 1).response_time
        assert bool(limited < batch_queue(0.5, fixed, 1.0).response_time) is helps


def test_stretched_times():
    batch = stretched_batch(1.5, 0.3, 32)
    assert batch.max_size == 32
    assert batch.factors()[-1] * 1.8 == pytest.approx(11.1)


# item_time and fixed_time (s), arrival_rate * item_time; the bound was worked out from Inoue
# (2019), the mean response simulated apart from this package with 300,000 requests.
MADE_UP = [
    (1.0, 1.0, 0.1, 2.242, "2.242"),
    (1.0, 1.0, 0.3, 3.017, "3.055"),
    (1.0, 1.0, 0.5, 4.415, "4.667"),
    (1.0, 1.0, 0.7, 7.554, "7.647"),
    (1.0, 1.0, 0.9, 22.58, "22.63"),
    (0.15, 1.9, 0.5, 5.946, "5.950"),
    (0.5, 2.0, 0.5, 6.819, "6.833"),
]


@pytest.mark.parametrize(("item", "fixed", "load", "response", "bound"), MADE_UP)
def test_batches_without_limit_against_values_worked_out_apart(item, fixed, load, response, bound):
    digits = len(bound.partition(".")[2])
    ours = batch_response_bound(load / item, fixed, item)
    assert ours == pytest.approx(float(bound), abs=0.5 * 10**-digits)
    assert batch_queue(load / item, fixed, item).response_time == pytest.approx(response, rel=0.005)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: batch_queue(1.0, 1.0, 1.0), "arrival_rate must be below the capacity, got 1 of"),
        (lambda: batch_queue(3.0, 1.5, 0.3, 4), "below the capacity, got 2.025 of it"),
        (lambda: batch_queue(0.999, 5.0, 1.0), "further below the capacity"),
        (lambda: batch_response_bound(2.0, 1.0, 0.5), "below the capacity, got 1 of it"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
