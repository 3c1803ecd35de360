"""What a command says when something fails: one sentence, with the file's name."""

import errno

import click
import pytest

from perfcourse.commands.console import StoppedError, in_words
from perfcourse.isolation.session import BrokenError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "a.csv"),
            "a.csv: No space left on device",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "from.csv", None, "to.csv"),
            "to.csv: No space left on device",
        ),
        (OSError("the scheduler is gone"), "the scheduler is gone"),
        (ValueError("points must be a number"), "points must be a number"),
        (BrokenError("the warm parent is gone"), "the warm parent is gone"),
        (click.ClickException("no bank"), "no bank"),
        (KeyError("x"), "the grader failed (KeyError: 'x')"),
    ],
)
def test_what_failed_is_a_sentence(error, words):
    assert in_words(error) == words


def test_a_command_that_nobody_s_signal_stopped_has_the_status_of_ctrl_c():
    assert StoppedError("stopped").exit_code == 130
