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
    assert result.output.startswith("{"), result.output
    return result.exit_code, json.loads(result.output)


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

    def test_a_number_with_its_interval_and_what_binds(self, table):
        file = table({"cores": self.COUNTS, "time_s": 1 + 100 / self.COUNTS})
        status, found = answer("scale", file, "--at", "256")
        time = quantity(found, "time")
        assert status == 0
        assert time["low"] <= 1 + 100 / 256 <= time["high"]
        assert found["binds"].startswith("serial part")
        assert found["next_binds"].startswith("divided work")
        assert found["chapter"] == "book/scaling.md"

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


class TestCollective:
    def test_a_size_between_those_measured(self):
        status, found = answer("collective", SAMPLES / "nccl-all-reduce.txt", "--size", "64MiB")
        time = quantity(found, "time")
        assert status == 0
        assert time["low"] <= 1098e-6 <= time["high"]
        assert found["binds"].startswith("bandwidth")
        assert found["assumed"][0]["value"] == 8

    def test_other_ranks_have_bounds_alone(self):
        file = SAMPLES / "nccl-all-reduce.txt"
        status, found = answer("collective", file, "--size", "64MiB", "--ranks", "64")
        time = quantity(found, "time")
        assert (status, time["value"]) == (2, None)
        assert time["low"] < time["high"]

    def test_a_size_far_beyond_is_unknown(self):
        status, found = answer("collective", SAMPLES / "osu-allreduce.txt", "--size", "1GB")
        assert status == 2
        assert quantity(found, "time")["high"] is None

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

    def test_what_the_file_lacks_is_said(self):
        file = SAMPLES / "perf-stat-x.txt"
        status, found = answer("kernel", file, "--machine", "epyc-7763")
        assert status == 2
        assert any("holds no operations" in one for one in found["unknown"])

    def test_what_the_file_lacks_can_be_given(self):
        file = SAMPLES / "perf-stat-x.txt"
        given = ("--assume", "flop=1e9", "--assume", "bytes=1e9", "--assume", "seconds=0.01")
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
