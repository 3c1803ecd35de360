"""The chapter on serving: sentences that a change of models or rules could make false."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from perfcourse.book import sources
from perfmodel import live
from perfmodel.serving import RequestMix, StepPieces, fluid_state
from tests.book.asking import recorder

CHAPTER = Path(__file__).parents[2] / "book" / "serving.md"
CELLS = [c.source for c in sources.read(CHAPTER).cells if c.cell_type == "code"]


@pytest.fixture(scope="module")
def page():
    """Return the names of all cells, what was shown or asked, and figures with their sliders."""
    shown, figures, names = [], {}, {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("table", "says", "predict", "choose", "question"):
            patch.setattr(live, name, recorder(shown, name))
        for name in ("drawing", "quiz"):
            patch.setattr(live, name, lambda *_, **__: None)
        patch.setattr(live, "figure", lambda f, *_, **s: figures.update({f.__name__: (f, s)}))
        for source in CELLS:
            exec(source, names)
    return names, shown, figures


def states(sliders):
    """Return all settings of a figure's sliders."""
    each = [getattr(s, "values", None) or list(s.choices) for s in sliders.values()]
    return [dict(zip(sliders, chosen, strict=True)) for chosen in itertools.product(*each)]


@pytest.mark.parametrize("name", ["one_step", "thinking", "goodput"])
def test_every_curve_lies_within_its_axes(page, name):
    draw, sliders = page[2][name]
    for state in states(sliders):
        plot = draw(**state)
        for mark in plot.marks:
            for axis, values in ((plot.x, mark.x), (plot.y, mark.y)):
                assert axis.low <= np.min(values), state
                assert np.max(values) <= axis.high, state


def test_without_context_more_sequences_cost_nothing_up_to_the_ridge(page):
    plot = page[2]["one_step"][0](context=0, prompt=0)
    step = plot.marks[2].y
    ridge = np.searchsorted(page[0]["SEQUENCES"], 128)
    assert step[ridge] < 1.05 * step[0]
    assert step[-1] > 4 * step[0]
    held = page[2]["one_step"][0](context=2000, prompt=0).marks[2].y
    assert held[ridge] > 5 * held[0]


def test_answers_are_those_of_the_models(page):
    asked = {args[0]: args for kind, args in page[1] if kind in ("predict", "choose")}
    assert asked["serving-weights"][2] == pytest.approx(1600)
    assert asked["serving-variance"][3] == "about three times as long"
    assert asked["serving-context"][2] == pytest.approx(1500, rel=0.001)
    answers = [args[2] for kind, args in page[1] if kind == "question"]
    assert answers[0] == "memory bandwidth"
    assert answers[1:3] == [40, 20]
    assert answers[3:] == ["nothing", "to 4"]


def test_the_limit_of_the_batch_is_a_dial(page):
    """More slots: the first token earlier, the next ones slower, for the same requests."""
    names = page[0]
    runs = [
        names["simulate_serving"](
            names["requests"], names["steps"], names["BatchRules"](max_num_seqs=seats)
        )
        for seats in (16, 64)
    ]
    assert runs[1].first_token.mean() < runs[0].first_token.mean()
    assert np.nanmean(runs[1].per_token) > np.nanmean(runs[0].per_token)


def test_variance_of_answers_matters_where_the_cache_is_read(page):
    """With slots for all it changes nothing in the batch, unless steps read the cache."""
    names = page[0]
    no_cache = StepPieces(fixed=0.01, prompt_token=0.0, sequence=0.0005, cache_token=0.0)
    for steps, matters in ((no_cache, False), (names["steps"], True)):
        even, varied = (
            fluid_state(4.0, steps, RequestMix(prompt=500, output=250, scv=scv)).batch
            for scv in (0, 4)
        )
        assert (varied > 1.2 * even) == matters


def test_theory_lies_in_most_intervals(page):
    """Of seven intervals of 95 % two misses or more happen in 5 % of the cases."""
    names = page[0]
    assert names["INSIDE"] >= len(names["RESULTS"]) - 1
    one_slot = [theory for _, theory, _ in names["RESULTS"][:3]]
    shared = [theory for _, theory, _ in names["RESULTS"][3:6]]
    assert one_slot[2] > 4 * one_slot[0]
    assert len(set(shared)) == 1


def test_policies_are_as_told(page):
    runs = page[0]["runs"]
    static, whole, cut = runs["static"], runs["prefill first"], runs["chunked prefill"]
    assert static.first_token.mean() > 100 * whole.first_token.mean()
    assert whole.first_token.mean() < cut.first_token.mean() < 2 * whole.first_token.mean()
    assert np.nanquantile(cut.per_token, 0.95) < np.nanquantile(whole.per_token, 0.95)


def test_more_slots_move_the_lateness_from_the_first_token_to_the_next(page):
    names, _, figures = page
    figures["goodput"][0](16, 1)
    figures["goodput"][0](128, 1)
    few, many = (names["SEATED"][seats][10.0] for seats in (16, 128))
    assert few.meets_slo(per_token=0.05).mean() > 0.95 > few.meets_slo(first_token=1).mean()
    assert many.meets_slo(per_token=0.05).mean() < 0.5


def test_a_later_limit_never_lowers_goodput(page):
    draw, sliders = page[2]["goodput"]
    for seats in sliders["seats"].values:
        most = [draw(seats, first).values["up to (1/s)"] for first in sliders["first"].values]
        assert most == sorted(most)
        assert most[0] > 0


def test_no_knee_lies_above_the_bound(page):
    """The means give a bound; a run of some minutes beyond it could seem to meet its limits."""
    draw, sliders = page[2]["plan"]
    knees = {}
    assert len(sliders) <= 2
    for state in states(sliders):
        plot = draw(**state)
        bound, knee = plot.values["bound (1/s)"], plot.values["simulated (1/s)"]
        assert knee <= 0.95 * bound, state
        assert plot.marks[0].y[-1] < 5, state
        knees[tuple(state.values())] = knee
    small, large = "summaries", "summaries, chunks of 1,024"
    assert knees["A100", small] > knees["A100", large]
    assert knees["H200", small] < knees["H200", large]


def test_what_fits_no_card_has_no_rate(page, monkeypatch):
    names, _, figures = page
    monkeypatch.setitem(names, "MODEL", names["LLAMA_2_13B"])
    plot = figures["plan"][0]("RTX 4090", "chat")
    assert plot.says.startswith("No rate")
    assert plot.values["bound (1/s)"] == 0


def test_the_forest_fails_on_larger_products_and_the_graybox_is_best_there(page):
    error = page[0]["ERROR"]
    assert error["larger", "forest"] > 3 * error["at random", "forest"]
    assert error["at random", "forest"] < error["at random", "roofline"]
    assert error["larger", "forest"] > error["larger", "roofline"]
    assert page[0]["BEST"]["larger"] == "roofline x forest"


def test_the_table_of_the_users_is_that_of_the_code(page):
    names, text = page[0], CHAPTER.read_text("utf-8")
    for name, (prompt, answer, first, later, chunk) in names["USERS"].items():
        assert later == 0.05
        if chunk == 512:
            row = f"| {name} | {prompt[0]:,} | {answer[0]:,} | {first:g} s |"
            assert row in text
    assert names["REACHED"] == 0.6
    assert "at most 50 ms, and a step reaches 60 % of the card's peaks" in text
