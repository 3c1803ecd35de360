"""Nine tools, three runs each: every printed number is reproduced or named as lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from perfmodel.labs.measurement.one_server_nine_tools import reconcile, server
from perfmodel.labs.measurement.one_server_nine_tools.reconcile import (
    recording,
    recordings,
    wrk_histogram,
)
from perfmodel.measurement import LOAD_GENERATORS, autocannon_report, from_report, wrk_measured
from perfmodel.units import amount

RUNS = [pytest.param(run, id=f"{run.tool}-{run.sample}") for run in recordings()]
LOGGED = ("siege", "h2load", "loadtest", "wrk", "locust", "autocannon")


def test_three_runs_a_tool():
    assert Counter(run.tool for run in recordings()) == dict.fromkeys(LOAD_GENERATORS, 3)
    with pytest.raises(ValueError, match="sample must be one that was recorded, got 'x' of 'ab'"):
        recording("ab", "x")


@pytest.mark.parametrize("run", RUNS)
def test_every_printed_number_is_reproduced_or_named_as_lost(run):
    rows = reconcile.reconciled(run)
    assert [row for row in rows if row.outcome == "off"] == []
    assert [row.field for row in rows if row.outcome == "lost" and not row.why] == []
    if run.tool in LOGGED:
        assert {row.outcome for row in rows} <= {"to the last digit", "lost"}
    assert len(rows) >= 9


@pytest.mark.parametrize("run", RUNS)
def test_a_wrong_number_would_be_seen(run):
    """A time a third longer than the printed one is off, whatever the log's step."""
    for field in run.printed:
        number, _, unit = run.printed[field].partition(" ")
        if unit in ("ms", "s") and float(number) * amount(f"1 {unit}").value > 0.05:
            wrong = {**run.printed, field: f"{float(number) / 1.34:.4g} {unit}"}
            rows = reconcile.reconciled(replace(run, printed=wrong))
            assert [row for row in rows if row.outcome == "off"] or field not in {
                row.field for row in rows
            }


def test_wrks_measured_times_are_as_many_as_its_requests():
    for sample in ("mixed", "refuse", "stall"):
        run = wrk_histogram(sample)
        clients = {"mixed": 2, "refuse": 3, "stall": 1}[sample]
        found = wrk_measured(run.counts, run.duration // (run.requests // clients))
        assert sum(found.values()) == run.requests
    with pytest.raises(ValueError, match="sample must be one that was recorded, got 'x'"):
        wrk_histogram("x")


def test_at_a_rate_autocannon_prints_times_that_no_request_took():
    run = recording("autocannon", "rate")
    assert run.requests.times.min() > 0.02
    assert amount(run.printed["2.5%"]).value < 0.003
    assert autocannon_report(run.requests)["2.5%"] == pytest.approx(0.02)


def test_successes_are_those_of_the_server_in_all_mixed_runs():
    for tool in ("ab", "siege", "hey", "loadtest", "autocannon", "h2load"):
        run = recording(tool, "mixed")
        report = {field: amount(text).value for field, text in run.printed.items()}
        assert from_report(tool, report, "successes") == 54


class TestServer:
    def test_the_list_is_as_it_says(self):
        requests = server.known_requests(count=70, stall=0.5)
        values, counts = np.unique(requests.times, return_counts=True)
        assert dict(zip(values, counts, strict=True)) == {0.0204: 59, 0.2004: 10, 0.5: 1}
        assert requests.failures(500) == 7

    def test_the_longest_agrees_where_nothing_timed_out(self):
        rows = {row[0]: row[5] for row in server.side_by_side(server.known_requests())}
        assert {float(longest) for tool, longest in rows.items() if tool != "httperf"} == {1000}
        assert float(rows["httperf"]) == 200.4

    def test_an_open_loop_changes_no_time_but_wrks(self):
        closed, by_clock = (
            server.side_by_side(server.known_requests(open_rate=rate)) for rate in (None, 20)
        )
        assert {a[0] for a, b in zip(closed, by_clock, strict=True) if a != b} == {"wrk"}

    def test_a_warm_up_is_h2loads_alone(self):
        requests = server.known_requests()
        plain, warm = (server.nine_reports(requests, warm_up=w) for w in (0.0, 1.0))
        assert [tool for tool in plain if plain[tool] != warm[tool]] == ["h2load"]
