import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from perfmodel.command import COMMANDS, main
from perfmodel.command.answer import Answer, Assumption, Quantity, exact
from perfmodel.command.chapters import address
from perfmodel.command.options import Assumable, Assumed
from perfmodel.command.output import interval_text, value_text
from perfmodel.command.slo import parse

FULL = Answer(
    "Is it [fast]?",
    "no",
    "It isn't.",
    (Quantity("time", 0.0151, 0.014, 0.016, "s", "95 %"), Quantity("load", None, 3, None, "1")),
    (Assumption("growth", 2.0, "1", "given"), Assumption("kind", "fp8", "1", "usual")),
    "the disk",
    "the network",
    ("What isn't known.",),
    ("What the file's numbers are.",),
    ("First.", "Second."),
    "book/queueing.md",
    {"Steps": ({"users": 1, "time": 0.5, "note": "x", "more": None},)},
)


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_teaches_with_an_example(name):
    module, _, function = COMMANDS[name][0].partition(":")
    assert isinstance(
        getattr(import_module(f"perfmodel.command.{module}"), function), click.Command
    )
    helped = run(name, "--help")
    assert helped.exit_code == 0
    assert f"perfmodel {name} " in helped.output


def test_help_loads_no_model():
    code = "import sys\nfrom perfmodel.command import main\ntry:\n    main(['--help'])\nfinally:\n"
    code += "    print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stderr.split()}
    assert not loaded & {"numpy", "scipy", "pandas", "numba", "rich"}
    assert all(f"  {name} " in ran.stdout for name in COMMANDS)


def test_a_missing_option_says_what_is_asked_and_how(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("{}")
    ran = run("llm", "memory", path)
    assert ran.exit_code == 3
    assert "Missing option '--on'. A machine, such as h100." in ran.output
    assert "Example: perfmodel llm memory config.json --on h100" in ran.output


def test_without_arguments_it_helps():
    assert run().exit_code == 0
    assert "Usage:" in run().output


def test_an_answer_comes_back_from_its_json():
    assert Answer.from_json(FULL.to_json()) == FULL
    content = json.loads(FULL.to_json())
    assert (content["schema"], content["version"]) == ("perfmodel-answer", 1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "version must be 1, got 2"),
        ({"schema": "other"}, "the text is no answer"),
        ({"summary": None, "nonsense": 1}, "lacks or misnames a field"),
        ({"steps": "one"}, "lacks or misnames a field"),
        ({"verdict": "perhaps"}, "verdict must be yes, no, unknown or None"),
    ],
)
def test_what_is_no_answer_is_refused(change, told):
    content = {**json.loads(FULL.to_json()), **change}
    with pytest.raises(ValueError, match=told):
        Answer.from_json(json.dumps(content))


@pytest.mark.parametrize(("verdict", "status"), [("yes", 0), (None, 0), ("no", 1), ("unknown", 2)])
def test_the_exit_status_is_the_verdict(verdict, status):
    assert Answer("?", verdict, "").exit_status == status


def test_why_explains_a_saved_answer(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(FULL.to_json())
    shown = run("why", path)
    assert shown.exit_code == 1
    for part in ("NO: It isn't.", "14 to 16 ms", "at least 3", "Binds: the disk", "2. Second."):
        assert part in shown.output
    assert Answer.from_json(run("why", path, "--json").output) == FULL


def test_quantities_must_be_known_or_none():
    with pytest.raises(ValueError, match="load must be finite, or None"):
        Quantity("load", float("nan"), None, None, "1")
    with pytest.raises(ValueError, match="low must be at most high"):
        Quantity("load", 1, 3, 2, "1")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3e9, "bytes/s", "3 Gbytes/s"),
        (5000.0, "s", "5,000 s"),
        (0.25, "1", "0.25"),
        (None, "s", "not known"),
        (12.0, "1/s", "12 1/s"),
    ],
)
def test_values_have_their_units(value, unit, text):
    assert value_text(value, unit).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.994, 1.0, "994 ms to 1 s"),
        (0.25, 0.5, "250 to 500 ms"),
        (None, 1.0, "at most 1 s"),
        (1.0, None, "at least 1 s"),
        (None, None, ""),
    ],
)
def test_intervals_may_be_open(low, high, text):
    assert interval_text(Quantity("t", None, low, high, "s")) == text


def test_ends_that_coincide_are_not_exact():
    """An interval of resampled logs may have one value; a count has no interval."""
    assert interval_text(Quantity("servers", 2, 2, 2, "1")) == "2 to 2"
    assert interval_text(exact("parameters", 2, "1")) == "exact"


KNOWN = (
    Assumable("growth", "of the load", 1.0),
    Assumable("delay", "of the link", 0.1, "s"),
    Assumable("share", "of the link", 0.5, least=0.0),
    Assumable("kind", "of number", "fp16", "", choices=("fp16", "fp8")),
)


def test_assumptions_are_replaced_and_their_source_told():
    found = Assumed(KNOWN, ["growth=1.5", "delay=20 ms", "kind=fp8"])
    assert dict(found) == {"growth": 1.5, "delay": 0.02, "share": 0.5, "kind": "fp8"}
    assert [one.source for one in found.listed()] == ["given", "given", "", "given"]
    assert [one.name for one in found.listed("delay")] == ["delay"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("grow=2", "it knows: growth, delay, share, kind"),
        ("growth", "must be name=value"),
        ("share=-1", "share must be 0 or more"),
        ("delay=fast", "delay must be a number in s"),
        ("delay=2 GB", "delay must be in s"),
        ("kind=int3", "kind must be one of fp16, fp8"),
    ],
)
def test_assumptions_that_make_no_sense_are_refused(given, told):
    with pytest.raises(click.UsageError, match=told):
        Assumed(KNOWN, [given])


@pytest.mark.parametrize(
    ("text", "level", "limit"),
    [
        ("p99 wait < 1s", 0.99, 1.0),
        ("p99.9 wait < 200 ms", 0.999, 0.2),
        ("mean wait <= 2 min", None, 120.0),
        ("median wait < 5us", 0.5, 5e-6),
    ],
)
def test_promises_are_read(text, level, limit):
    found = parse(text, ["wait", "response"])
    assert found.level == (None if level is None else pytest.approx(level))
    assert found.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("p99 wait < 1", "must be like 'p99 wait < 1s'"),
        ("p99 lag < 1s", "can be for wait or response, got 'lag'"),
        ("p100 wait < 1s", "a percentile between 0 and 100"),
        ("p99 wait < 1GB", "a limit in ns, us, ms, s, min or h"),
        ("fast", "must be like"),
    ],
)
def test_promises_that_make_no_sense_are_refused(text, told):
    with pytest.raises(click.UsageError, match=told):
        parse(text, ["wait", "response"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare",),
        ("compare", "nowhere.json"),
        ("capacity", "nowhere.csv", "--promise", "p99 wait < 1s"),
        ("why", "nowhere.json"),
        ("nothing",),
        ("compare", "--wrong"),
    ],
)
def test_a_wrong_file_or_option_ends_with_one_sentence_and_status_3(arguments):
    ran = run(*arguments)
    assert ran.exit_code == 3
    assert ran.stderr.startswith("perfmodel: ")
    assert ran.stderr.count("\n") == 1
    assert ran.stdout == ""


def test_python_m_perfmodel_is_the_command():
    ran = subprocess.run(
        [sys.executable, "-m", "perfmodel", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("perfmodel")


def test_the_script_is_declared():
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert 'perfmodel = "perfmodel.command:main"' in project.read_text()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            "repository:\n  url: https://github.com/Ada/course\n  branch: main\n",
            "ada.github.io/course",
        ),
        ("html:\n  baseurl: https://example.org/a/\n", "example.org/a"),
    ],
)
def test_a_chapter_is_read_at_the_configured_address(config, expected, tmp_path):
    (tmp_path / "_config.yml").write_text(config)
    assert address("book/queueing.md", tmp_path) == f"https://{expected}/book/queueing.html"


def test_without_an_address_a_chapter_is_its_path(tmp_path):
    assert address("book/queueing.md", tmp_path) == "book/queueing.md"


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(FULL.to_json())
    code = "import os, sys; os.close(sys.stdin.fileno())"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as reader:
        reader.wait()
        shown = [sys.executable, "-m", "perfmodel", "why", str(path)]
        ran = subprocess.run(shown, stdout=reader.stdin, stderr=subprocess.PIPE, text=True)
    assert (ran.returncode, ran.stderr) == (FULL.exit_status, "")


@pytest.mark.parametrize(
    ("file", "page"), [("pyperf.json", "book/tools/measuring"), ("hyperfine.json", None)]
)
def test_an_answer_says_where_the_tools_words_are_explained(file, page):
    """Of a file given twice, the sentence stands once."""
    path = str(Path(__file__).parents[1] / "readers" / "samples" / file)
    result = CliRunner().invoke(main, ["compare", path, path, "--json"])
    said = [one for one in Answer.from_json(result.output).traps if "book/tools/" in one]
    assert [page in one for one in said] == ([True] if page else [])
