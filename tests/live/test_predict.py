import json
import re

import pytest

from perfmodel import ledger, live


def data(display):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', display.html)[1])


def test_prompt_carries_what_the_script_scores():
    shown = data(live.predict("a-b", "How long?", 2.5, "s", 0.05, "Because."))
    assert (shown["answer"], shown["tolerance"], shown["shown"]) == (2.5, 0.05, "2.5 s")


def test_text_cannot_break_out_of_its_place():
    display = live.predict("a", "</script><script>alert(1)</script>", 1, why="<b>")
    assert display.html.count("<script") == 1
    assert "<b>" not in display.html


def test_choice_lists_its_options_and_refuses_an_answer_that_is_none_of_them():
    display = live.choose("a", "Which?", ["CPU", "network"], "network")
    assert display.html.count('type="radio"') == 2
    with pytest.raises(ValueError, match=r"answer must be one of .* got 'disk'"):
        live.choose("a", "Which?", ["CPU", "network"], "disk")
    with pytest.raises(ValueError, match="options must be two or more"):
        live.choose("a", "Which?", ["CPU"], "CPU")


@pytest.mark.parametrize("key", ["Speed Up", "", "a--b", 'x"y'])
def test_key_must_be_plain(key):
    with pytest.raises(ValueError, match="key must be lower-case letters"):
        live.predict(key, "How long?", 1)


def test_answer_must_be_a_number():
    with pytest.raises(ValueError, match="answer must be finite, got nan"):
        live.predict("a", "How long?", float("nan"))


def test_table_refuses_ragged_rows():
    with pytest.raises(ValueError, match="rows must have 2 cells each, got 1"):
        live.table(["a", "b"], [[1]], "ragged")


def test_claims_table_shows_a_miss_with_its_reason():
    claims = [
        ledger.Claim("x", "met one", "recomputed", 2.0, "s", "Table 1", lambda: 2.0),
        ledger.Claim(
            "x", "missed one", "recomputed", 2.0, "s", "Table 2", lambda: 3.0, miss="Why."
        ),
    ]
    html = live.claims_table(claims, "Two claims").html
    assert "<td>met</td>" in html
    assert "<td>missed: Why.</td>" in html
    assert "+50 %" in html
