import pytest

from perfmodel.labs.queueing.on_your_machine.stopwatches import DUE, SIZES, stopwatches
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("connections", [1, 2, 3, len(DUE)])
def test_nothing_lies_outside_or_on_a_text(connections):
    assert stopwatches(connections).faults() == []


def test_one_connection_times_the_services_of_a_busy_server_and_many_the_truth():
    one, many = stopwatches(1).values, stopwatches(len(DUE)).values
    assert one["recorded mean (s)"] == pytest.approx(sum(SIZES) / len(SIZES))
    assert many["recorded mean (s)"] == many["true mean (s)"] == one["true mean (s)"]


def test_boxes_are_as_long_as_what_is_written_down():
    scene = stopwatches(2)
    second = (348 - 36) / 12
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box) and shape.y >= 60]
    length = sum(box.width for box in boxes) / second
    assert length == pytest.approx(len(DUE) * scene.values["recorded mean (s)"])
