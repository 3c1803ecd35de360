from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou import own_disk
from perfmodel.labs.offloading.fuyou.own_disk import (
    DiskTimes,
    file_system,
    gpt_step,
    time_disk,
    verdict,
)


def times(buffered=0.01, synced=0.04, small=0.001, warm=0.005, cold=0.02, **more):
    rows = [np.full(7, seconds) for seconds in (buffered, synced, small, warm)]
    return DiskTimes(*rows, np.full(7, cold) if cold else np.array([]), **more)


def test_files_are_written_and_deleted(tmp_path):
    ticks = count()
    found = time_disk(10_000, 6, tmp_path, lambda: float(next(ticks)))
    assert list(tmp_path.iterdir()) == []
    for row in (found.buffered, found.synced, found.small, found.warm):
        assert row.tolist() == [1.0] * 6
    assert found.cold.tolist() in ([], [1.0] * 6)
    assert found.rate("synced") == (10_000, 10_000, 10_000)
    assert found.rate("small")[0] == own_disk.SMALL


def test_files_are_deleted_after_an_error(tmp_path):
    def broken():
        raise RuntimeError("no clock")

    with pytest.raises(RuntimeError, match="no clock"):
        time_disk(1000, 6, tmp_path, broken)
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_cannot_be_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(own_disk, "drop_pages", lambda path: False)
    found = time_disk(1000, 6, tmp_path)
    assert found.cold.size == 0
    assert not found.told_apart
    assert "reads are from memory" in verdict(found)


def test_interval_of_a_rate():
    seconds = np.array([0.01, 0.02, 0.02, 0.02, 0.02, 0.02, 0.04])
    found = DiskTimes(*(seconds,) * 5, size=1000)
    assert found.rate("cold") == pytest.approx((50_000, 25_000, 100_000))


def test_step_by_hand():
    """16 and 14 bytes for each of 12.58e9 parameters at 1 and 0.5 GB/s."""
    found = times(synced=2.0, cold=1.0, size=10**9)
    assert gpt_step(found) == pytest.approx(12.58e9 * (16e-9 + 28e-9), rel=1e-3)
    assert gpt_step(found, 4) == pytest.approx(gpt_step(found) / 4)


def test_verdict_has_a_branch_for_each_outcome():
    assert "took 4.0 times as long as warm ones, so that" in verdict(times())
    assert "4.0 times as long. " in verdict(times())
    assert "from a fast disk" in verdict(times(cold=0.006))
    assert "kept in memory: no disk" in verdict(times(in_memory=True))
    assert "reads are from memory" in verdict(times(cold=0))


def test_file_system_is_that_of_the_longest_mount(tmp_path):
    assert isinstance(file_system(tmp_path), str)


def test_refuses(tmp_path):
    with pytest.raises(ValueError, match="repeats must be a whole number, 6 or more, got 3"):
        time_disk(10, 3, tmp_path)
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more, got 0"):
        time_disk(0, 6, tmp_path)
    with pytest.raises(ValueError, match="disks must be"):
        gpt_step(times(), 0)
