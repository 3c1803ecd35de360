import json
from importlib import resources

import jsonschema
import pytest
from marking import EVIL, hostile, marked

from perfcourse.report.autograde_outcome import Outcome
from perfcourse.report.results_json import as_json, for_classroom

SCHEMA = json.loads((resources.files("perfcourse.report") / "results.schema.json").read_text())
RIGHT = marked(1, 1, 1, 1, 1)
NOTHING = marked(0, 0, 0, 0, 0, readable=False, problem="No notebook.")


@pytest.mark.parametrize(
    "outcome",
    [Outcome((RIGHT,)), Outcome((RIGHT, NOTHING), 60), hostile()],
    ids=["right", "two", "hostile"],
)
def test_json_keeps_to_its_schema(outcome):
    whole = json.loads(as_json(outcome))
    jsonschema.Draft202012Validator(SCHEMA).validate(whole)
    assert whole["exit"] == outcome.status


def test_schema_names_every_key_and_no_other():
    whole = json.loads(as_json(hostile()))
    parts = SCHEMA["$defs"]
    notebook = whole["notebooks"][0]
    assert list(whole) == SCHEMA["required"]
    assert list(notebook) == parts["notebook"]["required"]
    assert list(notebook["errors"][0]) == parts["error"]["required"]
    assert list(notebook["questions"][0]) == parts["question"]["required"]


def test_json_says_how_far_each_question_is_right():
    whole = json.loads(as_json(Outcome((marked(1, 0.5, 0, 0, 0),), 75)))
    assert (whole["status"], whole["percent"], whole["fail_under"]) == ("failed", 60, 75)
    states = [question["status"] for question in whole["notebooks"][0]["questions"]]
    assert states == ["right", "partly right", "wrong", "wrong", "wrong"]


def test_json_can_be_printed_into_a_log():
    text = as_json(hostile())
    assert json.loads(text)["notebooks"][0]["student"] == EVIL
    assert "##[" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


def test_classroom_gets_partial_points_in_its_reporter_s_form():
    whole = json.loads(for_classroom(Outcome((marked(1, 0.5, 0, 0, 0), RIGHT), 50)))
    assert (whole["version"], whole["status"], whole["max_score"]) == (1, "pass", 20)
    assert sum(test["score"] for test in whole["tests"]) == 16
    assert [test["status"] for test in whole["tests"][:3]] == ["pass", "fail", "fail"]
    assert whole["tests"][0]["name"] == "q1. Speedup"


def test_classroom_s_reporter_prints_no_command():
    """It prints each message behind "Error: " into its own log, which GitHub reads."""
    whole = json.loads(for_classroom(hostile()))
    for test in whole["tests"]:
        assert len(test["message"].splitlines()) == 1
        assert "##[" not in test["message"] + test["filename"]
