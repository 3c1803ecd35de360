"""The commands on files, as a reader calls them."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from perfmodel.command import main
from perfmodel.command.answer import Answer

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"

VEGETA = """Requests      [total, rate, throughput]         1200, 20.02, 20.00
Duration      [total, attack, wait]             {0}, {0}, 50ms
Latencies     [min, mean, 50, 90, 95, 99, max]  40ms, {1}, 48ms, 70ms, 80ms, {2}, 950ms
Bytes In      [total, mean]                     123456, 102.88
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:1200
Error Set:
"""


def answer(*arguments):
    ran = CliRunner().invoke(main, [*(str(one) for one in arguments), "--json"])
    assert ran.stderr == ""
    found = Answer.from_json(ran.stdout)
    assert ran.exit_code == found.exit_status
    return found


def refusal(*arguments):
    ran = CliRunner().invoke(main, [str(one) for one in arguments])
    assert ran.exit_code == 3
    assert ran.stdout == ""
    return ran.stderr


def quantity(found, name):
    return next(one for one in found.quantities if one.name == name)


class TestCompare:
    def test_two_runs_with_pauses(self):
        found = answer("compare", SAMPLES / "two-runs-with-pauses.csv")
        ratio = quantity(found, "time of B over A")
        assert found.verdict == "yes"
        assert ratio.value == pytest.approx(0.982, abs=0.001)
        assert "p = 1.7e-08" in ratio.note
        assert "p = 0.36" in quantity(found, "ratio of means").note
        assert any("A B B A" in one for one in found.unknown)
        assert any("opposite directions" in one for one in found.unknown)

    def test_two_commands_of_one_file(self):
        names = ("--old", "threads 1", "--new", "threads 2")
        assert answer("compare", SAMPLES / "hyperfine.json", *names).verdict == "yes"
        assert answer("compare", SAMPLES / "hyperfine.json", *names[2:], *names[:2]).exit_status < 2
        turned = ("--old", "threads 2", "--new", "threads 1")
        assert answer("compare", SAMPLES / "hyperfine.json", *turned).verdict == "no"

    def test_a_file_of_many_asks_for_two_names(self):
        assert "name two with --old and --new" in refusal("compare", SAMPLES / "hyperfine.json")
        told = refusal("compare", SAMPLES / "hyperfine.json", "--old", "nothing", "--new", "4")
        assert "--old 'nothing' fits 0 of its series" in told

    def test_a_summary_gives_a_ratio_without_interval(self):
        names = ("--old", "threads 1", "--new", "threads 2")
        found = answer("compare", SAMPLES / "hyperfine.csv", *names)
        ratio = quantity(found, "time of B over A")
        assert found.verdict == "unknown"
        assert (ratio.low, ratio.high) == (None, None)
        assert any("--export-json" in one for one in found.traps)

    def test_benchmarks_are_matched_by_name(self):
        found = answer("compare", SAMPLES / "gbench.csv", SAMPLES / "gbench-plain.csv")
        assert len(found.more["Ratio of times, B over A"]) == 10
        assert found.verdict == "unknown"

    def test_a_run_against_itself_is_no_faster(self, tmp_path):
        path = tmp_path / "times.csv"
        times = 1 + 1e-4 * np.random.default_rng(0).standard_normal(60)
        path.write_text("t_ms\n" + "\n".join(map(str, times)) + "\n")
        found = answer("compare", path, path)
        assert found.verdict == "no"
        assert "within 1 %" in found.summary

    def test_rounds_that_were_summarized_have_an_interval_of_means(self):
        found = answer(
            "compare", SAMPLES / "pytest-benchmark.json", "--old", "sort", "--new", "scan"
        )
        ratio = quantity(found, "time of B over A")
        assert ratio.value == pytest.approx(2.0)
        assert ratio.low < 2 < ratio.high

    def test_a_file_of_another_kind_is_refused(self):
        assert "read here: hyperfine JSON" in refusal("compare", SAMPLES / "ab.txt")


class TestAccessLogs:
    LINE = '10.0.0.7 - - [28/Nov/2026:10:{:02d}:{:02d} +0000] "GET / HTTP/1.1" 200 512{}\n'

    def log(self, folder, *, per_second=8, seconds=600, added=" 0.100"):
        path = folder / "access.log"
        path.write_text(
            "".join(
                self.LINE.format(s // 60, s % 60, added)
                for s in range(seconds)
                for _ in range(per_second)
            )
        )
        return path

    def test_whole_seconds_leave_open_how_requests_bunch(self, tmp_path):
        """Eight requests of 0.1 s a second: one server if they are spread, eight if together."""
        path = self.log(tmp_path)
        promise = ("--promise", "p99 wait < 10ms", "--service", "added1:s")
        needed = quantity(answer("capacity", path, *promise), "servers needed")
        assert (needed.low, needed.value, needed.high) == (1, 8, 8)
        one = answer("capacity", path, *promise, "--servers", "4")
        assert one.verdict == "unknown"
        assert any("whole seconds" in trap for trap in one.traps)

    def test_the_end_of_a_request_is_no_arrival(self, tmp_path):
        rows = [(10 + t, 5.0 if t % 2 else 0.5) for t in range(0, 400)]
        path = tmp_path / "log.csv"
        path.write_text("end,took\n" + "".join(f"{a + w},{w}\n" for a, w in rows))
        columns = ("--arrival", "end:s", "--service", "took:s", "--promise", "mean wait < 1s")
        by_end = answer("capacity", path, *columns, "--assume", "logged=end")
        assert quantity(by_end, "scv of the gaps").value == pytest.approx(0.0, abs=1e-9)
        assert any("sorted" in trap for trap in answer("capacity", path, *columns).traps)

    @pytest.mark.parametrize(
        ("added", "told"),
        [
            ("", "line 1: the access log holds no durations; add $request_time"),
            (' "-" "curl"', "line 1: the access log holds no durations"),
            (" 0.1", "states no unit of durations; add --service added1:s"),
        ],
    )
    def test_a_duration_is_asked_for(self, tmp_path, added, told):
        path = self.log(tmp_path, seconds=3, added=added)
        assert told in refusal("capacity", path, "--promise", "p99 wait < 10ms")


class TestCapacity:
    @pytest.fixture(scope="class")
    @staticmethod
    def log(tmp_path_factory):
        rng = np.random.default_rng(0)
        gaps = np.where(rng.random(3000) < 0.01, rng.exponential(10, 3000), 0.001)
        rows = zip(np.cumsum(gaps), 1000 * rng.exponential(0.1, 3000), strict=True)
        path = tmp_path_factory.mktemp("log") / "log.csv"
        path.write_text("start_s,took\n" + "".join(f"{a:.6f},{b:.4f}\n" for a, b in rows))
        return path

    def test_the_replay_counts_where_the_formula_errs(self, log):
        found = answer(
            *("capacity", log, "--arrival", "start", "--service", "took:ms"),
            *("--promise", "p99 wait < 1s"),
        )
        needed, formula = (quantity(found, n) for n in ("servers needed", "by Allen-Cunneen"))
        assert needed.value > 3 * formula.value
        assert needed.low <= needed.value <= needed.high
        assert "the replay counts" in found.summary
        assert found.binds.startswith("bursts")

    def test_a_log_shorter_than_a_service_tells_nothing(self, log):
        found = answer(
            *("capacity", log, "--arrival", "start:ns", "--service", "took:ms"),
            *("--promise", "p99 wait < 1s"),
        )
        assert found.verdict == "unknown"
        assert quantity(found, "servers needed").value is None
        assert any("units of both columns" in one for one in found.unknown)

    @pytest.mark.parametrize(("servers", "verdict"), [(1, "no"), (1000, "yes")])
    def test_whether_so_many_are_enough(self, log, servers, verdict):
        found = answer(
            *("capacity", log, "--arrival", "start", "--service", "took:ms"),
            *("--promise", "p99 wait < 1s", "--servers", servers),
        )
        assert found.verdict == verdict

    def test_service_that_is_too_slow_is_no(self, log):
        found = answer(
            *("capacity", log, "--arrival", "start", "--service", "took:ms"),
            *("--promise", "p99 response < 100 ms"),
        )
        assert found.verdict == "no"
        assert "service times alone" in found.summary

    def test_growth_needs_more(self, log):
        plain, grown = (
            quantity(
                answer(
                    *("capacity", log, "--arrival", "start", "--service", "took:ms"),
                    *("--promise", "mean wait < 10 ms", "--assume", f"growth={growth}"),
                ),
                "servers needed",
            ).value
            for growth in (1, 20)
        )
        assert grown > plain

    def test_a_jmeter_log_needs_no_map(self):
        found = answer("capacity", SAMPLES / "jmeter.csv", "--promise", "mean wait < 1s")
        assert any("response time" in one for one in found.traps)

    def test_a_percentile_that_the_log_does_not_hold_can_not_be_told(self):
        found = answer("capacity", SAMPLES / "jmeter.csv", "--promise", "p99.9 wait < 1s")
        assert found.verdict == "unknown"

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ((), "add --arrival NAME:UNIT --service NAME:UNIT; it has start_s, took"),
            (("--arrival", "start", "--service", "took"), "column 'took' states no unit"),
            (("--arrival", "begin:s", "--service", "took:ms"), "there is no column 'begin'"),
        ],
    )
    def test_units_are_not_guessed(self, log, options, told):
        assert told in refusal("capacity", log, *options, "--promise", "p99 wait < 1s")


class TestUsers:
    def test_rates_set_by_the_clock_are_answered_by_rate(self, tmp_path):
        """vegeta knows no users: two of its rates lie on either side of the promise."""
        low, high = tmp_path / "low.txt", tmp_path / "high.txt"
        low.write_text(VEGETA.format("1m0s", "50ms", "90ms"))
        high.write_text(VEGETA.format("30s", "80ms", "900ms"))
        promise = ("--promise", "p99 response < 200ms")
        found = answer("users", low, high, *promise)
        assert found.question == "Which rate keeps 'p99 response < 200ms'?"
        rate = quantity(found, "requests/s within the promise")
        assert (rate.low, rate.high) == pytest.approx((20, 40))
        assert found.summary.endswith(
            "kept at 20 requests a second and not kept at 40 requests a second."
        )
        alone = answer("users", low, *promise)
        assert alone.summary.endswith("is kept at 20 requests a second.")

    STEPS = ("--users", "Nutzer", "--throughput", "Durchsatz:1/s", "--response", "Antwortzeit:s")

    def test_a_table_with_decimal_commas(self):
        found = answer("users", SAMPLES / "steps-de.csv", *self.STEPS)
        assert quantity(found, "capacity").value == pytest.approx(242.79)
        assert quantity(found, "users at the peak").value == pytest.approx(49.75, abs=0.1)
        assert any("decimal commas" in one for one in found.traps)

    def test_beyond_the_last_step_is_only_a_bound(self):
        found = answer("users", SAMPLES / "steps-de.csv", *self.STEPS, "--at", "200")
        bound = quantity(found, "throughput at 200 users")
        assert found.verdict == "unknown"
        assert (bound.value, bound.low) == (None, None)
        assert bound.high == pytest.approx(236.83 * 200 / 64)

    @pytest.mark.parametrize(("at", "verdict"), [(24, "yes"), (28, "unknown"), (32, "no")])
    def test_a_promise_holds_up_to_a_step(self, at, verdict):
        promise = ("--promise", "mean response < 100ms", "--at", at)
        assert answer("users", SAMPLES / "steps-de.csv", *self.STEPS, *promise).verdict == verdict

    def test_the_statistic_of_a_column_is_the_readers_word(self):
        promise = ("--promise", "p99 response < 100ms")
        found = answer("users", SAMPLES / "steps-de.csv", *self.STEPS, *promise)
        assert any("taken for 99 % of the responses" in one for one in found.traps)

    def test_no_peak_while_throughput_grows(self, tmp_path):
        path = tmp_path / "steps.csv"
        rates = (12.31, 23.73, 43.32, 76.62, 126.6, 180.6, 198.1)
        rows = "".join(f"{2**i},{rate}\n" for i, rate in enumerate(rates))
        path.write_text("users,rate [1/s]\n" + rows)
        found = answer("users", path, "--users", "users", "--throughput", "rate")
        peak = quantity(found, "users at the peak")
        assert "still grows" in found.binds
        assert (peak.value, peak.low, peak.high) == (None, 64, None)

    def test_locust_history_holds_its_steps(self):
        found = answer("users", SAMPLES / "locust_stats_history.csv")
        assert quantity(found, "capacity").value == pytest.approx(91, abs=0.5)

    def test_one_run_is_one_step(self):
        found = answer("users", SAMPLES / "ab.txt")
        assert quantity(found, "capacity").value is None
        assert any("10 % of the requests failed" in one for one in found.traps)

    def test_runs_of_several_tools_are_steps(self):
        files = [SAMPLES / name for name in ("ab.txt", "h2load.txt", "hey.txt")]
        assert len(answer("users", *files).more["Steps"]) == 3

    def test_a_percentile_that_a_file_lacks_is_refused(self):
        told = refusal("users", SAMPLES / "k6.json", "--promise", "p99 response < 1s")
        assert (
            "it holds no p99; promise what it holds (mean, p50, p90, p95), or let the tool" in told
        )

    def test_a_percentile_gives_no_think_time(self):
        """Little's law is about means, and one load shows no knee."""
        asked = ("users", SAMPLES / "k6.json", "--promise", "p95 response < 1s")
        found = answer(*asked)
        assert quantity(found, "knee N*").low is None
        assert any("give three loads or more" in one for one in found.unknown)
        assert not any("think time" in one.name for one in found.quantities)
        assert not any("Little's law excludes" in one for one in found.unknown)

    def test_a_table_needs_a_map(self):
        assert "it has Nutzer, Durchsatz" in refusal("users", SAMPLES / "steps-de.csv")


class TestQueue:
    def test_a_closed_model_is_solved_exactly(self):
        found = answer("queue", SAMPLES / "closed.jmva")
        assert found.binds.startswith("CPU")
        assert found.next_binds.startswith("Disk")
        assert quantity(found, "throughput of Web").value == pytest.approx(2.1025, abs=0.001)

    def test_nearly_busy_is_not_busy(self, tmp_path):
        """A station that a closed network keeps busy 99.7 % of the time."""
        model = tmp_path / "closed.jmva"
        text = (SAMPLES / "closed.jmva").read_text()
        model.write_text(re.sub(r'population="\d+"', 'population="12"', text))
        found = answer("queue", model)
        assert re.search(r"utilization 9\d\.\d+ %", found.binds), found.binds

    def test_a_finite_room_is_simulated_with_an_interval(self):
        found = answer("queue", SAMPLES / "drop.jsimg", "--assume", "customers=50000")
        rate = quantity(found, "throughput of Class1")
        assert rate.low < 1 / 3 < rate.high
        assert any("room for 1 jobs" in one for one in found.unknown)

    def test_what_is_not_held_is_refused_by_name(self):
        told = refusal("queue", SAMPLES / "closed_2class_2stat_switch.jsimg")
        assert "ClassSwitch" in told


class TestHistogram:
    @pytest.mark.parametrize(
        ("promise", "verdict"),
        [
            ("p80 response < 100 ms", "yes"),
            ("p99 response < 400 ms", "no"),
            ("p99 response < 700 ms", "unknown"),
            ("p99.9 response < 2 s", "unknown"),
            ("mean response < 200 ms", "yes"),
        ],
    )
    def test_a_bucket_tells_or_not(self, promise, verdict):
        assert answer("users", SAMPLES / "requests.prom", "--promise", promise).verdict == verdict

    def test_a_histogram_needs_a_promise(self):
        assert "add --promise" in refusal("users", SAMPLES / "requests.prom")
