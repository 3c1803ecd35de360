import numpy as np
import pytest

from perfmodel import live
from perfmodel.live import kernel
from perfmodel.live.controls import places, values_at
from perfmodel.live.kernel import Live, _redraw_all, shown

ALT = "A straight line that rises with the load"
model = {"power": 1}


def draw(slope, offset=0.0):
    x = np.linspace(0, 10, 11)
    end = offset + (10 * slope) ** model["power"]
    axes = live.Axis("load", 0, 10), live.Axis("time", 0, 10)
    marks = [live.Mark("line", x, offset + slope * x)]
    return live.Plot(*axes, marks, f"It ends at {end:g}.", {"end": end}, [live.Note("e", 9, end)])


def drawn(draw=draw, **controls):
    plots = {place: draw(**values_at(controls, place)) for place in places(controls)}
    return Live(draw, controls, plots, "caption", ALT)


def kind(control, draw=draw):
    widget = drawn(draw, slope=control).inputs["slope"].widget
    return type(widget).__name__, widget


class TestControls:
    def test_values_between_those_of_the_page_are_drawn(self):
        figure = drawn(slope=live.Slider("Slope", [0.1, 0.5, 0.9], unit="%", scale=100))
        widget = figure.inputs["slope"].widget
        assert (widget.description, widget.min, widget.max) == ("Slope (%)", 10, 90)
        widget.value = 33
        assert figure.page.state["says"] == "It ends at 3.3."
        assert figure.page.state["paths"] == live.svg.paths(draw(0.33))

    def test_evenly_spaced_ratios_make_a_logarithmic_slider(self):
        name, widget = kind(live.Slider("Slope", [0.01, 0.1, 1.0]))
        assert name == "FloatLogSlider"
        assert (widget.min, widget.max) == pytest.approx((-2, 0))

    def test_integers_stay_integers(self):
        name, widget = kind(live.Slider("Slope", [0, 1, 2]))
        assert (name, widget.step) == ("IntSlider", 1)
        name, widget = kind(live.Slider("Slope", [1, 10, 100]))
        assert name == "SelectionSlider"
        values = [value for _, value in widget.options]
        assert {type(value) for value in values} == {int}
        assert (values[0], values[-1]) == (1, 100)
        assert 10 in values

    @pytest.mark.parametrize(
        "values",
        [(0.02, 0.8, 0.99), (0.013, 0.6180339887, 0.9), (0.5, 2.0, 40.0), (0.001, 0.01, 900.0)],
    )
    def test_the_start_is_a_step_that_a_browser_need_not_round(self, values):
        slider = live.Slider("Slope", list(values), start=values[1], unit="%", scale=100)
        name, widget = kind(slider)
        place = np.log10(widget.value) if name == "FloatLogSlider" else widget.value
        steps = (place - widget.min) / widget.step
        assert steps == pytest.approx(round(steps), abs=1e-5)

    def test_whole_numbers_start_where_they_are_told(self):
        name, widget = kind(live.Slider("Slope", [1, 100, 1001, 1500], start=100))
        assert (name, widget.value) == ("SelectionSlider", 100)
        assert len(widget.options) <= 201

    def test_a_function_that_looks_its_states_up_keeps_the_values_of_the_page(self):
        measured = {0.1: draw(0.1), 0.9: draw(0.9)}
        slider = live.Slider("Slope", [0.1, 0.9], start=0.1)
        name, widget = kind(slider, lambda slope: measured[slope])
        assert name == "SelectionSlider"
        assert [text for text, _ in widget.options] == ["0.1", "0.9"]

    def test_choices_are_radio_buttons(self):
        figure = drawn(slope=live.Options("Kind", {"slow": 0.1, "quick": 0.9}))
        widget = figure.inputs["slope"].widget
        assert type(widget).__name__ == "RadioButtons"
        widget.value = 1
        assert figure.page.state["says"] == "It ends at 9."

    def test_a_parameter_with_a_number_as_its_default_has_a_field_under_more(self):
        figure = drawn(slope=live.Slider("Slope", [0.1, 0.9]))
        accordion = figure.box.children[1]
        assert accordion.titles == ("More parameters",)
        assert accordion.selected_index is None
        figure.inputs["offset"].widget.value = 0.5
        assert figure.plot.values["end"] == 9.5


class TestFollowing:
    def test_what_the_function_calls_may_change_between_cells(self):
        figure = drawn(slope=live.Slider("Slope", [0.1, 0.3]))
        model["power"] = 2
        try:
            _redraw_all()
        finally:
            model["power"] = 1
        assert figure.page.state["says"] == "It ends at 9."

    def test_the_same_figure_shown_again_is_drawn_once(self):
        slider = live.Slider("Slope", [0.1, 0.3])
        first, second = drawn(slope=slider), drawn(slope=slider)
        assert second in shown()
        assert first not in shown()

    def test_other_axes_bring_a_new_frame(self):
        high = [10]

        def growing(slope):
            axes = live.Axis("a", 0, 10), live.Axis("b", 0, high[0])
            return live.Plot(*axes, draw(slope).marks, "It grows.", {"end": 1})

        figure = drawn(growing, slope=live.Slider("Slope", [0.1, 0.9]))
        high[0] = 20
        figure.redraw()
        assert ">20</text>" in figure.page.html

    def test_an_error_in_the_model_is_said_and_the_picture_stays(self):
        figure = drawn(slope=live.Slider("Slope", [0.1, 0.9]))
        del model["power"]
        try:
            figure.redraw()
        finally:
            model["power"] = 1
        assert figure.page.state["says"] == "The drawing function stopped: KeyError: 'power'"
        assert figure.page.state["paths"] == live.svg.paths(draw(0.9))


class TestSlow:
    @pytest.fixture
    def figure(self, monkeypatch):
        monkeypatch.setattr(kernel, "QUICK", 0)
        self.calls = []

        def slow(slope, offset=0.0):
            self.calls.append(slope)
            return draw(slope, offset)

        figure = drawn(slow, slope=live.Slider("Slope", [0.1, 0.5, 0.9]))
        self.calls.clear()
        return figure

    def test_states_of_the_page_are_not_drawn_again(self, figure):
        figure.inputs["slope"].widget.value = 0
        assert figure.page.state["says"] == "It ends at 1."
        assert self.calls == []

    def test_another_parameter_is_drawn(self, figure):
        figure.inputs["offset"].widget.value = 2
        assert figure.page.state["says"] == "It ends at 7."
        assert self.calls == [0.5]

    def test_a_changed_model_makes_all_states_unknown(self, figure):
        model["power"] = 2
        try:
            _redraw_all()
            figure.inputs["slope"].widget.value = 2
        finally:
            model["power"] = 1
        assert figure.page.state["says"] == "It ends at 81."
        assert self.calls == [0.5, 0.9]
