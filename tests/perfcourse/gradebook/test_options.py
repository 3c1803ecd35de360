import click
import pytest
from click.testing import CliRunner

from perfcourse.gradebook.lateness import Deadline
from perfcourse.gradebook.options import deadline_from, deadline_options


@click.command()
@deadline_options
def command(due, late, extensions):
    try:
        terms = deadline_from(due, late, extensions)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{terms.due} {terms.policy.share:g} {sorted(terms.extensions)}")


def run(*words):
    return CliRunner().invoke(command, list(words)).output.strip()


def test_no_option_is_no_deadline():
    assert deadline_from("", "", None) == Deadline()


def test_options_make_a_deadline(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("student,due\nada,2026-10-08\n")
    words = ("--due", "2026-10-05 23:59", "--late", "10 % a day", "--extensions", str(path))
    assert run(*words) == "Mon 5 Oct 2026 23:59 0.1 ['ada']"
    assert run("--due", "2026-10-05") == "Mon 5 Oct 2026 23:59 0 []"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--late", "10 % a day"], "--late needs --due, such as"),
        (["--extensions", __file__], "--extensions needs --due, such as"),
        (["--due", "Monday"], "a due date must be such as 2026-10-05 23:59"),
        (["--due", "2026-10-05", "--late", "dear"], "--late must be made of"),
        (["--due", "2026-10-05", "--extensions", "none.csv"], "'none.csv' does not exist"),
    ],
)
def test_what_is_wrong_is_one_sentence(words, message):
    output = run(*words)
    assert message in output
    assert "Traceback" not in output
