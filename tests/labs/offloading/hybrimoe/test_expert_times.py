"""An expert's products: right, timed by a clock that ticks, and the words for each outcome."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.hybrimoe.expert_times import (
    ExpertTimes,
    expert_product,
    time_expert,
    verdict,
)

LOADS = (1, 2, 4, 8)


def made(start: float, slope: float, size: float = 1e6) -> ExpertTimes:
    """Return times on a line, without scatter."""
    seconds = start + slope * np.array(LOADS)
    return ExpertTimes(LOADS, np.repeat(seconds[:, None], 5, axis=1), np.ones(5), size)


def test_product_by_loops():
    rng = np.random.default_rng(0)
    tokens, gate, up, down = (rng.standard_normal(s) for s in ((2, 3), (3, 4), (3, 4), (4, 3)))
    for i in range(2):
        left, right = tokens[i] @ gate, tokens[i] @ up
        inner = [a / (1 + np.exp(-a)) * b for a, b in zip(left, right, strict=True)]
        assert expert_product(tokens, (gate, up, down))[i] == pytest.approx(inner @ down)


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_expert([1, 3], 8, 4, repeats=3, clock=lambda: float(next(ticks)))
    assert times.seconds.tolist() == [[1.0] * 3] * 2
    assert times.copying.tolist() == [1.0] * 3
    assert times.size == 3 * 8 * 4 * 4


def test_line_and_its_interval():
    start, slope = made(2e-4, 1e-4).line()
    assert start == pytest.approx([2e-4] * 3)
    assert slope == pytest.approx([1e-4] * 3)
    rng = np.random.default_rng(1)
    noisy = 2e-4 + 1e-4 * np.array(LOADS)[:, None] + 5e-5 * rng.random((4, 9))
    fit, low, high = ExpertTimes(LOADS, noisy, np.ones(9), 1e6).line()[1]
    assert low < fit < high


def test_largest_load_that_the_cpu_keeps():
    times = made(2e-4, 1e-4)
    assert times.largest_kept(link=1e6 / 6.5e-4) == 4
    assert times.largest_kept(link=1e6 / 2e-4) == 0
    dip = ExpertTimes(LOADS, np.repeat([[1.0], [9.0], [2.0], [9.0]], 3, 1), np.ones(3), 1.0)
    assert dip.largest_kept(link=1 / 3) == 1


def test_verdict_says_what_came_out():
    good = made(2e-4, 1e-4)
    assert verdict(good, 1e6 / 6.5e-4).startswith("A line fits: 0.2 ms to begin")
    kept = verdict(good, 1e6 / 6.5e-4)
    assert "done with 4 tokens in its own memory" in kept
    assert kept.endswith("the link is slower than the core reads them.")
    assert "done with 8 tokens or more" in verdict(good, 1e6)
    assert "done with 1 token in" in verdict(good, 1e6 / 3.5e-4)
    late = verdict(good, 1e12)
    assert "A link of 1000 GB/s has the weights there (0.001 ms) before one core" in late
    assert "slower than" not in late
    assert "scatter" in verdict(made(1e-3, -1e-4))


def test_a_bent_line_says_no_constants():
    bent = ExpertTimes(LOADS, np.repeat([[1.0], [9.0], [9.0], [10.0]], 3, 1), np.ones(3), 1.0)
    assert verdict(bent).startswith("No line fits: at worst it is 3")
    assert "to begin" not in verdict(bent)
    assert not bent.fits()
    assert bent.worst_off() > 3
    seconds = np.array([1.0, 2.0, 1.6, 3.0])[:, None]
    badly = ExpertTimes(LOADS, np.repeat(seconds, 3, 1), np.ones(3), 1.0)
    assert verdict(badly).startswith("A line fits badly: ")
    assert badly.fits()


def test_a_line_fits_only_if_it_rises():
    assert made(2e-4, 1e-4).fits()
    assert made(2e-4, 1e-4).worst_off() == pytest.approx(0)
    assert not made(1e-3, -1e-4).fits()
    assert made(1e-3, -1e-4).worst_off() is None


@pytest.mark.parametrize(
    ("copy", "words"),
    [(6e-4, "near enough that memory may"), (1e-5, "so far below that something else than memory")],
)
def test_what_bounds_one_token(copy, words):
    """3e-4 s for 1 MB are 3.3 GB/s; a copy moves 2 MB."""
    line = made(2e-4, 1e-4)
    times = ExpertTimes(LOADS, line.seconds, np.full(5, copy), 1e6)
    rate = f"{2e-3 / copy:.2g}"
    said = f"reads weights at 3.3 GB/s; a copy reads and writes {rate} GB/s: {words}"
    assert said in verdict(times)


def test_bad_input():
    with pytest.raises(ValueError, match="loads must be a whole number, 1 or more, got 0"):
        time_expert([0])
    with pytest.raises(ValueError, match="link must be above 0, got 0"):
        made(1e-4, 1e-4).largest_kept(0.0)
