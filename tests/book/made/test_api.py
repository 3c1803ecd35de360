from pathlib import Path

import pytest

import perfmodel
from perfcourse.book import sources
from perfcourse.book.made import api

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def scaling(tmp_path_factory):
    """The page on the topic scaling, for a book whose one chapter uses two of its names."""
    project = tmp_path_factory.mktemp("project")
    (project / "book" / "api").mkdir(parents=True)
    (project / "_toc.yml").write_text(
        "root: book/index\nchapters:\n  - file: book/api/index\n  - file: book/api/scaling\n"
    )
    (project / "book" / "api" / "index.md").write_text("# Written by hand\n")
    (project / "book" / "index.md").write_text(
        "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n"
        "kernelspec: {name: python3, display_name: Python 3}\n---\n# Front\n\n"
        "```{code-cell}\nfrom perfmodel.scaling import amdahl_speedup\n"
        "from perfmodel.scaling import usl\nusl.usl_peak\n```\n"
    )
    made = api.pages(project)
    assert list(made) == ["book/api/scaling"], "what is written by hand is left alone"
    return made["book/api/scaling"]


def test_every_public_name_has_an_entry(scaling):
    import perfmodel.scaling as face

    for name in face.__all__:
        assert f":: perfmodel.scaling.{name}\n" in scaling


def test_a_name_says_where_it_is_used(scaling):
    for name in ("amdahl_speedup", "usl_peak"):
        entry = scaling.split(f".. autofunction:: perfmodel.scaling.{name}\n")[1]
        assert entry.startswith("```\n\nUsed in {doc}`/book/index`.")
    unused = scaling.split(".. autofunction:: perfmodel.scaling.karp_flatt\n")[1]
    assert not unused.startswith("```\n\nUsed")


def test_every_topic_with_a_face_has_its_page():
    stubs = Path(perfmodel.__file__).parent.glob("*/__init__.pyi")
    assert {f"book/api/{path.parent.name}" for path in stubs} <= set(sources.pages(PROJECT))
