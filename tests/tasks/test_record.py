"""Progress is kept on the reader's machine, and a damaged file loses nothing."""

import json

import pytest

from perfmodel.tasks import Task, progress, progress_table, record
from perfmodel.tasks.record import LABS, LabProgress


def reference():
    return 1


reference.__module__ = "perfmodel.labs.scaling.multicore.tasks"
TASK = Task("One", reference)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(record.FOLDER_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def kept():
    return json.loads(record.path().read_text())["scaling/multicore"]["One"]


def test_nothing_is_kept_of_an_untouched_task_or_of_one_that_is_no_lab_s(folder):
    TASK.check(...)
    Task("Elsewhere", lambda: 1).check(1)
    assert not folder.exists()


def test_first_try_number_of_tries_and_end():
    TASK.check(2)
    first = kept()["first"]
    assert (first["right"], kept()["tries"], kept()["done"]) == (False, 1, None)
    TASK.check(1)
    done = kept()["done"]
    assert done
    TASK.check(3)
    assert kept() == {"first": first, "tries": 3, "done": done}


def test_the_file_is_replaced_at_one_stroke(folder, monkeypatch):
    TASK.check(2)
    before = record.path().read_text()

    def crash(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record.json, "dump", crash)
    assert "could not be kept in" in TASK.check(1).html
    assert "No space left" in TASK.check(1).html
    assert record.path().read_text() == before


def test_the_day_it_was_done_stays():
    TASK.check(1)
    text = record.path().read_text().replace(kept()["done"], "2020-01-01T00:00:00+00:00")
    record.path().write_text(text)
    TASK.check(1)
    assert kept()["done"].startswith("2020")


@pytest.mark.parametrize("text", ["{", "[1]", '{"a": {"b": {}}}', '{"a": 3}', "null"])
def test_a_damaged_file_is_set_aside_and_said(folder, text):
    folder.mkdir()
    for count in (1, 2):
        record.path().write_text(text)
        assert "Your progress file was damaged" in TASK.check(1).html
        assert (folder / f"progress.damaged-{count}.json").read_text() == text
        assert kept()["tries"] == 1
    assert "damaged" not in TASK.check(1).html


def test_a_folder_that_cannot_be_written_is_said_and_not_raised(folder):
    folder.write_text("a file in the way")
    assert "could not be kept" in TASK.check(1).html
    assert all(lab.done == 0 for lab in progress())


def labs():
    return {lab.page: lab for lab in progress()}


def test_progress_counts_by_lab(monkeypatch):
    multicore = labs()["notebooks/scaling/multicore"]
    assert multicore.done == multicore.tries == 0
    assert multicore.total >= 2
    module = "perfmodel.labs.scaling.multicore.tasks"
    for title, answer in ((multicore.titles[0], 1), (multicore.titles[1], 2)):
        one = lambda: 1  # noqa: E731
        one.__module__ = module
        Task(title, one).check(answer)
    assert labs()["notebooks/scaling/multicore"] == LabProgress(
        "notebooks/scaling/multicore", multicore.titles, done=1, tries=2
    )


def test_every_lab_with_tasks_is_listed_and_none_is_imported(tmp_path):
    files = list(LABS.glob("*/*/tasks.py"))
    assert len(progress()) == len(files) >= 3


def test_the_table_says_the_total():
    total = sum(lab.total for lab in progress())
    assert progress_table().text.startswith(f"Your progress: 0 of {total} tasks done: ")
