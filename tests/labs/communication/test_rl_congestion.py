"""Congestion control by a learned law: flows on a link, processes on a bucket."""

import threading
from multiprocessing import Pipe

import numpy as np
import pytest

from perfmodel.communication import RateControl, largest_stable_delay, simulate_rate_control
from perfmodel.labs.communication.rl_congestion.experiments import (
    ON_THIS_MACHINE,
    PUBLISHED,
    ends,
    history,
    swings,
)
from perfmodel.labs.communication.rl_congestion.link_chart import FLOWS, STEPS, shared_link
from perfmodel.labs.communication.rl_congestion.token_bucket import (
    Bucket,
    BucketRun,
    Window,
    measure_sharing,
    send_packets,
)


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


def test_too_few_packets_to_judge_by_are_refused():
    with pytest.raises(ValueError, match="seconds must let ten packets come back .* got 0.01"):
        measure_sharing(law=ON_THIS_MACHINE, processes=2, seconds=0.01)


def test_inflation_by_the_constants_of_the_public_code():
    result = ends(PUBLISHED, (2, 4, 16, 64), 6000)
    assert result.inflation == pytest.approx([1.59051, 1.628, 1.756, 2.012], abs=5e-4)
    assert result.lowest == pytest.approx(1, abs=1e-3)
    assert result.highest == pytest.approx(1, abs=1e-3)


def test_flows_end_at_an_even_share_as_proposition_1_says():
    """From random starts, 2 to 1,024 of them, within a thousandth of 1/N."""
    result = ends(PUBLISHED)
    assert result.lowest == pytest.approx(1, abs=1e-3)
    assert result.highest == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("exponent", [0.25, 0.5, 0.75, 1.0])
def test_mean_of_the_last_steps_is_near_the_equilibrium(exponent):
    law = RateControl(PUBLISHED.target, PUBLISHED.base, exponent)
    result = ends(law, (2, 32, 128), 6000)
    expected = law.equilibrium_inflation(result.flows) - law.base
    assert result.inflation - law.base == pytest.approx(expected, rel=0.01)


def test_delay_grows_with_the_root_of_the_flows():
    result = ends(PUBLISHED)
    above = np.log(result.inflation - PUBLISHED.base)
    assert np.polyfit(np.log(result.flows), above, 1)[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("start", "ratio"), [((0.2, 0.1), 2), ((0.3, 0.1), 3)])
def test_without_an_exponent_the_ratio_of_the_start_stays(start, ratio):
    """The lab's starts never swing up to the line rate, where a rate is held."""
    rates = simulate_rate_control(RateControl(0.064, 1.5, exponent=0.0), start, 6000).rates
    assert rates.max() < 1
    assert rates[:, 0] / rates[:, 1] == pytest.approx(np.full(6001, ratio))


def test_a_round_trip_is_too_late_for_rates_with_the_constants_of_the_bucket():
    round_trip = 1 / ON_THIS_MACHINE.drain
    assert [largest_stable_delay(ON_THIS_MACHINE, flows) for flows in (1, 2, 4)] == [3, 4, 5]
    assert round_trip > 5


def test_a_history_repeats_with_its_seed_alone():
    first = history(PUBLISHED, 4, 50, seed=1)
    assert (history(PUBLISHED, 4, 50, seed=1).rates == first.rates).all()
    assert (history(PUBLISHED, 4, 50, seed=2).rates != first.rates).any()


def test_sawteeth_cancel_only_where_they_are_apart():
    result = swings()
    slope = np.polyfit(np.log(result.flows[1:]), np.log(result.apart[1:]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.02)
    assert np.ptp(result.together) < 0.02
    assert result.rule[2] == result.apart[2]


@pytest.mark.parametrize("flows", FLOWS)
def test_every_state_can_be_read(flows):
    scenes = [shared_link(flows, step) for step in STEPS]
    assert [scene.faults() for scene in scenes] == [[]] * len(scenes)
    assert len({scene.height for scene in scenes}) == 1
    assert scenes[-1].values["sum of rates"] == pytest.approx(1, abs=0.01)
