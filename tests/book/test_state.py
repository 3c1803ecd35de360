"""What makes the built book out of date, and what doesn't."""

import io

import pytest
from rich.console import Console

from perfcourse.book import build


@pytest.fixture
def project(tmp_path):
    for place in ("_toc.yml", "_config.yml", "book/index.md", "src/perfmodel/a.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"text of {place}")
    return tmp_path


@pytest.mark.parametrize("place", ["book/index.md", "src/perfmodel/a.py", "solutions/new.py"])
def test_other_text_and_new_files_count(project, place):
    before = build.inputs_digest(project)
    (project / place).parent.mkdir(exist_ok=True)
    (project / place).write_text("other text")
    assert build.inputs_digest(project) != before


def test_names_count(project):
    before = build.inputs_digest(project)
    (project / "book" / "index.md").rename(project / "book" / "other.md")
    assert build.inputs_digest(project) != before


@pytest.mark.parametrize(
    "place", ["book/index.ipynb", "src/perfmodel/__pycache__/a.pyc", "tests/test_a.py"]
)
def test_what_is_made_beside_or_is_no_part_of_the_book_does_not(project, place):
    before = build.inputs_digest(project)
    (project / place).parent.mkdir(exist_ok=True)
    (project / place).write_text("made")
    assert build.inputs_digest(project) == before


def test_a_book_of_the_same_sources_is_not_built_again(project, monkeypatch):
    made = []

    def write(pages, target, strict):
        made.append(pages)
        (target / "_build" / "html").mkdir(parents=True, exist_ok=True)
        (target / "_build" / "html" / "index.html").write_text("page")

    monkeypatch.setattr(build, "write", write)
    monkeypatch.setattr(build, "lay_out", lambda *what: None)
    monkeypatch.setattr(build.made, "pages", lambda project: {})
    monkeypatch.setattr(build.sources, "pages", lambda project: [])
    console = Console(file=io.StringIO())
    for _ in range(2):
        build.build(project, console)
    assert len(made) == 1
    assert "nothing changed" in console.file.getvalue()
    build.build(project, console, fresh=True)
    (project / "book" / "index.md").write_text("new")
    build.build(project, console)
    assert len(made) == 3
