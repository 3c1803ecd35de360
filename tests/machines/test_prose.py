"""Hardware numbers in the book's text agree with the registry.

In a sentence (or table row, or line of code) that names a machine of the registry, every number in
bytes/s, FLOP/s, OP/s or watts must be one of that machine's figures, to the digits printed. A
paragraph with a comment `<!-- not from the registry: why -->` is left alone.
"""

import re
from pathlib import Path

import nbformat
import pytest

from perfmodel import machines

PROJECT = Path(__file__).parents[2]
PAGES = sorted([*PROJECT.glob("book/**/*.md"), *PROJECT.glob("notebooks/**/*.ipynb")])
MARKED = "not from the registry:"
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
UNITS = {"B": "bytes/s", "FLOP": "FLOP/s", "OP": "OP/s", "W": "W"}
NUMBER = re.compile(
    r"(?<![\w.,])(\d[\d,]*\.?\d*)[\s\u00a0\u202f]*(?:([kMGTPE]?)(B|FLOP|OP)/s|([kM]?)(W))(?![\w/])"
)


def short_names():
    """Return the machines that each name used in prose may mean, the longest name first."""
    names = {}
    for id in machines.ids(own=False):
        names.setdefault(machines.get(id).short, []).append(machines.get(id))
    return sorted(names.items(), key=lambda pair: -len(pair[0]))


def named(statement):
    found = []
    for name, meant in short_names():
        statement, count = re.subn(rf"(?<![\w-]){re.escape(name)}s?(?![\w])", " ", statement)
        found += meant if count else []
    return found


def numbers(statement):
    """Yield (text, value, half a unit of the last printed digit, unit) of the rates and powers."""
    for match in NUMBER.finditer(statement):
        digits = match[1].replace(",", "").rstrip(".")
        scale = PREFIXES[match[2] or match[4] or ""]
        half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
        yield match[0], float(digits) * scale, half * scale, UNITS[match[3] or match[5]]


def wrong_numbers(text):
    """Return what the registry contradicts, as (number, machines' ids)."""
    wrong = []
    for paragraph in re.split(r"\n\s*\n", text):
        if MARKED in paragraph:
            continue
        for statement in re.split(r"\n(?=[|\-*\d])|(?<=[.!?;])\s+(?=[A-Z\W])", paragraph):
            meant = named(statement)
            for shown, value, half, unit in numbers(statement) if meant else ():
                known = [f.value for m in meant for f in m.figures.values() if f.unit == unit]
                if not any(abs(value - figure) <= half * (1 + 1e-9) for figure in known):
                    wrong.append((shown, [machine.id for machine in meant]))
    return wrong


def text_of(path):
    if path.suffix == ".md":
        return path.read_text("utf-8")
    return "\n\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_hardware_numbers_in_the_text_are_those_of_the_registry(path):
    assert wrong_numbers(text_of(path)) == []


@pytest.mark.parametrize(
    "text",
    [
        "An H200 reads 4.8 TB/s and does 989 TFLOP/s in bf16 at 700 W.",
        "The A100s have 2,039 GB/s or 1.935 TB/s.",
        "The T4 has 320 GB/s. A disk has 500 MB/s.",
        "A node does 900 GFLOP/s and reads 80 GB/s.",
        "<!-- not from the registry: the paper's own run --> On an A100 it reached 1.2 TB/s.",
        "An M1 Max reads 400 GB/s, an M1 68 GB/s.",
        "Of the H100's 80 GB it used 3 GB in 12 ms.",
    ],
)
def test_right_and_unrelated_numbers_pass(text):
    assert wrong_numbers(text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("An H200 reads 4.9 TB/s.", "4.9 TB/s"),
        ("The H100 does 1,979 TFLOP/s in bf16 and 660 TFLOP/s in fp8.", "660 TFLOP/s"),
        ("| RTX 4090 | 1,010 GB/s | 450 W |", "1,010 GB/s"),
        ("An EPYC 9654 draws 400 W.", "400 W"),
        ("A TPU v5e has 400 TOP/s.", "400 TOP/s"),
        ('says = "MI300X: 5.4 TB/s"', "5.4 TB/s"),
    ],
)
def test_wrong_numbers_are_found(text, shown):
    assert [number for number, _ in wrong_numbers(text)] == [shown]
