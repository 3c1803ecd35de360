"""The latency of wide accesses from that of one word: the path that words come back on is narrow.

The width is that of Huerta et al., "Dissecting and modeling the architecture of modern GPU cores",
MICRO 2025.
"""

from __future__ import annotations

from perfmodel.labs.roofline.gpu_cores.inputs import PATH_BITS
from perfmodel.validation import positive


def vector_latency(one_word: float, words: int) -> float:
    """Return the latency in cycles of an access of several words a thread.

    A warp's word is 32 threads x 32 bits and the path is 512 bits wide, so each further word takes
    two cycles.

    >>> [vector_latency(29, words) for words in (1, 2, 4)]
    [29.0, 31.0, 35.0]
    """
    if words not in (1, 2, 4):
        raise ValueError(f"words must be 1, 2 or 4, got {words!r}")
    return float(positive("one_word", one_word)) + (words - 1) * 32 * 32 / PATH_BITS
