"""The drawn meter: readable, misled in step with the tokens, and right when it is fast."""

from itertools import product

import numpy as np
import pytest

from perfmodel.labs.roofline.melt.meter_samples import meter_samples
from perfmodel.labs.roofline.melt.power_trace import Session

OFFSETS = (0.1, 0.3, 0.5, 0.7, 0.9)


@pytest.mark.parametrize(("frequency", "offset"), list(product((13.6, 50, 100), OFFSETS)))
def test_every_state_can_be_read(frequency, offset):
    assert meter_samples(frequency, offset).faults() == []


@pytest.mark.parametrize("offset", OFFSETS)
def test_in_step_a_meter_sees_one_level(offset):
    session = Session()
    seen = meter_samples(session.rate, offset).values["mean seen (W)"]
    level = session.plateau + session.spike * (offset < session.duty)
    assert seen == pytest.approx(level)


def test_a_fast_meter_is_right_on_average():
    values = [meter_samples(1000, offset).values for offset in OFFSETS]
    seen = np.mean([value["mean seen (W)"] for value in values])
    assert seen == pytest.approx(values[0]["true mean (W)"], rel=0.02)


def test_refuses_a_start_after_the_first_token():
    with pytest.raises(ValueError, match="offset"):
        meter_samples(50, 1.5)
