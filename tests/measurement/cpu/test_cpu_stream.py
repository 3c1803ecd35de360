"""STREAM: what the loops compute, which bytes count, how large the arrays are."""

import builtins
import sys

import numpy as np
import pytest

from perfmodel.measurement.cpu import stream
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy
from perfmodel.measurement.cpu.team import Team, usable

L3 = Hierarchy((CacheLevel(1, 32 << 10, 1), CacheLevel(3, 30 << 20, 4)), 64, "sysfs")


@pytest.fixture
def no_numba(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "numba":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "perfmodel.measurement.cpu.stream_kernels", raising=False)
    monkeypatch.delattr("perfmodel.measurement.cpu.stream_kernels", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)


def after_all(kernels):
    """Run copy, scale, add, triad once on small arrays."""
    with Team(1) as team:
        arrays = stream.Arrays(team, 8192)
        for kernel in kernels.values():
            kernel.loop(arrays.a, arrays.b, arrays.c)
    return arrays


def check(arrays):
    """c = a = 1; b = 3 c = 3; c = a + b = 4; a = b + 3 c = 15."""
    assert set(arrays.a) == {15.0}
    assert set(arrays.b) == {3.0}
    assert set(arrays.c) == {4.0}


def test_loops_compute_stream():
    kernels = stream.stream_loops()
    assert list(kernels) == ["copy", "scale", "add", "triad"]
    assert {kernel.implementation for kernel in kernels.values()} == {"numba"}
    check(after_all(kernels))


def test_without_numba_numpy_computes_the_same_and_says_so(no_numba):
    kernels = stream.stream_loops()
    assert {kernel.implementation for kernel in kernels.values()} == {"numpy"}
    check(after_all(kernels))
    triad = kernels["triad"]
    assert (triad.counted, triad.moved) == (40, 48)
    assert "numba is missing" in triad.note
    assert "48 moved" in triad.note


def test_counted_and_moved_bytes():
    kernels = stream.stream_loops()
    assert {name: (k.counted, k.moved) for name, k in kernels.items()} == {
        "copy": (16, 24),
        "scale": (16, 24),
        "add": (24, 32),
        "triad": (24, 32),
    }


def test_non_temporal_triad_computes_the_triad():
    kernel = stream.non_temporal_triad()
    with Team(1) as team:
        arrays = stream.Arrays(team, 8192)
    kernel.loop(arrays.a, arrays.b, arrays.c)
    assert set(arrays.a) == {2.0}
    arrays.c[:] = np.arange(arrays.c.size)
    kernel.loop(arrays.a, arrays.b, arrays.c)
    np.testing.assert_array_equal(arrays.a, 2 + 3 * np.arange(arrays.c.size))


def test_arrays_are_aligned_and_parted_for_every_member():
    with Team(usable()[:2]) as team:
        arrays = stream.Arrays(team, 100_000)
    assert all(item.ctypes.data % 64 == 0 for item in (arrays.a, arrays.b, arrays.c))
    parts = [arrays.of(member)[0] for member in range(len(team))]
    assert all(part.size % stream.UNIT == 0 and part.ctypes.data % 64 == 0 for part in parts)
    assert sum(part.size for part in parts) == arrays.a.size >= 100_000 / 8
    assert set(arrays.a) == {1.0}
    assert set(arrays.b) == {2.0}
    assert set(arrays.c) == {0.0}


def test_a_run_counts_the_bytes_of_one_pass():
    kernel = stream.stream_loops()["triad"]
    with Team(1) as team:
        arrays = stream.Arrays(team, 1 << 16)
        result = stream.measure_bandwidth(kernel, arrays, runs=4, note="small")
    assert result.work == 24 * arrays.a.size
    assert (result.unit, result.seconds.size, result.note) == ("bytes", 4, "small")
    assert set(arrays.a) == {2.0}


def test_pieces_are_equal_and_follow_one_another():
    with Team(usable()[:2]) as team:
        arrays = stream.Arrays(team, 1 << 20)
        result = arrays.pieces(5)
    assert len(result) == 5
    assert {part[0].size for piece in result for part in piece} == {result[0][0][0].size}
    assert result[0][0][0].size % stream.UNIT == 0
    for member in range(len(team)):
        starts = [piece[member][0].ctypes.data for piece in result]
        assert set(np.diff(starts)) == {result[0][0][0].nbytes}
        assert starts[0] == arrays.of(member)[0].ctypes.data


def test_a_run_of_a_piece_counts_its_bytes_and_the_next_one_goes_on():
    kernel = stream.stream_loops()["triad"]
    with Team(1) as team:
        arrays = stream.Arrays(team, 1 << 17)
        result = stream.measure_bandwidth(kernel, arrays, runs=3, pieces=8)
    assert result.work == 24 * arrays.a.size / 8
    done = 5 * arrays.a.size // 8
    assert set(arrays.a[:done]) == {2.0}, "two runs to warm up and three"
    assert set(arrays.a[done:]) == {1.0}


def test_the_same_memory_is_cut_for_another_team():
    with Team(usable()[:2]) as two, Team(1) as one:
        arrays = stream.Arrays(two, 1 << 17)
        alone = arrays.cut_for(one)
    assert (
        alone.of(0)[0].size == arrays.a.size == sum(arrays.of(m)[0].size for m in range(len(two)))
    )
    assert np.shares_memory(alone.a, arrays.a)


def test_array_sizes_come_from_the_caches():
    assert stream.array_bytes(L3, 1, None) == (40 << 20, "")
    assert stream.array_bytes(L3, 1, None, strict=True) == (120 << 20, "")
    two = stream.array_bytes(L3, 8, None)[0]
    assert 0 <= two - (80 << 20) < 8 * stream.UNIT * 8


def test_little_memory_and_assumed_caches_are_said():
    size, note = stream.array_bytes(L3, 1, 64 << 20)
    assert 3 * size <= (16 << 20) + 3 * 8 * stream.UNIT
    assert "too little memory" in note
    guessed = Hierarchy(L3.levels, 64, "assumed")
    assert stream.array_bytes(guessed, 1, None)[1] == "cache sizes are assumed, not known"
