import numpy as np
import pytest

from perfmodel.labs.serving.moe_lens.inputs import FULL, LAYERS, server
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


def test_refuses():
    with pytest.raises(ValueError, match="mode must be one of answers alone, one batch"):
        layer_times("three")
    with pytest.raises(ValueError, match="moment must be between 0 and 1"):
        pass_steps(WHOLE, 1.5)
