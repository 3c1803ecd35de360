import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import (
    ChannelWork,
    binding_channel,
    step_time,
)

TIMES = st.lists(st.floats(0.01, 100), min_size=2, max_size=6)
POWER = st.floats(1, 40)


class TestStepTime:
    def test_hand_values(self):
        assert step_time([3.0, 4.0], [1, 2, np.inf]) == pytest.approx([7, 5, 4])

    @given(TIMES, POWER)
    def test_lies_between_the_maximum_and_the_sum(self, times, power):
        low, between, high = step_time(times, [np.inf, power, 1])
        assert low <= between * (1 + 1e-12)
        assert between <= high * (1 + 1e-12)

    @given(TIMES, POWER, st.integers(0, 5), st.floats(1, 3))
    def test_grows_with_each_time(self, times, power, place, factor):
        more = list(times)
        more[place % len(times)] *= factor
        for p in (1, power, np.inf):
            assert step_time(more, p) >= step_time(times, p) * (1 - 1e-12)

    @given(TIMES)
    def test_falls_with_the_power_to_its_limits(self, times):
        powers = [1, 1 + 1e-9, 1.5, 3, 10, 300, np.inf]
        steps = step_time(times, powers)
        assert (np.diff(steps) <= 1e-9 * steps[0]).all()
        assert steps[1] == pytest.approx(sum(times))
        assert steps[-2] == pytest.approx(max(times), rel=len(times) / 300)

    @given(TIMES, POWER, st.floats(1e-30, 1e30))
    def test_scales_with_the_unit(self, times, power, unit):
        scaled = step_time(np.array(times) * unit, power)
        assert scaled == pytest.approx(unit * step_time(times, power))

    def test_idle_step_takes_no_time(self):
        assert step_time([[0.0, 0.0], [0.0, 2.0]], 2.5).tolist() == [0, 2]

    def test_broadcasts(self):
        assert step_time(np.ones((5, 1, 3)), [1.0, np.inf]).shape == (5, 2)

    def test_refuses_bad_times(self):
        with pytest.raises(ValueError, match="seconds must hold one channel or more"):
            step_time(1.0)


class TestChannelWork:
    def test_work_over_rate(self):
        step = ChannelWork(("disk", "GPU"), [[4e9, 1e12], [4e9, 9e13]], [2e9, 1e13])
        assert step.seconds.tolist() == [[2, 0.1], [2, 9]]
        assert step.binding.tolist() == ["disk", "GPU"]

    def test_refuses(self):
        with pytest.raises(ValueError, match="names must name each channel, got 1"):
            ChannelWork(("disk",), [1.0, 2.0], [1.0, 1.0])


def test_the_first_of_equal_channels_binds():
    assert binding_channel([[1.0, 3.0, 3.0], [4.0, 3.0, 4.0]]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: step_time([[1, 2], [3, 4]], [1, 2, 3]),
            "power must be of a shape that broadcasts",
        ),
        (lambda: ChannelWork("ab", [1, 2], [1, 2]), "names must be a name for each channel"),
    ],
)
def test_arguments_that_do_not_fit_are_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()
