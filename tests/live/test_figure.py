import json
import re

import numpy as np
import pytest

from perfmodel import live

ALT = "A straight line that rises with the load"


def draw(slope, offset=0.0):
    x = np.linspace(0, 10, 11)
    marks = [live.Mark("line", x, offset + slope * x)]
    axes = live.Axis("load", 0, 10), live.Axis("time", 0, 10)
    end = offset + 10 * slope
    return live.Plot(*axes, marks, f"It ends at {end:g}.", {"end": end}, [live.Note("e", 9, end)])


SLOPE = live.Slider("Slope", [0.1, 0.5, 0.9], unit="s")
OFFSET = live.Slider("Offset", [0.0, 0.5], start=0.0)


def states(display):
    packed = json.loads(
        re.search(r'<script type="application/json">(.*)</script>', display.html)[1]
    )
    return [[packed["texts"][i] for i in state] for state in packed["states"]]


def test_every_combination_is_sampled_in_the_order_that_the_script_counts():
    shown = states(live.figure(draw, "c", ALT, slope=SLOPE, offset=OFFSET))
    wanted = [draw(s, o) for s in SLOPE.values for o in OFFSET.values]
    assert [state[-1] for state in shown] == [plot.says for plot in wanted]
    assert [state[0] for state in shown] == [live.svg.paths(plot)[0] for plot in wanted]


def test_first_state_is_drawn_and_said_without_any_script():
    display = live.figure(draw, "c", ALT, slope=SLOPE)
    assert live.svg.paths(draw(0.5))[0] in display.html.split("<script")[0]
    assert display.text == "It ends at 5."
    assert "<td>0.5 s</td><td>5</td>" in display.html


def test_bundle_has_a_form_for_every_place():
    bundle = live.figure(draw, "c", ALT, slope=SLOPE)._repr_mimebundle_()
    assert bundle["text/plain"] == "It ends at 5."
    assert bundle["text/html"].startswith("<figure")
    assert bundle["image/png"].startswith("iVBOR")
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_same_call_gives_the_same_html():
    first, second = (live.figure(draw, "c", ALT, slope=SLOPE).html for _ in range(2))
    assert first == second


class TestRefuses:
    def test_no_slider_or_three(self):
        with pytest.raises(ValueError, match="sliders must be one or two, got 0"):
            live.figure(draw, "c", ALT)
        with pytest.raises(ValueError, match="sliders must be one or two, got 3"):
            live.figure(draw, "c", ALT, a=SLOPE, b=SLOPE, c=SLOPE)

    def test_poor_text_alternative(self):
        with pytest.raises(ValueError, match="the length of alt must be between 15 and 250, got 4"):
            live.figure(draw, "c", "plot", slope=SLOPE)

    def test_axes_that_jump(self):
        def jumpy(slope):
            marks = [live.Mark("m", [0.0], [0.0])]
            return live.Plot(live.Axis("a", 0, slope), live.Axis("b", 0, 1), marks, "s", {"v": 1})

        with pytest.raises(ValueError, match="draw must keep its axes fixed"):
            live.figure(jumpy, "c", ALT, slope=SLOPE)

    def test_marks_that_come_and_go(self):
        def fickle(slope):
            plot = draw(slope)
            marks = [live.Mark(f"m{slope}", [0.0], [0.0])]
            return live.Plot(plot.x, plot.y, marks, "s", {"v": 1})

        with pytest.raises(ValueError, match="the same marks in every state"):
            live.figure(fickle, "c", ALT, slope=SLOPE)

    def test_a_payload_that_is_too_heavy(self):
        def noisy(slope):
            rng = np.random.default_rng(int(slope * 1000))
            marks = [live.Mark("m", np.linspace(0, 10, 400), rng.uniform(0, 10, 400))]
            return live.Plot(live.Axis("a", 0, 10), live.Axis("b", 0, 10), marks, "s", {"v": 1})

        with pytest.raises(ValueError, match="below 30,000 bytes compressed, got .* 50 states"):
            live.figure(noisy, "c", ALT, slope=live.Slider("Slope", np.linspace(0, 1, 50)))

    def test_what_is_not_a_plot_and_a_figure_without_results(self):
        with pytest.raises(ValueError, match="draw must return a Plot, got int"):
            live.figure(lambda slope: 1, "c", ALT, slope=SLOPE)
        with pytest.raises(ValueError, match=r"results in Plot\.values"):
            live.figure(
                lambda slope: live.Plot(draw(1).x, draw(1).y, draw(1).marks, "s"),
                "c",
                ALT,
                slope=SLOPE,
            )

    def test_slider_that_cannot_move_or_starts_nowhere(self):
        with pytest.raises(ValueError, match="values of 'Slope' must be 2 or more"):
            live.Slider("Slope", [1])
        with pytest.raises(ValueError, match="start of 'Slope' must be one of its values, got 7"):
            live.Slider("Slope", [1, 2], start=7)


class TestOptions:
    KIND = live.Options("Kind", {"slow & sure": 0.1, "quick": 0.9}, start="quick")

    def test_choices_are_radio_buttons_in_a_named_group(self):
        html = live.figure(draw, "c", ALT, slope=self.KIND).html
        assert '<legend>Kind</legend><label><input type="radio" name=' in html
        assert re.findall(r"<input([^>]*)> ([^<]*)</label>", html)[1][0].endswith(" checked")
        assert "slow &amp; sure</label>" in html

    def test_the_first_choice_is_drawn_and_named_in_the_table(self):
        display = live.figure(draw, "c", ALT, slope=self.KIND)
        assert display.text == "It ends at 9."
        assert "<td>quick</td><td>9</td>" in display.html

    def test_choices_and_sliders_are_mixed_in_the_order_that_the_script_counts(self):
        shown = states(live.figure(draw, "c", ALT, slope=self.KIND, offset=OFFSET))
        wanted = [draw(s, o) for s in (0.1, 0.9) for o in OFFSET.values]
        assert [state[-1] for state in shown] == [plot.says for plot in wanted]

    def test_refuses_one_choice_and_an_unknown_start(self):
        with pytest.raises(ValueError, match="choices of 'Kind' must be 2 or more"):
            live.Options("Kind", {"only": 1})
        with pytest.raises(ValueError, match=r"must be one of \['a', 'b'\], got 'c'"):
            live.Options("Kind", {"a": 1, "b": 2}, start="c")
