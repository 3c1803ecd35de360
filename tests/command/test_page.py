"""The page shows what the commands say: each console block is run, and every command has a row."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from perfmodel.command import COMMANDS, main

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "book" / "bring-your-own-numbers.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n\$ perfmodel (.*)\n((?:.*\n)*?)```", PAGE)


def shown(command):
    ran = CliRunner().invoke(main, shlex.split(command))
    return "\n".join(line.rstrip() for line in (ran.stdout + ran.stderr).splitlines())


def without_address(text):
    """Leave out the chapter's address, which the book's configuration decides."""
    return re.sub("(?m)^Read more: .*$", "", text).strip()


@pytest.mark.parametrize(("command", "printed"), BLOCKS, ids=[one[0].split()[0] for one in BLOCKS])
def test_a_block_is_what_the_command_says(command, printed, monkeypatch):
    monkeypatch.chdir(PROJECT / "tests" / "readers" / "samples")
    monkeypatch.setenv("COLUMNS", "80")
    assert without_address(shown(command)) == without_address(printed)


def test_every_command_has_a_row():
    assert set(re.findall(r"\| `perfmodel (\w+)` \|", PAGE)) == set(COMMANDS)


def test_commands_are_shown():
    assert len(BLOCKS) >= 4
