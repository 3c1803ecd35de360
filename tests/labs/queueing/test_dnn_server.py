"""An image server: batches, brokers and examples by hand, bounds against simulation, stages."""

import itertools
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.dnn_server.image_server import (
    INPUT,
    TinyNetwork,
    overhead_interval,
    packed_image,
    served_rate,
    shrink,
    stage_times,
    unpack,
)
from perfmodel.labs.queueing.dnn_server.server import (
    EXAMPLE,
    ImageServer,
    accelerator_batches,
    cores_for,
    frame_rate_brokered,
    frame_rate_fused,
    simulated,
    taken_batches,
    throughput_bound,
)
from perfmodel.queueing.station.batch_service import batch_capacity

GAPS = [0.4, 0.5, 0.75, 1, 1.5, 2, 4, 6]


@pytest.mark.parametrize("gap", GAPS)
def test_every_rate_can_be_read(gap):
    assert accelerator_batches(gap).faults() == []


@pytest.mark.parametrize("gap", GAPS)
def test_a_batch_takes_all_that_came_since_the_last_one_began(gap):
    taken = 0
    for (start, size), (later, _) in pairwise(taken_batches(gap)):
        taken += size
        assert (taken - 1) * gap <= start + 1e-9 < taken * gap + 1e-6
        assert later >= start + 1.5 + 0.3 * size - 1e-9


def test_batches_by_hand():
    # an image alone takes 1.8 ms; by 0.5 ms, b images in 1.5 + 0.3 b ms give 7.5 in the long run
    assert [size for _, size in taken_batches(2, 24)] == [1] * 12
    assert accelerator_batches(2).values["busy (%)"] == pytest.approx(90)
    assert accelerator_batches(0.5).values["images a batch"] == pytest.approx(7.5, rel=0.05)


IMAGE = packed_image(2 * INPUT)


def test_images_are_repeatable_and_grow():
    assert packed_image(2 * INPUT) == IMAGE
    assert packed_image(2 * INPUT, seed=2) != IMAGE
    assert len(packed_image(4 * INPUT).content) > 2 * len(IMAGE.content)
    assert unpack(IMAGE).shape == (2 * INPUT, 2 * INPUT, 3)


def test_shrink_averages_blocks():
    pixels = np.zeros((2 * INPUT, 2 * INPUT, 3), dtype=np.uint8)
    pixels[0, :2] = 255
    small = shrink(pixels).reshape(INPUT, INPUT, 3)
    assert small[0, 0] == pytest.approx([0, 0, 0])
    assert small[1:].max() == -1


def test_network_is_the_same_each_time():
    inputs = shrink(unpack(IMAGE))
    assert TinyNetwork()(inputs) == TinyNetwork()(inputs)
    assert 0 <= TinyNetwork(classes=7)(inputs) < 7


def test_stages_are_timed_one_after_another():
    instants = itertools.accumulate(itertools.cycle([1.0, 2.0, 3.0, 4.0]))
    times = stage_times(IMAGE, 5, clock=lambda: next(instants))
    assert times.tolist() == [[2.0, 3.0, 4.0]] * 5


def test_rate_counts_images():
    instants = iter([10.0, 14.0])
    assert served_rate(IMAGE, 8, 2, clock=lambda: next(instants)) == 2


def test_interval_holds_the_share_and_narrows():
    rng = np.random.default_rng(2)
    rows = np.array([3.0, 2.0, 5.0]) * rng.lognormal(0, 0.2, (400, 3))
    few, many = overhead_interval(rows[:20]), overhead_interval(rows)
    assert many[1] < 0.5 < many[2]
    assert many[2] - many[1] < few[2] - few[1]
    wide = overhead_interval(rows, confidence=0.99)
    assert wide[1] < many[1] < many[0] < many[2] < wide[2]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: packed_image(100), "side must be a multiple of 64, got 100"),
        (lambda: overhead_interval([1.0]), r"shape \(rounds, stages\)"),
    ],
)
def test_sides_and_times_that_do_not_fit_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


TIMES = 0.004, 0.002, 0.0005
OBJECTS = np.arange(1, 26)


def test_frame_rates_by_hand():
    assert frame_rate_fused(*TIMES, 4) == pytest.approx(1 / 0.008)
    full = 0.002 / 32 + 0.0005
    assert frame_rate_brokered(*TIMES, 4, 0.0) == pytest.approx(1 / (0.004 + 4 * full))
    assert frame_rate_brokered(*TIMES, 10, 0.001) == pytest.approx(1 / 0.010)


def test_a_free_broker_never_loses_and_a_slow_one_does_beyond_a_crossover():
    fused = frame_rate_fused(*TIMES, OBJECTS)
    assert (frame_rate_brokered(*TIMES, OBJECTS, 0.0) > fused).all()
    slow = frame_rate_brokered(*TIMES, OBJECTS, 0.002) > fused
    assert slow[0]
    assert not slow[4:].any()


def test_many_objects_are_bound_by_the_slowest_part():
    many = 1e6
    assert frame_rate_brokered(*TIMES, many, 0.0) * many == pytest.approx(
        float(batch_capacity(0.002, 0.0005, 32)), rel=1e-3
    )
    assert frame_rate_brokered(*TIMES, many, 0.01) * many == pytest.approx(100)


def test_example_by_hand():
    assert EXAMPLE.latency == pytest.approx(0.0078)
    assert EXAMPLE.overhead == pytest.approx(0.6 / 0.78)
    assert EXAMPLE.capacity == pytest.approx(8 / 0.006)
    assert EXAMPLE.cpu_capacity == pytest.approx(1333, abs=0.5)
    assert EXAMPLE.accelerator_capacity == pytest.approx(2883, abs=0.5)
    assert cores_for(EXAMPLE) == 18
    assert EXAMPLE.knee == pytest.approx(8 / 0.006 * 0.0078)


def test_cores_move_the_bottleneck():
    cores = cores_for(EXAMPLE)
    enough, short = (replace(EXAMPLE, cores=c) for c in (cores, cores - 1))
    assert enough.capacity == pytest.approx(EXAMPLE.accelerator_capacity)
    assert short.capacity == short.cpu_capacity < EXAMPLE.accelerator_capacity
    assert cores_for(ImageServer(0.01, 1, 0.0, 0.002, 8)) == 5


def test_one_image_in_flight_sees_the_bare_latency():
    run = simulated(EXAMPLE, 1, images=500)
    assert run.response_time.value.item() == pytest.approx(EXAMPLE.latency)
    assert run.throughput.value.item() == pytest.approx(1 / EXAMPLE.latency)


@settings(max_examples=15)
@given(
    st.integers(1, 100),
    st.integers(1, 12),
    st.floats(0.0005, 0.02),
    st.floats(0.0, 0.01),
    st.integers(1, 32),
    st.booleans(),
)
def test_simulation_keeps_the_bound_and_littles_law(flight, cores, prepare, fixed, largest, vary):
    server = ImageServer(prepare, cores, fixed, 0.0005, largest)
    run = simulated(server, flight, images=3000, variable=vary)
    rate = run.throughput.value.item()
    assert rate <= throughput_bound(server, flight) * (1.08 if vary else 1.01)
    assert flight / rate == pytest.approx(run.response_time.value.item(), rel=0.1)


@pytest.mark.parametrize("cores", [8, 32])
def test_many_images_in_flight_reach_the_capacity(cores):
    server = replace(EXAMPLE, cores=cores)
    result = simulated(server, 256).throughput.value.item()
    assert result == pytest.approx(server.capacity, rel=0.02)


def test_text_on_an_accelerator_that_is_always_busy_is_true():
    """An image every 1.5 ms comes before the last is done, and four times as many are served."""
    gap = 1.5e-3
    assert EXAMPLE.batch_time + EXAMPLE.image_time > gap
    assert 4 < EXAMPLE.accelerator_capacity * gap < 5
