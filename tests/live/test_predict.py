import json
import re

import pytest

from perfmodel import ledger, live


def data(display):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', display.html)[1])


def test_prompt_carries_what_the_script_scores():
    shown = data(live.predict("a-b", "How long?", 2.5, "s", 0.05, "Because."))
    assert (shown["answer"], shown["tolerance"], shown["shown"]) == (2.5, 0.05, "2.5 s")


def test_no_text_beside_the_fold_gives_the_answer_away():
    for display in (
        live.predict("a-b", "How long?", 2.5, "s", 0.05, "Because.", [(3.75, "Seen otherwise.")]),
        live.choose("a", "Which?", ["CPU", "network"], "network", "Because."),
        live.quiz("a", [live.question("How long?", None, 2.5, "Because.")]),
    ):
        bundle = display._repr_mimebundle_()
        told = ("2.5", "3.75", "network", "Because")
        assert not [word for word in told if word in bundle["text/plain"]]
        open_text = re.sub(r"<(details|script).*?</\1>", "", bundle["text/html"])
        assert not [word for word in told if word in open_text]


def test_another_fair_reading_is_scored_and_explained():
    display = live.predict("a", "How fast?", 32, "GB/s", accept=[(24, "Without write-allocate.")])
    assert data(display)["accept"] == [[24.0, "Without write-allocate."]]
    assert "Also right: 24 GB/s. Without write-allocate." in display.html
    with pytest.raises(ValueError, match="accept must be finite, got inf"):
        live.predict("a", "How fast?", 32, accept=[(float("inf"), "")])


def test_quiz_numbers_its_questions_and_mixes_choices_with_numbers():
    asked = [
        live.question("Which?", ["CPU", "network"], "CPU", "It is."),
        live.question("How long?", None, 2.5, "It is.", unit="s"),
    ]
    html = live.quiz("check", asked).html
    assert re.findall(r'id="prompt-([^"]+)"', html) == ["check-1", "check-2"]
    assert "Question 2 of 2." in html
    assert html.count('type=\\"radio\\"') == 2
    with pytest.raises(ValueError, match="questions must be one or more"):
        live.quiz("check", [])
    with pytest.raises(ValueError, match="options must be two or more"):
        live.question("Which?", [], "CPU", "It is.")


def test_a_quiz_can_leave_the_draw_to_the_browser_and_keep_answers_by_name():
    asked = [live.question(f"Is {n} even?", ["yes", "no"], "no", "Odd.") for n in (1, 3, 5)]
    html = live.quiz("check", asked, draw=2, names=["one", "three", "five"]).html
    assert 'data-draw="2"' in html
    assert [f'id="prompt-check-{name}"' in html for name in ("one", "three", "five")] == [True] * 3
    assert "Question 1 of 3" not in html
    assert "data-draw" not in live.quiz("check", asked).html
    with pytest.raises(ValueError, match="draw must be at most 3, got 4"):
        live.quiz("check", asked, draw=4)
    with pytest.raises(ValueError, match="shorter|longer"):
        live.quiz("check", asked, names=["one"])


def test_text_cannot_break_out_of_its_place():
    display = live.predict("a", "</script><script>alert(1)</script>", 1, why="<b>")
    assert display.html.count("<script") == 1
    assert "<b>" not in display.html


def test_choice_lists_its_options_and_refuses_an_answer_that_is_none_of_them():
    display = live.choose("a", "Which?", ["CPU", "network"], "network")
    assert data(display)["form"].count('type="radio"') == 2
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


def test_table_is_named_by_its_caption_and_read_below_it():
    plain = live.table(["a"], [[1]], "A title")
    read = live.table(["a"], [[1]], "A title", "It holds **one** number < 2.")
    assert read.html.startswith(plain.html)
    below = read.html.removeprefix(plain.html)
    assert below == '<p class="live-prose">It holds <strong>one</strong> number &lt; 2.</p>'
    assert read.text == f"{plain.text}. It holds one number < 2."


def test_table_refuses_ragged_rows():
    with pytest.raises(ValueError, match="rows must have 2 cells each, got 1"):
        live.table(["a", "b"], [[1]], "ragged")


def claim(quantity, value=2.0, *, printed="2 s", miss=""):
    return ledger.recomputed(quantity, printed, "p. 1", lambda: value, miss=miss)


def test_who_chose_a_wrong_option_is_told_what_speaks_against_it():
    options, reasons = ["CPU", "disk", "network"], {"disk": "It <i>hides</i>.", "CPU": "Right."}
    shown = live.choose("a", "What binds?", options, "CPU", "Because.", reasons)
    assert data(shown)["reasons"] == {"disk": "It <i>hides</i>."}
    assert "<i>" not in shown.html.split("<script")[0]
    asked = live.question("What binds?", options, "CPU", "Because.", reasons=reasons)
    assert data(live.quiz("q", [asked]))["reasons"] == {"disk": "It <i>hides</i>."}
    assert "reasons" not in data(live.choose("a", "What binds?", options, "CPU"))
    with pytest.raises(ValueError, match="reasons must be of .*, got 'memory'"):
        live.choose("a", "What binds?", options, "CPU", reasons={"memory": "No."})


def test_claims_table_counts_and_folds_the_misses_with_their_reasons_and_what_is_met():
    some = live.claims_table([claim("met one"), claim("missed", 3.0, miss="Why.")], "Two")
    shown, misses, rest = some.html.split("<details>")
    assert "1 of 2 met" in some.text
    assert "1 of 2 met" in shown
    assert "<td>" not in shown
    assert misses.startswith("<summary>1 row missed, and why</summary>")
    assert "<td>missed</td>" in misses
    assert "Why missed: Why." in misses
    assert "+50\u00a0%" in misses
    assert "<td>met one</td>" in rest
    assert "<td>met</td>" in rest
    assert len(set(re.findall('aria-label="([^"]+)"', some.html))) == 2


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
    trend = ledger.trend("t", "up", "p. 1", lambda: (True, "up"))
    near = ledger.same_method("n", "2 s", "p. 1", lambda: 2.1, within=0.1)
    alike, mixed = (
        live.claims_table(rows, "C").html for rows in ([claim("a")], [claim("a"), trend, near])
    )
    assert "(all recomputed)" in alike
    assert "kind</th>" not in alike
    assert "kind</th>" in mixed
    assert "<td>trend</td>" in mixed
    assert "<td>same-method, within 10\u00a0%</td>" in mixed


def test_a_constant_has_a_column_where_a_row_can_be_guessed():
    some = [claim("a", printed="2.0"), claim("b", 3.0, printed="2.1", miss="Why.")]
    shown = live.claims_table(some, "Two")
    assert "a constant (a guess from the other rows) would meet 0 of 2" in shown.text
    assert "a constant</th>" in shown.html
    assert "<td>+5.0\u00a0%, missed</td>" in shown.html
    assert "a constant" not in live.claims_table([claim("a")], "One").html


def test_a_whole_sheet_names_its_source_and_what_it_leaves_out():
    sheet = ledger.Sheet("Author, 'Title', 2020", [claim("a")], unheld="Its <b>power</b>.")
    html = live.claims_table(sheet, "C").html
    assert "Source: Author, &#x27;Title&#x27;, 2020" in html
    assert "<summary>What is left out, and why</summary><p>Its &lt;b&gt;power" in html
    empty = live.claims_table(ledger.Sheet("A paper", unheld="No numbers."), "C")
    assert "<table>" not in empty.html
    assert "No numbers." in empty.html


def test_ours_is_shown_in_the_printed_unit():
    html = live.claims_table([claim("a", 0.01512, printed="15.1 ms")], "C").html
    assert "<td>15.1\u00a0ms</td><td>15.12\u00a0ms</td>" in html


def test_a_folded_table_shows_its_counts_alone():
    shown = live.claims_table([claim("a"), claim("b", 3.0, miss="Why.")], "My lab", folded=True)
    assert (
        shown.text == "My lab (all recomputed): 1 of 2 met; "
        "a constant (a guess from the other rows) would meet 2 of 2"
    )
    start = f'<div class="live live-claims"><details><summary>{shown.text}</summary>'
    assert shown.html.startswith(start)
    assert shown.html.endswith("</details></div>")
