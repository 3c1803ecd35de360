"""Grade the same submissions with perfcourse, nbgrader and Otter; print submissions a minute.

Run `.venv/bin/python benchmarks/grading.py`. The peers are installed into `.peers` the first time,
as by `make test PEERS=1` (a minute). Each tool grades copies of a solution, made different by a
comment: nbgrader in one batch (`nbgrader autograde`), Otter in one process in a loop over
`otter.run`, perfcourse by `perfcourse grade`, its start included. The tools take turns, so that
whatever else the machine does slows all of them alike; the ratio is the median of all turns'.

`--topic small --ours 16 --peers 16` grades a small class's work on an assignment of six short
questions that imports nothing heavy, as most do; `--topic small --ours 300` that of a large class.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from perfcourse.release.assignment import read_source, without_given, written
from perfcourse.release.nbgrader import write_nbgrader
from perfcourse.release.otter import write_otter

ROOT = Path(__file__).resolve().parents[1]
SMALL = Path(__file__).resolve().parent / "small"
PEERS = ROOT / ".peers"
WORK = ROOT / "_build" / "grading-benchmark"
OTTER_LOOP = """
import sys, time
from otter.run import main as run
times = []
for path in sys.argv[3:]:
    started = time.time()
    run(path, autograder=sys.argv[1], output_dir=sys.argv[2], no_logo=True)
    times.append(time.time() - started)
print(sum(times))
"""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topic", default="scaling")
    parser.add_argument("--ours", type=int, default=60, help="submissions a turn for perfcourse")
    parser.add_argument("--peers", type=int, default=4, help="submissions a turn for each peer")
    parser.add_argument("--turns", type=int, default=3, help="turns that each tool takes")
    options = parser.parse_args()
    set_up_peers()
    shutil.rmtree(WORK, ignore_errors=True)
    made = submissions(options.topic, options.turns * max(options.ours, options.peers))
    prepare_nbgrader(options.topic)
    prepare_otter(options.topic)
    tools = {
        "perfcourse": (ours, options.ours),
        "nbgrader": (nbgrader, options.peers),
        "otter": (otter, options.peers),
    }
    turns: list[dict[str, dict[str, float]]] = []
    for turn in range(options.turns):
        rows = {}
        for name, (tool, count) in tools.items():
            paths = made[turn * count : (turn + 1) * count]
            rows[name] = row(len(paths), tool(options.topic, paths, turn))
            print(f"turn {turn + 1}: {name} {rows[name]['seconds']:.1f} s", flush=True)
        turns.append(rows)
    report(turns, options)


def report(turns: list[dict[str, dict[str, float]]], options: argparse.Namespace) -> None:
    """Print the table and keep the turns as JSON beside the work."""
    print(f"\n{options.topic} on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':12}{'submissions':>12}{'a minute':>10}   perfcourse is faster by (range of turns)")
    for name in turns[0]:
        count, seconds = (sum(rows[name][key] for rows in turns) for key in ("count", "seconds"))
        ratios = [rows["perfcourse"]["a_minute"] / rows[name]["a_minute"] for rows in turns]
        print(
            f"{name:12}{count:>12.0f}{60 * count / seconds:>10.1f}   "
            f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        )
    (WORK / "result.json").write_text(json.dumps(turns, indent=1) + "\n")


def set_up_peers() -> None:
    """Install nbgrader, Otter and this project into an environment of their own."""
    subprocess.run(["make", "--silent", "-C", ROOT, ".peers/.ready"], check=True)


def course(topic: str) -> Path:
    """Return the folder of the course that has a topic: the project, or the small one beside."""
    return SMALL if topic == "small" else ROOT


def submissions(topic: str, count: int) -> list[Path]:
    """Write the solution `count` times, each a little different; return the files."""
    folder = WORK / "submissions"
    folder.mkdir(parents=True)
    source = read_source(course(topic) / "solutions" / f"{topic}.ipynb")
    first = next(cell for cell in source["cells"] if cell["cell_type"] == "code")
    text, paths = first["source"], []
    for number in range(count):
        first["source"] = f"{text}\n# submission {number}"
        paths.append(folder / f"student{number:04}.ipynb")
        paths[-1].write_text(written(source), encoding="utf-8")
    return paths


def timed(words: list[object], where: Path, topic: str) -> float:
    """Run a command that must succeed and return its wall time."""
    path = f"{PEERS / 'bin'}{os.pathsep}{os.environ['PATH']}"
    banks = {**os.environ, "PERFCOURSE_BANKS": str(course(topic) / "solutions"), "PATH": path}
    started = time.perf_counter()
    done = subprocess.run(words, cwd=where, env=banks, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.perf_counter() - started


def ours(topic: str, paths: list[Path], turn: int) -> float:
    """Grade with `perfcourse grade`; return the seconds."""
    folder = WORK / f"ours-{turn}"
    folder.mkdir()
    for path in paths:
        shutil.copy(path, folder)
    words = [sys.executable, "-m", "perfcourse", "grade", folder, "--topic", topic]
    return timed(words, course(topic), topic)


def prepare_nbgrader(topic: str) -> None:
    """Make the assignment for nbgrader."""
    folder = WORK / "nbgrader"
    write_nbgrader(topic, course(topic), folder)
    timed([PEERS / "bin" / "nbgrader", "generate_assignment", topic], folder, topic)


def nbgrader(topic: str, paths: list[Path], turn: int) -> float:
    """Grade with `nbgrader autograde`, which passes over what it has graded; return the seconds."""
    folder = WORK / "nbgrader"
    released = (folder / "release" / topic / f"{topic}.ipynb").read_text()
    for path in paths:
        handed = folder / "submitted" / path.stem / topic / f"{topic}.ipynb"
        handed.parent.mkdir(parents=True)
        whole = json.loads(released)
        answered = json.loads(path.read_text())["cells"]
        for cell, solved in zip(without_given(whole), answered, strict=True):
            cell["source"] = solved["source"]
        handed.write_text(json.dumps(whole))
    return timed([PEERS / "bin" / "nbgrader", "autograde", topic], folder, topic)


def prepare_otter(topic: str) -> None:
    """Make the autograder for Otter."""
    folder = WORK / "otter"
    notebook = write_otter(topic, course(topic), folder).name
    words = [PEERS / "bin" / "otter", "assign", "--no-run-tests", notebook, "dist"]
    timed(words, folder, topic)
    (zipped,) = (folder / "dist" / "autograder").glob("*.zip")
    zipped.rename(folder / "zip.zip")
    (folder / "out").mkdir()


def otter(topic: str, paths: list[Path], turn: int) -> float:
    """Grade with Otter in one process; return the seconds."""
    words = [PEERS / "bin" / "python", "-c", OTTER_LOOP, "zip.zip", "out", *paths]
    return timed(words, WORK / "otter", topic)


def row(count: int, seconds: float) -> dict[str, float]:
    """Return one line of the table."""
    return {
        "count": count,
        "seconds": round(seconds, 2),
        "a_minute": round(60 * count / seconds, 2),
    }


if __name__ == "__main__":
    main()
