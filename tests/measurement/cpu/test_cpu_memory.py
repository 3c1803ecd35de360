"""Caches, pages, chains and latencies of the memory of this machine."""

import mmap
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement.cpu import caches, kernels, latency, pages
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy, hierarchy
from perfmodel.measurement.cpu.chains import cycle, measure_chains
from perfmodel.measurement.cpu.latency import PointerCycle
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.cpu.pointer_chase import chase_pointers
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


@pytest.mark.skipif(not pages.MAPS.exists(), reason="needs Linux's list of memory")
def test_memory_is_private_since_shared_memory_gets_no_huge_pages():
    words = pages.fresh(4 << 20)
    words[:] = 1
    regions = [line.split() for line in pages.MAPS.read_text().splitlines() if " 00:00 0" in line]
    index = words.ctypes.data + words.nbytes // 2
    (kind,) = [
        what
        for ends, what, *_ in regions
        if int(ends.split("-")[0], 16) <= index < int(ends.split("-")[1], 16)
    ]
    assert kind == "rw-p"
    assert pages.huge_page_fraction(words) is not None


@given(size=st.integers(1, 5 << 20))
@settings(max_examples=20, deadline=None)
def test_memory_is_zero_and_begins_with_a_page(size):
    words = pages.fresh(size)
    assert words.size == -(-size // 8)
    unit = pages.PAGE if words.nbytes >= pages.PAGE else mmap.PAGESIZE
    assert words.ctypes.data % unit == 0
    words[-1] = 1
    assert words.sum() == 1


def test_a_system_that_refuses_huge_pages_still_gives_memory(monkeypatch):
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", 12345, raising=False)
    assert pages.fresh(4 << 20).size == 4 << 17
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE")
    assert pages.fresh(4 << 20).size == 4 << 17


def mapped(path, array, huge, there=100):
    index = array.ctypes.data
    path.write_text(
        f"{index - 4096:x}-{index:x} rw-p 00000000 00:00 0\n"
        "Rss:                 999 kB\nAnonHugePages:       999 kB\n"
        f"{index:x}-{index + array.nbytes:x} rw-p 00000000 00:00 0\n"
        f"Rss:                 {there} kB\nAnonHugePages:       {huge} kB\n"
    )
    return path


@pytest.mark.parametrize(
    ("huge", "share", "words"),
    [(100, 1.0, "huge pages"), (40, 0.4, "40 % in huge pages"), (0, 0.0, "small pages")],
)
def test_the_share_in_huge_pages_is_that_of_the_arrays_own_memory(tmp_path, huge, share, words):
    array = np.zeros(1024)
    path = mapped(tmp_path / "smaps", array, huge)
    assert pages.huge_page_fraction(array, path) == share
    assert pages.described(array, path) == words


def test_memory_that_the_system_does_not_show_has_pages_of_unknown_size(tmp_path):
    array, path = np.zeros(1024), tmp_path / "smaps"
    assert pages.described(array, path) == "page size unknown"
    assert pages.described(array, mapped(path, array, 0, there=0)) == "page size unknown"
    path.write_text("")
    assert pages.huge_page_fraction(array, path) is None


def test_the_cycle_visits_every_line_once_in_its_order():
    following, order = cycle(1 << 12)
    assert sorted(order) == list(range(0, 512, 8))
    index, seen = order[0], []
    for _ in order:
        seen.append(index)
        index = following[index]
    np.testing.assert_array_equal(seen, order)
    assert index == order[0]


def test_each_walk_takes_its_own_steps():
    following, order = cycle(1 << 12)
    indices = order[[0, 10, 30]].copy()
    chase_pointers(following, indices, 5)
    np.testing.assert_array_equal(indices, order[[5, 15, 35]])


def test_a_run_counts_the_loads_of_all_walks():
    with PinnedThreads(1) as team:
        one, four = measure_chains(1 << 14, [1, 4], team, runs=3, seconds=1e-4)
    assert (one.unit, one.name, four.name) == ("loads", "1 at once", "4 at once")
    assert four.work % 4 == 0


def test_walks_that_do_not_wait_for_one_another_share_their_time(monkeypatch):
    monkeypatch.setattr(PinnedThreads, "short_runs", lambda *given: (100, np.array([1e-5])))
    with PinnedThreads(1) as team:
        one, eight = measure_chains(1 << 14, [1, 8], team, runs=1)
    assert one.shortest == pytest.approx(100e-9)
    assert eight.shortest == pytest.approx(12.5e-9)


@pytest.mark.parametrize(("counts", "message"), [([0], "chains must be"), ([65], "at most the 64")])
def test_bad_numbers_of_walks_are_refused(counts, message):
    with PinnedThreads(1) as team, pytest.raises(ValueError, match=message):
        measure_chains(1 << 12, counts, team, runs=1)


def test_walks_are_for_one_thread():
    with pytest.raises(ValueError, match="threads must be one thread"):
        measure_chains(1 << 12, [1], [0, 1])


@pytest.mark.parametrize(("size", "line"), [(128, 64), (4096, 64), (100_000, 128), (1024, 8)])
def test_a_cycle_visits_every_line_once_and_closes(size, line):
    cycle = PointerCycle(size, line)
    visited = cycle.lines()
    assert sorted(visited) == list(range(size // line))
    last = cycle.words[visited[-1] * line // 8]
    assert last == cycle.start


def test_the_order_is_random_but_the_same_for_a_seed():
    one, same, other = (PointerCycle(1 << 14, seed=seed).lines() for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    steps = np.diff(one)
    assert np.abs(np.mean(np.abs(steps)) - 256 / 3) < 20, "steps should be far and near alike"


def test_all_cycles_are_equally_likely():
    def turned(order):
        first = list(order).index(0)
        return tuple(np.roll(order, -first))

    seen = [turned(PointerCycle(256, seed=seed).lines()) for seed in range(300)]
    counts = [seen.count(order) for order in set(seen)]
    assert len(counts) == 6, "four lines have 3! cycles"
    assert min(counts) > 25


def test_pointers_are_one_line_apart_and_aligned():
    cycle = PointerCycle(1 << 12, line=128)
    pointers = cycle.words[cycle.words > 0]
    assert cycle.base % 4096 == 0
    assert pointers.size == cycle.count == 32
    assert not ((pointers - np.uint64(cycle.base)) % np.uint64(128)).any()


@pytest.mark.parametrize(
    ("size", "line", "message"),
    [(64, 64, "size must be a whole number, 128 or more, got 64"),
     (1024, 12, "line must be a multiple of 8, got 12")],
)  # fmt: skip
def test_sizes_that_make_no_cycle_are_refused(size, line, message):
    with pytest.raises(ValueError, match=message):
        PointerCycle(size, line)


def test_a_run_counts_its_loads_and_goes_on_where_it_stopped():
    with PinnedThreads(1) as team:
        result = latency.measure_latency(PointerCycle(1 << 14), team, runs=3, seconds=1e-4)
    assert result.unit == "loads"
    assert result.work % kernels.CHASE_UNROLL == 0
    assert result.seconds.size == 3
    assert result.seconds.min() >= 0.25e-4
    assert result.name == "16 KiB"


def test_a_walk_is_for_one_thread():
    with pytest.raises(ValueError, match="threads must be one thread, got 2"):
        latency.measure_latency(PointerCycle(1 << 14), [0, 1])


def test_a_ladder_climbs_from_the_smallest_set_and_states_the_time_of_a_load(monkeypatch):
    seconds = iter([[2e-8, 1.6e-8], [1.6e-6, 3.2e-6]])
    caches = Hierarchy((CacheLevel(1, 32 << 10, 1),), 64, "sysfs")
    with PinnedThreads(1) as team:
        monkeypatch.setattr(
            team, "short_runs", lambda run, length, runs: (1, np.array(next(seconds)))
        )
        small, large = latency.latency_ladder(caches, team, [1 << 16, 1 << 13])
    assert (small.size, large.size) == (1 << 13, 1 << 16)
    assert small.latency == pytest.approx(1.6e-8 / kernels.CHASE_UNROLL)
    assert large.latency == pytest.approx(1.6e-6 / kernels.CHASE_UNROLL)


def test_reading_counts_the_bytes_of_all_threads():
    with PinnedThreads(1) as team:
        result = latency.measure_read_bandwidth(10_000, team, runs=3, seconds=1e-4)
    assert result.unit == "bytes"
    assert result.work % (64 * 8) == 0
    assert result.work >= 10_000


@pytest.mark.parametrize("lines", [2, 100, 1000])
def test_a_walk_through_some_lines_takes_one_of_each_stretch(lines):
    cycle = PointerCycle(1 << 17, lines=lines)
    visited = np.sort(cycle.lines())
    assert visited.size == cycle.count == lines
    every = (1 << 17) // 64
    bounds = np.arange(lines + 1) * every // lines
    assert ((bounds[:-1] <= visited) & (visited < bounds[1:])).all()
    assert cycle.size == 1 << 17


def test_a_cycle_may_lie_in_memory_that_is_there():
    room = np.zeros(4096, np.uint64)
    cycle = PointerCycle(1 << 14, memory=room)
    assert np.shares_memory(cycle.words, room)
    assert sorted(cycle.lines()) == list(range(256))


def test_what_takes_the_cache_is_called_instead_of_a_walk(monkeypatch):
    asked = []
    with PinnedThreads(1) as team:
        monkeypatch.setattr(team, "run", lambda task: asked.append("walk"))
        monkeypatch.setattr(team, "short_runs", lambda *given: (1, np.array([1e-3])))
        latency.measure_latency(PointerCycle(1 << 14), team)
        latency.measure_latency(PointerCycle(1 << 14), team, flush=lambda: asked.append("flush"))
    assert asked == ["walk", "flush"]
