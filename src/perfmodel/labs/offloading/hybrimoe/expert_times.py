"""An expert's products on this machine's CPU, by its tokens, and a copy of its weights.

An expert of a gated network has three matrices: two of hidden x inner, whose products with the
tokens are multiplied with one another, and one of inner x hidden. With few tokens its weights come
from memory once for little work; with many the multiplying takes the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from perfmodel.validation import Floats, positive, whole

HIDDEN, INNER = 2048, 1408
"""Of an expert of DeepSeek-V2-Lite."""
LOADS = (1, 2, 4, 8, 16, 32)
LINK = 25e9  # not from the registry: an assumption of this lab
"""Assumed: bytes/s of a link to a GPU."""
Clock = Callable[[], float]
Weights = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class ExpertTimes:
    """Seconds measured, single precision.

    Attributes
    ----------
    loads : tuple of int
        Tokens.
    seconds : ndarray, shape (loads, repeats)
        Of an expert's products.
    copying : ndarray, shape (repeats,)
        Of a copy of its weights inside the CPU's memory.
    size : float
        Bytes of its weights.
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
        """Return start-up and seconds a token of the line through the medians, 95 % intervals.

        Parameters
        ----------
        draws : int
            Samples of the repetitions, drawn with replacement, that the intervals come from.
        seed : int
            Of NumPy's generator.

        Returns
        -------
        tuple of ndarray, each of shape (3,)
            The fit, the lower and the upper end.
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

    def largest_kept(self, link: float = LINK) -> int:
        """Return the most tokens measured that the CPU does before the link has the weights there.

        Parameters
        ----------
        link : float
            Bytes/s. 0 if even one token takes longer.
        """
        fetch = self.size / float(positive("link", link))
        kept = [n for n, t in zip(self.loads, self.medians, strict=True) if t <= fetch]
        return max(kept, default=0)


def expert_product(tokens: np.ndarray, weights: Weights) -> np.ndarray:
    """Return what an expert makes of its tokens.

    Parameters
    ----------
    tokens : ndarray, shape (tokens, hidden)
    weights : tuple of ndarray
        Gate and up of shape (hidden, inner), down of (inner, hidden).
    """
    gate, up, down = weights
    left = tokens @ gate
    with np.errstate(over="ignore"):
        left /= 1 + np.exp(-left)
    return np.asarray((left * (tokens @ up)) @ down)


def time_expert(
    loads: Sequence[int] = LOADS,
    hidden: int = HIDDEN,
    inner: int = INNER,
    repeats: int = 9,
    clock: Clock = perf_counter,
) -> ExpertTimes:
    """Return the times of an expert's products by load; experts take turns, so that none is cached.

    Parameters
    ----------
    loads : sequence of int
        Tokens, 1 or more.
    hidden, inner : int
        Widths.
    repeats : int
        Of each load; one more goes before.
    clock : callable
        Returns seconds.
    """
    from threadpoolctl import threadpool_limits

    h, f, count = whole("hidden", hidden, 1), whole("inner", inner, 1), whole("repeats", repeats, 1)
    rng = np.random.default_rng(0)
    experts = [_weights(rng, h, f) for _ in range(3)]
    tokens = rng.standard_normal((max(whole("loads", n, 1) for n in loads), h), np.float32)
    room = [np.empty_like(w) for w in experts[0]]

    def seconds(work: Callable[[int], object]) -> list[float]:
        taken = []
        for turn in range(count + 1):
            began = clock()
            work(turn % len(experts))
            taken.append(clock() - began)
        return taken[1:]

    def copy(turn: int) -> None:
        for target, source in zip(room, experts[turn], strict=True):
            np.copyto(target, source)

    with threadpool_limits(1):
        products = [
            seconds(lambda turn, n=n: expert_product(tokens[:n], experts[turn]))  # type: ignore[misc]
            for n in loads
        ]
        copying = seconds(copy)
    size = float(sum(w.nbytes for w in room))
    return ExpertTimes(tuple(loads), np.array(products), np.array(copying), size)


def _weights(rng: np.random.Generator, hidden: int, inner: int) -> Weights:
    gate, up, down = (
        rng.standard_normal(shape, np.float32) / np.float32(hidden**0.5)
        for shape in ((hidden, inner), (hidden, inner), (inner, hidden))
    )
    return gate, up, down


def verdict(times: ExpertTimes, link: float = LINK) -> str:
    """Return in words what the measured line says of fetching, and how straight it is.

    Parameters
    ----------
    times : ExpertTimes
    link : float
        Bytes/s.
    """
    start, slope = times.line()
    off = times.medians - (start[0] + slope[0] * np.array(times.loads))
    worst = float(np.max(np.abs(off) / times.medians))
    kept, fetch = times.largest_kept(link), times.size / link
    if slope[1] <= 0:
        return (
            "The times scatter so much that no line through them says anything; close what else "
            "is running and measure again."
        )
    straight = "A line fits" if worst < 0.15 else "A line fits badly"
    first = (
        f"{straight}: {1e3 * start[0]:.2g} ms to begin ({1e3 * start[1]:.2g} to "
        f"{1e3 * start[2]:.2g}) and {1e3 * slope[0]:.2g} ms a token ({1e3 * slope[1]:.2g} to "
        f"{1e3 * slope[2]:.2g}), at worst {100 * worst:.0f} % off."
    )
    if kept == 0:
        return (
            f"{first} A link of {link / 1e9:g} GB/s has the weights there in {1e3 * fetch:.2g} ms, "
            "sooner than this CPU does one token: fetch."
        )
    more = "or more " if kept == max(times.loads) else ""
    return (
        f"{first} Until a link of {link / 1e9:g} GB/s has the weights there "
        f"({1e3 * fetch:.2g} ms), this CPU is done with {kept} token{'s' * (kept > 1)} {more}"
        "in its own memory: up to there, compute."
    )
