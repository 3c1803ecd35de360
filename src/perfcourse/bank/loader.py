"""Find and load the question bank of a topic."""

from __future__ import annotations

import importlib.util
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perfcourse.bank import Bank, BankError
from perfcourse.bank.validation import check_forms, check_models

BANKS_VARIABLE = "PERFCOURSE_BANKS"


def find(topic: str, start: Path | str | None = None) -> Path:
    """Return the path of `solutions/TOPIC.py`, looked for from `start` or here upwards.

    The folder named by the environment variable `PERFCOURSE_BANKS` is looked at first.
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


def load(path: Path | str, try_models: bool = False) -> Bank:
    """Load the bank from a file `TOPIC.py` whose `bank` is a `Bank`; `try_models` asks all models.

    A `BankError` says where the bank can't be run or graded with, what is wrong, and what to
    change.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no question bank {path}")
    bank = _bank_in(path)
    with in_file(path):
        bank = bank.within(path.parent)
        check_forms(bank)
        if try_models:
            check_models(bank)
    return bank


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Have what is wrong with a bank told with its file's name."""
    try:
        yield
    except BankError as error:
        raise BankError(f"{path}: {error}") from error


def _bank_in(path: Path) -> Bank:
    spec = importlib.util.spec_from_file_location(f"perfcourse_bank_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BankError(f"{path}, {_line(path, error)}: {_told(error)}") from error
    bank = getattr(module, "bank", None)
    if not isinstance(bank, Bank):
        raise BankError(f"{path} must set bank = Bank(...), got {type(bank).__name__}")
    return bank


def _line(path: Path, error: Exception) -> str:
    """Return which line of a file an error comes from."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f"line {lines[-1]}" if lines else "on loading"


def _told(error: Exception) -> str:
    """Return what went wrong: in our own words as they are, else with the error's type."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
