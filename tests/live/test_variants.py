"""New numbers of a question: drawn alike in each build, filled in as the page's script does."""

import json
import re

import pytest

from perfmodel import live
from perfmodel.live.prompt import ClashError


def data(display):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', display.html)[1])


def wait(**more):
    settings = {
        "mistakes": [(lambda load: load / 100, "Left out: 1 - {load} %.")],
        "variants": {"load": range(10, 100, 5)},
    }
    return live.predict(
        "wait",
        "Busy {load} % of the time, 1 s a job: how long is the wait?",
        lambda load: load / (100 - load),
        "s",
        0.02,
        "{load}/(100 - {load}).",
        **(settings | more),
    )


def test_the_first_value_makes_the_question_asked_first():
    shown = data(wait())
    assert shown["question"].startswith("Busy 10 % of the time")
    assert shown["answer"] == pytest.approx(1 / 9)
    assert shown["mistakes"] == [[0.1, "Left out: 1 - 10 %."]]


def test_eight_others_are_drawn_alike_each_time_and_their_answers_computed():
    fresh = data(wait())["fresh"]
    assert fresh == data(wait())["fresh"]
    assert fresh["question"] == "Busy {0} % of the time, 1 s a job: how long is the wait?"
    assert fresh["why"] == "{0}/(100 - {0})."
    loads = [float(text) for (text,) in fresh["given"]]
    assert len(set(loads) - {10.0}) == 8
    assert fresh["answers"] == pytest.approx([x / (100 - x) for x in loads], rel=1e-5)
    assert fresh["mistakes_at"] == [[pytest.approx(x / 100)] for x in loads]
    others = data(wait(variants={"load": range(10, 99, 4)}))["fresh"]["given"]
    assert others != fresh["given"]


def test_numbers_for_which_a_mistake_would_be_right_are_left_out():
    fresh = data(wait(variants={"load": [55, 1, 2, *range(20, 100, 10)]}))["fresh"]
    assert {"1", "2"}.isdisjoint(text for (text,) in fresh["given"])
    with pytest.raises(ClashError, match="mistakes must be wrong, got 0.01"):
        wait(variants={"load": range(1, 20)})
    with pytest.raises(ValueError, match="variants must make 8 different questions .*, got 7"):
        wait(variants={"load": range(10, 90, 10)})


def test_a_computed_parameter_and_a_choice_by_its_option():
    shown = data(
        live.choose(
            "a",
            "{x} or {square}?",
            ["{x}", "{square}"],
            lambda x, square: "{x}" if x > square else "{square}",
            reasons={"{x}": "{square} is more.", "{square}": "{x} is more."},
            variants={"x": [0.1 * n for n in range(1, 15)], "square": lambda x: x * x},
        )
    )
    fresh = shown["fresh"]
    assert shown["answer"] == "0.1"
    assert fresh["options"] == ["{0}", "{1}"]
    assert fresh["reasons"] == ["{1} is more.", "{0} is more."]
    pairs = [[float(text) for text in texts] for texts in fresh["given"]]
    assert fresh["answers"] == [int(square > x) for x, square in pairs]
    assert fresh["shown"] == [
        texts[a] for texts, a in zip(fresh["given"], fresh["answers"], strict=True)
    ]


def test_a_quiz_question_has_them_too():
    asked = live.question(
        "Twice {n}?", None, lambda n: 2 * n, "Twice.", variants={"n": range(1, 10)}
    )
    assert data(live.quiz("q", [asked]))["fresh"]["question"] == "Twice {0}?"
    assert "fresh" not in data(live.quiz("q", [live.question("Two?", None, 2, "Yes.")]))


def test_braces_of_a_question_without_variants_are_left_alone():
    assert data(live.predict("a", "The set {1, 2} has how many?", 2))["question"].count("{") == 1


def test_a_variant_must_have_a_finite_answer():
    with pytest.raises(ValueError, match="answer must be finite, got inf"):
        live.predict(
            "a", "{n}?", lambda n: 1.0 if n < 2 else float("inf"), variants={"n": range(1, 12)}
        )
