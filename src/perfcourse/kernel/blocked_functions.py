"""Take a package's own functions away while a student's function is called.

A question that asks the student to build what `perfmodel` already offers must tell an answer that
only calls the package. While the student's function runs, the code of the package's function is
swapped for one that raises, so that every alias, import and partial of it is caught.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

MARK = "perfcourse: withheld"


touched: list[int] = []
"""Grows whenever a function that was taken away is called all the same."""


class Missed:
    """Stands last among what finds modules: one of the package's that comes here is out of sight.

    Then the notebook misses it just as it would miss a function that was taken away.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Find nothing, and note down that somebody asked."""
        if name.partition(".")[0] == "perfmodel":
            touched.append(1)


def _stub(*args: Any, **kwargs: Any) -> None:
    __import__("perfcourse.kernel.blocked_functions").kernel.blocked_functions.touched.append(1)
    raise RuntimeError("perfcourse: withheld")


@contextmanager
def withheld(names: Sequence[str]) -> Iterator[None]:
    """Make the functions called `names` (dotted) raise RuntimeError inside the block.

    >>> import textwrap
    >>> with withheld(["textwrap.dedent"]):
    ...     textwrap.dedent("  a")
    Traceback (most recent call last):
        ...
    RuntimeError: perfcourse: withheld
    >>> textwrap.dedent("  a")
    'a'
    """
    functions = [_function(name) for name in names]
    codes = [function.__code__ for function in functions]
    try:
        for function in functions:
            function.__code__ = _stub.__code__
        yield
    finally:
        for function, code in zip(functions, codes, strict=True):
            function.__code__ = code


def take_away(names: Sequence[str]) -> None:
    """Make the functions called `names` (dotted) raise RuntimeError for good."""
    for name in names:
        _function(name).__code__ = _stub.__code__


def home(name: str) -> str:
    """Return the package in which a function of the course's is written, empty for any other.

    >>> home("perfmodel.scaling.amdahl_speedup"), home("textwrap.dedent")
    ('perfmodel.scaling', '')
    """
    package = _function(name).__module__.rpartition(".")[0]
    return package if package.partition(".")[0] == "perfmodel" else ""


def _function(name: str) -> types.FunctionType:
    module, _, attribute = name.rpartition(".")
    function = getattr(importlib.import_module(module), attribute)
    if not isinstance(function, types.FunctionType) or function.__closure__:
        raise ValueError(f"builds must name plain Python functions, got {name!r}")
    return function
