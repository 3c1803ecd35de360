"""The bars of a step: readable, and as long as the model says."""

from itertools import product

import pytest

from perfmodel.labs.roofline.geb.inputs import GEB_1_3B
from perfmodel.labs.roofline.geb.step_bars import BANDWIDTH, PEAK, step_bars
from perfmodel.live.drawing import Box
from perfmodel.roofline import saturation_batch

STATES = list(product((1, 4, 8, 16, 24, 32), (8, 32)))


@pytest.mark.parametrize(("texts", "bits"), STATES)
def test_bars_can_be_read_and_a_step_ends_with_the_longer(texts, bits):
    scene = step_bars(texts, bits)
    assert scene.faults() == []
    reading, *pieces = [shape for shape in scene.shapes if isinstance(shape, Box)]
    assert len(pieces) == texts
    longest = max(reading.width, sum(piece.width for piece in pieces)) * 200 / 328
    assert scene.values["step (ms)"] == pytest.approx(longest)


def test_computing_takes_over_at_the_batch_of_the_bend():
    bend = int(saturation_batch(BANDWIDTH, PEAK, 4))
    assert "both end together" in step_bars(bend, 32).says
    assert "reading decides" in step_bars(bend - 1, 32).says
    assert "computing decides" in step_bars(bend + 1, 32).says


def test_rate_is_batch_over_step():
    values = step_bars(24, 8).values
    assert values["tokens/s, all texts"] == pytest.approx(PEAK / GEB_1_3B.operations_per_token)


def test_refuses_no_text():
    with pytest.raises(ValueError, match="texts"):
        step_bars(0, 8)
