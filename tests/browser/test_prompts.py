"""What prompts keep: the first answer, on small pages that are served like the book's."""

import json

import pytest

from perfcourse.book import extension
from perfmodel import live
from perfmodel.live import display
from perfmodel.live.variants import prefix_slip

TRIAD = live.predict(
    "triad", "How fast?", 32.0, "GB/s", accept=[(24.0, "Stores past the cache.")], why="Four words."
)
CHECK = live.quiz(
    "check",
    [
        live.question("Which?", ["CPU", "network"], "CPU", "It is."),
        live.question("How long?", None, 2.5, "It is.", unit="s"),
    ],
)


@pytest.fixture
def page(small_book):
    """A tab on the page of a small book whose other page lists the predictions."""

    def body(name):
        parts = [live.predictions()] if name == "predictions" else [TRIAD, CHECK]
        return f"<h1>On {name}</h1>{''.join(part.html for part in parts)}"

    page = small_book(body)
    page.goto("http://book.test/book/scaling.html")
    return page


def prompt(page, key):
    return page.locator(f"#prompt-{key}")


def commit(page, key, text):
    prompt(page, key).locator("input[type=text]").fill(text)
    prompt(page, key).get_by_role("button", name="Commit").click()
    return prompt(page, key).locator(".live-score").inner_text()


def kept(page):
    return json.loads(page.evaluate("localStorage.getItem('perfmodel.predictions')"))


def test_the_first_answer_stands_after_the_computed_one_is_seen(page):
    assert "too low by a factor of 3.2" in commit(page, "triad", "10")
    for _ in range(2):
        entry = prompt(page, "triad").locator("input[type=text]")
        assert entry.is_disabled()
        assert entry.input_value() == "10"
        assert not prompt(page, "triad").get_by_role("button", name="Commit").is_visible()
        page.evaluate("document.querySelector('#prompt-triad form').requestSubmit()")
        assert kept(page)["triad"]["guess"] == 10
        page.reload()


@pytest.mark.parametrize(
    ("typed", "guess"),
    [
        ("0,125", 0.125),
        ("1,250", 1250),
        ("1 250 000", 1250000),
        ("12,5", 12.5),
        ("-0,125", -0.125),
        ("10 GB/s", 10),
        ("10GB/s", 10),
    ],
)
def test_a_comma_and_the_unit_are_understood(page, typed, guess):
    commit(page, "triad", typed)
    assert kept(page)["triad"]["guess"] == guess


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("0.1 TB/s", "Type the number alone, in this unit: GB/s."),
        ("40 sequences", "Type the number alone, in this unit: GB/s."),
        (".5 s", "Type the number alone, in this unit: GB/s."),
        ("much", "Type a number first, such as 12.5."),
        ("", "Type a number first, such as 12.5."),
    ],
)
def test_a_number_in_another_unit_is_told_which_one_is_asked(page, typed, reply):
    assert commit(page, "triad", typed) == reply
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.parametrize("guess", ["0.032", "32000", "32e6", "3.2e-8"])
def test_a_thousandfold_is_sent_to_the_prefix(page, guess):
    assert commit(page, "triad", guess).endswith(" Check the unit's prefix.")
    assert prefix_slip(float(guess), 32, 0.1), "in Python as in the script"


def test_another_factor_is_not_and_a_huge_one_is_short(page):
    said = commit(page, "triad", "1e99")
    assert said == "Your prediction 1e+99: too high by a factor of 3.13e97."


def test_a_second_tab_that_was_open_before_cannot_answer_again(page):
    other = page.context.new_page()
    other.goto(page.url)
    commit(page, "triad", "10")
    assert "too low" in commit(other, "triad", "32")
    assert kept(page)["triad"]["guess"] == 10


def test_who_looks_first_is_recorded_as_such_and_never_counts(page):
    prompt(page, "triad").get_by_role("button", name="Show without predicting").click()
    assert prompt(page, "triad").locator("details strong").inner_text() == "32 GB/s"
    page.reload()
    assert prompt(page, "triad").locator("input[type=text]").is_disabled()
    assert kept(page)["triad"]["score"] == "skipped"
    page.goto(page.url.replace("scaling", "predictions"))
    assert "0 of 0 right. 1 seen without predicting." in page.locator("section").inner_text()


def test_another_reading_is_right_and_named(page):
    said = commit(page, "triad", "24")
    assert said.endswith("24: right by another reading. Stores past the cache.")


def test_the_quiz_tells_the_score_of_first_answers(page):
    tally = page.locator(".live-tally")
    assert tally.inner_text() == ""
    prompt(page, "check-1").get_by_label("network").check()
    prompt(page, "check-1").get_by_role("button", name="Commit").click()
    assert tally.inner_text() == "0 of 1 right at the first try, 1 to go."
    commit(page, "check-2", "2.5")
    assert tally.inner_text() == "1 of 2 right at the first try."


def test_a_visit_draws_anew_from_what_is_not_answered(page):
    asked = [live.question(f"Number {n}?", ["yes", "no"], "yes", "So.") for n in range(6)]
    quiz = live.quiz("draw", asked, draw=2).html
    script = f"<script>{extension._classic(display.script())}</script>"
    page.evaluate("localStorage.clear()")
    shown = set()
    for visit in range(3):
        page.set_content(f"<main>{quiz}</main>{script}")
        prompts = page.locator("[data-live=predict]:visible")
        assert prompts.count() == 2
        for place in range(2):
            one = prompts.nth(place)
            shown.add(one.get_attribute("id"))
            one.get_by_label("yes").check()
            one.get_by_role("button", name="Commit").click()
        assert len(shown) == 2 * (visit + 1), "answered questions come last"


def test_the_list_links_back_and_draws_each_number_once(page):
    address = page.url
    commit(page, "triad", "320")
    commit(page, "check-2", "2.5")
    page.goto(address.replace("scaling", "predictions"))
    circles = page.locator("svg[role=img] circle")
    assert circles.count() == 1
    assert page.locator("svg[role=img] path.live-c2").count() == 1
    assert "scaling" in page.locator("svg[role=img]").text_content()
    assert "Your middle guess is 3.16 times" in page.locator("figcaption").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert "book/scaling.html" in download.value.path().read_text("utf-8")
    page.locator("summary", has_text="Each question").click()
    answers = page.get_by_role("region", name="All your predictions")
    answers.get_by_role("link", name="On scaling").first.click()
    assert page.url == f"{address}#prompt-triad"
