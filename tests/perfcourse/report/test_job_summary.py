import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from marking import EVIL, hostile, marked

from perfcourse.report.autograde_outcome import Outcome
from perfcourse.report.job_summary import LONGEST, escaped, markdown

OURS = {"h3", "table", "thead", "tbody", "tr", "th", "td", "p", "strong"}


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.names, self.text = set(), ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)

    def handle_data(self, data):
        self.text += data


def rendered(text):
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return Elements(parser.render(text))


def test_summary_is_a_table_of_the_questions():
    page = rendered(markdown(Outcome((marked(1, 0.5, 0, 0, 0),), 60)))
    assert page.names == OURS
    assert "ada.ipynb: 6 of 10" in page.text
    assert "q2. Your machine's speedup\n1 of 2\nThink again." in page.text
    assert "6 of 10 points (60.0 %; 60 % are needed): passed." in page.text


def test_student_s_text_is_shown_and_does_nothing():
    text = markdown(hostile())
    page = rendered(text)
    assert page.names == OURS
    assert "<b>x</b>" in page.text
    assert len(re.findall(r"^\|", text, re.MULTILINE)) == 7
    assert not re.search(r"@\w|(?<!&)#\w|://|(?i:www\.)", page.text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", text)


def test_evil_would_make_elements_as_it_is():
    assert {"a", "img", "b", "em"} <= rendered(EVIL).names


def test_long_message_is_cut():
    assert len(escaped("x" * 10_000)) == LONGEST


def test_every_sign_survives():
    signs = "".join(map(chr, range(33, 127)))
    assert rendered(f"x {escaped(signs)}").text.replace("\u200b", "").strip() == f"x {signs}"
