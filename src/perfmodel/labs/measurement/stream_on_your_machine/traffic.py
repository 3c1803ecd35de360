"""STREAM as a model: bytes counted and moved, the price of starting a loop, where data lie.

A high-level loop needs time to start, then moves its bytes like any other loop. Its time is
T = T_fork + Q / B. The half-performance length, at which the loop reaches half of the bandwidth,
shows how long a loop must be before the abstraction costs nothing:

>>> half = half_size(overhead=20e-6, bandwidth=50e9)
>>> round(half / 1e6, 9), round(float(efficiency(half, 20e-6, 50e9)), 9)
(1.0, 0.5)

`perfmodel.measurement.cpu.stream` and `sweep` measure what is modelled here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import Floats, finite, non_negative, one_of, positive, whole, within

WORD = 8
"""Bytes of an element."""

SCALAR = 3.0
"""The factor of scale and triad."""

LIMIT = 1e-13
"""Mean relative error that STREAM allows in doubles."""


@dataclass(frozen=True)
class LoopStreams:
    """Streams of an elementwise loop: arrays only read, only written, and read and then written."""

    reads: int
    writes: int
    updates: int = 0

    @property
    def counted(self) -> int:
        """Bytes an element that the loop names."""
        return WORD * (self.reads + self.writes + 2 * self.updates)

    @property
    def moved(self) -> int:
        """Bytes an element between memory and cache: a line is read before it is written."""
        return self.counted + WORD * self.writes


STREAM = {
    "copy": LoopStreams(1, 1),
    "scale": LoopStreams(1, 1),
    "add": LoopStreams(2, 1),
    "triad": LoopStreams(2, 1),
}
"""c = a, b = 3 c, c = a + b, a = b + 3 c."""

NUMPY_TRIAD = LoopStreams(2, 1, 1)
"""`multiply(c, 3, out=a)`, then `add(a, b, out=a)`, which finds a's lines there already."""


def loop_time(traffic: ArrayLike, overhead: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return T_fork + Q / B in seconds; traffic and bandwidth both count or both move bytes."""
    work = positive("traffic", traffic) / positive("bandwidth", bandwidth)
    return np.asarray(non_negative("overhead", overhead) + work)


def efficiency(traffic: ArrayLike, overhead: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the share of the bandwidth that a loop reaches, 1 / (1 + T_fork B / Q)."""
    whole_time = loop_time(traffic, overhead, bandwidth)
    return np.asarray(1 - finite("overhead", overhead) / whole_time)


def half_size(overhead: float, bandwidth: float) -> float:
    """Return the bytes at which half of the bandwidth is reached, N_1/2 = T_fork B."""
    return float(non_negative("overhead", overhead) * positive("bandwidth", bandwidth))


def size_for(wanted: float, overhead: float, bandwidth: float) -> float:
    """Return the bytes from which on a loop reaches a share `wanted`, below 1, of B.

    >>> round(size_for(0.95, 1e-6, 1e9))
    19000
    """
    fraction = float(within("wanted", wanted, 0, 1))
    if fraction == 1:
        raise ValueError("wanted must be below 1: the whole bandwidth is never reached")
    return half_size(overhead, bandwidth) * fraction / (1 - fraction)


def plateau_bandwidth(
    working_set: ArrayLike, capacities: ArrayLike, bandwidths: ArrayLike
) -> Floats:
    """Return the bandwidth of the smallest level that holds a working set.

    `capacities` are bytes of each cache, increasing; `bandwidths` are bytes/s out of
    each cache, and last of memory. Real plateaus have slopes: a cache that holds most of the arrays
    still serves some of them.
    """
    sizes, rates = positive("capacities", capacities), positive("bandwidths", bandwidths)
    if rates.shape != (sizes.size + 1,) or (np.diff(sizes) <= 0).any():
        raise ValueError(
            f"capacities must increase and bandwidths be one more than they, got {sizes.tolist()} "
            f"and {rates.tolist()}"
        )
    return np.asarray(rates[np.searchsorted(sizes, positive("working_set", working_set))])


def expected(
    repetitions: int, start: tuple[float, float, float] = (1.0, 2.0, 0.0)
) -> tuple[float, float, float]:
    """Return an element of a, b and c after this many rounds of copy, scale, add and triad.

    A round makes a fifteen times as large, with b and c three and four times the old a. `start`
    has an element of each before the first of the `repetitions`.

    >>> expected(1)
    (15.0, 3.0, 4.0)
    """
    a, b, c = (float(value) for value in finite("start", start))
    for _ in range(whole("repetitions", repetitions)):
        c = a
        b = SCALAR * c
        c = a + b
        a = b + SCALAR * c
    return a, b, c


def relative_error(values: ArrayLike, wanted: float) -> float:
    """Return the mean relative error of `values` against the one value `wanted` of all of them.

    ValueError if either is not finite. The error would be NaN, and NaN > limit is false: a check
    that only asks whether the error is too large would pass.
    """
    should = float(finite("wanted", wanted))
    if should == 0:
        raise ValueError("wanted must not be 0: there is no relative error, got 0")
    return float(np.mean(np.abs(finite("values", values) - should)) / abs(should))


def placed_rate(shares: ArrayLike, bandwidth: float, link: float) -> float:
    """Return the bytes/s of all sockets together, for data that lie where they were first touched.

    `shares` of all traffic between the threads of a socket (row) and the memory of one (column);
    bytes/s of one socket's memory, and from it to the threads of another.

    >>> placed_rate([[0.5, 0], [0, 0.5]], 100.0, 60.0), placed_rate([[0.5, 0], [0.5, 0]], 100, 60)
    (200.0, 100.0)
    """
    parts = within("shares", shares, 0, 1)
    if parts.ndim != 2 or parts.shape[0] != parts.shape[1] or not math.isclose(parts.sum(), 1):
        raise ValueError(f"shares must be square and add up to 1, got {parts.tolist()}")
    memory = parts.sum(axis=0).max() / float(positive("bandwidth", bandwidth))
    crossing = np.where(np.eye(len(parts)), 0, parts).max() / float(positive("link", link))
    return float(1 / max(memory, crossing))


def misplaced(share: float) -> Floats:
    """Return `shares` for two sockets: 1 for a serial initialisation, 0 for first touch."""
    far = float(within("share", share, 0, 1))
    return np.array([[0.5, 0.0], [0.5 * far, 0.5 * (1 - far)]])


LOOPS = {
    "copy": (("a", "c"),),
    "triad": (("bc", "a"),),
    "triad, NumPy": (("c", "a"), ("ab", "a")),
}
"""Passes of a loop: the arrays that each reads and those that it writes."""

_TOP, _ROW, _ARROW = 34, 68, 15


@dataclass(frozen=True)
class Move:
    """A word between memory and cache: read, fetched only to be overwritten, or written back."""

    array: str
    kind: str


def moves_of(loop: str) -> list[Move]:
    """Return what `loop`, a key of `LOOPS`, moves an element, with ordinary stores.

    >>> [f"{move.kind} {move.array}" for move in moves_of("copy")]
    ['read a', 'fetch c', 'write c']
    """
    one_of("loop", loop, LOOPS)
    moves = []
    for read, written in LOOPS[loop]:
        moves += [Move(array, "read") for array in read]
        moves += [Move(array, "fetch") for array in written if array not in read]
        moves += [Move(array, "write") for array in written]
    return moves


def words_moved(loop: str, step: int) -> Scene:
    """Draw the first `step` words that an element of a loop moves."""
    moves = moves_of(loop)
    done = moves[: whole("step", step)]
    shapes: list[Shape] = [Text("memory", 44, 16, bold=True), Text("caches", 212, 16, bold=True)]
    shapes.append(Line([(182, 26), (182, _TOP + 3 * _ROW)]))
    for row, array in enumerate("abc"):
        top = _TOP + row * _ROW
        shapes.append(Box(14, top, 60, _ROW - 8, array, 0, "none"))
        own_moves = [move for move in done if move.array == array]
        for index, move in enumerate(own_moves):
            shapes += _arrow(move, top + 8 + index * _ARROW, done[-1] is move)
    moved, whole_way = WORD * len(done), WORD * len(moves)
    says = f"{_said(done)} So far {moved} of {whole_way} bytes an element have moved."
    return Scene(_TOP + 3 * _ROW + 4, shapes, says, {"bytes moved": float(moved)})


def _arrow(move: Move, y: float, last: bool) -> list[Shape]:
    ends = [(176.0, y), (82.0, y)] if move.kind == "write" else [(82.0, y), (176.0, y)]
    label = {"read": "read", "fetch": "read to be overwritten", "write": "written back"}[move.kind]
    colour = 2 if move.kind == "write" else 1
    words = Text(label, 190, y, anchor="start", bold=last)
    if move.kind == "fetch":
        return [Line(ends, colour, "dashed", head=True), words]
    return [Line(ends, colour, "thick" if last else "plain", head=True), words]


def _said(done: list[Move]) -> str:
    if not done:
        return "Nothing has moved yet."
    array = done[-1].array
    return {
        "read": f"The loop reads {array}.",
        "fetch": f"{array} is read only because a store needs its line.",
        "write": f"The line of {array} goes back to memory.",
    }[done[-1].kind]
