import re
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from hypothesis import given, strategies as st
from sphinx import addnodes

from perfcourse.book import sources
from perfcourse.book.guide.terms import Linker, entries, pattern, spoken

PROJECT = sources.root(Path(__file__))
GLOSSARY = """# Glossary
```{glossary}
Amdahl's law
  What one processor must do bounds all.

latency
  A time.

latency ladder
  Latency against $n$.

roofline model
roofline
  A bound.

processor sharing (PS)
  All at once.

pass
  One traversal.
```
"""
LINKER = Linker(GLOSSARY)


def linked(*pieces):
    """Return what is linked in a page of one paragraph: the words, and the entry they lead to."""
    document = new_document("page")
    document += nodes.paragraph("", "", *pieces)
    LINKER.link(document, "book/page")
    found = document.findall(addnodes.pending_xref)
    return [(link.astext(), link["reftarget"]) for link in found]


class TestEntries:
    def test_names_share_a_text_and_marks_go(self):
        said = entries(GLOSSARY)
        assert said["roofline"] == said["roofline model"] == "A bound."
        assert said["latency ladder"] == "Latency against n."

    def test_forms_of_a_name(self):
        assert spoken("processor sharing (PS)") == ["processor sharing", "PS"]
        assert spoken("level (of a test)") == ["level of a test", "level of the test"]
        assert spoken("token") == []


class TestPattern:
    @pytest.mark.parametrize(
        ("form", "text"),
        [
            ("batch", "Batches"),
            ("latency", "latencies"),
            ("Amdahl's law", "Amdahl’s law"),
            ("think time", "think\ntimes"),
            ("GPU", "GPUs"),
        ],
    )
    def test_plural_capital_and_line_break(self, form, text):
        assert re.fullmatch(pattern(form), text)

    def test_a_name_keeps_its_capitals(self):
        assert not re.fullmatch(pattern("GPU"), "gpu")


class TestLink:
    def test_first_use_only(self):
        text = nodes.Text("A latency is a latency.")
        assert linked(text) == [("latency", "latency")]

    def test_longest_match_wins(self):
        assert linked(nodes.Text("The latency ladder.")) == [("latency ladder", "latency ladder")]

    def test_part_of_a_word_or_a_compound_is_left(self):
        assert linked(nodes.Text("sublatency, latency-bound, PSX, latency/time")) == []

    def test_code_links_and_maths_are_left(self):
        code = nodes.literal("", "latency")
        link = nodes.reference("", "", nodes.Text("roofline"))
        assert linked(code, link, nodes.math("", "PS")) == []

    def test_what_an_author_linked_is_not_linked_again(self):
        own = addnodes.pending_xref("", nodes.inline("", "it"), reftype="term", reftarget="Latency")
        assert linked(own, nodes.Text(" latency")) == [("it", "Latency")]

    def test_everyday_words_are_left_to_the_author(self):
        assert linked(nodes.Text("One pass.")) == []

    @given(st.lists(st.sampled_from(["latency", "PS", "a", "roofline", "x.", "Amdahl's law"])))
    def test_the_text_stays_what_it_was(self, words):
        document = new_document("page")
        document += nodes.paragraph("", " ".join(words))
        LINKER.link(document, "book/page")
        assert document.astext() == " ".join(words)


def test_the_glossary_explains_its_links():
    document = new_document("page")
    document += nodes.reference("", "it", refuri="../book/glossary.html#term-PS")
    LINKER.explain(document, {"term-PS": "processor sharing (PS)"})
    assert document.children[0]["reftitle"] == "All at once."


class TestTheGlossary:
    TEXT = (PROJECT / "book" / "glossary.md").read_text("utf-8")

    def test_each_name_is_there_once_in_order(self):
        names = list(re.findall(r"^(?=\S)(?!#|`)(.+)$", self.TEXT.partition("{glossary}")[2], re.M))
        assert len(names) == len(set(names)) == len(entries(self.TEXT))
        firsts = re.findall(r"\n\n(\S.*)", self.TEXT.partition("{glossary}")[2])
        keys = [re.sub(r"[^a-z0-9 ]", "", name.lower()) for name in firsts]
        assert keys == sorted(keys)

    def test_each_entry_says_something(self):
        assert min(map(len, entries(self.TEXT).values())) > 20
