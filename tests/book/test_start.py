import re
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from perfcourse.book import about, sources, start
from perfmodel import tasks

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def told(monkeypatch):
    """Return the map's text for a reader who has done this many of each lab's tasks."""

    def tell(done):
        labs = [
            tasks.LabProgress("notebooks/scaling/multicore", ("a", "b"), done, done),
            tasks.LabProgress("notebooks/queueing/five-questions", ("a", "b"), done, done),
        ]
        monkeypatch.setattr(tasks, "progress", lambda: labs)
        return start.overview(PROJECT).data

    return tell


def test_every_link_of_the_map_leads_to_a_file_and_no_lab_is_missing(told):
    text = told(0)
    places = re.findall(r"\]\(([^)]+)\)", text)
    made = [f"../{page}.ipynb" for page in sources.pages(PROJECT) if page.startswith("book/")]
    files = [place for place in places if place not in made]
    assert [place for place in files if not (PROJECT / start.PLACE.parent / place).is_file()] == []
    labs = [page for page in sources.pages(PROJECT) if page.startswith("notebooks/")]
    assert [lab for lab in labs if f"({lab.removeprefix('notebooks/')}.ipynb)" not in text] == []


def test_a_lab_is_listed_under_its_topic_with_what_it_takes(told):
    queueing = told(1).split("## Queueing")[1].split("## ")[0]
    row = next(row for row in queueing.split("\n") if "five-questions" in row)
    told_of = about.contents(PROJECT)["notebooks/queueing/five-questions"]
    assert row.endswith(f"| {told_of.minutes} | {told_of.difficulty} | core | 1 of 2 |")


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (0, "Begin here:** read [Measurement"),
        (1, "2 of 4 tasks done. **Next on the core path:** [Five questions"),
        (2, "4 of 4 tasks done. You have finished the core path."),
    ],
)
def test_the_next_step_follows_the_progress(told, done, said):
    assert said in told(done)


def test_the_notebook_shows_the_map_before_anything_is_run(told):
    told(0)
    notebook = start.notebook(PROJECT)
    nbformat.validate(notebook)
    shown = [c for c in notebook.cells if c.cell_type == "code" and c.outputs]
    assert shown[0].metadata["jupyter"]["source_hidden"]
    assert "Begin here" in shown[0].outputs[0].data["text/markdown"]


def test_the_labs_are_signed_so_that_their_stored_figures_are_shown(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    lab = nbformat.read(PROJECT / "notebooks" / "scaling" / "multicore.ipynb", as_version=4)
    assert not NotebookNotary().check_signature(lab)
    start.trust(PROJECT)
    assert NotebookNotary().check_signature(lab)
    lab.cells[0].source += " changed"
    assert not NotebookNotary().check_signature(lab)
