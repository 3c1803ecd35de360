import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import perfmodel
from perfcourse.book import sources
from perfcourse.book.new_lab import LONGEST, new_lab

PROJECT = Path(__file__).parents[2]
LONG = "a-name-as-long-as-they"
"""As many letters as are allowed."""


@pytest.fixture
def project(tmp_path):
    """The table of contents and the settings of the tools; labs need nothing else to be written."""
    for name in ("_toc.yml", "pyproject.toml"):
        (tmp_path / name).write_text((PROJECT / name).read_text("utf-8"), "utf-8")
    return tmp_path


def written(project):
    """Write a lab to every topic, one of them under the longest name, and return all files."""
    names = [*(f"lab-{i}" for i in range(len(perfmodel.TOPICS) - 1)), LONG]
    topics = sorted(perfmodel.TOPICS, key=len)
    made = [
        new_lab(project, topic, name, f'"{topic}" \\ $x$: a title of many words (Author, 2020)')
        for topic, name in zip(topics, names, strict=True)
    ]
    return [path for paths in made for path in paths]


def test_a_lab_of_every_topic_keeps_the_rules_of_style(project):
    made = [path for path in written(project) if path.suffix in (".py", ".ipynb")]
    assert len(made) >= 9 * len(perfmodel.TOPICS)
    ours = f"src = ['src', '{PROJECT / 'src'}']"  # so that perfmodel is known as the project's own
    for command in (
        ("check", "--no-cache"),
        ("format", "--no-cache", "--check", "--force-exclude"),
    ):
        style = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--config", ours, *map(str, made)],
            cwd=project,
            capture_output=True,
            text=True,
        )
        assert style.returncode == 0, style.stdout
    assert [line for path in made for line in _code(path) if len(line) > 100] == []


def _code(path):
    if path.suffix == ".py":
        return path.read_text("utf-8").split("\n")
    cells = nbformat.read(path, as_version=4).cells
    return [line for c in cells if c.cell_type == "code" for line in c.source.split("\n")]


def test_labs_of_all_topics_pass_their_own_tests(project):
    tests = [str(path) for path in written(project) if path.name.startswith("test_")]
    labs = project / "src" / "perfmodel" / "labs"
    (project / "conftest.py").write_text(
        "from importlib import import_module\n"
        + "".join(
            f"import_module('perfmodel.labs.{topic}').__path__.append({str(labs / topic)!r})\n"
            for topic in perfmodel.TOPICS
        )
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *tests], cwd=project, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
    assert re.search(rf"{5 * len(perfmodel.TOPICS)} passed", ran.stdout)


def test_first_lab_of_a_chapter_opens_its_sections(project):
    toc = project / "_toc.yml"
    toc.write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/scaling\n")
    new_lab(project, "scaling", "first", "First")
    assert sources.pages(project) == ["book/index", "book/scaling", "notebooks/scaling/first"]


@pytest.mark.parametrize(
    ("topic", "page", "title", "message"),
    [
        ("scaling", "My_lab", "x", "page must be lower-case words with hyphens, got 'My_lab'"),
        ("scaling", f"{LONG}y", "x", f"page must have at most {LONGEST} letters, got 23"),
        ("scaling", "lambda", "x", "page must be no word of Python's own, got 'lambda'"),
        ("scaling", "lab", "two\nlines", r"title must be one line of text, got 'two\\nlines'"),
        ("scaling", "lab", " ", "title must be one line of text, got ' '"),
        ("glossary", "lab", "x", "topic must be one of measurement, .*, got 'glossary'"),
    ],
)
def test_refuses_names_that_no_lab_may_have(project, topic, page, title, message):
    with pytest.raises(ValueError, match=message):
        new_lab(project, topic, page, title)
    assert not (project / "notebooks").exists()


def test_a_name_belongs_to_one_lab_of_one_topic(project):
    new_lab(project, "scaling", "lab", "x")
    for topic in ("scaling", "queueing"):
        with pytest.raises(ValueError, match=r"page must be new, got 'lab': .*scaling.lab"):
            new_lab(project, topic, "lab", "x")
