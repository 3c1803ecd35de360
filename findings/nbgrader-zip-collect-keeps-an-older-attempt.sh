#!/bin/bash
# nbgrader 0.9.6, seen 2026-11-29.
# `nbgrader zip_collect` keeps one time for each student, not one for each notebook: an attempt is
# "older" if any other notebook of this student was handed in after it.
# Seen: a handed in at 12:00, b at 10:00 and again at 11:00. Collected are a, and the b of 10:00;
# the log says "Skipped submission file with older timestamp" of the b of 11:00, and the status is
# 0. Without a, the b of 11:00 is collected.
# Expected: the b of 11:00. The code means to "keep if duplicate submission file has a newer
# timestamp", and compares with the time of a. Costs points in assignments of several notebooks,
# where names put the notebook before the time.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q nbgrader==0.9.6
cat > nbgrader_config.py <<'C'
c = get_config()
c.FileNameCollectorPlugin.named_regexp = (
    r".*/(?P<student_id>[a-z]+)_(?P<file_id>[ab])_(?P<timestamp>[0-9-]{19})"
)
C
cat > t.py <<'P'
import importlib.metadata as md
import json
import shutil
import subprocess
from pathlib import Path

print("nbgrader", md.version("nbgrader"))
assert md.version("nbgrader") == "0.9.6"
empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    cell = {"cell_type": "markdown", "id": "x", "metadata": {}, "source": text}
    path.write_text(json.dumps({**empty, "cells": [cell]}))


def collected(*attempts):
    for folder in ("downloaded", "submitted", "release"):
        shutil.rmtree(folder, ignore_errors=True)
    for name in "ab":
        write(Path("release/ps1") / f"{name}.ipynb", "")
    for name, hour in attempts:
        file = f"ada_{name}_2026-10-05-{hour}-00-00.ipynb"
        write(Path("downloaded/ps1/archive") / file, f"{name} of {hour}")
    done = subprocess.run(
        ["v/bin/nbgrader", "zip_collect", "ps1"], capture_output=True, text=True, check=False
    )
    print(*(line for line in done.stderr.splitlines() if "Skipped" in line), sep="\n")
    assert done.returncode == 0, done.stderr
    found = sorted(Path("submitted/ada/ps1").glob("*.ipynb"))
    return [json.loads(path.read_text())["cells"][0]["source"] for path in found]


alone = collected(("b", 10), ("b", 11))
both = collected(("a", 12), ("b", 10), ("b", 11))
print("b alone:", alone, " with a:", both)
assert alone == ["b of 11"]
assert both == ["a of 12", "b of 10"]
P
v/bin/python t.py
