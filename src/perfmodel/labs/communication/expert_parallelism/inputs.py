"""What the makers of two communication libraries print, and the sizes behind it.

Sources: the READMEs of github.com/deepseek-ai/DeepEP and github.com/uccl-project/uccl (see
README.md), and the test programs of DeepEP (tests/test_internode.py, tests/test_low_latency.py).
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

HIDDEN = 7168
"""Numbers of a token."""
EXPERTS, CHOSEN = 256, 8
"""Of a layer, and of a token."""
NODE_RANKS = 8
NODE_LIMIT = 4
"""Nodes that a token may go to; DeepSeek-V3's report, section 2.1.2, and the test program."""
TOKENS, FEW_TOKENS = 4096, 128
"""Of a rank, for the normal and for the low-latency kernels."""
SCALED = 128
"""Numbers of an FP8 token that share one scale of four bytes."""
CARD, NVLINK = 50e9, 160e9
"""Bytes/s of a rank's network card and, as reached, of NVLink on H800; DeepEP's README."""

FIRST, SECOND, THIRD, FOURTH = "ebfe47e", "3b1045d", "d8dd185", "b306af0"
"""Commits of DeepEP's README; the fourth has the second version of the kernels."""


class Row(NamedTuple):
    """One phase of one printed table."""

    commit: str
    """Of DeepEP's README; empty for UCCL-EP."""
    kernel: str
    platform: str
    phase: str
    ranks: int
    latency: float | None
    """Seconds, where printed."""
    bandwidth: float
    """Bytes/s by the makers' count of bytes."""
    tier: str
    """The link that the table names."""


@cache
def deepep_rows() -> list[Row]:
    """Return all rows of DeepEP's tables.

    >>> len(deepep_rows()), deepep_rows()[2].bandwidth
    (70, 43000000000.0)
    """
    return _rows("deepep.csv", "readme_commit", "hardware")


@cache
def uccl_rows() -> list[Row]:
    """Return all rows of UCCL-EP's tables.

    >>> len(uccl_rows()), uccl_rows()[0].latency
    (64, 0.0005)
    """
    return _rows("uccl_ep.csv", "", "platform")


def _rows(file: str, commit: str, platform: str) -> list[Row]:
    folder = files("perfmodel.labs.communication.expert_parallelism")
    with (folder / file).open(encoding="utf-8") as lines:
        return [
            Row(
                row[commit] if commit else "",
                row["kernel"],
                row[platform],
                row["phase"],
                int(row["ep"]),
                1e-6 * float(row["latency_us"]) if row["latency_us"] else None,
                1e9 * float(row["bandwidth_GBps_logical"]),
                row["tier_named"],
            )
            for row in csv.DictReader(lines)
        ]


def printed(commit: str, kernel: str, phase: str) -> dict[int, Row]:
    """Return the rows of a table of DeepEP by the number of ranks.

    >>> [row.bandwidth / 1e9 for row in printed(THIRD, "normal", "dispatch").values()]
    [153.0, 43.0, 58.0, 51.0]
    """
    rows = [r for r in deepep_rows() if (r.commit, r.kernel, r.phase) == (commit, kernel, phase)]
    if not rows:
        raise ValueError(f"no table has commit {commit!r}, kernel {kernel!r}, phase {phase!r}")
    return {row.ranks: row for row in rows}


USER_RUNS = [  # not from the registry: rates that users measured
    (2, "two nodes of H800, dispatch", 43.24e9, 141.14e9, "issue 51"),
    (2, "two nodes of H200, dispatch", 38.19e9, 124.92e9, "issue 493, dispatch"),
    (2, "two nodes of H200, combine", 44.37e9, 145.16e9, "issue 493, combine"),
    (2, "two nodes of H100", 25.80e9, 84.39e9, "issue 155, two nodes"),
    (4, "four nodes of H200", 13.15e9, 26.27e9, "issue 155, four nodes"),
]
"""Nodes, run, and the bandwidths that the test program printed for RDMA and for NVLink, bytes/s.
Users' runs in the issues of github.com/deepseek-ai/DeepEP."""

MOE_LAYERS = 58
"""Of DeepSeek-V3's 61 layers."""
ONLINE_PROMPT, ONLINE_CACHED = 73.7e3, 342 / 608
"""Prompt tokens/s of a node of 8 GPUs at EP32, and the share of them found in a cache: 342 of 608
billion tokens; github.com/deepseek-ai/open-infra-index, day 6, at 56d8685."""

EXAMPLE_LOADS = (
    (90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86),
    (20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27),
)
"""Loads of 12 experts in two layers; README of github.com/deepseek-ai/EPLB at d52c72d."""
EXAMPLE_SLOTS = (
    (5, 6, 5, 7, 8, 4, 3, 4, 10, 9, 10, 2, 0, 1, 11, 1),
    (7, 10, 6, 8, 6, 11, 8, 9, 2, 4, 5, 1, 5, 0, 3, 1),
)
"""The expert in each of 16 slots that it prints for 8 GPUs in 2 nodes and 4 groups."""
