"""The search of the built book from the file system, where a page can't fetch another."""

import json
import re
from html import unescape


def searched(visit, html, words):
    """Search for `words` and return the visit once all results stand there."""
    seen = visit("book/index")
    seen.errors, seen.outside = [], []
    seen.page.goto(f"{(html / 'search.html').as_uri()}?q={words}")
    seen.page.locator(".search-summary", has_text="Search finished").wait_for()
    return seen


def test_results_have_excerpts_that_hold_the_word(visit, html):
    seen = searched(visit, html, "roofline")
    results = seen.page.locator("ul.search li")
    assert results.count() >= 10
    excerpts = seen.page.locator("ul.search p.context").all_inner_texts()
    assert len(excerpts) >= 10
    assert all(len(text) > 40 for text in excerpts)
    assert sum("roofline" in text.lower() for text in excerpts) >= 0.9 * len(excerpts)
    assert seen.page.locator("ul.search .highlighted").count() >= 10
    assert seen.errors == []
    assert seen.outside == []


def test_a_result_leads_to_its_page(visit, html):
    page = searched(visit, html, "roofline").page
    page.locator("ul.search li a").first.click()
    page.wait_for_url(lambda url: "search.html" not in url)
    assert "roofline" in page.locator("main").inner_text().lower()


def test_no_excerpt_gives_an_answer_away(html):
    line = (html / "_static" / "texts.js").read_text("utf-8").split("\n")[0]
    texts = json.loads(line.removeprefix("const PAGE_TEXTS = "))
    chapter = " ".join(text for _, text in texts["book/scaling"])
    page = (html / "book" / "scaling.html").read_text("utf-8")
    questions = re.findall(r"Predict first\.</strong> (.*?)</p>", page)
    answers = re.findall(r"computed answer</summary><p>(.*?)</p>", page)
    assert len(questions) >= 2
    assert len(answers) >= 2
    assert [words for words in questions if plain(words) not in chapter] == []
    assert [words for words in answers if plain(words) in chapter] == []


def plain(html):
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())
