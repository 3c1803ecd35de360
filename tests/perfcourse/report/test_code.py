import sys
import unicodedata

import pytest
from building import notebook
from results import BANK, a_grade

from perfcourse.gradebook.answers import Passage
from perfcourse.intake.submissions import Handin
from perfcourse.report.code import MOST, excerpts, own_code, visible
from perfcourse.report.pages import feedback
from perfcourse.report.returns import as_notebook

EVIL = (
    "speedup = '</code></pre><script>alert(1)</script><!-- {{ 7*7 }}' "
    "# \x1b[2J\x9b31m\u202e $x$ \\(y\\)"
)


def page(code):
    return feedback(a_grade("ada", 1, 0, 1, 1, 1), BANK, [], {"speedup": [Passage(3, code)]})


def test_code_stands_beside_its_question():
    text = page("def speedup(s, n):\n    return 1 / s\n")
    first, second = text.split("<article>")[1:3]
    assert "Your code, cell 3" in first
    assert "<pre><code>def speedup(s, n):\n    return 1 / s</code></pre>" in first
    assert "<details>" not in first
    assert "Your code" not in second


def test_hostile_code_is_shown_and_does_nothing():
    text = page(EVIL)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- {{ 7*7 }}" in text
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert "␛[2J&#92;u009b31m&#92;u202e &#36;x&#36; &#92;(y&#92;)" in text
    assert text.count("<pre>") == text.count("</pre>") == 1


def test_long_code_is_folded_and_cut():
    text = page("speedup = 1\n" * 9000)
    assert "<details><summary>Your code, cell 3, 9000 lines</summary>" in text
    assert f"{12 * 9000 - 1 - MOST} more characters." in text
    assert len(text) < MOST + 10_000


def test_all_passages_of_an_answer_share_the_room():
    shown = excerpts([Passage(1, "x" * MOST), Passage(2, "\n \n"), Passage(3, "y" * 10)])
    assert [(excerpt.cell, len(excerpt.code), excerpt.left_out) for excerpt in shown] == [
        (1, MOST, 0),
        (3, 0, 10),
    ]


def test_code_goes_back_to_canvas_in_one_piece():
    text = as_notebook(page("q2 = 1\n\n\nspeedup = 2"))
    assert "\\n\\n" not in text
    assert "q2 = 1" in text


@pytest.mark.parametrize(
    ("data", "digest"), [(b"no notebook", None), (notebook("q2 = 1"), "another"), (b"", "")]
)
def test_of_a_file_that_cannot_be_read_or_was_not_graded_nothing_is_shown(data, digest):
    handin = Handin("ada.ipynb", "ada", data, "ada.ipynb")
    assert own_code(handin, handin.digest if digest is None else digest, BANK) == {}


def test_code_is_found_in_what_was_handed_in():
    handin = Handin("ada.ipynb", "ada", notebook("import numpy", "q2 = 1"), "ada.ipynb")
    assert own_code(handin, handin.digest, BANK)["q2"] == [Passage(2, "q2 = 1")]


def test_every_character_is_visible():
    assert visible("a\r\nb\t\x00\x7f\ud800") == "a\nb\t␀\\u007f\\ud800"


def test_no_control_character_of_all_that_there_are_is_left():
    for text in map(chr, range(sys.maxunicode + 1)):
        odd = text not in "\n\t" and unicodedata.category(text)[0] == "C"
        assert (visible(text) != text) == odd, ascii(text)
