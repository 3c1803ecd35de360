"""Expert parallelism: DeepEP's kernels and the copies of a token."""

import numpy as np
import pytest

from perfmodel.communication import place_experts
from perfmodel.labs.communication.expert_parallelism.copies_chart import (
    TOKENS,
    WAYS,
    token_copies,
)
from perfmodel.labs.communication.expert_parallelism.inputs import (
    EXAMPLE_LOADS,
    FIRST,
    THIRD,
    deepep_rows,
    printed,
    uccl_rows,
)
from perfmodel.labs.communication.expert_parallelism.kernels import (
    FORMATS,
    PHASES,
    calibrated,
    card_rates,
    counted_bytes,
    fit_short,
    guesses,
    held_out,
    held_out_on_clouds,
    limit_saves,
    logical_bandwidth,
    platform_rows,
    prefill_limit,
    recomputed_bandwidth,
    skewed_load,
    token_bytes,
    waits,
)


def errors(model):
    return [abs(getattr(one, model) / one.printed - 1) for one in held_out()]


def test_two_tiers_lose_on_clouds():
    rows = held_out_on_clouds()
    assert [one.ranks for one in rows] == [16, 24] * 4
    tiers, link = (
        np.median([abs(getattr(one, model) / one.printed - 1) for one in rows])
        for model in ("two_tiers", "one_link")
    )
    assert tiers == pytest.approx(0.46, abs=5e-3)
    assert link == pytest.approx(0.042, abs=5e-4)
    # By hand: the card carries 3/4 of 54 GB/s, so two nodes would print twice as much.
    assert rows[0].two_tiers == pytest.approx(2 * 0.75 * 54e9)
    assert platform_rows("H200, EFA", "dispatch")[24] == pytest.approx(53e9)


def test_two_tiers_beat_one_bandwidth_where_neither_was_calibrated():
    assert len(held_out()) == 12
    assert np.mean(errors("two_tiers")) == pytest.approx(0.054, abs=5e-4)
    assert np.mean(errors("one_link")) == pytest.approx(0.219, abs=5e-4)


def test_predicted_rows_of_h800():
    result = [round(one.two_tiers / 1e9, 1) for one in held_out() if one.platform == "H800"]
    assert result == [46.7, 59.5, 48.3, 58.3]


@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_calibration_reproduces_its_own_rows(nodes):
    links = calibrated(153e9, 51e9)
    assert logical_bandwidth(links, 8) == pytest.approx(51e9)
    assert links.intra_node * 8 / 7 == pytest.approx(153e9)
    assert (links.tier_times(nodes, 1.0)[0] > links.tier_times(nodes, 1.0)[1]) == (nodes > 2)


def test_second_version_at_45_gbytes_on_the_card():
    """90 and 61 GB/s are printed for 2 and 4 nodes; where the card limits, n/(n - 1) times 45."""
    fast = calibrated(400e9, 45e9 * 8 / 7)
    result = [logical_bandwidth(fast, n) / 1e9 for n in (2, 4)]
    assert result == pytest.approx([90, 60], abs=0.5)


@pytest.mark.parametrize(
    ("phase", "latency", "bandwidth", "at_64"),
    [("dispatch", 44.0e-6, 51.3e9, 173.5e-6), ("combine", 39.0e-6, 47.1e9, 312e-6)],
)
def test_a_line_through_two_rows_predicts_the_third(phase, latency, bandwidth, at_64):
    line = fit_short(phase)
    assert line.latency == pytest.approx(latency, rel=2e-3)
    assert line.bandwidth == pytest.approx(bandwidth, rel=2e-3)
    assert float(line.time(64)) == pytest.approx(at_64, rel=1e-3)
    assert float(line.time(64)) == pytest.approx(
        printed(THIRD, "low-latency", phase)[64].latency, rel=7e-3
    )


@pytest.mark.parametrize(
    ("phase", "latency", "bandwidth", "worst"),
    [("dispatch", 44.6e-6, 51.7e9, 0.22e-6), ("combine", 36.4e-6, 46.4e9, 0.87e-6)],
)
def test_a_line_through_three_rows(phase, latency, bandwidth, worst):
    line = fit_short(phase, (16, 32, 64))
    assert line.latency == pytest.approx(latency, rel=2e-3)
    assert line.bandwidth == pytest.approx(bandwidth, rel=2e-3)
    rows = printed(THIRD, "low-latency", phase)
    assert max(abs(float(line.time(n)) - rows[n].latency) for n in (16, 32, 64)) <= worst


def test_rows_of_128_and_256_ranks_are_those_of_february():
    for phase in PHASES:
        first, third = (printed(commit, "low-latency", phase) for commit in (FIRST, THIRD))
        same = [n for n in first if first[n].latency == third[n].latency]
        assert same == [128, 256]
        assert float(fit_short(phase).time(256)) < 0.97 * third[256].latency


def test_bytes_by_hand():
    assert [token_bytes(numbers) for numbers in FORMATS] == [7392, 14336, 7408]
    rows = {(r.kernel, r.platform, r.phase, r.ranks): r for r in uccl_rows()}
    dispatch = rows["normal", "On p5en", "dispatch", 8]
    assert counted_bytes(dispatch) == pytest.approx(160.31e6, rel=1e-4)
    combine = rows["normal", "On p5en", "combine", 8]
    assert counted_bytes(combine) == pytest.approx(310.9e6, rel=1e-4)
    assert counted_bytes(printed(THIRD, "low-latency", "dispatch")[16]) == 7_585_792
    assert counted_bytes(printed(THIRD, "low-latency", "combine")[16]) == 14_680_064
    many = rows["normal", "On p5en", "dispatch", 24]
    assert recomputed_bandwidth(many) / 1e9 == pytest.approx(53.6, abs=0.05)


def test_waits_follow_the_first_release():
    """Printed: 1.061, 1.117, 1.141, 1.178 and 1.190 times the time of eight ranks."""
    result = waits([16, 32, 64, 128, 256])
    assert result == pytest.approx([1.083, 1.128, 1.157, 1.175, 1.186], abs=2e-3)


def test_example_of_the_placement():
    loads = [place_experts(load, 8, 16, 2, 4) for load in EXAMPLE_LOADS]
    assert loads[0].load.tolist() == [121.5, 86.5, 125.0, 113.0, 147.5, 131.5, 156.0, 152.0]
    assert loads[1].load.tolist() == [173.0, 179.5, 120.5, 172.0, 123.0, 152.0, 118.5, 117.5]
    assert [one.imbalance for one in loads] == pytest.approx([1.208, 1.242], abs=5e-4)
    whole = [place_experts(load, 8, 16).imbalance for load in EXAMPLE_LOADS]
    assert whole == pytest.approx([1.073, 1.190], abs=5e-4)


@pytest.mark.parametrize(
    ("exponent", "packed", "copied"),
    [(0.2, 1.09, 1.003), (0.4, 1.27, 1.001), (0.6, 1.91, 1.001), (0.8, 3.23, 1.001)],
)
def test_synthetic_popularity(exponent, packed, copied):
    load = skewed_load(exponent)
    assert place_experts(load, 32, 256).imbalance == pytest.approx(packed, abs=5e-3)
    assert place_experts(load, 32, 288).imbalance == pytest.approx(copied, abs=2e-3)


def test_guesses_are_computed():
    assert limit_saves() == pytest.approx(0.248, abs=5e-4)
    assert min(card_rates(), key=card_rates().get) == 16
    text = " ".join(row[2] for row in guesses())
    for said in ("43.5", "25 %", "9 %", "1.125", "slots (1.006)", "1.4 instead of 1.9", "4,030 a"):
        assert said in text


def test_prompt_tokens_that_the_cards_can_carry_by_hand():
    """3.614 nodes of 4, of which 3/4 over the card: 20.0 and 38.9 kB in each of 58 layers."""
    moved = 3.614 * 0.75 * (7392 + 14_336)
    assert prefill_limit() == pytest.approx(43.5e9 / (58 * moved), rel=1e-3)


def test_all_rows_are_there():
    assert (len(deepep_rows()), len(uccl_rows())) == (70, 64)
    assert platform_rows("MI300X", "dispatch") == {8: 260e9, 16: 74e9, 32: 60e9, 64: 52e9}


@pytest.mark.parametrize("way", WAYS)
def test_every_state_can_be_read(way):
    scenes = [token_copies(way, token) for token in range(1, TOKENS + 1)]
    assert [scene.faults() for scene in scenes] == [[]] * TOKENS
    most = {"expert": 8, "GPU": 8, "node": 3}[way]
    assert all(scene.values["over the network"] <= most for scene in scenes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: printed("abc", "normal", "dispatch"), "no table has commit 'abc'"),
        (lambda: recomputed_bandwidth(deepep_rows()[0]), "row must have a latency"),
        (lambda: fit_short("combine", (16,)), "ranks must be two or more of"),
        (lambda: fit_short("combine").time(4), "ranks must be 8 or more"),
    ],
)
def test_what_no_table_has_or_determines_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
