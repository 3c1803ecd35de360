"""Damaged and odd files of all readers: refused in a sentence, or read as before the damage."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from perfmodel.command import main

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
TWO = ("compare", "FILE", "FILE")
USERS = ("users", "FILE")
KERNEL = ("kernel", "FILE", "--machine", "epyc-7763")
PROMISE = ("--promise", "p99 response < 1s")
COMMANDS = {
    "hyperfine.json": TWO,
    "gbench.json": TWO,
    "gbench.csv": TWO,
    "go-bench.txt": TWO,
    "jmh.json": TWO,
    "pyperf.json": TWO,
    "pytest-benchmark.json": TWO,
    "two-runs-with-pauses.csv": ("compare", "FILE"),
    "jmeter.csv": ("capacity", "FILE", "--promise", "p90 wait < 200ms"),
    "ab.txt": USERS,
    "hey.txt": USERS,
    "k6.json": USERS,
    "k6.txt": USERS,
    "wrk2.txt": USERS,
    "vegeta.json": USERS,
    "vegeta.txt": USERS,
    "h2load.txt": USERS,
    "httperf.txt": USERS,
    "siege.json": USERS,
    "loadtest.txt": USERS,
    "locust_stats.csv": USERS,
    "locust_stats_history.csv": USERS,
    "fio.json": USERS,
    "requests.prom": (*USERS, *PROMISE),
    "otel-default-bounds.json": (*USERS, *PROMISE),
    "steps-de.csv": (*USERS, "--users", "Nutzer", "--throughput", "Durchsatz:1/s"),
    "closed.jmva": ("queue", "FILE"),
    "drop.jsimg": ("queue", "FILE", "--assume", "customers=2000"),
    "scaling-runs.csv": ("scale", "FILE", "--at", "512"),
    "hpc/extra-p-strong-scaling.txt": ("scale", "FILE", "--at", "512", "--time", "time:s"),
    "hpc/sacct-P.txt": ("scale", "FILE", "--at", "512"),
    "hpc/likwid-mem-dp.txt": KERNEL,
    "hpc/perf-stat-x.txt": KERNEL,
    "hpc/perf-stat-j.txt": KERNEL,
    "hpc/ncu.csv": (*KERNEL[:3], "a100-sxm4-80gb"),
    "hpc/nccl-all-reduce.txt": ("collective", "FILE", "--size", "64MiB"),
    "hpc/osu-allreduce.txt": ("collective", "FILE", "--size", "64KiB"),
    "learning-curve.csv": ("forecast", "FILE", "--at", "50000"),
    "example-8b/config.json": ("llm", "memory", "FILE", "--on", "h100-sxm5"),
}


def a_number(text: str, instead: str) -> str:
    """Replace the number in the middle."""
    found = list(re.finditer(r"(?<![\w.])\d+(?:\.\d+)?", text))
    one = found[6 * len(found) // 10]
    return text[: one.start()] + instead + text[one.end() :]


HARMLESS = {
    "a byte order mark": lambda text: f"\ufeff{text}",
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "line ends of old Macs": lambda text: text.replace("\n", "\r"),
}
HARMFUL = {
    "truncated": lambda text: text[: len(text) // 2],
    "no number": lambda text: a_number(text, "n/a"),
    "not a number": lambda text: a_number(text, "nan"),
    "negative": lambda text: a_number(text, "-7"),
    "a huge number": lambda text: a_number(text, "9" * 400),
    "another locale": lambda text: re.sub(r"(\d)\.(\d)", r"\1,\2", text),
    "another delimiter": lambda text: text.replace(",", ";"),
    "bytes of zero": lambda text: f"{text[: len(text) // 2]}\0{text[len(text) // 2 :]}",
    "a page of an error": lambda text: "<!DOCTYPE html><html>404 Not Found</html>",
}


def run(name: str, path: Path):
    command = [str(path) if word == "FILE" else word for word in COMMANDS[name]]
    return CliRunner().invoke(main, command)


def is_refused(ran, path: Path) -> bool:
    said = ran.stderr.strip()
    return ran.exit_code == 3 and said.count("\n") == 0 and str(path) in said and "; " in said


def damaged(name: str, damage, folder: Path) -> Path:
    path = folder / Path(name).name
    path.write_text(damage((SAMPLES / name).read_text("utf-8")), "utf-8", newline="")
    return path


@pytest.mark.parametrize(("i", "name"), enumerate(COMMANDS))
def test_marks_of_other_systems_change_nothing(i, name, tmp_path):
    damage = list(HARMLESS.values())[i % len(HARMLESS)]
    plain = run(name, damaged(name, lambda text: text, tmp_path))
    assert run(name, damaged(name, damage, tmp_path)).output == plain.output != ""


@pytest.mark.parametrize(("i", "name"), enumerate(COMMANDS))
def test_damage_ends_in_a_sentence_or_an_answer(i, name, tmp_path):
    """Two kinds of damage for each sample; a number that no answer rests on may be anything."""
    for k in (2 * i, 2 * i + 1):
        damage = list(HARMFUL.values())[k % len(HARMFUL)]
        path = damaged(name, damage, tmp_path)
        ran = run(name, path)
        assert ran.exit_code in (0, 1, 2) or is_refused(ran, path), (name, k, ran.output)


@pytest.mark.parametrize("name", COMMANDS)
def test_two_files_in_one_are_refused_with_the_line(name, tmp_path):
    path = damaged(name, lambda text: f"{text}\n{text}", tmp_path)
    ran = run(name, path)
    assert is_refused(ran, path), ran.output
    assert re.search(r", line \d+: ", ran.stderr)


def test_a_perf_log_of_intervals_is_refused(tmp_path):
    path = tmp_path / "perf.csv"
    path.write_text(
        "     1.000123456,1001.20,msec,task-clock,1001200000,100.00,1.0,CPUs utilized\n"
    )
    ran = CliRunner().invoke(main, ["kernel", str(path), "--machine", "epyc-7763"])
    assert "line 1: the line starts with a time, as perf stat -I prints it" in ran.stderr


def test_perf_may_separate_by_tabs(tmp_path):
    text = (SAMPLES / "hpc" / "perf-stat-x.txt").read_text()
    plain, tabs = (tmp_path / name for name in ("plain.txt", "tabs.txt"))
    plain.write_text(text)
    tabs.write_text(text.replace(",", "\t"))
    answers = [
        CliRunner().invoke(main, ["kernel", str(file), "--machine", "epyc-7763"]).stdout
        for file in (plain, tabs)
    ]
    assert answers[0] == answers[1] != ""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pyperf.json", r'"runs": .*', '"runs": {}}]}'),
        ("hpc/perf-stat-j.txt", '"page-faults"', "48"),
        ("siege.json", r'"response_time":\s*[\d.]+', '"response_time": 0.00'),
        ("vegeta.json", r'"mean": ?\d+', '"mean": 1e999'),
        ("example-8b/config.json", '"model_type": "[^"]*"', '"model_type": ["llama"]'),
    ],
)
def test_a_field_of_another_type_or_range_is_refused(name, old, new, tmp_path):
    path = damaged(name, lambda text: re.sub(old, new, text, count=1, flags=re.S), tmp_path)
    assert path.read_text("utf-8") != (SAMPLES / name).read_text("utf-8")
    ran = run(name, path)
    assert is_refused(ran, path), ran.output
