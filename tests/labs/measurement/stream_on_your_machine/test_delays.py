"""The law of delays: minimum, median and mean of what it makes."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.measurement.stream_on_your_machine import delays
from perfmodel.labs.measurement.stream_on_your_machine.inputs import REFERENCE, LoopTimes


def test_made_times_have_the_law_asked_for():
    law = REFERENCE["copy"]["parallel"]
    found = delays.made_times(law, 200_000, pauses=0.001, pause=0.001)
    assert found.min() >= law.min
    assert np.median(found) == pytest.approx(law.median, rel=0.01)
    assert found.mean() == pytest.approx(delays.made_mean(law, 0.001, 0.001), rel=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: delays.made_times(LoopTimes(2, 1, 1), 5), "median above its minimum"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
