"""Plots: the data decides, labels, units, scales, limits and legend earn the other half."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt

from perfcourse.bank import Axis, Bank, Curve, Mistake, Plot, plot
from perfcourse.judge import judge
from perfcourse.judge.checker import Checker
from perfcourse.kernel.figure import MAX_POINTS, MAX_SERIES, shown
from perfcourse.kernel.plain import TooBigError, plain

N = np.array([1, 2, 4, 8, 16])
TIMES = 10 / N


def wanted(times=TIMES):
    return Plot(
        Axis("processors", scale="log"), Axis("run time", ("s", "seconds")), [Curve(N, times)]
    )


QUESTION = plot(
    "drawn",
    "Run time",
    points=4,
    answer="figure",
    reference=wanted(),
    mistakes=[Mistake("speedup", wanted(1.0 * N), "That is the speedup.")],
)


@pytest.fixture(autouse=True)
def _closed():
    plt.close("all")
    yield
    plt.close("all")


def draw(x=N, y=TIMES, xlabel="processors", ylabel="run time [s]", scale="log", how="plot"):
    figure, axes = plt.subplots()
    getattr(axes, how)(x, y)
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=scale)
    return figure


def verdict(answer, question=QUESTION):
    return judge("demo", question, plain(shown(answer)), "ada")


class TestWhatCountsAsTheAnswer:
    def test_figure_axes_or_what_drew_them(self):
        figure = draw()
        axes = figure.axes[0]
        for answer in (figure, axes, [axes], np.array([[axes]]), axes.get_lines()[0]):
            assert verdict(answer).right

    def test_nothing_stands_for_the_current_figure(self):
        assert not verdict(None).answered
        draw()
        assert verdict(None).right
        assert verdict(...).right

    def test_function_that_returns_axes_or_leaves_the_current_figure(self):
        plt.figure()
        plt.plot([3], [3])
        assert verdict(draw).right
        assert verdict(lambda: draw() and None).right

    @pytest.mark.parametrize("how", ["plot", "scatter", "bar", "errorbar"])
    def test_line_points_and_bars_are_data(self, how):
        assert verdict(draw(how=how)).right

    def test_lines_across_the_plot_and_hidden_ones_are_no_data(self):
        figure = draw()
        figure.axes[0].axhline(3)
        figure.axes[0].plot([1], [1], visible=False)
        assert verdict(figure).right

    @pytest.mark.parametrize("answer", [3, "figure", {"x": 1}, object(), [[]], mpl])
    def test_what_is_no_plot_is_told(self, answer):
        assert "figure = plt.gcf()" in verdict(answer).message

    def test_several_panels_are_refused(self):
        figure, axes = plt.subplots(1, 2)
        for each in axes:
            each.plot(N, TIMES)
        assert "into one plot" in verdict(figure).message

    def test_notebook_checks_a_live_figure(self):
        check = Checker("demo", "ada", Bank("demo", "Demo", [QUESTION]))
        assert check("drawn", draw()).state == "right"
        assert check("drawn", draw(ylabel="")).state == "partly"


class TestFaults:
    @pytest.mark.parametrize(
        ("changes", "earned", "name", "told"),
        [
            ({"ylabel": "run time"}, 3, "no unit on y", "run time [s]"),
            ({"ylabel": "run time [ms]"}, 3, "no unit on y", "needs its unit"),
            ({"ylabel": ""}, 3, "no label on y", "Label the y axis: run time [s]"),
            ({"ylabel": "speed [s]"}, 3, "label of y", "must name the run time"),
            ({"scale": "linear"}, 3, "no logarithmic scale on x", "Use a logarithmic scale"),
            ({"scale": "linear", "xlabel": ""}, 2, "no label on x", "Label the x axis"),
            ({"x": TIMES, "y": N}, 0, "axes swapped", "other way round"),
            ({"y": 1.0 * N}, 0, "speedup", "That is the speedup."),
            ({"y": 2 * TIMES}, 0, "", "values along y"),
            ({"x": N + 1}, 0, "", "values of x"),
            ({"x": N[:3], "y": TIMES[:3]}, 0, "", "values of x"),
            ({"x": [], "y": []}, 0, "empty plot", "empty"),
            ({"y": TIMES * np.nan}, 0, "", "values along y"),
        ],
    )
    def test_each_has_a_name_a_hint_and_its_price(self, changes, earned, name, told):
        found = verdict(draw(**changes))
        assert (found.earned, found.misconception) == (earned, name)
        assert told in found.message

    def test_who_draws_all_guesses_has_drawn_none(self):
        figure = draw()
        figure.axes[0].plot(N, N)
        assert (verdict(figure).earned, verdict(figure).misconception) == (0, "number of curves")

    def test_parts_add_up_to_the_points(self):
        found = verdict(draw(scale="linear"))
        assert [(part.name, part.earned) for part in found.parts] == [
            ("data", 2.0),
            ("labels", 1.0),
            ("scales", 0.0),
        ]
        assert sum(part.points for part in found.parts) == QUESTION.points

    @pytest.mark.parametrize("label", ["Run time (seconds)", "run time in s", r"run time, $s$"])
    def test_label_may_be_written_in_other_ways(self, label):
        assert verdict(draw(ylabel=label)).right

    def test_order_of_the_points_does_not_count(self):
        assert verdict(draw(x=N[::-1], y=TIMES[::-1])).right


class TestSeveralCurves:
    QUESTION = plot(
        "laws",
        "Two laws",
        points=2,
        reference=lambda s: Plot(
            Axis("processors", limits=(1, 64)),
            Axis("speedup"),
            [
                Curve((1, 64), lambda n: 1 / (s + (1 - s) / n), label="Amdahl"),
                Curve((1, 64), lambda n: s + (1 - s) * n, label="Gustafson"),
            ],
            title="laws",
        ),
        inputs={"s": 0.1},
    )

    def draw(self, names=("Amdahl's law", "Gustafson"), n=None, legend=True, limits=(1, 64)):
        n = np.linspace(1, 64, 33) if n is None else n
        figure, axes = plt.subplots()
        axes.plot(n, 1 / (0.1 + 0.9 / n), label=names[0])
        axes.plot(n, 0.1 + 0.9 * n, label=names[1])
        axes.set(xlabel="processors", ylabel="speedup", xlim=limits, title="Two laws")
        if legend:
            axes.legend()
        return figure

    def verdict(self, **changes):
        return verdict(self.draw(**changes), self.QUESTION)

    def test_right_at_points_of_the_students_choice(self):
        assert self.verdict().right
        assert self.verdict(n=np.arange(1, 65)).right

    def test_curve_needs_points_all_the_way(self):
        assert "from x = 1 to 64" in self.verdict(n=np.linspace(1, 64, 5)).message
        assert "from x = 1 to 64" in self.verdict(n=np.linspace(1, 32, 99)).message

    def test_legend_and_limits_are_looked_at(self):
        assert self.verdict(legend=False).misconception == "no legend"
        swapped = self.verdict(names=("Gustafson", "Amdahl"))
        assert swapped.misconception == "legend"
        assert swapped.earned == pytest.approx(1.75)
        assert "from 1 to 64" in self.verdict(limits=(0, 100)).message


class TestSize:
    def test_too_many_points_or_curves_leave_no_process(self):
        with pytest.raises(TooBigError, match=str(MAX_POINTS)):
            shown(draw(x=np.arange(MAX_POINTS + 1), y=np.arange(MAX_POINTS + 1)))
        figure = draw()
        for _ in range(MAX_SERIES):
            figure.axes[0].plot([1, 2])
        with pytest.raises(TooBigError, match=str(MAX_SERIES)):
            shown(figure)

    def test_labels_are_cut(self):
        assert len(shown(draw(xlabel="x" * 10**6))["x"]["label"]) == 300


HOSTILE = [
    {"series": 3},
    {"series": "abc", "panels": 1},
    {"series": [{"x": [1], "y": [1, 2], "label": ""}], "panels": 1},
    {"series": [{"x": "1", "y": "2", "label": ""}], "panels": 1},
    {"series": [{"x": [[1]], "y": [[1]], "label": ""}], "panels": 1},
    {"series": [{"x": [1], "y": [1], "label": 3}], "panels": 1},
    {"series": [], "panels": 1, "x": {}, "y": {}},
    {**shown(draw()), "x": {"label": "x", "scale": "log", "limits": ["a", "b"]}},
    {**shown(draw()), "x": {"label": "x", "scale": "log", "limits": []}},
    {**shown(draw()), "legend": 5},
    {**shown(draw()), "series": [{"x": [np.inf] * 5, "y": [np.nan] * 5, "label": ""}]},
    {**shown(draw()), "series": [{"x": np.ones(30_000), "y": np.ones(30_000), "label": ""}]},
]


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
def test_forged_descriptions_of_plots_earn_nothing(answer):
    found = judge("demo", QUESTION, answer, "ada", "secret")
    assert (found.earned, found.failed) == (0, False)
    assert not judge("demo", TestSeveralCurves.QUESTION, answer, "ada", "secret").failed


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Axis(scale="cubic"), "scale must be linear, log or left out, got 'cubic'"),
        (lambda: Axis(limits=(1, 2, 3)), "limits must be two numbers"),
        (lambda: Curve([1, 2], [1]), "x and y of a curve must be"),
        (lambda: Curve([], []), "x and y of a curve must be"),
        (lambda: Curve([1, 2, 3], np.sin), "x of a curve must be the function's two ends"),
        (lambda: Plot(Axis(), Axis(), []), "curves must be one or more"),
    ],
)
def test_plot_that_says_nothing_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
