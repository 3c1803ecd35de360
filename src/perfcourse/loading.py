"""Find and load the question bank of a topic."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

from perfcourse.bank import Bank

BANKS_VARIABLE = "PERFCOURSE_BANKS"


def find(topic: str, start: Path | str | None = None) -> Path:
    """Return the path of `solutions/TOPIC.py`, looked for from `start` upwards.

    `start` is the current directory where left out; the folder named by the environment variable
    `PERFCOURSE_BANKS` is looked at first.

    Raises
    ------
    FileNotFoundError
        No such bank.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", topic):
        raise ValueError(f"topic must be a name like scaling, got {topic!r}")
    start = Path(start) if start is not None else Path.cwd()
    folders = [folder / "solutions" for folder in (start, *start.resolve().parents)]
    if named := os.environ.get(BANKS_VARIABLE):
        folders.insert(0, Path(named))
    for folder in folders:
        if (folder / f"{topic}.py").is_file():
            return folder / f"{topic}.py"
    raise FileNotFoundError(f"no solutions/{topic}.py in {start} or any folder above it")


def load(path: Path | str) -> Bank:
    """Load the bank from a file `TOPIC.py` whose `bank` is a `Bank`."""
    path = Path(path)
    spec = importlib.util.spec_from_file_location(f"perfcourse_bank_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bank = getattr(module, "bank", None)
    if not isinstance(bank, Bank):
        raise ValueError(f"{path} must set bank = Bank(...), got {type(bank).__name__}")
    return bank
