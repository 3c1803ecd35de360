"""An image server: the example by hand, and the bounds against simulation."""

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.dnn_server.server import (
    EXAMPLE,
    ImageServer,
    cores_for,
    simulated,
    throughput_bound,
)


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
    found = simulated(server, 256).throughput.value.item()
    assert found == pytest.approx(server.capacity, rel=0.02)


def test_bad_input():
    with pytest.raises(ValueError, match="preprocess_time must be above 0, got 0"):
        replace(EXAMPLE, preprocess_time=0)
    with pytest.raises(ValueError, match="cores must be a whole number, 1 or more, got 0"):
        replace(EXAMPLE, cores=0)
    with pytest.raises(ValueError, match="in_flight must be 1 or more, got 0"):
        throughput_bound(EXAMPLE, 0)
