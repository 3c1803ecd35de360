"""The made-up machine of the latency ladder, with round numbers that can be checked by hand."""

from __future__ import annotations

from perfmodel.labs.measurement.latency_ladder.ladder import Ladder, LadderStep

KIB, MIB = 2.0**10, 2.0**20

MADE_UP = Ladder(
    1e-9,
    (
        LadderStep("L1", 32 * KIB, 3e-9),
        LadderStep("L2", 1 * MIB, 12e-9),
        LadderStep("L3", 16 * MIB, 79e-9),
        LadderStep("TLB", 6 * MIB, 20e-9, translates=True),
    ),
)
"""Loads take 1, 4, 16 and 95 ns; 1,536 pages of 4 KiB are translated at no cost."""
