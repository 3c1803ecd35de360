"""Live figures and prompts as a reader works them, by keyboard, on the static page."""

import json
import re

import pytest

FIGURE, PROMPTS = "book/index", "book/scaling"


@pytest.fixture
def figure(visit):
    return visit(FIGURE).page.locator("figure.live[data-live]").first


def state(figure):
    paths = figure.locator("svg[role=img] > svg path").evaluate_all(
        "all => all.map(path => path.getAttribute('d'))"
    )
    return paths, figure.locator(".live-says").inner_text()


@pytest.mark.parametrize("key", ["ArrowRight", "ArrowLeft", "Home", "PageUp"])
def test_keys_move_the_slider_and_redraw(figure, key):
    slider = figure.locator("input[type=range]").first
    before, spoken = state(figure), slider.get_attribute("aria-valuetext")
    slider.focus()
    slider.press(key)
    after = state(figure)
    assert after[0] != before[0]
    assert after[1] != before[1]
    assert slider.get_attribute("aria-valuetext") != spoken
    assert figure.locator("output").first.inner_text() == slider.get_attribute("aria-valuetext")


def test_coming_back_restores_the_first_state(figure):
    slider = figure.locator("input[type=range]").first
    before = state(figure)
    slider.press("ArrowRight")
    slider.press("ArrowLeft")
    assert state(figure) == before


def test_state_shown_agrees_with_the_table(figure):
    slider = figure.locator("input[type=range]").first
    slider.press("Home")
    shown = slider.get_attribute("aria-valuetext")
    figure.locator("summary").click()
    rows = figure.locator("tbody tr").all_inner_texts()
    row = next(row for row in rows if row.split("\t")[0] == shown)
    said = numbers(figure.locator(".live-says").inner_text())
    computed = numbers(" ".join(row.split("\t")[2:]))
    assert any(a == pytest.approx(b, rel=0.01) for a in said for b in computed)


def numbers(text):
    return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def test_without_script_the_figure_and_the_answer_can_be_read(visit):
    page = visit(PROMPTS, java_script_enabled=False).page
    figure = page.locator("figure.live[data-live=figure]").first
    assert figure.locator("svg[role=img] path").first.is_visible()
    assert not figure.locator("input[type=range]").first.is_visible()
    prompt = page.locator(".live-predict").first
    assert not prompt.locator("form *").count()
    prompt.locator("summary").click()
    assert prompt.locator("details strong").is_visible()


@pytest.fixture
def prompt(visit):
    page = visit(PROMPTS).page
    return page, page.locator(".live-predict:has(input[type=text])").first


def commit(prompt, text):
    prompt.locator("input[type=text]").fill(text)
    prompt.locator("input[type=text]").press("Enter")
    return prompt.locator(".live-score").inner_text()


def data(prompt):
    return json.loads(prompt.locator("script").text_content())


def test_prompt_hides_its_answer_until_the_reader_commits(prompt):
    _, prompt = prompt
    assert not prompt.locator("details").is_visible()
    assert commit(prompt, "a lot") == "Type a number first, such as 12.5."
    assert not prompt.locator("details").is_visible()
    assert "right" in commit(prompt, str(data(prompt)["answer"]))
    assert prompt.locator("details strong").is_visible()


@pytest.mark.parametrize(
    ("times", "said"), [(3, "too high by a factor of 3"), (0.505, "too low by 49.5 %")]
)
def test_prompt_says_how_far_off_a_guess_is(prompt, times, said):
    _, prompt = prompt
    assert said in commit(prompt, str(data(prompt)["answer"] * times))


def test_predictions_survive_a_reload_and_are_listed_and_saved(prompt, html):
    page, prompt = prompt
    commit(prompt, "12.5")
    page.reload()
    assert "Your prediction 12.5" in page.locator(".live-predict .live-score").first.inner_text()
    page.goto((html / "book" / "predictions.html").as_uri())
    assert "12.5" in page.get_by_label("All your predictions").text_content()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as progress.json").click()
    saved = json.loads(download.value.path().read_text("utf-8"))
    assert [entry["guess"] for entry in saved["practice"]["predictions"].values()] == [12.5]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert download.value.path().read_text("utf-8").startswith("key,question,guess,unit,computed")
    page.once("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="Forget all").click()
    page.reload()
    assert "No predictions are kept" in page.locator("main").inner_text()
