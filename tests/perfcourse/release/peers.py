"""nbgrader and Otter, run in an environment of their own: `.peers`, made by `make test PEERS=1`."""

import os
import subprocess
from pathlib import Path

import pytest
from required import required

HOME = Path(__file__).parents[3] / ".peers"
BIN = HOME / "bin"


def needs(tool):
    """Return the mark of a test that needs nbgrader or Otter; stop where it is required."""
    there = (HOME / ".ready").exists()
    if required(tool) and not there:
        raise pytest.UsageError(f"{tool} must be tested here, but there is no {HOME}")
    return pytest.mark.skipif(not there, reason=f"{tool} is not set up: make test PEERS=1")


def run(folder, *words, fails=False, **environment):
    """Run a program of the environment in `folder` and return what it prints."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [BIN / words[0], *words[1:]],
        cwd=folder,
        env={**inherited, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )
    printed = done.stdout + done.stderr
    assert fails or done.returncode == 0, printed[-4000:]
    return printed
