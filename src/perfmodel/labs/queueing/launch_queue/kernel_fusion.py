"""Fusion of kernels: candidate chains, saved launches, and the gain in time.

Source: the idea and the what-if are of P. Vellaisamy et al., ISPASS 2025; the counting rules are
defined here, and fused kernels are assumed to run no faster.
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
    """Kernels that follow each other, and how often."""

    names: tuple[str, ...]
    count: int
    """Times that the whole chain occurs, overlapping ones too."""
    proximity: float
    """`count` over the times that its first kernel occurs; 1 where it always starts the chain."""


def chains(kernels: Sequence[str], length: int) -> list[KernelChain]:
    """Return every chain of a length with its proximity score, highest first, then most frequent.

    `kernels` are names in order of launch.

    >>> for chain in chains(["a", "b", "c", "a", "b", "d"], 2)[:2]:
    ...     print(chain.names, chain.count, chain.proximity)
    ('a', 'b') 2 1.0
    ('c', 'a') 1 1.0
    """
    size = whole("length", length, 2, len(kernels))
    first = Counter(kernels)
    windows = Counter(tuple(kernels[i : i + size]) for i in range(len(kernels) - size + 1))
    scored = [
        KernelChain(names, count, count / first[names[0]]) for names, count in windows.items()
    ]
    return sorted(scored, key=lambda chain: (-chain.proximity, -chain.count))


def fuse(kernels: Sequence[str], chosen: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """Return which kernels are launched together if the chosen chains are fused.

    Each launch is a tuple of positions in `kernels`. Where two chains could start at a kernel, the
    one named first does; none overlap.

    >>> fuse(["a", "b", "c", "a", "b"], [("a", "b")])
    [(0, 1), (2,), (3, 4)]
    """
    if any(not len(chain) for chain in chosen):
        raise ValueError(f"chosen must hold chains of a kernel or more, got {chosen!r}")
    wanted = [tuple(chain) for chain in chosen]
    groups, index = [], 0
    while index < len(kernels):
        fits = (c for c in wanted if tuple(kernels[index : index + len(c)]) == c)
        size = len(next(fits, kernels[index : index + 1]))
        groups.append(tuple(range(index, index + size)))
        index += size
    return groups


def fused_launches(launches: ArrayLike, fused_chains: ArrayLike, length: ArrayLike) -> Floats:
    """Return the remaining launches when each chain becomes one kernel, K - C (L - 1).

    K over it is the speedup while the CPU is the slower side. All arguments broadcast.

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

    `groups` are positions as `fuse` returns them, times in seconds. The GPU's work is that of the
    kernels one by one.

    >>> print(fused_timeline([(0, 1), (2,)], 1.0, [2.0, 2.0, 1.0], 0.5).ends)
    [4.5 5.5]
    """
    seconds = non_negative("durations", durations)
    indices = [index for group in groups for index in group]
    if indices != list(range(seconds.size)):
        raise ValueError(f"groups must be the kernels 0 to {seconds.size - 1} in order")
    together = [seconds[list(group)].sum() for group in groups]
    return timeline(np.full(len(groups), float(host_cost)), together, launch_latency)
