import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving.step_times.roofline_fit import RooflineFit, fit_roofline

WORK = np.geomspace(1e5, 1e13, 60)
MOVED = np.tile(np.geomspace(1e5, 1e9, 6), 10)


@settings(max_examples=15, deadline=None)
@given(st.floats(1e-6, 1e-4), st.floats(1e13, 2e14), st.floats(1e11, 2e12))
def test_finds_what_made_the_times(overhead, peak, bandwidth):
    true = RooflineFit(overhead, peak, bandwidth)
    found = fit_roofline(WORK, MOVED, true.seconds(WORK, MOVED))
    assert (found.overhead, found.peak, found.bandwidth) == pytest.approx(
        (overhead, peak, bandwidth), rel=0.01
    )


def test_few_wild_times_do_not_move_it():
    true = RooflineFit(1e-5, 8e13, 7e11)
    times = true.seconds(WORK, MOVED)
    times[::15] *= 4
    found = fit_roofline(WORK, MOVED, times)
    assert found.peak == pytest.approx(8e13, rel=0.03)


def test_by_hand():
    fit = RooflineFit(1.0, 10.0, 2.0)
    assert fit.seconds([100, 1], [2, 8]).tolist() == [11, 5]


def test_refuses():
    with pytest.raises(ValueError, match="seconds must be a one-dimensional sample of 4"):
        fit_roofline([1], [1], [1])
    with pytest.raises(ValueError, match="work and moved must be as long as the 4 seconds"):
        fit_roofline([1, 2], [1, 2], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="work must be 0 or more"):
        RooflineFit(1.0, 1.0, 1.0).seconds(-1, 1)
