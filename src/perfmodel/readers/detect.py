"""Which tool wrote a file, told from its content."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from perfmodel.readers.refusal import UnreadableFileError, text_of

FAMILIES = (
    "timing",
    "load_generators",
    "histograms",
    "jmt",
    "scaling",
    "collectives",
    "counters",
    "slurm",
    "llm_benchmarks",
    "models",
    "tables",
)
"""Modules of this package, each with `FORMATS`: a format's name and the test of a file's text. They
are asked in this order; `tables` stands last, because any CSV is a table."""


def detect(path: Path | str, among: tuple[str, ...] | None = None) -> str:
    """Return the format of a file.

    `among`: the formats that the caller can use; default: all. The result is a key of a family's
    `FORMATS`. Raises `UnreadableFileError` if it is none of them; the sentence lists those that are
    read here.
    """
    text = text_of(path)
    modules = [import_module(f"perfmodel.readers.{family}") for family in FAMILIES]
    known: dict[str, Callable[[str], bool]] = {}
    for module in modules:
        known |= module.FORMATS
    found = next((name for name, matches in known.items() if matches(text)), None)
    usable = tuple(known) if among is None else among
    if found in usable:
        return found
    what = "no known format" if found is None else f"a file of {found} can't answer this"
    raise UnreadableFileError(path, None, what, f"read here: {', '.join(usable)}")
