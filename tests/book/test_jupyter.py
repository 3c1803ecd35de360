import nbformat
import pytest

from perfcourse.book import jupyter

NAMES = {"Amdahl1967": ("Amdahl", "1967"), "KarpFlatt1990": ("Karp and Flatt", "1990")}


@pytest.mark.parametrize(
    ("role", "read"),
    [
        ("{cite:t}`Amdahl1967`", "[Amdahl (1967)]"),
        ("{cite:p}`KarpFlatt1990`", "([Karp and Flatt, 1990]"),
        ("{term}`write-allocate`", "[write-allocate]"),
        ("{term}`first touched <first touch>`", "[first touched]"),
    ],
)
def test_a_role_reads_as_words_and_comes_back(role, read):
    text = jupyter.links(f"So {role}, they say.", NAMES)
    assert text.startswith(f"So {read}(../../book/")
    assert jupyter.links(text, NAMES) == text
    assert jupyter.roles(text) == f"So {role}, they say."


def test_other_links_are_left_alone():
    text = "See [the chapter](../../book/scaling.md) and [terms](../../book/glossary.md)."
    assert jupyter.roles(text) == text


@pytest.mark.parametrize("tag", ["remove-input", "hide-input", "remove-cell", "hide-cell"])
def test_code_that_the_page_hides_is_folded_and_keeps_its_other_marks(tag):
    hidden, shown = (nbformat.v4.new_code_cell("1") for _ in range(2))
    hidden.metadata.update(tags=[tag], jupyter={"outputs_hidden": False})
    notebook = nbformat.v4.new_notebook(cells=[hidden, shown])
    jupyter.tidy(notebook, {})
    assert hidden.metadata["jupyter"] == {"outputs_hidden": False, "source_hidden": True}
    assert "jupyter" not in shown.metadata


def test_what_is_seen_of_a_folded_prompt_is_its_cover():
    prompt = nbformat.v4.new_code_cell("answer = 3\nlive.predict('a', 'How many?', answer)")
    prompt.metadata["tags"] = ["remove-input"]
    for _ in range(2):
        jupyter.tidy(nbformat.v4.new_notebook(cells=[prompt]), {})
        assert prompt.source.split("\n") == [
            jupyter.COVER,
            "answer = 3",
            "live.predict('a', 'How many?', answer)",
        ]


def test_authors_are_named_as_one_would_in_a_sentence(tmp_path):
    bib = tmp_path / "a.bib"
    people = ("Le Boudec, J", r"M{\"o}ding, A", "Karp, A and Flatt, B", "A, A and B, B and C, C")
    entries = (f"@misc{{k{i}, author={{{p}}}, year={{2020}}}}" for i, p in enumerate(people))
    bib.write_text("\n".join(entries))
    named = [who for who, _ in jupyter.authors(bib).values()]
    assert named == ["Le Boudec", "Möding", "Karp and Flatt", "A et al."]


def test_a_chapter_becomes_a_notebook_whose_prompts_are_folded(tmp_path):
    book = tmp_path / "book"
    book.mkdir()
    (book / "references.bib").write_text("@misc{Amdahl1967, author={Amdahl, G}, year={1967}}")
    cell = "```{code-cell}\n:tags: [remove-input]\nlive.predict('a', 'How?', 1)\n```\n"
    maths = "$$ a = b $$ (first)\n\n$$ c = d $$ (second)\n\nBy {eq}`second`."
    head = "---\nkernelspec: {name: python3, display_name: Python 3}\n---\n"
    (book / "scaling.md").write_text(
        f"{head}# Scaling\n\nBy {{cite:t}}`Amdahl1967`.\n\n{maths}\n\n{cell}"
    )
    (book / "words.md").write_text("# Words\n")
    (place,) = jupyter.chapters(tmp_path)
    text, prompt = nbformat.read(place, as_version=4).cells
    assert "[Amdahl (1967)](../book/references.bib#Amdahl1967)" in text.source
    assert "$$ c = d \\tag{2}$$\n\nBy (2)." in text.source
    assert prompt.metadata["jupyter"]["source_hidden"]
    assert prompt.source.startswith(jupyter.COVER)
