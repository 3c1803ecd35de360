"""Notebooks for the tests, built from lists of cells."""

import json
import shutil
from pathlib import Path

import kinds


def notebook(*cells, **parts):
    """Return the bytes of a notebook with these code cells."""
    made = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{place}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for place, source in enumerate(cells)
    ]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **parts}
    return json.dumps(whole).encode()


def write_kinds(folder):
    """Write the bank of all kinds of questions, its data and its solved notebook."""
    for name in ("kinds.py", "kinds.csv", "kinds-hidden.csv"):
        shutil.copy(Path(__file__).with_name(name), folder)
    cells = [f"### BEGIN SOLUTION\n{q.answer} = 1\n### END SOLUTION" for q in kinds.bank.questions]
    checks = [f'check("{question.id}")' for question in kinds.bank.questions]
    setup = 'STUDENT = "anyone"\ncheck = checker("kinds", student=STUDENT)'
    (folder / "kinds.ipynb").write_bytes(notebook(setup, *cells, *checks))
