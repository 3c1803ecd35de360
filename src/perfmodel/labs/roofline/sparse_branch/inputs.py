"""Sizes of sparse branch prediction.

Zouzias, Kalaitzidis, Berestizshevsky, Andri, Peled and Wang, arXiv 2207.14033, 2022.
"""

from __future__ import annotations

HISTORY = 512
"""Global history bits; as many local ones are used beside them."""

EXTRA_STORAGE = 2 * 1024 * 8
"""Bits that the paper adds to a processor: 2 KB."""
