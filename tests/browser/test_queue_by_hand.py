"""The queue that a reader feeds: its numbers are those of the package for the same arrivals."""

import json
import re

import numpy as np
import pytest

from perfmodel.drawings.queueing.fed_queue import SIZES, fed_queue
from perfmodel.queueing import allen_cunneen, departures, scv, time_spent

SHOWN = fed_queue()
DATA = json.loads(re.search(r"<script[^>]*>(.*)</script>", SHOWN.html)[1])
STEPS = (1, 0, 4, 3, 3, 1, 6, 2, 7)
"""Steps of half a second after each arrival."""


@pytest.fixture
def page(small_page):
    return small_page(SHOWN, clock=True)


def press(page, name):
    page.get_by_role("button", name=name).press("Enter")


def says(page):
    return page.locator(".live-says").inner_text()


def feed(page, steps=STEPS):
    """Feed the queue half a second at a time, and return when jobs came."""
    now, came = 0.0, []
    for count in steps:
        press(page, "A job arrives")
        came.append(now)
        for _ in range(count):
            press(page, "Step 0.5 s")
            now += 0.5
    return np.array(came), now


@pytest.mark.parametrize("kind", range(len(DATA["sizes"])))
def test_measures_and_theory_are_those_of_the_package(page, kind):
    page.get_by_role("radio").nth(kind).check()
    came, now = feed(page)
    sizes = np.array(DATA["sizes"][kind][: came.size])
    left = departures(came, sizes)
    start = np.maximum(came, np.append(0.0, left[:-1]))
    busy = time_spent(start, left, 0, now) / now
    line = time_spent(came, start, 0, now) / now
    wait = float((np.minimum(start, now) - came).mean())
    gaps = np.diff(came)
    variation = float(gaps.var() / gaps.mean() ** 2)
    said = says(page)
    law = tuple(SIZES.values())[kind]
    rate = came.size / now
    assert line == pytest.approx(rate * wait), "Little's law"
    assert said.startswith(f"{came.size} jobs in {now:.1f} s, {rate:.2f} a second.")
    shown = [float(x) for x in re.findall(r"\d+\.?\d*", said.split("second.", 1)[1])]
    assert shown[:3] == pytest.approx([100 * busy, line, wait], abs=0.5)
    assert shown[1:3] == pytest.approx([line, wait], abs=0.006)
    expected = allen_cunneen(1 / gaps.mean(), 1.0, variation, scv(law)).waiting_time
    told = [float(expected), gaps.mean(), variation]
    assert shown[3:] == pytest.approx(told, rel=0.01, abs=0.006)


def test_after_the_last_press_the_rate_falls_and_theory_stays(page):
    feed(page)
    before = says(page)
    for _ in range(20):
        press(page, "Step 0.5 s")
    after = says(page)
    assert before.split("By theory")[1] == after.split("By theory")[1]
    rate, _, line, wait = re.findall(r"\d+\.?\d*", after.split(" s, ")[1])[:4]
    assert float(rate) < float(re.search(r", ([\d.]+) a second", before)[1])
    assert float(line) == pytest.approx(float(rate) * float(wait), abs=0.02)


def test_a_job_still_in_the_line_has_waited_until_now(page):
    for _ in range(3):
        press(page, "A job arrives")
    press(page, "Step 0.5 s")
    first = DATA["sizes"][0][0]
    assert first > 0.5, "the first job is still served"
    assert "2.00 jobs wait on average. The mean wait so far is 0.33 s." in says(page)


def test_the_first_arrival_starts_the_clock_and_a_pause_stops_it(page):
    page.clock.run_for(5000)
    press(page, "A job arrives")
    page.clock.run_for(3000)
    press(page, "Pause")
    assert "1 job in 3.0 s" in says(page)
    page.clock.run_for(5000)
    assert "1 job in 3.0 s" in says(page)


def test_the_a_key_feeds_it_while_the_focus_is_inside(page):
    page.keyboard.press("a")
    assert says(page) == SHOWN.text
    page.get_by_role("button", name="Step 0.5 s").focus()
    page.keyboard.press("a")
    page.keyboard.press("Control+a")
    press(page, "Pause")
    press(page, "Step 0.5 s")
    assert says(page).startswith("1 job in 0.5 s")


def test_too_high_a_rate_has_no_long_run_mean_and_is_started_again(page):
    feed(page, [1] * 8)
    assert "with your gaps up to the last job" in says(page)
    assert "the queue would grow for ever" in says(page)
    press(page, "Start again")
    assert says(page) == SHOWN.text


def test_who_prefers_less_motion_feeds_it_step_by_step(page):
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Play").wait_for(state="hidden")
    press(page, "A job arrives")
    page.clock.run_for(5000)
    assert says(page) == "The first job is here and starts at once."
    press(page, "Step 0.5 s")
    assert says(page).startswith("1 job in 0.5 s")
