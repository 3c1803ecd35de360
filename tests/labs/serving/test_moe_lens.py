"""MoE-Lens: passes over offloaded weights, their closed form, the reader's own sweep."""

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.moe_lens.claims import (
    GIGA,
    SHEET,
    TABLE_2_TOKENS,
    TERA,
    device_memory,
    device_tokens,
    stage_bytes,
    utilization,
)
from perfmodel.labs.serving.moe_lens.inputs import (
    CACHE,
    DEVICES,
    FULL,
    KV_BYTES,
    LAYERS,
    cache_tokens,
    server,
)
from perfmodel.labs.serving.moe_lens.learners import (
    CLOSED,
    FOREST,
    LARGEST,
    MODELS,
    PLANE,
    PlayedBatch,
    batch_summary,
    batches,
    errors,
    predictions,
)
from perfmodel.labs.serving.moe_lens.own_sweep import (
    SMALL,
    WEIGHT,
    SweepTimes,
    conclusion,
    time_sweeps,
)
from perfmodel.labs.serving.moe_lens.pass_chart import (
    ANSWERS,
    HALVES,
    MODES,
    THIRD,
    WHOLE,
    layer_times,
    pass_steps,
    played,
)
from perfmodel.live.drawing import Box
from perfmodel.serving import capacity_throughput


def test_which_rows_are_met():
    met = [claim.printed for claim in SHEET.claims if claim.check().met]
    assert met == ["1.57"]


def test_rows_have_si_units():
    assert device_tokens("A40") == 150e12 / 32e9 * 4 == 18_750
    assert device_memory("A40", 256) == pytest.approx(18_750 * 256 * 131_072 / 1e9)


def test_table_2_is_cut_off_and_then_doubled():
    """What the misses say: the units that land on all of it, which the paper doesn't state."""
    tokens = [device_tokens(name, TERA) for name in DEVICES]
    assert tokens == [19_200, 23_168, 39_936]
    cut = [np.floor(device_memory(name, 256, TERA, GIGA)) for name in DEVICES]
    assert cut == [614, 741, 1277]
    assert [2 * one for one in cut] == [1228, 1482, 2554]


def test_four_readings_of_the_units():
    units = ((1e12, 1e9), (TERA, 1e9), (TERA, 2**30), (TERA, GIGA))
    readings = np.array([[device_memory(n, 256, *unit) for n in DEVICES] for unit in units])
    assert readings.round().tolist() == [
        [629, 759, 1309],
        [644, 777, 1340],
        [600, 724, 1248],
        [614, 741, 1278],
    ]


def test_hand_values():
    assert KV_BYTES == 131_072
    assert stage_bytes(18_500) == 18_500 * 2 * 6144
    assert server().full_tokens == pytest.approx(FULL)
    assert server().sweep == pytest.approx(4.82, abs=0.005)
    rate = float(capacity_throughput(server(), 98, 32, cache_tokens(CACHE)))
    assert rate == pytest.approx(942.4, abs=0.05)


def test_share_depends_on_what_it_is_of():
    assert utilization(CACHE, TABLE_2_TOKENS) == pytest.approx(0.961, abs=5e-4)
    assert utilization(CACHE, FULL) == pytest.approx(0.998, abs=5e-4)
    assert utilization(2 * CACHE, FULL) == 1


def test_a_faster_link_leaves_the_device_as_it_is():
    assert server(39e9).token_rate == server().token_rate
    assert server(39e9).sweep == pytest.approx(server().sweep / 2)


def test_no_batch_beats_the_device():
    played = batches()
    roof = server().token_rate * played.generated / (played.prompt + played.generated)
    assert (played.rate < roof).all()
    bound = [
        float(capacity_throughput(server(), int(p), int(g), cache_tokens(size)))
        for p, g, size, _ in zip(*played, strict=True)
    ]
    assert (played.rate <= np.array(bound) * (1 + 1e-9)).all()


def test_learners_see_small_caches_only():
    """A forest predicts nothing above what it has seen, wherever it is asked."""
    played, said = batches(), predictions(FOREST)
    seen = played.rate[played.cache <= LARGEST]
    assert said.min() >= seen.min() * (1 - 1e-9)
    assert said.max() <= seen.max() * (1 + 1e-9)
    assert played.rate.max() > seen.max()


def test_plane_is_straight_in_logarithms():
    played, said = batches(), np.log(predictions(PLANE))
    inputs = np.column_stack([np.ones(said.size), *np.log(played[:3])])
    assert np.linalg.lstsq(inputs, said)[1] == pytest.approx(0, abs=1e-9)


def test_closed_form_carries_furthest():
    outside = {name: errors(name)[1] for name in MODELS}
    assert min(outside, key=outside.get) == CLOSED


BATCHES = np.array([1, 2, 4, 8, 16, 32, 64, 128])


def machine(read=1e10, compute=1e11, slowdown=1.0, width=4096, spread=0.01, batches=BATCHES):
    """Times of a machine that overlaps perfectly, its sweeps reading slower by a factor."""
    noise = 1 + spread * np.linspace(-1, 1, 7)
    reading = WEIGHT * width**2 / read
    sweeps = np.maximum(slowdown * reading, 2 * width**2 * batches / compute)
    return SweepTimes(
        reading * noise,
        2 * SMALL**3 / compute * noise,
        sweeps[:, None] * noise[::-1],
        tuple(batches.tolist()),
        width,
    )


@given(st.floats(1e9, 1e11), st.floats(2, 25))
def test_corner_is_where_both_take_as_long(read, corner):
    times = machine(read, read * corner / 2)
    assert times.corner == pytest.approx(corner)
    overlapped, total = times.forecast(times.corner)
    assert total == pytest.approx(2 * overlapped)
    assert times.expected[1] <= times.expected[0] <= times.expected[2]


@given(st.floats(2.5, 30))
def test_a_machine_that_overlaps_doubles_where_it_is_forecast(corner):
    times = machine(1e10, 1e10 * corner / 2)
    assert times.doubling[0] == pytest.approx(2 * corner, rel=0.1)


def test_verdict_tells_three_outcomes():
    assert "no clear difference" in conclusion(machine(1e10, 8e10, spread=0.05))
    later = conclusion(machine(slowdown=2.0))
    assert "It comes later. " in later
    assert "2.0 times the forecast. The library may copy" in later
    times = machine()
    slow = SweepTimes(times.reading, times.computing / 4, times.sweeps, times.batches, times.width)
    assert "It comes earlier" in conclusion(slow)


def test_verdict_does_not_guess():
    assert "can't be tested" in conclusion(machine(1e9, 1e12))


def test_measures_and_cleans_up(tmp_path: Path):
    ticks = count()
    times = time_sweeps(64, 6, (1, 2, 4), tmp_path, clock=lambda: float(next(ticks)))
    assert times.sweeps.shape == (3, 6)
    assert (times.sweeps == 1).all()
    assert (times.reading == 1).all()
    assert times.read_rate == 4 * 64**2
    assert not list(tmp_path.iterdir())


def test_batches_must_rise_from_1_and_2():
    with pytest.raises(ValueError, match="batches must rise from 1 and 2"):
        time_sweeps(64, 6, (1, 4))


@pytest.mark.parametrize("mode", MODES)
def test_busiest_channel_bounds_the_pass(mode):
    """Never faster than the busiest, never slower than all in turn."""
    times = LAYERS * layer_times(mode)
    assert times.max() < played(mode).makespan < times.sum()


def test_layers_add_up_to_the_pass_of_the_model():
    times = LAYERS * layer_times(WHOLE)
    assert times[:2] == pytest.approx(server().channels(FULL)[:2])
    assert times[0] == pytest.approx(times[1])


def test_queries_keys_and_values_are_the_work_before_attention():
    run, h = played(WHOLE, 1), 4096
    before, _, after = run.graph.duration[1:4]
    share = (h**2 + 2 * h**2 / 4) / (2 * h**2 + 2 * h**2 / 4 + 2 * 3 * h * 14_336)
    assert before / (before + after) == pytest.approx(share)


def test_halves_hide_the_processor_and_a_third_buffer_the_link():
    spans = [played(mode).makespan for mode in (WHOLE, HALVES, THIRD)]
    assert spans[0] > spans[1] > spans[2]
    chain = layer_times(WHOLE)
    assert played(WHOLE, 10).makespan == pytest.approx(chain[0] + 10 * (chain[1] + chain[2]))


def test_answers_alone_wait_for_the_link():
    link, gpu, cpu = layer_times(ANSWERS)
    assert played(ANSWERS, 10).makespan == pytest.approx(10 * link + gpu + cpu)


@pytest.mark.parametrize("mode", MODES)
def test_tasks_of_a_row_follow_each_other_and_buffers_suffice(mode):
    run, (halves, buffers) = played(mode), MODES[mode]
    for row in range(3):
        mine = np.flatnonzero(run.graph.stage == row)
        order = mine[np.argsort(run.start[mine])]
        assert (run.start[order][1:] >= run.end[order][:-1] - 1e-9).all()
    size = 1 + 3 * halves
    came, left = run.start[::size], run.end.reshape(-1, size).max(axis=1)
    assert (came[buffers:] >= left[:-buffers] - 1e-9).all()


@pytest.mark.parametrize("mode", MODES)
def test_drawing_grows_with_the_moment(mode):
    counts = [
        sum(isinstance(shape, Box) for shape in pass_steps(mode, moment).shapes)
        for moment in (0.0, 0.3, 0.6, 1.0)
    ]
    assert counts[0] == 0
    assert counts == sorted(set(counts))


def played_batches(*busy, even=1000.0):
    """Return a small batch that keeps the GPU busy all the time, and large ones."""
    small = PlayedBatch(500, 16, 90, 1000.0, even, 950.0, 12, 1.0)
    return [small, *(PlayedBatch(20_000, 16, 90, 1000.0, 1000.0, 1080.0, 0, one) for one in busy)]


def test_the_reported_share_may_lie_between():
    assert batch_summary(played_batches(0.88, 0.93, even=1020.0), 1200.0) == (
        "With q per pass, (5) is at most 1.96 % off. By the rule the throughput is -5.0 to +8.0 % "
        "from (5) and reaches 90 % of the bound (3), 1200 tokens/s. With K = 20,000 the GPU is "
        "busy 88 to 93 % of the time, like the reported 90 %: filling, draining and partly used "
        "blocks are enough to explain the gap to the bound."
    )


@pytest.mark.parametrize("busy", [(0.8, 0.89), (0.91, 0.95)])
def test_the_reported_share_may_lie_outside(busy):
    """Whatever the small batch does: the largest is asked."""
    words = batch_summary(played_batches(*busy), 1200.0)
    assert f"busy {100 * busy[0]:.0f} to {100 * busy[1]:.0f} % of the time" in words
    assert words.endswith("The reported 90 % lies outside.")


def test_a_tiny_difference_is_given_as_the_least_shown():
    assert "(5) is at most 0.01 % off" in batch_summary(played_batches(0.9), 1200.0)
    assert "(5) is at most 0.02 % off" in batch_summary(played_batches(0.9, even=1000.2), 1200.0)
