import pytest

from perfmodel.labs.benchmarking.swe_fficiency.slowness import slowness_bars


@pytest.mark.parametrize("worst", [0.5, 0.3, 0.2, 0.1, 0.07, 0.05])
@pytest.mark.parametrize("clamp", [0.05, 0.2])
def test_every_state_can_be_read(worst, clamp):
    scene = slowness_bars(worst, clamp)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_the_average_bar_is_one_over_the_harmonic_mean():
    bars = 1 / 1.25 + 1 / 1.0 + 1 / 0.5 + 1 / 0.4 + 1 / 0.1
    assert slowness_bars(0.1).values["harmonic mean"] == pytest.approx(5 / bars)
    assert slowness_bars(0.1, 0.2).values == slowness_bars(0.2).values


def test_a_bar_longer_than_the_sheet_is_refused():
    with pytest.raises(ValueError, match="worst must be 0.05 or more, got 0.01"):
        slowness_bars(0.01)
    with pytest.raises(ValueError, match="clamp must be above 0, got 0"):
        slowness_bars(0.1, 0)
