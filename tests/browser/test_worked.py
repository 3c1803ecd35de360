"""Worked examples as a reader tries them: a reply to each mistake, as often as they like."""

import pytest

from perfmodel import live
from perfmodel.worked_examples.queueing import MEAN_WAIT

SHOWN = live.worked(MEAN_WAIT)
_, GAP, ALONE = MEAN_WAIT.problems()


@pytest.fixture
def page(small_page):
    return small_page(SHOWN, viewport={"width": 390, "height": 800})


def opened(page, summary):
    page.locator("summary", has_text=summary).press("Enter")
    return page.locator("details[open] .live-try")


def tried(part, answer):
    part.get_by_label("Your answer").fill(str(answer))
    part.get_by_label("Your answer").press("Enter")
    return part.locator(".live-score").inner_text()


def test_the_first_line_is_seen_and_the_others_unfold(page):
    lines = page.locator(".live-lines").first
    assert lines.inner_text().endswith("= 0.5")
    assert page.locator("li:visible").count() == 1
    page.locator("summary", has_text="The other 2 lines").press("Enter")
    assert page.locator("li:visible").count() == 3


@pytest.mark.parametrize(
    ("summary", "line"),
    [("Fill the gap", GAP.lines[MEAN_WAIT.gap]), ("alone", ALONE.lines[-1])],
)
def test_each_mistake_has_its_reply_and_the_right_answer_unfolds_the_solution(page, summary, line):
    part = opened(page, summary)
    for reply, value in line.mistakes.items():
        assert tried(part, value) == f"Not yet. {reply}"
        assert part.locator("details li:visible").count() == 0
    assert tried(part, 30 * line.value).startswith("Not yet: too high by a factor of 30. The rule")
    assert "too high by a factor of 1e99. The rule" in tried(part, 1e99 * line.value)
    assert "factor of 1,000. Check the unit's prefix. The rule" in tried(part, 1e3 * line.value)
    assert tried(part, "much") == "Type a number first, such as 12.5."
    assert tried(part, f"{line.value} h").startswith("Type the number alone, in this unit")
    assert tried(part, f"{line.value:.3g}") == f"Right: {line.shown}."
    assert part.locator("details li:visible").count() == 3


def test_without_script_the_solution_can_be_read(browser):
    one = browser.new_page(java_script_enabled=False)
    one.set_content(SHOWN.html)
    one.locator("summary", has_text="alone").click()
    assert one.locator("details[open] .live-score").inner_text().startswith("To answer")
    one.locator("details[open] summary", has_text="All lines").click()
    assert one.locator("li:visible").count() == 4
    one.close()
