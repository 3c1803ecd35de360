"""The suite on made-up processes: rounds, time limit, summaries, the saved machine, the command."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from perfmodel import machines
from perfmodel.measurement import child, cli, load, readings
from perfmodel.measurement.cpu import battery, suite
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.readings import Reading
from perfmodel.measurement.statistics.intervals import prediction_interval

RUN = suite.run
MISSING = Unavailable("a thing", "it is not there", "buy one")


class Processes:
    """Answers for child processes, each of which takes some seconds on its clock."""

    def __init__(self, seconds=1.0):
        self.now, self.seconds, self.asked = 0.0, seconds, []

    def clock(self):
        return self.now

    def __call__(self, function, *arguments, cores, threads):
        assert len(cores) == threads
        self.now += self.seconds
        self.asked.append(function.__name__)
        value = {
            "arithmetic": [Reading("peak_fp64", "FLOP/s", 5e10 + self.now, 4e10, 60)],
            "memory": [Reading("l1_latency", "s", 2e-9 - 1e-12 * self.now, 3e-9, 60), MISSING],
            "operating_system_costs": [
                Reading("lock_time", "s", 2e-7, 2e-7, 9, "free", 1e-7, 3e-7)
            ],
            "ladders": [Reading("latency_at_16_kib", "s", 1e-9, 2e-9, 60)],
        }[function.__name__]
        return child.Outcome(value, tuple(cores), threads, "")


def made(plan=suite.QUICK, seconds=1.0):
    processes = Processes(seconds)
    return RUN(plan, clock=processes.clock, asked=processes), processes


def test_the_quick_suite_asks_five_processes_for_each_capacity():
    result, processes = made()
    assert processes.asked == ["operating_system_costs"] + ["arithmetic", "memory"] * 5
    assert result.seconds == 11.0
    assert [str(item) for item in result.unavailable] == [str(MISSING)]


def test_the_full_suite_asks_five_and_the_ladders_once():
    _, processes = made(suite.FULL)
    assert processes.asked == ["ladders"] + ["arithmetic", "memory", "operating_system_costs"] * 5


def test_no_round_is_begun_that_would_pass_the_limit_but_three_always_are():
    result, processes = made(suite.FULL, seconds=15.0)
    assert processes.asked.count("memory") == 3
    assert result["peak_fp64"].processes == 3
    assert made(suite.FULL, seconds=13.0)[1].asked.count("memory") == 4
    assert made(suite.QUICK, seconds=100.0)[1].asked.count("memory") == 3
    assert made(suite.QUICK, seconds=2.0)[0].seconds <= suite.QUICK.limit


def test_too_few_runs_for_a_capacity_are_said():
    few = [Reading("rate", "bytes/s", 2.0, 1.0, 19, "triad")] * 3
    assert readings.summarised(few)[0].note == "triad; fewer than 60 runs"
    assert readings.summarised([*few, few[0]])[0].note == "triad"


def test_capacities_are_the_best_and_medians_have_an_interval():
    given = [Reading("rate", "bytes/s", b, m, 60) for b, m in ((9, 5), (11, 6), (10, 7))]
    (result,) = readings.summarised(given)
    assert (result.best, result.runs, result.processes) == (11, 180, 3)
    logs = np.log([5, 6, 7])
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) * math.sqrt(4 / 3)
    assert result.median == pytest.approx(210 ** (1 / 3))
    wider = 1 + readings.SHARED
    assert result.low == pytest.approx(math.exp(logs.mean() - half) / wider)
    assert result.high == pytest.approx(math.exp(logs.mean() + half) * wider)
    low, high = prediction_interval([9, 10, 11])
    assert (result.best_low, result.best_high) == pytest.approx((low / wider, high * wider))


def test_the_capacitys_interval_never_leaves_out_what_was_seen():
    given = [Reading("rate", "bytes/s", b, 1.0, 60) for b in [10] * 30 + [12]]
    (result,) = readings.summarised(given)
    assert prediction_interval([10] * 30 + [12])[1] < result.best_high == result.best == 12


def test_the_best_latency_is_the_shortest():
    given = [Reading("latency", "s", b, 2.0, 60) for b in (1.5, 1.2, 1.9)]
    assert readings.summarised(given)[0].best == 1.2


def test_one_process_has_its_own_interval_or_none():
    (lock,) = readings.summarised([Reading("lock_time", "s", 2.0, 2.0, 9, "", 1.0, 3.0)])
    assert (lock.low, lock.high) == (1.0, 3.0)
    (rate,) = readings.summarised([Reading("rate", "bytes/s", 2.0, 1.0, 60)])
    assert (rate.low, rate.high, rate.best_low, rate.best_high) == (None,) * 4
    assert readings.figure(rate, "suite", "2026").low is None


def test_the_machine_carries_capacities_and_their_story():
    result, _ = made()
    machine = suite.as_machine(result, "mine")
    peak = machine.figure("peak_fp64")
    assert peak.value == result["peak_fp64"].best > result["peak_fp64"].median
    assert "best of 300 runs in 5 processes; median 4e+10" in peak.note
    assert peak.low < peak.value <= peak.high
    assert (peak.low, peak.high) == (result["peak_fp64"].best_low, result["peak_fp64"].best_high)
    lock = machine.figure("lock_time")
    assert (lock.value, lock.low, lock.high, lock.unit) == (2e-7, 1e-7, 3e-7, "s")
    assert machine.compute_units >= 1
    assert machine.id == machines.THIS


def test_cache_sizes_count_every_instance_and_assumed_ones_are_left_out():
    levels = (CacheLevel(1, 32 << 10, 1), CacheLevel(3, 30 << 20, 4))
    assert suite._cache_sizes(Hierarchy(levels, 64, "sysfs"), 6) == {
        "l1_cache": 6 * 32 << 10,
        "l3_cache": 60 << 20,
        "last_level_cache": 60 << 20,
    }
    result, _ = made()
    guessed = suite.Suite(
        result.plan, result.summaries, (), Hierarchy(levels, 64, "assumed"), 1.0, ""
    )
    assert not suite.as_machine(guessed).has("last_level_cache")


def test_working_sets_lie_inside_their_level_and_outside_the_one_before():
    levels = (CacheLevel(1, 32 << 10, 1), CacheLevel(2, 1 << 20, 1), CacheLevel(3, 36 << 20, 2))
    for threads in (1, 2):
        sizes = [size for _, size in battery.level_sizes(Hierarchy(levels, 64, "sysfs"), threads)]
        assert sizes[0] < 32 << 10 < sizes[1] < 1 << 20 < sizes[2] < (36 << 20) // threads


def test_what_is_unavailable_is_an_answer_and_not_an_end():
    def part():
        yield Reading("rate", "bytes/s", 2.0, 1.0, 60)
        raise MISSING

    result = readings.guarded(part)
    assert [type(item) for item in result] == [Reading, Unavailable]


def test_a_set_far_beyond_a_large_cache_is_walked_in_part(monkeypatch):
    from perfmodel.measurement.cpu import latency

    large = Hierarchy((CacheLevel(1, 16 << 10, 1), CacheLevel(2, 512 << 10, 1)), 64, "sysfs")
    for name, value in (("hierarchy", lambda: large), ("MIN_MEMORY_BYTES", 1 << 20)):
        monkeypatch.setattr(battery, name, value)
    monkeypatch.setattr(latency, "LINES", 1 << 10)
    monkeypatch.setattr(battery, "memory_nodes", lambda: 2)
    monkeypatch.setitem(battery.STREAM_SECONDS, False, 0.01)
    result = {item.quantity: item for item in battery.memory()}
    assert "1,024 of its lines, none in a cache" in result["memory_latency"].note


def test_memory_readings_of_a_small_machine(monkeypatch):
    small = Hierarchy((CacheLevel(1, 16 << 10, 1), CacheLevel(2, 64 << 10, 1)), 64, "sysfs")
    monkeypatch.setattr(battery, "hierarchy", lambda: small)
    monkeypatch.setattr(battery, "MIN_MEMORY_BYTES", 1 << 20)
    monkeypatch.setitem(battery.STREAM_SECONDS, False, 0.01)
    result = {item.quantity: item for item in battery.memory()}
    assert {"memory_bandwidth", "memory_bandwidth_one_core", "memory_latency"} <= set(result)
    assert {"l1_latency", "l2_latency", "l1_bandwidth", "l2_bandwidth"} <= set(result)
    assert "24 bytes an element counted, 32 moved" in result["memory_bandwidth"].note
    assert all(item.best > 0 and item.runs >= 3 for item in result.values())


@pytest.fixture
def command(monkeypatch, tmp_path):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path))
    monkeypatch.setattr(cli.suite, "run", lambda plan, report: made(plan)[0])
    return lambda *words: CliRunner().invoke(cli.main, words, catch_exceptions=False).output


def test_the_command_prints_saves_and_shows(command):
    said = command("quick", "--name", "my laptop")
    for words in (
        "peak_fp64",
        "50",
        "39.8-40.2",
        "GFLOP/s",
        "5 x 60",
        "buy one",
        "saved for the labs",
    ):
        assert words in said
    assert machines.this_machine().name == "my laptop"
    shown = " ".join(command("show").split())
    assert "measured figure," in shown


def test_what_was_saved_before_capacities_had_intervals_is_read_and_shown(command, tmp_path):
    command("quick")
    (path,) = tmp_path.glob("*.json")
    saved = json.loads(path.read_text())
    for item in saved["figures"].values():
        del item["low"], item["high"]
    path.write_text(json.dumps(saved))
    peak = machines.this_machine().figure("peak_fp64")
    assert (peak.value > 0, peak.low, peak.high) == (True, None, None)
    assert "peak_fp64" in command("show").replace(" ", "")


def test_nothing_is_saved_if_not_wanted(command):
    assert "saved" not in command("full", "--no-save")
    assert machines.this_machine().id == machines.EXAMPLE
    assert "This is the example" in command("show")


def test_help_teaches(command):
    said = command("--help")
    for words in ("BEST is the capacity", "depends on the caches", "no program that loads"):
        assert words in " ".join(said.split())


def test_a_busy_or_cut_machine_is_said():
    result, _ = made(suite.FULL, seconds=15.0)
    beside = load.Load(7.0, 2, 0, 0.25, None)
    said = " ".join(cli._remarks(result, beside))
    for words in ("3 of 5 processes", "longer than 180 s", "25.0 % of the time", "7.0 programs"):
        assert words in said
