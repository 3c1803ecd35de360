"""What the paper prints of its systems.

Source: A. Shypula and others, "Learning performance-improving code edits", ICLR 2024,
arXiv:2302.07867, and its project page, pie4perf.com.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """Shares between 0 and 1, and mean speedups, with one and with eight samples a program."""

    correct: tuple[float, float]
    """Share of programs with a correct sample."""
    optimized: tuple[float, float]
    """Share of programs with a correct sample that is at least 1.1 times as fast."""
    speedup: tuple[float, float]


SAMPLES = 8
THRESHOLD = 1.1
"""Ratio of times from which on a program counts as optimized."""
CONDITIONED = Printed((0.3855, 0.7096), (0.3200, 0.6656), (2.95, 5.65))
"""CodeLlama 13B, tuned on pairs marked with how fast they are."""
SELF_PLAY = Printed((0.6171, 0.9511), (0.4562, 0.8768), (3.02, 6.86))
"""GPT-3.5 Turbo, tuned, with programs that it made itself."""
