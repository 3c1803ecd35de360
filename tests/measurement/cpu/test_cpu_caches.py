"""Cache sizes from a made-up /sys, from sysctl, and assumed where there is neither."""

import subprocess

import pytest

from perfmodel.measurement.cpu import caches
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy, hierarchy
from perfmodel.measurement.cpu.stream import array_bytes, settled_size


def made(root, rows, line="128"):
    for number, (level, kind, size, shared) in enumerate(rows):
        folder = root / f"sys/devices/system/cpu/cpu0/cache/index{number}"
        folder.mkdir(parents=True)
        texts = {"level": level, "type": kind, "size": size, "shared_cpu_list": shared}
        for name, text in (texts | {"coherency_line_size": line}).items():
            (folder / name).write_text(f"{text}\n")
    return root


def test_sizes_and_line_come_from_sys(tmp_path):
    rows = [
        ("1", "Data", "48K", "0"),
        ("1", "Instruction", "64K", "0"),
        ("2", "Unified", "2M", "0,8"),
        ("3", "Unified", "36608K", "0-15"),
    ]
    result = hierarchy(made(tmp_path, rows))
    assert result == Hierarchy(
        (CacheLevel(1, 48 << 10, 1), CacheLevel(2, 2 << 20, 2), CacheLevel(3, 36608 << 10, 16)),
        128,
        "sysfs",
    )
    assert (result.size(2), result.size(4)) == (2 << 20, None)


def core(root, number, rows):
    """Write the caches of one more core."""
    for index, (level, kind, size) in enumerate(rows):
        folder = root / f"sys/devices/system/cpu/cpu{number}/cache/index{index}"
        folder.mkdir(parents=True)
        texts = {"level": level, "type": kind, "size": size, "shared_cpu_list": str(number)}
        for name, text in texts.items():
            (folder / name).write_text(f"{text}\n")


def test_a_guest_without_l3_gets_arrays_that_such_a_cache_cannot_hold(tmp_path):
    rows = [("1", "Data", "32K", "0"), ("2", "Unified", "512K", "0")]
    result = hierarchy(made(tmp_path, rows))
    size, note = array_bytes(result, 1, None)
    assert 3 * size >= 4 * (32 << 20)
    assert "no L3 is shown, which a hypervisor may hide" in note


def test_caches_of_size_zero_are_none(tmp_path):
    rows = [("1", "Data", "0K", "0"), ("2", "Unified", "0K", "0")]
    result = hierarchy(made(tmp_path, rows))
    assert result.source == "assumed"
    assert array_bytes(result, 1, None)[0] > 1 << 20


def test_cores_with_other_caches_are_said_and_the_largest_last_level_counts(tmp_path):
    slow = [("1", "Data", "32K", "0"), ("2", "Unified", "1M", "0"), ("3", "Unified", "8M", "0-3")]
    root = made(tmp_path, slow)
    core(root, 1, [("1", "Data", "48K"), ("2", "Unified", "2M"), ("3", "Unified", "30M")])
    result = hierarchy(root)
    assert result.size(1) == 32 << 10
    assert result.last_level() == 30 << 20
    assert "cores have 2 kinds of caches" in result.note


def test_a_line_that_cannot_be_read_is_the_common_one(tmp_path):
    assert hierarchy(made(tmp_path, [("1", "Data", "32K", "0")], line="?")).line == 64


def test_a_system_that_shows_no_cache_is_labelled(tmp_path, monkeypatch):
    monkeypatch.setattr(caches.platform, "system", lambda: "Linux")
    result = hierarchy(tmp_path)
    assert result.source == "assumed"
    assert [level.level for level in result.levels] == [1, 2, 3]


def answering(answers):
    def run(command, **options):
        if command[-1] not in answers:
            raise subprocess.CalledProcessError(1, command)
        return subprocess.CompletedProcess(command, 0, stdout=f"{answers[command[-1]]}\n")

    return run


def test_a_mac_says_it_by_sysctl(tmp_path, monkeypatch):
    monkeypatch.setattr(caches.platform, "system", lambda: "Darwin")
    answers = {
        "hw.perflevel0.l1dcachesize": 131072,
        "hw.perflevel0.l2cachesize": 12582912,
        "hw.perflevel0.cpusperl2": 4,
        "hw.cachelinesize": 128,
    }
    monkeypatch.setattr(caches.subprocess, "run", answering(answers))
    levels = (CacheLevel(1, 131072, 1), CacheLevel(2, 12582912, 4))
    assert hierarchy(tmp_path) == Hierarchy(levels, 128, "sysctl")


def test_a_mac_without_sysctl_is_labelled(tmp_path, monkeypatch):
    monkeypatch.setattr(caches.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(caches.subprocess, "run", answering({}))
    assert hierarchy(tmp_path).source == "assumed"


@pytest.mark.parametrize(
    ("cores", "threads", "instances"), [(4, 1, 1), (4, 4, 1), (4, 5, 2), (0, 8, 1)]
)
def test_last_level_counts_a_shared_cache_once(cores, threads, instances):
    one = Hierarchy((CacheLevel(3, 1 << 20, cores),), 64, "sysfs")
    assert one.last_level(threads) == instances << 20


def test_memory_has_as_many_nodes_as_are_shown(tmp_path):
    assert caches.memory_nodes(tmp_path) == 1
    for name in ("node0", "node1", "possible"):
        (tmp_path / "sys/devices/system/node" / name).mkdir(parents=True)
    assert caches.memory_nodes(tmp_path) == 2


@pytest.mark.parametrize("cache", [0, 40 << 20, 300 << 20])
def test_larger_arrays_are_taken_where_a_cache_held_the_smaller_ones(cache):
    """Arrays that a hidden cache holds look four times as fast."""

    def rate(size):
        return 80e9 if size < cache else 20e9

    size, note = settled_size(8 << 20, 1 << 30, rate)
    assert size == (1 << 30 if cache else 8 << 20)
    assert "of 1024 MiB 20 GB/s" in note
    assert settled_size(8 << 20, 8 << 20, rate) == (
        8 << 20,
        "no larger arrays fit, so a cache may hold these",
    )
