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
    page.locator("main h1").wait_for()
    assert "roofline" in page.locator("main").inner_text().lower()


def test_no_excerpt_gives_an_answer_away(html):
    line = (html / "_static" / "texts.js").read_text("utf-8").split("\n")[0]
    texts = json.loads(line.removeprefix("const PAGE_TEXTS = "))
    chapter = " ".join(text for _, text in texts["book/scaling"])
    prompts = html.joinpath("book", "scaling.html").read_text("utf-8").split("live-predict")[1:]
    assert len(prompts) >= 2
    for prompt in prompts:
        question, answer = re.findall(
            r"(?:Predict first\.</strong> |answer</summary><p>)(.*?)</p>", prompt
        )
        assert plain(question) in chapter
        assert plain(answer) not in chapter


def plain(html):
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())
