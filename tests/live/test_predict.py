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


def claim(quantity, value=2.0, *, unit="s", miss=""):
    return ledger.Claim("x", quantity, "recomputed", 2.0, unit, "p. 1", lambda: value, miss=miss)


def test_claims_table_shows_a_miss_with_its_reason():
    html = live.claims_table([claim("met one"), claim("missed", 3.0, miss="Why.")], "Two").html
    assert "<td>met</td>" in html
    assert "<td>missed</td>" in html
    assert "Why missed: Why." in html
    assert "+50\u00a0%" in html


def test_a_reason_is_given_once_below_the_misses_that_share_it():
    claims = [
        claim("a", 3.0, miss="One."),
        claim("b", 3.0, miss="One."),
        claim("c", 3.0, miss="Two."),
    ]
    html = live.claims_table(claims, "Three").html
    assert re.findall("<td>([abc])</td>|missed: (One|Two)", html) == [
        ("a", ""),
        ("b", ""),
        ("", "One"),
        ("c", ""),
        ("", "Two"),
    ]


def test_kinds_have_a_column_only_where_they_differ():
    trend = ledger.Claim("x", "t", "trend", "up", "", "p. 1", lambda: ledger.Trend(True, "up"))
    alike, mixed = (
        live.claims_table(rows, "C").html for rows in ([claim("a")], [claim("a"), trend])
    )
    assert "<caption>C (all recomputed)</caption>" in alike
    assert "kind</th>" not in alike
    assert "kind</th>" in mixed
    assert "<td>trend</td>" in mixed


def test_of_many_claims_those_missed_are_shown_and_the_others_folded():
    many = [claim(f"row {i}") for i in range(30)]
    some = live.claims_table([*many, claim("odd", 3.0, miss="Why.")], "Many")
    shown, folded = some.html.split("<details>")
    assert "30 of 31 met" in some.text
    assert "30 of 31 met" in shown
    assert "<td>odd</td>" in shown
    assert "row 1<" not in shown
    assert "<td>odd</td>" not in folded
    assert folded.count("<td>met</td>") == 30
    assert len(set(re.findall('aria-label="([^"]+)"', some.html))) == 2
    assert live.claims_table(many, "Many").html.count("<table>") == 1


def test_counted_units_are_in_the_plural():
    html = live.claims_table([claim("a", 2.0, unit="cycle")], "C").html
    assert html.count("2\u00a0cycles") == 2
