"""Modern GPU cores: the paper's experiments on a toy sub-core, and its tables from a few rules.

Huerta, Abaie Shoushtary, Cruz and Gonzalez, "Dissecting and modeling the architecture of modern GPU
cores", MICRO 2025, DOI 10.1145/3725843.3756041. The rules are in `warp_issue`, `register_file`,
`load_queue` and `dependence_tracking`. The paper's simulator and its 128 benchmarks are not here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.gpu_cores.dependence_tracking import (
    REGISTER_FILE_BITS,
    control_bits,
    scoreboard_bits,
)
from perfmodel.labs.roofline.gpu_cores.load_queue import issue_cycles, steady_period
from perfmodel.labs.roofline.gpu_cores.register_file import fma, read_operands
from perfmodel.labs.roofline.gpu_cores.warp_issue import Instruction, Timeline, simulate
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import Floats, positive


def vector_latency(one_word: float, words: int) -> float:
    """Return the latency in cycles of an access of several words a thread.

    A warp's word is 32 threads x 32 bits and the path is 512 bits wide, so each further word takes
    two cycles.

    Parameters
    ----------
    one_word : float
        Latency in cycles of an access of one 32-bit word a thread, above 0.
    words : int
        Words a thread: 1, 2 or 4.

    Examples
    --------
    >>> [vector_latency(29, words) for words in (1, 2, 4)]
    [29.0, 31.0, 35.0]
    """
    if words not in (1, 2, 4):
        raise ValueError(f"words must be 1, 2 or 4, got {words!r}")
    return float(positive("one_word", one_word)) + (words - 1) * 32 * 32 / 512


def switching_kernels() -> dict[str, Timeline]:
    """Return the paper's experiment on the scheduler: four warps of 32 independent instructions.

    "plain" has no stalls and one miss of the instruction cache half way; in "stall" every second
    instruction has a stall count of 4, in "yield" a yield bit. Where the miss falls and that the
    pattern repeats every two instructions are our choices.
    """
    plain = [Instruction()] * 32
    stall = [Instruction(), Instruction(stall=4)] * 16
    yields = [Instruction(), Instruction(yields=True)] * 16
    return {
        "plain": simulate([plain] * 4, resident=16, miss=12),
        "stall": simulate([stall] * 4),
        "yield": simulate([yields] * 4),
    }


def claims() -> list[Claim]:
    """Return what the paper prints beside what these models compute."""
    return [
        *_rows(_storage(), "Table 7"),
        *_rows(_storage_64(), "section 7"),
        *_rows(_loads(), "Table 1"),
        *_rows(_words(), "Table 2"),
        *_shared_loads(),
        *_rows(_operands(), "text, register file"),
        *_rows(_by_hand(), "worked out from Tables 1 and 7", derived=True),
        *_orders(),
    ]


_Row = tuple[str, str, str, Callable[[], ArrayLike]]


def _rows(rows: list[_Row], source: str, derived: bool = False, miss: str = "") -> list[Claim]:
    return [
        Claim(
            system="gpu_cores",
            quantity=quantity,
            kind="recomputed",
            published=float(printed),
            unit=unit,
            source=source,
            compute=partial(_number, compute),
            derived=derived,
            absolute=half_unit(printed),
            miss=miss,
        )
        for quantity, printed, unit, compute in rows
    ]


def _number(compute: Callable[[], ArrayLike]) -> float:
    return float(np.asarray(compute()))


def _share(bits: Floats) -> Floats:
    return 100 * bits / REGISTER_FILE_BITS


def _storage() -> list[_Row]:
    share = "% of the register file, 48 warps"
    board = "scoreboard"
    return [
        (f"control bits, {share}", "0.09", "1", lambda: _share(control_bits(48))),
        (f"{board}, 1 consumer, {share}", "1.52", "1", lambda: _share(scoreboard_bits(48, 1))),
        (f"{board}, 3 consumers, {share}", "2.28", "1", lambda: _share(scoreboard_bits(48, 3))),
        (f"{board}, 63 consumers, {share}", "5.32", "1", lambda: _share(scoreboard_bits(48, 63))),
    ]


def _storage_64() -> list[_Row]:
    share = "% of the register file, 64 warps"
    return [
        (f"control bits, {share}", "0.13", "1", lambda: _share(control_bits(64))),
        (
            f"scoreboard, 63 consumers, {share}",
            "7.09",
            "1",
            lambda: _share(scoreboard_bits(64, 63)),
        ),
    ]


def _loads() -> list[_Row]:
    alone = ("2", "3", "4", "5", "6", "13", "17", "21")
    sixth = {2: ("13", "15"), 3: ("13", "15", "17"), 4: ("13", "15", "17", "19")}
    return [
        *(
            (
                f"issue of load {i + 1}, 1 sub-core",
                printed,
                "cycle",
                lambda i=i: issue_cycles(1, 8)[0, i],
            )
            for i, printed in enumerate(alone)
        ),
        *(
            (
                f"issue of load 6, {active} sub-cores, served in place {core + 1}",
                printed,
                "cycle",
                lambda active=active, core=core: issue_cycles(active, 6)[core, 5],
            )
            for active, row in sixth.items()
            for core, printed in enumerate(row)
        ),
        *(
            (
                f"cycles between loads in the long run, active sub-cores: {active}",
                printed,
                "cycle",
                lambda active=active: np.diff(issue_cycles(active, 12)[0, -2:])[0],
            )
            for active, printed in zip((1, 2, 3, 4), ("4", "4", "6", "8"), strict=True)
        ),
    ]


_TABLE_2 = {
    "latency of a global load, uniform address": ("29", "31", "35"),
    "latency of a global load": ("32", "34", "38"),
    "time to read a global store's operands, uniform address": ("10", "12", "16"),
    "time to read a global store's operands": ("14", "16", "20"),
    "time to read a shared store's operands, uniform address": ("10", "12", "16"),
    "time to read a shared store's operands": ("12", "14", "18"),
}
_TABLE_2_SHARED = {
    "latency of a shared load, uniform address": ("23", "23", "25"),
    "latency of a shared load": ("24", "24", "26"),
}


def _wider(table: dict[str, tuple[str, str, str]]) -> list[_Row]:
    return [
        (
            f"{name}, {32 * words} bits, from that of 32 bits",
            printed,
            "cycle",
            partial(vector_latency, float(row[0]), words),
        )
        for name, row in table.items()
        for words, printed in zip((2, 4), row[1:], strict=True)
    ]


def _words() -> list[_Row]:
    return _wider(_TABLE_2)


def _shared_loads() -> list[Claim]:
    why = (
        "The rule of two cycles for each further word holds for global loads and for stores. It "
        "predicts 2 and 6 cycles more here; the table has 0 and 2. Shared memory seems to return "
        "words on a wider or an overlapped path, of which we have no rule."
    )
    return _rows(_wider(_TABLE_2_SHARED), "Table 2", miss=why)


def _operands() -> list[_Row]:
    return [
        (
            "bubbles, two operands in one bank",
            "1",
            "cycle",
            lambda: read_operands([fma(2, 4)])[0].bubbles,
        ),
        (
            "bubbles, three operands in one bank",
            "2",
            "cycle",
            lambda: read_operands([fma(2, 4, 6)])[0].bubbles,
        ),
    ]


def _by_hand() -> list[_Row]:
    return [
        (
            "scoreboard over control bits, 64 warps, 63 consumers",
            "56.7",
            "1",
            lambda: scoreboard_bits(64, 63) / control_bits(64),
        ),
        (
            "issue of load 10, 4 sub-cores, last served",
            "51",
            "cycle",
            lambda: issue_cycles(4, 10).max(),
        ),
        (
            "issue of load 10, 4 sub-cores, first served",
            "45",
            "cycle",
            lambda: issue_cycles(4, 10)[0, -1],
        ),
        (
            "cycles between loads, 4 sub-cores, from the slower stage",
            "8",
            "cycle",
            lambda: steady_period(4),
        ),
        ("cycles that a stall count of 4 adds to one of 1", "3", "cycle", _added),
    ]


def _dependent(stall: int) -> Timeline:
    adds = [Instruction(stall=stall, writes=1), Instruction(reads=(1,), writes=2)]
    return simulate([adds])


def _added() -> int:
    return _dependent(4).cycles - _dependent(1).cycles


def _orders() -> list[Claim]:
    said = partial(Claim, system="gpu_cores", kind="trend", unit="", source="text, issue scheduler")
    return [
        said(
            quantity="order of four warps without stalls",
            published="the youngest to its cache miss, the next in full, back, then the others",
            compute=lambda: _turns("plain", (3, 2, 3, 1, 0)),
        ),
        said(
            quantity="order of four warps with stall counts of 4",
            published="the three youngest rotate by two instructions; the oldest runs last",
            compute=lambda: _turns("stall", (3, 2, 1) * 16 + (0,)),
        ),
        said(
            quantity="order of four warps with yield bits",
            published="the two youngest alternate",
            compute=lambda: _turns("yield", (3, 2) * 16 + (1, 0) * 16),
        ),
        said(
            quantity="a sum read too early",
            published="wrong with a stall count of 1, right with 4",
            compute=_stale,
        ),
    ]


def _turns(kernel: str, expected: tuple[int, ...]) -> Trend:
    found = tuple(warp for warp, _ in switching_kernels()[kernel].turns)
    return Trend(found == expected, "warps in turn: " + " ".join(map(str, found[:9])))


def _stale() -> Trend:
    early, late = _dependent(1).stale, _dependent(4).stale
    return Trend(bool(early) and not late, f"{len(early)} stale read at 1, {len(late)} at 4")
