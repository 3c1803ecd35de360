"""An expert's products on this machine's CPU, by its tokens, and a copy of its weights.

An expert of a gated network has three matrices: two of hidden x inner, whose products with the
tokens are multiplied with one another, and one of inner x hidden. With few tokens its weights come
from memory once for little work; with many the multiplying takes the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from time import perf_counter

import numpy as np

from perfmodel.validation import Floats, positive, whole

HIDDEN, INNER = 2048, 1408
"""Of an expert of DeepSeek-V2-Lite."""
LOADS = (1, 2, 4, 8, 16, 32)
LINK = 25e9  # not from the registry: an assumption of this lab
"""Assumed: bytes/s of a link to a GPU."""
STRAIGHT, BENT = 0.15, 0.5
"""Shares that a line may be off to fit, and from which on its constants say nothing."""
Clock = Callable[[], float]
Weights = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class ExpertTimes:
    """Seconds measured, single precision: of products by `loads` (tokens), shape (loads, repeats).

    `copying` is of a copy of an expert's weights, `size` bytes, inside the CPU's memory.
    """

    loads: tuple[int, ...]
    seconds: Floats
    copying: Floats
    size: float

    @property
    def medians(self) -> Floats:
        """Median seconds by load."""
        return np.asarray(np.median(self.seconds, axis=1))

    def line(self, draws: int = 400, seed: int = 0) -> tuple[Floats, Floats]:
        """Return start-up and seconds a token of the line through the medians: fit, low, high.

        The 95 % intervals come from `draws` resamples of the repetitions.
        """
        rng = np.random.default_rng(seed)
        repeats = self.seconds.shape[1]
        picks = rng.integers(repeats, size=(whole("draws", draws, 1), repeats))
        sampled = np.median(self.seconds[:, picks], axis=2)
        slope, start = np.polyfit(self.loads, np.column_stack([self.medians, sampled]), 1)
        low, high = np.percentile([start[1:], slope[1:]], [2.5, 97.5], axis=1)
        return tuple(  # type: ignore[return-value]
            np.array([fit[0], low[i], high[i]]) for i, fit in enumerate((start, slope))
        )

    def worst_off(self) -> float | None:
        """Return by which share the line is off where it is worst; None if it may fall."""
        start, slope = self.line()
        if slope[1] <= 0:
            return None
        off = self.medians - (start[0] + slope[0] * np.array(self.loads))
        return float(np.max(np.abs(off) / self.medians))

    def fits(self) -> bool:
        """Return whether the line's constants say something: it rises, and is near the medians."""
        worst = self.worst_off()
        return worst is not None and worst <= BENT

    def largest_cpu_load(self, link: float = LINK) -> int:
        """Return up to how many tokens the CPU is done before the link has the weights, or 0."""
        fetch = self.size / float(positive("link", link))
        pairs = sorted(zip(self.loads, self.medians, strict=True))
        return max((n for n, _ in takewhile(lambda pair: pair[1] <= fetch, pairs)), default=0)


def expert_product(tokens: np.ndarray, weights: Weights) -> np.ndarray:
    """Return what an expert makes of its tokens, shape (tokens, hidden).

    Gate and up have shape (hidden, inner), down (inner, hidden).
    """
    gate, up, down = weights
    gated = tokens @ gate
    with np.errstate(over="ignore"):
        gated /= 1 + np.exp(-gated)
    return np.asarray((gated * (tokens @ up)) @ down)


def time_expert(
    loads: Sequence[int] = LOADS,
    hidden: int = HIDDEN,
    inner: int = INNER,
    repeats: int = 9,
    clock: Clock = perf_counter,
) -> ExpertTimes:
    """Return the times of an expert's products by load; three experts take turns.

    One repetition goes before; `hidden` and `inner` are the widths.
    """
    from threadpoolctl import threadpool_limits

    h, f, count = whole("hidden", hidden, 1), whole("inner", inner, 1), whole("repeats", repeats, 1)
    rng = np.random.default_rng(0)
    experts = [_weights(rng, h, f) for _ in range(3)]
    tokens = rng.standard_normal((max(whole("loads", n, 1) for n in loads), h), np.float32)
    copies = [np.empty_like(w) for w in experts[0]]

    def seconds(work: Callable[[int], object]) -> list[float]:
        durations = []
        for turn in range(count + 1):
            began = clock()
            work(turn % len(experts))
            durations.append(clock() - began)
        return durations[1:]

    def copy(turn: int) -> None:
        for target, source in zip(copies, experts[turn], strict=True):
            np.copyto(target, source)

    with threadpool_limits(1):
        products = [
            seconds(lambda turn, n=n: expert_product(tokens[:n], experts[turn]))  # type: ignore[misc]
            for n in loads
        ]
        copying = seconds(copy)
    size = float(sum(w.nbytes for w in copies))
    return ExpertTimes(tuple(loads), np.array(products), np.array(copying), size)


def _weights(rng: np.random.Generator, hidden: int, inner: int) -> Weights:
    gate, up, down = (
        rng.standard_normal(shape, np.float32) / np.float32(hidden**0.5)
        for shape in ((hidden, inner), (hidden, inner), (inner, hidden))
    )
    return gate, up, down


def conclusion(times: ExpertTimes, link: float = LINK) -> str:
    """Return in words how straight the measured times are, and what they say about fetching."""
    (start, slope), worst = times.line(), times.worst_off()
    if worst is None:
        first = "The times scatter so much that no line through them says anything. Something "
        first += "else may be running: close it and measure again."
    elif not times.fits():
        first = f"No line fits: at worst it is {100 * worst:.0f} % off, and its constants say "
        first += "nothing of this CPU. Products of one token and of several may run different code."
    else:
        first = (
            f"A line fits{' badly' * (worst >= STRAIGHT)}: {1e3 * start[0]:.2g} ms to begin "
            f"({1e3 * start[1]:.2g} to {1e3 * start[2]:.2g}) and {1e3 * slope[0]:.2g} ms a token "
            f"({1e3 * slope[1]:.2g} to {1e3 * slope[2]:.2g}), at worst {100 * worst:.0f} % off."
        )
    return f"{first} {_memory(times)} {_fetching(times, link)}"


def _memory(times: ExpertTimes) -> str:
    """Return in words how fast weights were read for the fewest tokens, beside a copy."""
    few = min(times.loads)
    read = times.size / float(times.medians[times.loads.index(few)])
    copied = 2 * times.size / float(np.median(times.copying))
    bound = (
        "near enough that memory may bound it"
        if read > copied / 2
        else "so far below that something else than memory may bound it"
    )
    return (
        f"With {few} token{'s' * (few > 1)} one core reads weights at {read / 1e9:.2g} GB/s; a "
        f"copy reads and writes {copied / 1e9:.2g} GB/s: {bound}."
    )


def _fetching(times: ExpertTimes, link: float) -> str:
    """Return in words whether a link would have been faster than one core, and why."""
    kept, fetch = times.largest_cpu_load(link), times.size / link
    there = f"a link of {link / 1e9:g} GB/s has the weights there ({1e3 * fetch:.2g} ms)"
    if kept == 0:
        few = min(times.loads)
        return (
            f"{there.capitalize().replace('gb/s', 'GB/s')} before one core has done {few} "
            f"token{'s' * (few > 1)}: fetch. One core may not draw all that the memory can give; "
            "then more cores would shorten it."
        )
    more = "or more " if kept == max(times.loads) else ""
    return (
        f"Until {there}, one core is done with {kept} token{'s' * (kept > 1)} {more}in its own "
        "memory: up to there, compute. A fetch reads the same bytes from that memory, and the "
        "link is slower than the core reads them."
    )
