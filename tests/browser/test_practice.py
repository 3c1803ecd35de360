"""New numbers and reviews, on small pages that are served like the book's; days pass by a clock."""

import json
from datetime import datetime

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

from perfcourse.book import sources
from perfmodel import live
from perfmodel.live import display
from tests.book.test_new_numbers import PAGES, told

WAIT = live.predict(
    "wait",
    "A server is busy {busy} % of the time and takes {service} s a job. How long is the response?",
    lambda busy, service: service / (1 - busy / 100),
    "s",
    0.01,
    "{service}/(1 - {part:.2f}).",
    mistakes=[(lambda busy, service: service, "That is the service alone.")],
    taught="queues",
    variants={
        "busy": [50, 60, 75, 80, 90],
        "service": [1, 2],
        "part": lambda busy: busy / 100,
    },
)
WHICH = live.choose("which", "Which?", ["CPU", "disk"], "CPU", "It is.", {"disk": "It idles."})
LARGER = live.choose(
    "larger",
    "Which is larger, {a} or {b}?",
    ["{a}", "{b}"],
    lambda a, b: f"{max(a, b)}",
    reasons={"{a}": "{b} is larger.", "{b}": "{a} is larger."},
    variants={"a": range(1, 12), "b": [3.5]},
)


@pytest.fixture
def page(small_book):
    """A tab on a page of a small book whose other page is the desk; it is 1 March 2030, noon."""

    def body(name):
        desk = name == "predictions"
        parts = [live.predictions()] if desk else [WAIT, WHICH, LARGER]
        css = f"<style>{display.style()} body {{ background: canvas; }}</style>"
        return (
            f"{css}<main><h1>On {name}</h1>"
            '<section id="queues"><h2>How queues form<a href="#queues">#</a></h2></section>'
            f'<section id="asked"><h2>Asked</h2>{"".join(part.html for part in parts)}</section>'
            f"</main>"
        )

    one = small_book(body, timezone_id="Europe/Berlin")
    one.clock.set_fixed_time(datetime(2030, 3, 1, 12))
    one.errors = []
    one.on("pageerror", lambda error: one.errors.append(str(error)))
    go(one, "queueing")
    yield one
    assert one.errors == []


def go(page, name, day=None):
    if day:
        page.clock.set_fixed_time(datetime(2030, 3, day, 12))
    page.goto(f"http://book.test/book/{name}.html")


def commit(page, key, text):
    prompt = page.locator(f"#prompt-{key}")
    if (entry := prompt.locator("input[type=text]")).count():
        entry.fill(text)
    else:
        prompt.get_by_label(text, exact=True).check()
    prompt.get_by_role("button", name="Commit").click()


def stored(page, name):
    return json.loads(page.evaluate(f"localStorage.getItem('perfmodel.{name}')") or "{}")


def numbers(text):
    """Return what the question of `WAIT` gives: the share of busy time in per cent, the service."""
    words = text.replace(",", "").split()
    return float(words[words.index("busy") + 1]), float(words[words.index("takes") + 1])


def test_new_numbers_come_eight_times_and_leave_the_first_answer_alone(page):
    assert page.get_by_role("button", name="New numbers").count() == 0
    commit(page, "wait", "2")
    first = stored(page, "predictions")
    prompt = page.locator("#prompt-wait")
    seen = set()
    for _ in range(9):
        prompt.get_by_role("button", name="New numbers").click()
        practice = prompt.locator(".live-practice")
        text = practice.locator(".live-question").inner_text()
        seen.add(text)
        busy, service = numbers(text)
        practice.locator("input").fill(f"{service / (1 - busy / 100):.6g}")
        practice.get_by_role("button", name="Check").press("Enter")
        assert practice.locator(".live-score").inner_text().endswith(": right.")
        assert f"{service:g}/(1 - {busy / 100:.2f})." in practice.inner_text()
    assert len(seen) == 8
    assert stored(page, "predictions") == first
    assert stored(page, "review") == {}


def test_a_usual_mistake_and_a_wrong_choice_are_told_for_these_numbers(page):
    commit(page, "wait", "1")
    prompt = page.locator("#prompt-wait")
    score = prompt.locator("> .live-score").inner_text()
    assert score.endswith("too low by a factor of 2. That is the service alone.")
    prompt.get_by_role("button", name="New numbers").click()
    practice = prompt.locator(".live-practice")
    practice.locator("input").press("Enter")
    assert practice.locator(".live-score").inner_text().startswith("Type a number first")
    practice.locator("input").fill(str(numbers(practice.inner_text())[1]))
    practice.locator("input").press("Enter")
    assert practice.locator(".live-score").inner_text().endswith("That is the service alone.")
    commit(page, "larger", "1")
    larger = page.locator("#prompt-larger")
    larger.get_by_role("button", name="New numbers").click()
    practice = larger.locator(".live-practice")
    a, b = (float(text) for text in practice.locator("label").all_inner_texts())
    practice.get_by_label(f"{min(a, b):g}", exact=True).check()
    practice.get_by_role("button", name="Check").click()
    said = practice.locator(".live-score").inner_text()
    assert said.endswith(f"not this one. {max(a, b):g} is larger.")


def test_what_was_missed_comes_back_after_one_three_and_ten_days(page):
    commit(page, "wait", "3")
    commit(page, "which", "CPU")
    go(page, "predictions")
    desk = page.locator("[data-live=predictions]")
    assert "Nothing to review today. The next review is on 2 March." in desk.inner_text()
    for day, after in ((2, "5 March"), (5, "15 March"), (15, None)):
        go(page, "predictions", day)
        assert "1 question to review today." in desk.inner_text()
        text = desk.locator(".live-question").inner_text()
        busy, service = numbers(text)
        desk.locator("input[type=text]").fill(f"{service / (1 - busy / 100):.6g}")
        desk.locator("input[type=text]").press("Enter")
        desk.get_by_role("button", name="Next").press("Enter")
        said = desk.locator(".live-says").inner_text()
        assert said.endswith(f"The next review is on {after}.") if after else "missed no" in said
    go(page, "predictions", 30)
    assert stored(page, "review")["wait"]["box"] == 3
    assert stored(page, "predictions")["wait"]["guess"] == 3
    row = desk.locator("tr", has_text="queueing").first.locator("td").all_inner_texts()
    assert row[:5] == ["2", "1", "0", "0", "1"]


def test_a_second_miss_starts_again_and_early_practice_earns_nothing(page):
    commit(page, "wait", "3")
    prompt = page.locator("#prompt-wait")
    prompt.get_by_role("button", name="New numbers").click()
    busy, service = numbers(prompt.locator(".live-practice").inner_text())
    prompt.locator(".live-practice input").fill(f"{service / (1 - busy / 100):.6g}")
    prompt.locator(".live-practice input").press("Enter")
    assert stored(page, "review") == {}
    for day, answered in ((2, "right"), (5, "wrong")):
        go(page, "predictions", day)
        entry = page.locator(".live-practice input")
        busy, service = numbers(page.locator(".live-practice").inner_text())
        entry.fill(f"{service / (1 - busy / 100):.6g}" if answered == "right" else "0.5")
        entry.press("Enter")
    again = stored(page, "review")["wait"]
    assert (again["box"], again["due"]) == (0, "2030-03-06")


def test_the_desk_says_what_is_shaky_and_leads_to_where_it_was_taught(page):
    commit(page, "wait", "3")
    page.locator("#prompt-which").get_by_role("button", name="Show without").click()
    go(page, "predictions", 2)
    said = "Most shaky: queueing, with 2 of 2 answers missed and not right since."
    assert said in page.inner_text("main")
    links = page.locator("td a", has_text="How queues form")
    assert links.get_attribute("href") == "../book/queueing.html#queues"
    assert page.locator("td a", has_text="Asked").get_attribute("href").endswith("#asked")


@pytest.mark.parametrize("heading", ["Predict first", "Check yourself"])
def test_a_section_that_only_asks_is_not_where_it_was_taught(page, heading):
    page.evaluate("text => (document.querySelector('#asked h2').textContent = text)", heading)
    for key in ("which", "larger"):
        page.locator(f"#prompt-{key}").get_by_role("button", name="Show without").click()
    go(page, "predictions")
    (link,) = page.get_by_role("region", name="What is shaky, by topic").locator("a").all()
    assert link.inner_text() == "On queueing"
    assert link.get_attribute("href") == "../book/queueing.html"


def test_an_answer_at_the_desk_is_counted_at_once(page):
    commit(page, "which", "disk")
    go(page, "predictions", 2)
    row = page.locator("tr", has_text="queueing").first
    desk = page.locator("[data-live=predictions]")
    for day, counts in ((2, ["0", "1", "0"]), (5, ["0", "1", "0"]), (15, ["0", "0", "1"])):
        go(page, "predictions", day)
        assert ("1 of 1 answer missed" in desk.inner_text()) == (day == 2)
        page.locator(".live-practice").get_by_label("CPU").check()
        page.locator(".live-practice").get_by_role("button", name="Check").click()
        assert "Nothing to review" in desk.locator(".live-says").inner_text()
        assert row.locator("td").all_inner_texts()[:5] == ["1", "0", *counts]
        comes_back = "It comes back until it holds." in desk.inner_text()
        assert comes_back == (day < 15)
    assert "Nothing is shaky now." in desk.inner_text()


def test_a_question_without_new_numbers_is_asked_as_it_was(page):
    commit(page, "which", "disk")
    go(page, "predictions", 2)
    practice = page.locator(".live-practice")
    assert sorted(practice.locator("label").all_inner_texts()) == ["CPU", "disk"]
    practice.get_by_label("disk").check()
    practice.get_by_role("button", name="Check").click()
    assert practice.locator(".live-score").inner_text().endswith("not this one. It idles.")
    assert "Computed: CPU. It is." in practice.inner_text()


def test_the_right_option_of_a_review_has_no_place_of_its_own(page):
    commit(page, "which", "disk")
    places = set()
    for _ in range(3):
        go(page, "predictions", 2)
        places.add(page.locator(".live-practice label").all_inner_texts().index("CPU"))
    assert places == {0, 1}


def test_no_right_option_stands_at_one_place_in_all_new_numbers(page):
    """All choices of the book with new numbers, as they are recorded."""
    asked = [data for page in PAGES for data in recorded_choices(page)]
    assert len(asked) > 10
    script = display.script().replace("export default", "void")
    choose = """for (const question of asked) question.turn = 0;
      return asked.map((question) => question.fresh.given.map(() => {
        const { options, answer } = next(question);
        return options.indexOf(answer);
      }));"""
    places = page.evaluate(f"(asked) => {{ {script}; {choose} }}", asked)
    for data, found in zip(asked, places, strict=True):
        assert -1 not in found
        assert len(set(found)) > 1, data["key"]


def recorded_choices(page):
    """Yield the data of a page's choices with new numbers, with the options of their forms."""
    if (recorded := sources.recording(page)).is_file():
        for data in told(nbformat.read(recorded, 4)):
            if "options" in data.get("fresh", {}):
                yield {**data, "options": ["as", "asked"]}


def test_progress_is_saved_and_loaded_elsewhere(page, tmp_path):
    commit(page, "wait", "3")
    commit(page, "which", "CPU")
    go(page, "predictions", 2)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as progress.json").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "progress.json"
    page.get_by_role("button", name="Forget all").click()
    assert stored(page, "predictions"), "Playwright says no to what a page asks"
    page.once("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="Forget all").click()
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    broken = tmp_path / "other.json"
    broken.write_text('{"queueing/mm1": {}}')
    page.get_by_label("Load progress.json").set_input_files(broken)
    page.get_by_text("That isn't a progress.json").wait_for()
    page.get_by_label("Load progress.json").set_input_files(file)
    page.get_by_text("Loaded, and merged").wait_for()
    assert "1 question to review today." in page.inner_text("main")
    assert page.locator(".live-practice input").count() == 1
    assert json.loads(file.read_text())["practice"]["predictions"] == stored(page, "predictions")


def test_a_first_answer_stands_against_a_later_one_that_is_loaded(page, tmp_path):
    commit(page, "which", "disk")
    kept = stored(page, "predictions")
    later = {**kept["which"], "guess": "CPU", "score": "right", "when": "2031-01-01T00:00:00Z"}
    file = tmp_path / "progress.json"
    bad = {"which": later, "odd": 3, "wait": {"question": 1}}
    file.write_text(
        json.dumps({"practice": {"predictions": bad, "review": {"which": {"box": "x"}}}})
    )
    go(page, "predictions")
    page.get_by_label("Load progress.json").set_input_files(file)
    page.get_by_text("Loaded, and merged").wait_for()
    assert stored(page, "predictions") == kept
    assert stored(page, "review") == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_practice_and_desk_can_be_read_on_a_phone(page, scheme):
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme=scheme)
    theme = f"document.documentElement.dataset.theme = '{scheme}';" + (
        "document.documentElement.style.colorScheme = 'dark'" if scheme == "dark" else ""
    )
    page.evaluate(theme)
    commit(page, "wait", "3")
    page.get_by_role("button", name="New numbers").click()
    assert clean(page)
    go(page, "predictions", 2)
    page.evaluate(theme)
    assert clean(page)


def clean(page):
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    options = {"runOnly": {"type": "tag", "values": tags}}
    found = Axe().run(page, options=options).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []
    return True
