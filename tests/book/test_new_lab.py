import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from perfcourse.book import sources
from perfcourse.book.new_lab import new_lab

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path):
    for name in ("src", "book", "_toc.yml", "pyproject.toml", "requirements.txt"):
        source = PROJECT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    return tmp_path


def python(project, *arguments):
    """Run Python on the copy's own packages."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={"PYTHONPATH": str(project / "src"), "PATH": "/usr/bin:/bin", "HOME": str(project)},
        capture_output=True,
        text=True,
    )


def test_a_new_lab_works_as_it_is(project):
    made = new_lab(project, "scaling", "my-system", "My system (Author, 2020)")
    assert all(path.is_file() for path in made)
    assert "notebooks/scaling/my-system" in sources.pages(project)
    by_name = {path.name: path for path in made}
    lab, test = by_name["link.py"].parent, by_name["test_link.py"]
    tests = python(project, "-m", "pytest", "-q", "--doctest-modules", str(test), str(lab))
    assert tests.returncode == 0, tests.stdout
    for command in (("check",), ("format", "--check")):
        style = python(project, "-m", "ruff", *command, str(lab), str(test.parent))
        assert style.returncode == 0, style.stdout
    page = by_name["my-system.ipynb"]
    ran = python(project, "-m", "perfcourse.book", "run", str(page))
    assert ran.returncode == 0, ran.stderr
    notebook = nbformat.read(page, as_version=4)
    assert 12 <= len(notebook.cells) <= 30
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    tasks = [cell for cell in notebook.cells if "now-you" in cell.metadata.get("tags", [])]
    said = [cell.outputs[0].data["text/plain"] for cell in tasks]
    assert [text.split(":")[0] for text in said] == ["Not done yet", "Not done yet"]
    assert notebook.metadata["course"]["needs"] == ["book/scaling"]
    verify = "from perfmodel.labs.scaling.my_system import tasks as t; "
    verify += "t.share_reached.verify(), t.in_parts.verify()"
    assert python(project, "-c", verify).returncode == 0
    ledger = "import perfmodel.ledger as l; assert l.sheet('my_system').claims[0].check().met"
    assert python(project, "-c", ledger).returncode == 0


def test_first_lab_of_a_chapter_opens_its_sections(project):
    (project / "book" / "fresh.md").write_text("# Fresh\n")
    toc = project / "_toc.yml"
    toc.write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/fresh\n")
    new_lab(project, "fresh", "first", "First")
    assert sources.pages(project) == ["book/index", "book/fresh", "notebooks/fresh/first"]


def test_refuses_bad_names_unknown_topics_and_what_exists(project):
    with pytest.raises(
        ValueError, match="page must be lower-case words with hyphens, got 'My_lab'"
    ):
        new_lab(project, "scaling", "My_lab", "x")
    with pytest.raises(ValueError, match="topic must be a chapter of the book, got 'cooking'"):
        new_lab(project, "cooking", "lab", "x")
    new_lab(project, "scaling", "lab", "x")
    with pytest.raises(ValueError, match="page must be new, got 'lab'"):
        new_lab(project, "scaling", "lab", "x")
