"""The bucket with a made-up clock, a window that follows the law, and two real processes."""

import threading
from multiprocessing import Pipe

import numpy as np
import pytest

from perfmodel.labs.communication.rl_congestion.bucket import (
    Bucket,
    BucketRun,
    Window,
    measure_sharing,
    send_packets,
)
from perfmodel.labs.communication.rl_congestion.inputs import ON_THIS_MACHINE


class TestBucket:
    def test_packets_wait_for_tokens_and_then_for_the_wire(self):
        bucket = Bucket(rate=10.0, base=1.0, now=0.0)
        for packet in "abc":
            bucket.accept(packet)
        assert bucket.arrived(0.05) == []
        assert bucket.arrived(0.2) == []
        assert bucket.arrived(1.25) == ["a", "b"]
        assert bucket.arrived(2.3) == ["c"]

    def test_an_idle_bucket_saves_no_more_than_its_depth(self):
        bucket = Bucket(rate=10.0, base=0.0, now=0.0)
        assert bucket.arrived(1000.0) == []
        for packet in range(50):
            bucket.accept(packet)
        assert len(bucket.arrived(1000.0)) == 20


def followed(count: int, rate: float = 1000.0, base: float = 0.02) -> list[Window]:
    """Return windows after two seconds of a made-up clock that all senders share."""
    bucket = Bucket(rate, base, 0.0)
    windows = [Window(ON_THIS_MACHINE, 30.0 / (1 + i), rate, base) for i in range(count)]
    flying = np.zeros(count, dtype=int)
    for now in np.arange(0, 3, 0.0005):
        for sender, window in enumerate(windows):
            while flying[sender] < int(window.size):
                bucket.accept((sender, now))
                flying[sender] += 1
        for sender, sent in bucket.arrived(now):
            flying[sender] -= 1
            windows[sender].note(sent, now)
    return windows


@pytest.mark.parametrize("count", [1, 2, 4])
def test_windows_end_alike_and_fill_the_predicted_queue(count):
    """All packets under way are those of the empty link times the inflation."""
    sizes = np.array([window.size for window in followed(count)])
    expected = float(ON_THIS_MACHINE.equilibrium_inflation(count))
    assert sizes.sum() / 20 == pytest.approx(expected, rel=0.1)
    assert sizes == pytest.approx(sizes.mean(), rel=0.15)


def test_a_sender_keeps_its_window_under_way_and_ends_with_the_link():
    here, there = Pipe()
    arguments = (there, ON_THIS_MACHINE, 3.0, 1000.0, 0.02)
    sender = threading.Thread(target=send_packets, args=arguments, daemon=True)
    sender.start()
    assert here.recv() is None
    here.send(None)
    first = [here.recv() for _ in range(3)]
    assert not here.poll(0.05)
    here.send(first[0])
    assert here.poll(5)
    here.close()
    sender.join(5)
    assert not sender.is_alive()


def test_two_processes_share_a_bucket():
    run = measure_sharing(ON_THIS_MACHINE, 2, seconds=0.8)
    assert run.rates.shape == (2,)
    assert 0 < run.rates.sum() < 1.5
    assert run.inflation.mean() > 1


def test_what_a_run_says():
    run = BucketRun(np.array([0.2, 0.8]), np.array([2.0, 2.2] * 5))
    low, high = run.interval
    assert run.fairness == pytest.approx(0.7353, abs=1e-4)
    assert low < 2.1 < high
    assert high - low == pytest.approx(2 * 2.262 * np.sqrt(0.1 / 9) / np.sqrt(10), rel=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"processes": 0}, "processes must be a whole number, 1 or more, got 0"),
        ({"seconds": 0.0}, "seconds must be above 0"),
        ({"rate": -1.0}, "rate must be above 0"),
        ({"seconds": 0.01}, "seconds must let ten packets come back .* got 0.01, in which 0 did"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        measure_sharing(**({"law": ON_THIS_MACHINE, "processes": 2} | change))
