"""What prompts tell the kernel, kept beside the tasks."""

import json

import pytest

from perfmodel.live.kernel import Page
from perfmodel.tasks import practice, record


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(record.FOLDER_VARIABLE, str(tmp_path))


def entry(when, guess=1):
    return {"question": "How long?", "guess": guess, "when": when}


def test_the_first_answer_stands_and_the_last_review_counts():
    practice.keep({"predictions": {"a": entry("2030-01-02")}})
    practice.keep({"predictions": {"a": entry("2030-01-03", 2), "b": entry("2030-01-03")}})
    practice.keep({"review": {"a": {"box": 1, "at": "2030-01-05"}}})
    practice.keep({"review": {"a": {"box": 0, "at": "2030-01-04"}}})
    kept = practice.kept()
    assert kept["predictions"] == {"a": entry("2030-01-02"), "b": entry("2030-01-03")}
    assert kept["review"]["a"]["box"] == 1
    practice.keep({"predictions": {"a": entry("2030-01-01", 3)}})
    assert practice.kept()["predictions"]["a"]["guess"] == 3


def test_tasks_and_predictions_share_the_file_and_neither_harms_the_other():
    record.keep("scaling/multicore", "One", True, "Yes.")
    practice.keep({"predictions": {"a": entry("2030-01-02")}})
    assert record.keep("scaling/multicore", "One", False, "No.") == ""
    assert practice.kept()["predictions"] == {"a": entry("2030-01-02")}
    assert json.loads(record.path().read_text())["scaling/multicore"]["One"]["tries"] == 2
    practice.forget()
    assert practice.kept() == {"predictions": {}, "review": {}, "asked": {}}
    assert "scaling/multicore" in record.path().read_text()


def test_what_is_no_record_is_left_out():
    practice.keep({"predictions": {"a": 3}, "other": {"b": {}}, "review": None})
    assert practice.kept() == {"predictions": {}, "review": {}, "asked": {}}


@pytest.mark.parametrize("kept", [[1], "x", {"predictions": [1], "review": "x"}, {"asked": 3}])
def test_a_damaged_part_counts_as_empty_and_can_be_written_again(kept):
    record.write(record.path(), {record.PRACTICE: kept})
    assert practice.kept() == {part: {} for part in practice.PARTS}
    practice.keep({"predictions": {"a": {"when": "1"}}})
    assert practice.kept()["predictions"] == {"a": {"when": "1"}}


def test_a_page_in_jupyterlab_keeps_and_gives_back(monkeypatch):
    sent = []
    page = Page(html="")
    monkeypatch.setattr(page, "send", sent.append)
    page._told(page, {"kept": {"predictions": {"a": entry("2030-01-02")}}}, [])
    page._told(page, {"asks": True}, [])
    page._told(page, {"forget": True}, [])
    page._told(page, {"asks": True}, [])
    assert [bool(said["practice"]["predictions"]) for said in sent] == [True, False]
