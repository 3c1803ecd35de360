import json
from pathlib import Path

import pytest
import sphinx
from docutils.core import publish_doctree

from perfcourse.book import search

PAGE = """\
Waiting
=======

Words with *weight*.

.. raw:: html

   <div class="live"><p>How many?</p><details><summary>Answer</summary>Seven</details>
   <script>let x = 1;</script></div>

.. comment

A second part
-------------

.. math:: x = 1

More words.
"""


def test_a_page_s_text_goes_by_section_and_leaves_out_what_is_folded():
    first, second = search.sections(
        publish_doctree(PAGE, settings_overrides={"doctitle_xform": False})
    )
    assert first == ("waiting", "Waiting Words with weight. How many?")
    assert second == ("a-second-part", "A second part More words.")


def test_the_script_holds_the_text_of_all_pages(tmp_path):
    themes = Path(sphinx.__file__).parent / "themes" / "basic" / "static"
    (tmp_path / "searchtools.js").write_bytes((themes / "searchtools.js").read_bytes())
    search._write(tmp_path, {"one": [("a", "new")]})
    line = (tmp_path / search.TEXTS).read_text("utf-8").split("\n")[0]
    assert json.loads(line.removeprefix("const PAGE_TEXTS = ")) == {"one": [["a", "new"]]}
    assert "fetch(" not in (tmp_path / "searchtools.js").read_text("utf-8")


def test_a_sphinx_that_searches_otherwise_is_refused():
    with pytest.raises(ValueError, match="no longer cuts its excerpts by"):
        search.adapted("another search")
