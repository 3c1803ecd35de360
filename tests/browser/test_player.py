"""What has time is played, paused and stepped; nothing moves unasked."""

import pytest

from perfmodel import live
from perfmodel.drawings import cache_line_journey

LINE = live.drawing(
    cache_line_journey,
    "A cache line's journey.",
    "Boxes for core, caches and memory, and an arrow where the line moves",
    operation=live.Options("Operation", {"load": "load", "store": "store"}),
    step=live.Steps("Step", [0, 1, 2, 3, 4], 0),
)


@pytest.fixture
def opened(small_page):
    """Return a function that opens the drawing, its time in the test's hands."""
    return lambda motion="no-preference": small_page(LINE, clock=True, reduced_motion=motion)


def place(page):
    return page.get_by_role("slider").input_value()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).press("Enter")


def test_nothing_moves_before_the_reader_asks(opened):
    page = opened()
    page.clock.run_for(60_000)
    assert place(page) == "0"


def test_played_to_the_end_at_the_speed_chosen_and_again_from_the_start(opened):
    page = opened()
    page.get_by_label("Steps a second").select_option("2")
    press(page, "Play")
    assert place(page) == "1"
    page.clock.run_for(1000)
    assert place(page) == "3"
    page.clock.run_for(5000)
    assert place(page) == "4"
    assert page.locator(".live-says").inner_text() == cache_line_journey("load", 4).says
    press(page, "Play")
    assert place(page) == "0"


def test_paused_it_stays_and_only_then_is_read_out(opened):
    page = opened()
    says = page.locator(".live-says")
    press(page, "Play")
    assert says.get_attribute("aria-live") == "off"
    press(page, "Pause")
    assert says.get_attribute("aria-live") == "polite"
    page.clock.run_for(60_000)
    assert place(page) == "1"


def test_steps_go_both_ways_stop_at_the_ends_and_keep_the_focus(opened):
    page = opened()
    press(page, "Back")
    assert place(page) == "0"
    for step in ("1", "2", "3", "4", "4"):
        press(page, "Step")
        assert place(page) == step
    on = page.get_by_role("button", name="Step", exact=True)
    assert on.get_attribute("aria-disabled") == "true"
    assert on.evaluate("(one) => one === document.activeElement")
    press(page, "Back")
    assert place(page) == "3"
    assert on.get_attribute("aria-disabled") == "false"


def test_who_prefers_less_motion_has_the_steps_alone(opened):
    page = opened("reduce")
    assert not page.get_by_role("button", name="Play").is_visible()
    assert not page.get_by_label("Steps a second").is_visible()
    press(page, "Step")
    assert place(page) == "1"


def test_less_motion_preferred_while_it_plays_stops_it(opened):
    page = opened()
    press(page, "Play")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Pause").wait_for(state="hidden")
    page.clock.run_for(60_000)
    assert place(page) == "1"
