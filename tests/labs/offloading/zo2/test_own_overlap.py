"""Two threads and a few buffers: right products, times by a clock that ticks, honest words."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.zo2.own_overlap import (
    BLOCKS,
    OverlapTimes,
    overlapped,
    time_overlap,
    verdict,
)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_products_are_right_with_few_buffers(slots):
    rng = np.random.default_rng(slots)
    host = rng.random((4, 9, 9), np.float32)
    left, out = rng.random((2, 9), np.float32), np.zeros((BLOCKS, 2, 9), np.float32)
    overlapped(host, np.zeros((slots, 9, 9), np.float32), left, out)
    for i in range(BLOCKS):
        assert np.allclose(out[i], left @ host[i % 4])


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_overlap([2, 3], [1, 2], 4, 8, clock=lambda: float(next(ticks)))
    assert [t.rows for t in times] == [2, 3]
    one = times[0]
    assert one.copying.tolist() == one.multiplying.tolist() == [[1.0] * 4] * 2
    assert one.together.shape == (2, 4)
    assert one.forecast[:, 0].tolist() == pytest.approx([2, (BLOCKS + 1) / BLOCKS])
    assert (one.gain == 2).all()
    assert one.stretch[0].tolist() == pytest.approx([0.5] * 4)


def test_parts_are_timed_with_the_buffers_of_the_whole(monkeypatch):
    """Alone each goes through the buffers that both together have, and no others."""
    seen = []
    copyto, matmul = np.copyto, np.matmul

    def copy(target, source):
        seen.append(("copy", target.ctypes.data))
        copyto(target, source)

    def multiply(left, right, out):
        seen.append(("multiply", right.ctypes.data))
        matmul(left, right, out=out)

    monkeypatch.setattr(np, "copyto", copy)
    monkeypatch.setattr(np, "matmul", multiply)
    time_overlap([2], [1, 3], 1, 8)
    for half in (seen[: len(seen) // 2], seen[len(seen) // 2 :]):
        for place, slots in enumerate((1, 3)):
            first = 4 * BLOCKS * place
            alone = half[first : first + 2 * BLOCKS]
            together = half[first + 2 * BLOCKS : first + 4 * BLOCKS]
            assert [name for name, _ in alone] == ["copy"] * BLOCKS + ["multiply"] * BLOCKS
            for name in ("copy", "multiply"):
                used = {at for what, at in alone if what == name}
                assert len(used) == slots
                assert used == {at for what, at in together if what == name}


def test_forecast_takes_each_numbers_own_times():
    parts = np.array([[12.0] * 9, [24.0] * 9])
    times = OverlapTimes(4, (1, 2), parts, 2 * parts, np.ones((2, 9)))
    assert times.forecast[:, 0] == pytest.approx([12 + 24, 2 + BLOCKS * 4])
    assert times.gain[:, 0] == pytest.approx([36, 72])


def made(stretch, repeats=9, one=1.0):
    ones = np.ones((2, repeats))
    two = (BLOCKS + 1) / BLOCKS * np.broadcast_to(stretch, repeats)
    return OverlapTimes(16, (1, 2), ones, ones, np.stack([2 * one * ones[0], two]))


def test_verdict_says_what_came_out():
    def of_two(stretch):
        return verdict([made(stretch)]).split("; 2 buffers")[1]

    assert "the model holds" in of_two(1.0)
    assert "too hopeful" in of_two(1.4)
    assert "faster together than alone" in of_two(0.8)
    assert "scatter" in of_two(np.linspace(0.7, 1.4, 9))
    assert "scatter" in of_two(np.linspace(0.98, 1.3, 9))
    assert verdict([made(1.0, 5)]).startswith("Too few")
    assert "2 buffers 1.85 times as fast as one after the other" in verdict([made(1.0)])


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (1.0, "1.00 to 1.00 (the model holds"),
        (0.8, "0.80 to 0.80 (less than the times alone allow"),
        (1.3, "1.30 to 1.30 (the model is too hopeful"),
    ],
)
def test_verdict_on_one_buffer(one, said):
    first, second = verdict([made(1.0, one=one)]).split("; 2 buffers")
    assert f"one buffer {1 / one:.2f} times as fast" in first
    assert said in first
    assert "the model holds" in second


def test_bad_input():
    with pytest.raises(ValueError, match="rows must be a whole number, 1 or more"):
        time_overlap([0], [1], 1, 4)
    with pytest.raises(ValueError, match="slots must be a whole number, 1 or more"):
        time_overlap([1], [0], 1, 4)
    with pytest.raises(ValueError, match="repeats must be a whole number"):
        time_overlap([1], [1], 0, 4)
