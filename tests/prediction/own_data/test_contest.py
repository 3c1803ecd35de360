"""The contest on own runs: one call, one command, and it goes on where it was stopped."""

import pandas as pd
import pytest
from click.testing import CliRunner

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import LogFeatures
from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.prediction.own_data import contest, rounds
from perfmodel.prediction.own_data.command import main


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    """Let three quick entries stand for all, so that a test takes no minute."""
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    def quick(whiteboxes, logged, plain=(), work=None):
        flat = LogFeatures(DummyRegressor(), logged, None, plain)
        line = LogFeatures(LinearRegression(), logged, None, plain)
        return [
            *(Contestant(name, "whitebox", Tuned({name: m})) for name, m in whiteboxes.items()),
            Contestant("constant", "regression", Tuned({"constant": flat})),
            Contestant("line", "ml", Tuned({"line": line})),
        ]

    monkeypatch.setattr(contest, "family_contestants", quick)


@pytest.fixture
def path(tmp_path, table):
    file = tmp_path / "runs.csv"
    table(60).to_csv(file, index=False)
    return file


def own(source, **more):
    return contest.own_contest(source, "seconds", cores=1, **{"drawings": 2, **more})


def test_all_questions_are_asked_and_answered(table):
    result = own(table(60), group="machine", size="size", counts=["size/threads, 1"])
    board = result.board
    assert list(board.groupby(["split", "points"]).groups) == [
        ("larger", 10),
        ("random", 10),
        ("random", 30),
        ("unseen machine", 30),
    ]
    assert set(board[board["contestant"] == FAMILY_CHOICE]["family"]) == {
        "whitebox",
        "regression",
        "ml",
    }
    assert len(result.conclusions) == 3
    assert len(result.branches) == 3
    assert "3 are too few for an interval" in result.conclusions[0]
    assert not any(note.startswith("No ") for note in result.notes)
    assert "The own model counts size/threads, 1." in result.notes
    assert set(board[board["family"] == "whitebox"]["contestant"]) == {"own model", FAMILY_CHOICE}


def test_what_was_not_asked_is_said(table):
    notes = own(table(60)).notes
    assert [note.split(" was")[0].split(" were")[0] for note in notes[-3:]] == [
        "No counts",
        "No size",
        "No group",
    ]


def test_a_group_that_is_nearly_all_runs_is_not_left_out(table):
    frame = table(60).assign(machine=["a"] * 55 + ["b"] * 5)
    board = own(frame, group="machine").board
    new = board[board["split"] == "unseen machine"]
    assert set(new["seeds"]) == {1}
    assert set(new["units"]) == {1}


def test_a_new_group_is_not_told_apart_by_its_flags(monkeypatch, table):
    seen = []
    real = contest.family_contestants
    monkeypatch.setattr(
        contest,
        "family_contestants",
        lambda w, logged, plain=(): seen.append(plain) or real(w, logged, plain),
    )
    own(table(60), group="machine")
    assert any("machine is a" in plain for plain in seen)
    assert any(not any("machine" in column for column in plain) for plain in seen)


@pytest.mark.parametrize(
    ("said", "options"),
    [
        ("budgets must be whole numbers up to 55", {"budgets": [10, 56]}),
        ("did you mean size", {"size": "siz"}),
        ("counts: there is no column 'sise'", {"counts": ["sise*2"]}),
        ("must be above 0 in every run", {"counts": ["size - 10"]}),
        ("list of one or two", {"counts": ["size", "1", "threads"]}),
        ("list of one or two", {"counts": "size"}),
        ("size: there is no", {"size": "machine"}),
    ],
)
def test_bad_settings_are_named(said, options, table):
    with pytest.raises(ValueError, match=said):
        own(table(60), **options)


def test_an_interrupted_contest_goes_on(path, monkeypatch):
    report = path.with_suffix(".html")
    whole = own(path).board
    real, count = rounds._play, []

    def interrupted(*arguments):
        count.append(1)
        if len(count) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(rounds, "_play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        own(path, report=report)
    kept = path.with_suffix(".rounds.jsonl")
    with kept.open("a") as file:
        file.write('[3, [["cut off')
    board = own(path, report=report).board
    assert len(count) == 3 + 2, "four rounds in all, two of them kept"
    timing = ["fit_seconds"]
    pd.testing.assert_frame_equal(board.drop(columns=timing), whole.drop(columns=timing))
    own(path, report=report)
    assert len(count) == 5
    own(path, report=report, drawings=3)
    assert len(count) == 5 + 6, "other settings, another contest"


def test_two_processes_find_what_one_finds(path):
    """In a process of its own, the entries come along."""
    one = own(path, budgets=[20]).board.drop(columns="fit_seconds")
    two = contest.own_contest(path, "seconds", budgets=[20], drawings=2, cores=2).board
    pd.testing.assert_frame_equal(one, two.drop(columns="fit_seconds"))


def run(*arguments):
    return CliRunner().invoke(main, ["contest", *map(str, arguments)])


def test_the_command_writes_a_page_that_needs_nothing_else(path):
    done = run(path, "--target", "seconds", "--group", "machine", "--cores", 1, "--units", "size=B")
    assert done.exit_code == 0, done.output
    assert "Another run of this kind" in done.output
    page = path.with_suffix(".html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "http" not in page
    assert "<svg" in page
    assert '<td class="words">size</td><td class="words">B</td>' in page
    assert '<td class="words">another run</td><td>10</td><td class="words">' in page


def test_the_command_s_table_fits_into_80_columns(path):
    done = run(path, "--target", "seconds", "--cores", 1)
    assert "another run" in done.output
    assert max(len(line) for line in done.output.splitlines() if "│" in line) <= 80


def test_the_page_shows_no_markup_of_the_table(table):
    frame = table(60).rename(columns={"size": "<b>size</b>"})
    assert "<b>size" not in own(frame)._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "secnds"], "did you mean seconds"),
        (["--target", "seconds", "--budgets", "ten"], "--budgets must be like"),
        (["--target", "seconds", "--units", "size"], "--units must be like"),
    ],
)
def test_the_command_says_what_is_wrong(path, arguments, said):
    done = run(path, *arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_help_teaches_by_an_example():
    text = run("--help").output
    assert "--target seconds" in text
    assert "laptop,512" in text
