"""The commands for high-performance computing: an interval, or that it is not determined."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from perfmodel.command import main

SAMPLES = Path(__file__).parent.parent / "readers" / "samples" / "hpc"


def answer(*arguments):
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.stdout.startswith("{"), result.output
    return result.exit_code, json.loads(result.stdout)


def quantity(found, name):
    return next(one for one in found["quantities"] if one["name"].startswith(name))


@pytest.fixture
def table(tmp_path):
    def written(columns):
        file = tmp_path / "table.csv"
        rows = zip(*columns.values(), strict=True)
        file.write_text(
            ",".join(columns) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        )
        return file

    return written


class TestScale:
    COUNTS = 2 ** np.arange(8)

    def test_nodes_of_sacct_are_offered_where_it_holds_no_cpus(self, tmp_path):
        file = tmp_path / "sacct.txt"
        rows = [f"{n}|COMPLETED|00:0{8 // n}:00|{n}" for n in (1, 2, 4, 8)]
        file.write_text("\n".join(["JobID|State|Elapsed|NNodes", *rows]))
        refused = CliRunner().invoke(main, ["scale", str(file), "--at", "16"])
        assert refused.exit_code == 3
        assert "add --processors nodes" in refused.output
        _, found = answer("scale", file, "--at", "16", "--processors", "nodes")
        printed = tmp_path / "printed.txt"
        printed.write_text(
            "JobID    AllocCPUS   State\n-------- --------- -------\n1   64  COMPLETED\n"
        )
        refused = CliRunner().invoke(main, ["scale", str(printed), "--at", "16"])
        assert refused.exit_code == 3
        assert "run sacct -P -D -o JobID" in refused.output
        assert quantity(found, "time")["value"] == pytest.approx(30, rel=0.01)

    def test_a_number_with_its_interval_and_what_binds(self, table):
        file = table({"cores": self.COUNTS, "time_s": 1 + 100 / self.COUNTS})
        status, found = answer("scale", file, "--at", "256")
        time = quantity(found, "time")
        assert status == 0
        assert time["low"] <= 1 + 100 / 256 <= time["high"]
        assert found["binds"].startswith("serial part")
        assert found["next_binds"].startswith("divided work")
        assert found["chapter"] == "book/scaling.md"

    def test_a_dense_scan_is_no_wider_than_its_scatter(self, table):
        counts = np.arange(1, 25)
        luck = 1 + 0.02 * np.random.default_rng(0).standard_normal(24)
        file = table({"threads": counts, "seconds": (0.08 + 1.2 / counts) * luck})
        _, found = answer("scale", file, "--at", "16")
        time = quantity(found, "time")
        assert time["low"] <= 0.08 + 1.2 / 16 <= time["high"]
        assert time["high"] < 1.3 * time["low"]

    def test_what_no_run_tests_is_said(self, table):
        file = table({"cores": self.COUNTS, "time_s": 1 + 100 / self.COUNTS})
        _, found = answer("scale", file, "--at", "256")
        assert "2 times the most processors measured" in found["unknown"][0]
        assert [one["name"] for one in found["assumed"]] == ["job", "form"]
        assert not answer("scale", file, "--at", "64")[1]["unknown"]

    def test_too_few_counts_are_refused_with_the_file(self, table):
        file = table({"cores": [8, 8], "time_s": [1, 2]})
        result = CliRunner().invoke(main, ["scale", str(file), "--at", "64"])
        assert result.exit_code == 3
        assert "table.csv: it holds 1 different counts of processors" in result.output

    def test_too_far_is_unknown(self, table):
        file = table({"cores": self.COUNTS, "time_s": 1 + 100 / self.COUNTS})
        status, found = answer("scale", file, "--at", "100000")
        assert status == 2
        assert quantity(found, "time")["value"] is None
        assert "too far" in found["summary"]

    def test_a_superlinear_file_is_unknown(self):
        file = SAMPLES / "extra-p-strong-scaling.txt"
        status, found = answer("scale", file, "--at", "120", "--time", "time:s")
        assert status == 2
        assert any("less processor time" in one for one in found["unknown"])


class TestKernelOfAnotherProcessor:
    def test_a_file_of_another_processor_is_said(self, tmp_path):
        """The sample was measured on a Xeon Gold 6132, not on an EPYC 7763."""
        file, own = SAMPLES / "likwid-mem-dp.txt", tmp_path / "own.txt"
        text = file.read_text("utf-8")
        own.write_text(text.replace("Intel(R) Xeon(R) Gold 6132", "AMD EPYC 7763 64-Core"), "utf-8")
        said = [
            [one for one in answer("kernel", each, "--machine", "epyc-7763")[1]["traps"]
             if "Give the machine that was measured" in one]
            for each in (file, own)
        ]  # fmt: skip
        assert len(said[0]) == 1
        assert "Xeon(R) Gold 6132" in said[0][0]
        assert said[1] == []


NCU = """"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","gemm","GPU Speed Of Light Throughput","Memory Throughput","%","92.11"
"0","gemm","GPU Speed Of Light Throughput","Duration","ms","2"
"0","gemm","Memory Workload Analysis","Memory Throughput","Gbyte/s","1,000"
"1","gemm","GPU Speed Of Light Throughput","Duration","ms","1"
"1","gemm","Memory Workload Analysis","Memory Throughput","Gbyte/s","500.00"
"""


def test_a_whole_profile_of_ncu_gives_the_bytes_by_rate_and_time(tmp_path):
    """Two launches: 2 ms at 1,000 GB/s and 1 ms at 500 GB/s; its sections count no operations."""
    file = tmp_path / "profile.csv"
    file.write_text(NCU)
    command = ("kernel", file, "--machine", "a100-sxm4-80gb")
    status, found = answer(*command)
    assert status == 2
    assert quantity(found, "memory traffic")["value"] == pytest.approx(2.5e9 / 3e-3)
    assert "Only main memory is known, at 41 % of its roof." in found["summary"]
    assert "op_[dfh](add|mul|fma)" in found["summary"]
    status, found = answer(*command, "--assume", "flop=1e9")
    assert status == 0
    assert found["binds"].endswith("at 41 % of the memory bandwidth")


class TestCollective:
    def test_a_size_between_those_measured(self):
        status, found = answer("collective", SAMPLES / "nccl-all-reduce.txt", "--size", "64MiB")
        time = quantity(found, "time")
        assert status == 0
        assert time["low"] <= 1098e-6 <= time["high"]
        row = quantity(found, "row of this size in the log")
        assert row["value"] == pytest.approx(1098e-6)
        assert found["binds"].startswith("bandwidth")
        assert found["assumed"][0]["value"] == 8

    @pytest.mark.parametrize(("size", "beyond"), [("64MiB", False), ("1.5GB", True)])
    def test_a_size_beyond_the_log_is_said(self, size, beyond):
        _, found = answer("collective", SAMPLES / "nccl-all-reduce.txt", "--size", size)
        assert any("drawn on beyond" in one for one in found["unknown"]) == beyond

    def test_other_ranks_have_bounds_alone(self):
        file = SAMPLES / "nccl-all-reduce.txt"
        status, found = answer("collective", file, "--size", "64MiB", "--ranks", "64")
        time = quantity(found, "time")
        assert (status, time["value"]) == (2, None)
        assert time["low"] < time["high"]

    def test_what_binds_is_of_the_ranks_measured(self):
        file = SAMPLES / "nccl-all-reduce.txt"
        _, found = answer("collective", file, "--size", "64MiB", "--ranks", "64")
        assert found["question"].endswith("take on 64 ranks?")
        assert found["binds"].endswith("on the log's 8 ranks")

    def test_a_size_far_beyond_is_unknown(self):
        status, found = answer("collective", SAMPLES / "osu-allreduce.txt", "--size", "1GB")
        assert status == 2
        assert quantity(found, "time")["high"] is None

    @pytest.mark.parametrize(("size", "value"), [("1e6", "1 Mbytes"), ("1.5 MB", "1.5 Mbytes")])
    def test_a_size_may_be_typed_as_usual(self, size, value):
        _, found = answer("collective", SAMPLES / "nccl-all-reduce.txt", "--size", size)
        assert f"of {value} take" in found["question"]

    def test_a_decimal_comma_is_no_size(self):
        command = ["collective", str(SAMPLES / "osu-allreduce.txt"), "--size", "1,5MB"]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 3
        assert "--size must be bytes" in result.output

    def test_a_size_is_bytes(self):
        result = CliRunner().invoke(
            main, ["collective", str(SAMPLES / "osu-allreduce.txt"), "--size", "3s"]
        )
        assert result.exit_code == 3
        assert "--size must be bytes" in result.output


class TestKernel:
    def test_a_memory_bound_kernel(self):
        status, found = answer("kernel", SAMPLES / "ncu.csv", "--machine", "a100-sxm4-80gb")
        assert status == 0
        assert found["binds"].startswith("memory bandwidth")
        assert found["next_binds"] == "arithmetic"
        assert quantity(found, "operational")["value"] == pytest.approx(1 / 12, rel=1e-3)

    def test_above_the_roof_is_unknown(self):
        slow = ("--assume", "bandwidth=1e11")
        status, found = answer("kernel", SAMPLES / "ncu.csv", "--machine", "a100-sxm4-80gb", *slow)
        assert status == 2
        assert quantity(found, "time")["low"] is None
        assert any("above the roof" in one for one in found["unknown"])

    @pytest.mark.parametrize(
        ("file", "machine", "side"),
        [("ncu.csv", "epyc-7763", "a GPU"), ("perf-stat-x.txt", "h100-sxm5-80gb", "a CPU")],
    )
    def test_a_machine_of_another_kind_is_refused(self, file, machine, side):
        command = ["kernel", str(SAMPLES / file), "--machine", machine]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 3
        assert f"--machine must be {side}" in result.output

    def test_perf_tells_the_time_elapsed_by_its_metric(self, tmp_path):
        """A task-clock of 1.5 s on 2 CPUs took 0.75 s; the time asked for itself counts more."""
        file = tmp_path / "perf.csv"
        lines = [
            "1500.00,msec,task-clock:u,1500000000,100.00,2.000,CPUs utilized",
            "3000000,,cycles:u,1500000000,100.00,,",
        ]
        file.write_text("\n".join(lines) + "\n")
        _, found = answer("kernel", file, "--machine", "epyc-7763")
        assert quantity(found, "time")["value"] == pytest.approx(0.75)
        assert any("CPUs utilized" in one for one in found["traps"])
        lines.append("800000000,ns,duration_time,800000000,100.00,,")
        file.write_text("\n".join(lines) + "\n")
        _, found = answer("kernel", file, "--machine", "epyc-7763")
        assert quantity(found, "time")["value"] == pytest.approx(0.8)

    def test_semicolons_of_a_spreadsheet_are_named(self, tmp_path):
        file = tmp_path / "ncu.csv"
        file.write_text((SAMPLES / "ncu.csv").read_text().replace('","', '";"'))
        result = CliRunner().invoke(main, ["kernel", str(file), "--machine", "a100-sxm4-80gb"])
        assert result.exit_code == 3
        assert "semicolons stand between the cells" in result.output

    def test_vector_operations_meet_the_vector_peak(self):
        _, found = answer("kernel", SAMPLES / "ncu.csv", "--machine", "a100-sxm4-80gb")
        peak = next(one for one in found["assumed"] if one["name"] == "peak")
        assert peak["value"] == pytest.approx(9.7e12, rel=0.01)

    def test_what_the_file_lacks_is_said(self):
        file = SAMPLES / "perf-stat-x.txt"
        status, found = answer("kernel", file, "--machine", "epyc-7763")
        assert status == 2
        assert any("holds no operations" in one for one in found["unknown"])

    @pytest.mark.parametrize("given", ["seconds=0", "flop=-1", "peak=0", "bandwidth=0", "bytes=0"])
    def test_what_is_given_must_be_above_0(self, given):
        file = str(SAMPLES / "ncu.csv")
        command = ["kernel", file, "--machine", "a100-sxm4-80gb", "--assume", given]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 3
        assert "must be above 0" in result.output

    def test_what_the_file_lacks_can_be_given(self):
        file = SAMPLES / "perf-stat-x.txt"
        given = ("--assume", "flop=1e9", "--assume", "bytes=1GB", "--assume", "seconds=0.01")
        status, found = answer("kernel", file, "--machine", "epyc-7763", *given)
        assert status == 0
        assert {"seconds", "bytes", "flop"} <= {one["name"] for one in found["assumed"]}


class TestForecast:
    SIZES = np.geomspace(1e7, 1e10, 16)

    def luck(self):
        return np.exp(0.002 * np.random.default_rng(0).standard_normal(16))

    def test_a_curve_has_an_interval(self, table):
        file = table({"step": self.SIZES, "loss": (2 + 400 * self.SIZES**-0.3) * self.luck()})
        status, found = answer("forecast", file, "--at", "3e10")
        loss = quantity(found, "loss")
        assert status == 0
        assert loss["low"] <= 2 + 400 * 3e10**-0.3 <= loss["high"]

    def test_restarts_are_said(self, table):
        """Steps 1 to 12, then from step 9 on again."""
        steps = np.array([*range(1, 13), *range(9, 21)], float)
        file = table({"step": 100 * steps, "loss": 2 + 4 * steps**-0.5})
        _, found = answer("forecast", file, "--at", "4000")
        assert any("goes back 1 time, first at line 14" in one for one in found["traps"])
        mixed = table({"step": steps[::-1], "loss": 2 + 4 * steps[::-1] ** -0.5})
        _, found = answer("forecast", mixed, "--at", "40")
        assert not any("goes back" in one for one in found["traps"])

    def test_one_token_count_determines_no_other(self, table):
        loss = (2 + 400 * self.SIZES**-0.3) * self.luck()
        file = table({"N": self.SIZES, "D": [2e10] * 16, "loss": loss})
        status, found = answer("forecast", file, "--at", "4e9", "--at", "2e11")
        assert status == 2
        assert quantity(found, "loss")["value"] is None
        assert "add runs at other D" in found["summary"]

    def test_a_loss_of_0_is_refused(self, table):
        file = table({"step": [1, 2, 3], "loss": [1, 0, 2]})
        result = CliRunner().invoke(main, ["forecast", str(file), "--at", "4"])
        assert result.exit_code == 3
        assert "line 3: column 'loss' holds 0" in result.output


def test_a_contest_says_first_what_it_does(table):
    file = table({"users": [1, 2, 3], "seconds": [1, 2, 3]})
    result = CliRunner().invoke(main, ["contest", str(file), "--target", "seconds"])
    assert result.exit_code == 3
    assert result.stderr.startswith("perfmodel: fitting each family")


def test_a_contest_keeps_a_swept_column_whatever_the_order_of_rows(table):
    users = np.arange(1, 31)
    seconds = (0.05 + 0.012 * users) * np.exp(0.01 * np.random.default_rng(0).standard_normal(30))
    order = np.random.default_rng(1).permutation(30)
    found = [
        answer(
            "contest",
            table({"users": users[rows], "seconds": seconds[rows]}),
            *("--target", "seconds", "--drawings", "2", "--cores", "1"),
        )[1]
        for rows in (slice(None), order)
    ]
    assert found[0] == found[1]
    assert any("'users' takes each whole number" in trap for trap in found[0]["traps"])

    def test_further_than_the_runs_reach_is_unknown(self, table):
        file = table({"step": self.SIZES, "loss": (1.5 + 5 * self.SIZES**-0.1) * self.luck()})
        status, found = answer("forecast", file, "--at", "1e14")
        assert status == 2
        assert quantity(found, "loss")["high"] is None
        assert "span a factor of 1e+03" in found["summary"]
        assert answer("forecast", file, "--at", "1e12")[0] == 0

    def test_one_run_is_refused_with_the_file(self, table):
        file = table({"step": [100], "loss": [2.0]})
        result = CliRunner().invoke(main, ["forecast", str(file), "--at", "1000"])
        assert result.exit_code == 3
        assert "table.csv: it holds one run" in result.output
