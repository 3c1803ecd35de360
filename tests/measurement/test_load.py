"""The processor time that control groups allow."""

from __future__ import annotations

import pytest

from perfmodel.measurement.load import cpu_quota


def group(root, path, text, name="cpu.max"):
    """Write a file of a control group."""
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def process(root, text):
    """Write the process's groups."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(text)


def test_no_limit(tmp_path):
    assert cpu_quota(tmp_path) is None
    group(tmp_path, "", "max 100000\n")
    assert cpu_quota(tmp_path) is None


def test_quota_of_a_container(tmp_path):
    group(tmp_path, "", "150000 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(1.5)


def test_the_tightest_group_above_counts(tmp_path):
    process(tmp_path, "0::/user/job\n")
    group(tmp_path, "user", "200000 100000\n")
    group(tmp_path, "user/job", "max 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(2.0)
    group(tmp_path, "user/job", "50000 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(0.5)


def test_version_1(tmp_path):
    process(tmp_path, "3:cpu,cpuacct:/job\n")
    group(tmp_path, "cpu/job", "75000\n", "cpu.cfs_quota_us")
    group(tmp_path, "cpu/job", "100000\n", "cpu.cfs_period_us")
    assert cpu_quota(tmp_path) == pytest.approx(0.75)
    group(tmp_path, "cpu/job", "-1\n", "cpu.cfs_quota_us")
    assert cpu_quota(tmp_path) is None
