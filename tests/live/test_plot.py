import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.live import Axis, Mark, Note, Plot, svg
from perfmodel.units import number


def plot(*marks, notes=(), x=None, y=None):
    return Plot(
        x or Axis("load", 0, 10, "1/s"),
        y or Axis("time", 0, 10, "s"),
        marks,
        "It says.",
        notes=notes,
    )


class TestAxis:
    @pytest.mark.parametrize("scale", ["linear", "log", "log2"])
    def test_ends_are_placed_at_0_and_1(self, scale):
        np.testing.assert_allclose(Axis("a", 2, 50, scale=scale).place([2, 50]), [0, 1])

    def test_log_middle_is_the_geometric_mean(self):
        assert Axis("a", 1, 100, scale="log").place(10) == pytest.approx(0.5)

    def test_scale_must_be_known(self):
        with pytest.raises(ValueError, match="scale must be linear, log or log2, got 'log10'"):
            Axis("a", 1, 10, scale="log10")

    def test_names_that_stick_out_are_refused(self):
        with pytest.raises(ValueError, match="10 letters at most, got 'W0 \\(oldest\\)'"):
            plot(y=Axis("warp", 0, 1, names=["W0 (oldest)", "W1"]))

    @given(low=st.floats(-1e6, 1e6), span=st.floats(1e-3, 1e6))
    def test_linear_ticks_are_few_inside_and_even(self, low, span):
        ticks = [value for value, _ in Axis("a", low, low + span).ticks()]
        assert 2 <= len(ticks) <= 7
        near = 1e-6 * span + 1e-12 * abs(low)
        assert min(ticks) >= low - near
        assert max(ticks) <= low + span + near
        np.testing.assert_allclose(np.diff(ticks), np.diff(ticks)[0], rtol=1e-3)

    @given(low=st.integers(-9, 8), decades=st.integers(1, 18))
    def test_log_ticks_are_few_and_inside(self, low, decades):
        axis = Axis("a", 10.0**low, 10.0 ** (low + decades), scale="log")
        places = axis.place([value for value, _ in axis.ticks()])
        assert 2 <= len(places) <= 10
        assert places.min() >= -1e-9
        assert places.max() <= 1 + 1e-9

    def test_refuses_limits_that_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="high must be above low = 3, got 3"):
            Axis("a", 3, 3)
        with pytest.raises(ValueError, match="low must be above 0 on a log axis, got 0"):
            Axis("a", 0, 3, scale="log")
        with pytest.raises(ValueError, match="low must be finite"):
            Axis("a", float("nan"), 3)


class TestSvg:
    def test_a_line_starts_and_ends_at_its_points(self):
        [path] = svg.paths(plot(Mark("m", [0, 10], [0, 10])))
        width, height = svg.WIDTH - svg.LEFT - svg.RIGHT, svg.HEIGHT - svg.TOP - svg.BOTTOM
        assert path == f"M{svg.LEFT} {svg.TOP + height}l{width}-{height}"

    def test_points_on_a_straight_line_are_dropped(self):
        x = np.linspace(0, 10, 50)
        assert svg.paths(plot(Mark("m", x, x))) == svg.paths(plot(Mark("m", [0, 10], [0, 10])))

    @given(st.lists(st.floats(0, 10), min_size=2, max_size=30))
    def test_dropping_points_moves_the_line_by_less_than_two_units(self, y):
        x = np.linspace(0, 10, len(y))
        [path] = svg.paths(plot(Mark("m", x, y)))
        start, *steps = path[1:].split("l")
        corners = np.cumsum([_pair(start), *map(_pair, steps)], axis=0)
        across = svg.LEFT + (svg.WIDTH - svg.LEFT - svg.RIGHT) * x / 10
        down = svg.TOP + (svg.HEIGHT - svg.TOP - svg.BOTTOM) * (1 - np.array(y) / 10)
        for a, b in zip(across, down, strict=True):
            assert _distance(corners, a, b) < 2

    def test_not_a_number_leaves_a_gap(self):
        [path] = svg.paths(plot(Mark("m", [0, 1, 2, 3, 4], [1, 2, np.nan, 2, 1])))
        assert path.count("M") == 2

    def test_error_bars_and_bars_are_drawn_at_their_points(self):
        bars = plot(
            Mark("a", [1, 2], [3, 4], "bars"),
            Mark("b", [1, 2], [5, 6], "bars", y2=[[4, 5], [6, 7]]),
        )
        first, second = svg.paths(bars)
        assert first.count("z") == second.count("z") == 2
        assert second.count("M") == 4

    def test_a_leader_has_no_place_in_the_legend_and_a_note_the_colour_of_its_line(self):
        drawn = plot(
            Mark("m", [0, 1], [0, 1], colour=5),
            Mark("", [1, 2, np.nan], [1, 2, np.nan], "thin"),
            notes=[Note("m", 1, 1, colour=5), Note("other", 2, 2)],
        )
        assert svg.legend(drawn).count("<li>") == 1
        text = svg.draw(drawn, "A line and its name")
        assert 'class="live-thin' in text
        assert 'class="live-note live-c5"' in text
        assert 'class="live-note" ' in text

    def test_text_is_escaped(self):
        drawn = svg.draw(plot(Mark("m", [0], [0]), notes=[Note("<b>", 1, 1)]), 'a "quoted" alt')
        assert "<b>" not in drawn
        assert 'aria-label="a &quot;quoted&quot; alt"' in drawn


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1234567, "1.23×10⁶"), (-2.5, "-2.5"), (99999, "99,999"), (1e-4, "10⁻⁴")],
)
def test_number(value, text):
    assert number(value) == text


def test_marks_must_fit_together():
    with pytest.raises(ValueError, match="x and y of mark 'm' must be one-dimensional"):
        Mark("m", [1, 2], [1])
    with pytest.raises(ValueError, match="style must be one of line, .* got 'wavy'"):
        Mark("m", [1], [1], "wavy")
    with pytest.raises(ValueError, match="y2 must be given for the band 'm'"):
        Mark("m", [1], [1], "band")


def _pair(text):
    left, right = text.replace("-", " -").split()
    return int(left), int(right)


def _distance(corners, a, b):
    starts, ends = corners[:-1].astype(float), corners[1:].astype(float)
    along = ends - starts
    square = np.maximum((along**2).sum(1), 1e-12)
    share = np.clip((([a, b] - starts) * along).sum(1) / square, 0, 1)
    return np.hypot(*(starts + share[:, None] * along - [a, b]).T).min()
