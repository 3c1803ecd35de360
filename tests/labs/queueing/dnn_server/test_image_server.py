"""The image server on this machine: what it computes, and its clock read in the right places."""

import itertools

import numpy as np
import pytest

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
        (lambda: stage_times(IMAGE, 0), "rounds must be a whole number, 1 or more"),
        (lambda: served_rate(IMAGE, 0, 1), "count must be a whole number, 1 or more"),
        (lambda: served_rate(IMAGE, 1, 0), "workers must be a whole number, 1 or more"),
        (lambda: overhead_interval([1.0]), r"shape \(rounds, stages\)"),
        (lambda: overhead_interval([[1, 2]] * 2, 1.5), "confidence must be above 0 and below 1"),
        (lambda: overhead_interval([[1, 2]]), "values must"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
