"""Real programs with a real compiler's label: Python's bytecode and the stack it needs.

The compiler of CPython writes into every code object how deep its stack may get. The standard
library's sources hold thousands of functions; those without jumps are straight-line code, as in
`program`, and the depth follows from what each instruction pushes and pops.

>>> code = compile("x = a + b * c", "example", "exec")
>>> stack_depth(code) == code.co_stacksize
True
"""

from __future__ import annotations

import dis
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType

import numpy as np

from perfmodel.prediction.arena.dataset import Dataset

MODULES = (
    *("argparse", "ast", "calendar", "configparser", "csv", "datetime", "decimal", "difflib"),
    *("email.message", "enum", "fractions", "functools", "http.client", "imaplib", "inspect"),
    *("ipaddress", "locale", "logging", "mailbox", "optparse", "pathlib", "pickle", "pickletools"),
    *("platform", "plistlib", "pprint", "pydoc", "random", "shelve", "shutil", "smtplib", "socket"),
    *("ssl", "statistics", "string", "subprocess", "tarfile", "tempfile", "threading", "tokenize"),
    *("traceback", "turtle", "types", "typing", "unittest.mock", "uuid", "warnings", "weakref"),
    *("xml.dom.minidom", "zipfile"),
)
"""Modules of the standard library that are compiled, not run."""


def stack_depth(code: CodeType) -> int:
    """Return the deepest that the stack gets, by adding up what each instruction pushes and pops.

    Code that jumps or handles exceptions is refused: there the depth depends on the path.
    """
    if not is_straight(code):
        raise ValueError(f"code must be without jumps and handlers, got {code.co_name!r}")
    depth = deepest = 0
    for step in dis.get_instructions(code):
        argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
        depth += dis.stack_effect(step.opcode, argument, jump=False)
        deepest = max(deepest, depth)
    return deepest


def is_straight(code: CodeType) -> bool:
    """Return whether the code runs from its first to its last instruction."""
    jumps = {*dis.hasjrel, *dis.hasjabs}
    return not code.co_exceptiontable and all(
        step.opcode not in jumps for step in dis.get_instructions(code)
    )


def functions(modules: Sequence[str] = MODULES) -> list[CodeType]:
    """Return the straight-line functions of modules, of each sequence of instructions one.

    Modules that this Python does not have as source are left out.
    """
    straight: dict[str, CodeType] = {}
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            continue
        source = Path(spec.origin).read_text("utf-8")
        for code in _within(compile(source, spec.origin, "exec")):
            if code.co_name != "<module>" and code.co_stacksize > 0 and is_straight(code):
                straight.setdefault(text(code), code)
    return list(straight.values())


def text(code: CodeType) -> str:
    """Return the names of the instructions in order, with a space between."""
    return " ".join(step.opname for step in dis.get_instructions(code))


def table(codes: Sequence[CodeType]) -> Dataset:
    """Return functions as a data set: their instructions as text, how many, and the stack."""
    import pandas as pd

    texts = [text(code) for code in codes]
    lengths = [len(names.split()) for names in texts]
    return Dataset(
        "Python stack",
        pd.DataFrame({"text": texts, "instructions": lengths}),
        {"text": "", "instructions": "1"},
        np.array([float(code.co_stacksize) for code in codes]),
        "stack depth",
        "1",
        "CPython's compiler on its standard library, on this machine",
        "PSF-2.0 (the sources compiled)",
        noise=0.0,
    )


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)
