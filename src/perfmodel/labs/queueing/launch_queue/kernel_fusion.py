"""Which kernels could be fused, how many launches that saves, and what the saving is worth.

A chain of kernels that always follow each other can become one kernel. While the CPU is the slower
side, time goes with the number of launches, so that fewer launches are a speedup; once the GPU is,
they are nothing. This module counts both, the ideal and the run.

Source: the idea and the what-if are of P. Vellaisamy et al., ISPASS 2025; the counting rules are
spelled out here, and kernels are not taken to run faster for being fused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.launch_queue.timeline import LaunchTimeline, timeline
from perfmodel.validation import Floats, non_negative, positive, whole

BLOCK = (
    *("layer norm", "query matmul", "key matmul", "value matmul", "transpose", "score matmul"),
    *("scale", "mask", "softmax", "value product", "transpose", "output matmul", "add"),
    *("layer norm", "up matmul", "gelu", "down matmul", "add"),
)
"""Kernels of a transformer block run one by one: an illustration, not a recorded trace."""


@dataclass(frozen=True)
class KernelChain:
    """Kernels that follow each other, and how reliably they do."""

    names: tuple[str, ...]
    count: int
    """Times that the whole chain occurs, overlapping ones too."""
    proximity: float
    """`count` over the times that its first kernel occurs; 1 where it always starts the chain."""


def chains(kernels: Sequence[str], length: int) -> list[KernelChain]:
    """Return every chain of a length with its proximity score, surest first, then most frequent.

    Parameters
    ----------
    kernels : sequence of str
        Names in order of launch.
    length : int
        Kernels in a chain, 2 or more, and no more than there are.

    Returns
    -------
    list of KernelChain

    Raises
    ------
    ValueError
        If `length` is out of range.

    Examples
    --------
    >>> for chain in chains(["a", "b", "c", "a", "b", "d"], 2)[:2]:
    ...     print(chain.names, chain.count, chain.proximity)
    ('a', 'b') 2 1.0
    ('c', 'a') 1 1.0
    """
    size = whole("length", length, low=2)
    if size > len(kernels):
        raise ValueError(f"length must be at most {len(kernels)}, the kernels, got {length!r}")
    first = Counter(kernels)
    windows = Counter(tuple(kernels[i : i + size]) for i in range(len(kernels) - size + 1))
    scored = [
        KernelChain(names, count, count / first[names[0]]) for names, count in windows.items()
    ]
    return sorted(scored, key=lambda chain: (-chain.proximity, -chain.count))


def fuse(kernels: Sequence[str], chosen: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """Return which kernels are launched together if the chosen chains are fused.

    Parameters
    ----------
    kernels : sequence of str
        Names in order of launch.
    chosen : sequence of sequences of str
        Chains; where two could start at a kernel, the one named first does. None overlap.

    Returns
    -------
    list of tuple of int
        Places in `kernels`, one tuple for each launch.

    Raises
    ------
    ValueError
        If a chain is empty.

    Examples
    --------
    >>> fuse(["a", "b", "c", "a", "b"], [("a", "b")])
    [(0, 1), (2,), (3, 4)]
    """
    if any(not len(chain) for chain in chosen):
        raise ValueError(f"chosen must hold chains of a kernel or more, got {chosen!r}")
    wanted = [tuple(chain) for chain in chosen]
    groups, place = [], 0
    while place < len(kernels):
        fits = (c for c in wanted if tuple(kernels[place : place + len(c)]) == c)
        size = len(next(fits, kernels[place : place + 1]))
        groups.append(tuple(range(place, place + size)))
        place += size
    return groups


def fused_launches(launches: ArrayLike, fused_chains: ArrayLike, length: ArrayLike) -> Floats:
    """Return the launches that are left when chains become one kernel each, K - C (L - 1).

    Parameters
    ----------
    launches : array_like
        K before fusing, above 0. All arguments broadcast.
    fused_chains : array_like
        C, 0 or more.
    length : array_like
        L kernels in a chain, 1 or more.

    Returns
    -------
    ndarray
        Above 0. K over it is the speedup while the CPU is the slower side.

    Raises
    ------
    ValueError
        If an argument is out of range or the chains need more kernels than there are.

    Examples
    --------
    >>> print(fused_launches(300, 40, 4))
    180.0
    """
    before = positive("launches", launches)
    count, size = non_negative("fused_chains", fused_chains), positive("length", length)
    if (count * size > before).any():
        raise ValueError(
            f"fused_chains times length must be at most launches, got {fused_chains!r} times "
            f"{length!r} of {launches!r}"
        )
    return np.asarray(before - count * (size - 1))


def fused_timeline(
    groups: Sequence[Sequence[int]], host_cost: float, durations: ArrayLike, launch_latency: float
) -> LaunchTimeline:
    """Run kernels that are launched in groups: one host cost each, the sum of their durations.

    Parameters
    ----------
    groups : sequence of sequences of int
        Places of the kernels launched together, as `fuse` returns them.
    host_cost : float
        Seconds of CPU from each launch to the next.
    durations : array_like
        Seconds of each kernel, shape (n,).
    launch_latency : float
        Seconds from a launch to the earliest start.

    Returns
    -------
    LaunchTimeline
        Of the fused kernels; the GPU's work is that of the kernels one by one.

    Raises
    ------
    ValueError
        If a time is negative or the groups are not all n kernels in order.

    Examples
    --------
    >>> print(fused_timeline([(0, 1), (2,)], 1.0, [2.0, 2.0, 1.0], 0.5).ends)
    [4.5 5.5]
    """
    each = non_negative("durations", durations)
    places = [place for group in groups for place in group]
    if places != list(range(each.size)):
        raise ValueError(f"groups must be the kernels 0 to {each.size - 1} in order")
    together = [each[list(group)].sum() for group in groups]
    return timeline(np.full(len(groups), float(host_cost)), together, launch_latency)
