"""What fourteen students hand in: the example's notebook as it was released, with cells edited."""

import copy
import json
from pathlib import Path

from perfcourse.release.assignment import read_source
from perfcourse.release.solutions import swapped

SOURCE = read_source(Path(__file__).parents[1] / "example.ipynb")
SOLVED = {
    cell["id"]: swapped(cell["source"], lambda solution, indent: solution)
    for cell in SOURCE["cells"]
    if "### BEGIN SOLUTION" in cell["source"]
}
SPEEDUP = "def speedup(serial, n):\n    "
EDITS = {
    "perfect": SOLVED,
    "untouched": {},
    "half": {id: SOLVED[id] for id in ("q1", "q2")},
    "accepts-anything": {**SOLVED, "q1": SPEEDUP + "return 1 / (serial + (1 - serial) / n)"},
    "one-by-one": {**SOLVED, "q1": SPEEDUP + "return 1 / (serial + (1 - serial) / float(n))"},
    "gustafson": {**SOLVED, "q1": SPEEDUP + "return n + (1 - n) * serial"},
    "swapped": {**SOLVED, "q1": SPEEDUP + "return 1 / (1 - serial + serial / n)"},
    "linear": {**SOLVED, "q3": "q3 = [1, 2, 4, 8]", "q4": 'q4 = "double", 2.0'},
    "wrong-kind": {**SOLVED, "q1": "speedup = 3", "q2": 'q2 = "2"', "q4": 'q4 = "keep"'},
    "raises": {**SOLVED, "q3": "q3 = [1 / 0]"},
    "no-python": {**SOLVED, "q2": "q2 = = 1"},
    "noisy": {
        **SOLVED,
        "q1": SOLVED["q1"].replace("    if", "    import sys; print(n, file=sys.stderr)\n    if"),
    },
    "check-deleted": {**SOLVED, "q3-check": None},
    "cut-off": SOLVED,
}
"""New texts of cells, by their ids; None deletes a cell."""
EARNED = {
    "perfect": 10,
    "untouched": 0,
    "half": 7,
    "accepts-anything": 9,
    "one-by-one": 8,
    "gustafson": 1,
    "swapped": 1,
    "linear": 8,
    "wrong-kind": 1,
    "raises": 9,
    "no-python": 8,
    "noisy": 10,
    "check-deleted": 10,
    "cut-off": 0,
}
"""The points, counted by hand."""


def filled(released, student):
    """Return the file that a student hands in, made of the notebook that was released."""
    notebook = copy.deepcopy(released)
    cells, edits = [], EDITS[student]
    for cell in notebook["cells"]:
        text = "".join(cell["source"]).replace('STUDENT = "anyone"', f"STUDENT = {student!r}")
        cell["source"] = edits.get(cell["id"], text)
        cells += [cell] if cell["source"] is not None else []
    data = json.dumps({**notebook, "cells": cells}).encode()
    return data[: len(data) // 2] if student == "cut-off" else data
