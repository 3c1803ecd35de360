"""What a class hands in: the file that the export writes is one that the analysis reads."""

from pathlib import Path

import pytest

from perfcourse.book import extension
from perfcourse.study import exports
from perfcourse.study.forms import questions, queueing_form
from perfmodel import live

STUDY = (Path(extension.__file__).parent / "static" / "study.js").read_text("utf-8")
TRIAD = live.predict("triad", "How fast?", 32.0, "GB/s", why="Four words.")
WHICH = live.choose("which", "Which?", ["=CPU", "network"], "=CPU", why="It is.")


@pytest.fixture
def page(small_book):
    """A tab on a small book: a chapter with prompts, the list of predictions, a form."""

    def body(name):
        shown = {"scaling": [TRIAD, WHICH], "predictions": [live.predictions()]}
        parts = "".join(part.html for part in shown.get(name, [queueing_form("a")]))
        kind = {"scaling": "", "predictions": "all"}.get(name, "form")
        place = f'<div class="live" data-study="{kind}"></div>' if kind else ""
        return f"<h1>On {name}</h1>{parts}{place}"

    page = small_book(body, after=f"<script>{STUDY}</script>")
    page.goto("http://book.test/book/scaling.html")
    return page


def go(page, name):
    page.goto(f"http://book.test/book/{name}.html")


def commit(page, key, text):
    prompt = page.locator(f"#prompt-{key}")
    prompt.locator("input[type=text]").fill(text)
    prompt.get_by_role("button", name="Commit").click()


def saved(page, student, phase, tmp_path):
    page.get_by_label("Your id for this study").fill(student)
    page.get_by_label(f"{phase} the chapter").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download my predictions").click()
    assert download.value.suggested_filename == f"predictions-{student}-{phase}.csv"
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_all_predictions_are_saved_as_the_analysis_reads_them(page, tmp_path):
    commit(page, "triad", "10")
    prompt = page.locator("#prompt-which")
    prompt.get_by_label("=CPU").check()
    prompt.get_by_role("button", name="Commit").click()
    go(page, "predictions")
    path = saved(page, "s-1", "before", tmp_path)
    number, choice = exports.read(path)
    assert (number.student, number.phase, number.box) == ("s-1", "before", "triad")
    assert (number.prediction, number.truth, number.unit) == (10, 32, "GB/s")
    assert (number.right, choice.right) == (False, True)
    assert number.page == "book/scaling.html"
    assert number.confidence is choice.prediction is choice.truth is None
    assert '"\'=CPU"' in path.read_text("utf-8")
    page.reload()
    assert page.get_by_label("Your id for this study").input_value() == "s-1"


def test_the_export_works_by_keyboard_and_says_what_is_missing(page):
    go(page, "predictions")
    said = page.locator("[data-study] [role=status]")
    page.get_by_label("Your id for this study").focus()
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("Type an id first")
    page.keyboard.type("ada@school")
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("Type an id first")
    page.get_by_label("Your id for this study").fill("ada")
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("Choose first")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("after the chapter").is_checked()
    page.keyboard.press("Enter")
    assert "keeps no prediction from here" in said.inner_text()


def test_a_form_keeps_its_answers_and_asks_how_sure(page, tmp_path):
    commit(page, "triad", "10")
    go(page, "form-a")
    key = "study-queueing-a-1"
    prompt = page.locator(f"#prompt-{key}")
    truth = questions("a")[0].shown
    prompt.get_by_label("How sure are you to be within 10 %?").select_option(label="70 %")
    assert not prompt.get_by_role("button", name="Show the answer").is_visible()
    commit(page, key, "100")
    for _ in range(2):
        assert prompt.locator("select").is_disabled()
        assert prompt.locator("select").input_value() == "0.7"
        assert prompt.locator(".live-score").inner_text().startswith("Kept.")
        assert truth not in page.locator("main, body").first.inner_text()
        assert not page.locator(".live-tally").is_visible()
        page.reload()
    (answer,) = exports.read(saved(page, "s-1", "after", tmp_path))
    assert (answer.box, answer.phase, answer.prediction, answer.confidence) == (
        key,
        "after",
        100,
        0.7,
    )
    assert answer.right is False
    assert "Saved 1 of 6" in page.locator("[data-study] [role=status]").inner_text()


def test_who_was_answered_without_a_confidence_has_none(page, tmp_path):
    go(page, "form-a")
    commit(page, "study-queueing-a-2", "50")
    page.reload()
    (answer,) = exports.read(saved(page, "s-2", "before", tmp_path))
    assert (answer.confidence, answer.right) == (None, True)
