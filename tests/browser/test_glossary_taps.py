"""A word of the glossary shows its meaning where a finger taps it, and leads there with a mouse."""

from pathlib import Path

import pytest

from perfcourse.book import extension

TERMS = (Path(extension.__file__).parent / "static" / "terms.js").read_text("utf-8")
WORD = (
    '<a href="glossary.html#term-Load" title="The fraction of time that it is busy.">'
    '<span class="std std-term">load</span></a>'
)


def answer(route):
    body = f"<title>x</title><main><p>The {WORD} rises.</p></main><script>{TERMS}</script>"
    route.fulfill(body=f'<!doctype html><html lang="en">{body}</html>', content_type="text/html")


@pytest.fixture(params=[True, False], ids=["finger", "mouse"])
def page(browser, request):
    context = browser.new_context(has_touch=request.param, is_mobile=request.param)
    context.set_default_timeout(20_000)
    context.route("**/*", answer)
    one = context.new_page()
    one.finger = request.param
    one.goto("http://book.test/book/queueing.html")
    yield one
    context.close()


def test_a_tap_shows_the_meaning_and_a_second_one_takes_it_away(page):
    word, meaning = page.get_by_role("link", name="load"), page.get_by_role("status")
    if not page.finger:
        word.click()
        page.wait_for_url("**/glossary.html#term-Load")
        return
    word.tap()
    assert meaning.inner_text() == "The fraction of time that it is busy. Glossary"
    assert meaning.get_by_role("link").get_attribute("href").endswith("glossary.html#term-Load")
    word.tap()
    assert meaning.count() == 0
    assert page.url.endswith("queueing.html")
