"""Choices by keyboard, and tables that are wider or longer than a phone."""

import pytest

from perfcourse.book import extension
from perfmodel import live


def draw(power, load):
    axes = live.Axis("load", 0, 10), live.Axis("time", 0, 100)
    marks = [live.Mark("line", [0, 10], [0, load**power])]
    return live.Plot(*axes, marks, f"It is {load**power:g}.", {"end": load**power})


FIGURE = live.figure(
    draw,
    "A line.",
    "A straight line that rises with load",
    power=live.Options("Shape", {"straight": 1, "square": 2}),
    load=live.Slider("Load", [1, 2, 3]),
)
WIDE = live.table(["what it is", "where"], [["x" * 80, "here"]], "Wide")
MANY = live.table(
    ["a", "b", "c", "d", "e"],
    [
        ["one", "two", "three", "four", "five is a sentence of 33 letters"],
        ["six", "", "8", "9", "ten"],
    ],
    "Many",
)
NUMBERS = live.table(
    ["model", *"bcdefgh"], [[f"model {i}", *["1,234"] * 7] for i in (1, 2)], "Numbers"
)
NARROW = live.table(["a"], [["b"]], "Narrow")


@pytest.fixture
def page(small_page):
    css = (extension.HERE / "static" / "book.css").read_text("utf-8")
    size = {"width": 360, "height": 800}
    return small_page(FIGURE, WIDE, MANY, NUMBERS, NARROW, css=css, viewport=size)


def test_arrows_choose_and_redraw_in_the_same_place_of_the_slider(page):
    says = page.locator(".live-says")
    page.get_by_role("slider", name="Load").press("End")
    before = says.inner_text(), page.locator("svg > svg path").first.get_attribute("d")
    page.get_by_role("group", name="Shape").get_by_label("straight").press("ArrowDown")
    assert page.get_by_label("square").is_checked()
    assert (before[0], says.inner_text()) == ("It is 3.", "It is 9.")
    assert page.locator("svg > svg path").first.get_attribute("d") != before[1]


def test_what_is_wider_than_the_phone_says_so_and_nothing_else_does(page):
    page.locator(".live-over").first.wait_for()
    labels = page.locator(".live-over").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert labels == ["Wide", "Numbers"]


def test_a_table_of_numbers_scrolls_beside_its_first_column(page):
    table = page.get_by_role("region", name="Numbers")
    assert "live-rows" in table.get_attribute("class")
    first, last = table.locator("tbody tr").first.locator("td").all()[::7]
    before = first.bounding_box()["x"], last.bounding_box()["x"]
    table.evaluate("region => region.scrollBy(150, 0)")
    assert first.bounding_box()["x"] == pytest.approx(before[0], abs=1)
    assert last.bounding_box()["x"] < before[1] - 40


def test_a_table_of_five_columns_with_sentences_stands_as_cards_of_named_cells(page):
    cards = page.locator(".live-cards")
    assert cards.get_attribute("aria-label") == "Many"
    assert cards.locator("td").nth(3).get_attribute("data-head") == "d"
    assert not cards.locator("td").nth(6).is_visible()
    left = cards.locator("td:not(:empty)").evaluate_all("all => all.map((one) => one.offsetLeft)")
    assert len(set(left)) == 1
