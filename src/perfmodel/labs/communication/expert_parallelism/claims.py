"""What the makers and users of DeepEP, UCCL-EP and EPLB print, next to our values."""

from __future__ import annotations

from functools import partial
from math import floor

import numpy as np

from perfmodel.communication import ExpertDispatch, place_experts
from perfmodel.labs.communication.expert_parallelism.inputs import (
    CHOSEN,
    EXAMPLE_LOADS,
    EXAMPLE_SLOTS,
    EXPERTS,
    FIRST,
    FOURTH,
    THIRD,
    USER_RUNS,
    Row,
    deepep_rows,
    printed,
    uccl_rows,
)
from perfmodel.labs.communication.expert_parallelism.kernels import (
    CLOUDS,
    PHASES,
    HeldOut,
    fit_short,
    held_out,
    held_out_on_clouds,
    recomputed_bandwidth,
)
from perfmodel.ledger import Claim, Sheet, recomputed, same_method, trend

HELD_OUT, RUN, SHORT = 0.1, 0.01, 0.02
"""How far a bandwidth that wasn't used, NVLink's rate of the same run, and a latency may be off."""
_NVLINK_MISS = (
    "On two nodes the model is limited by NVLink and lets it run as fast as on one node. Kernels "
    "that also forward what comes over the network reach less. The same sign on all platforms says "
    "that something is left out, not that a number is badly measured."
)
_CLOUD_MISS = (
    "On AWS's cards the bandwidth that counts all copies is nearly the same for any number of "
    "nodes, except for the combine on H200, which is slower on few nodes. So the bytes of the card "
    "don't set the time. The table doesn't say what does."
)
_V2_MISS = (
    "The combine of two nodes doesn't fill the card: 40.5 GB/s cross it, and 45.8 GB/s with four "
    "nodes. Something else limits it, which the table doesn't name."
)
_MEAN_MISS = (
    "Bytes over the printed latency give one or two GB/s more. A mean of bandwidths over the ranks "
    "or over the rounds isn't the bytes over the mean latency."
)
_TWO_RUNS_MISS = (
    "This row's latency and bandwidth don't belong together by any count of bytes that fits the "
    "other rows: another run or a typing error."
)


def _whole(row: Row) -> float:
    """Return the recomputed bandwidth cut off to whole GB/s, as the makers print it."""
    return 1e9 * floor(recomputed_bandwidth(row) / 1e9)


def _bandwidth(row: Row, table: str, miss: str = "") -> Claim:
    return recomputed(
        f"bandwidth from the printed latency and the counted bytes, cut off: {row.kernel} "
        f"{row.phase} of {row.ranks} ranks",
        f"{row.bandwidth / 1e9:.0f} GB/s",
        table,
        partial(_whole, row),
        miss=miss,
    )


def _held_out(row: HeldOut) -> Claim:
    off = abs(row.two_tiers / row.printed - 1) > HELD_OUT
    cloud = row.platform in CLOUDS
    return same_method(
        f"{row.platform}, {row.phase} of {row.ranks} ranks from the rows of 8 and "
        f"{32 if cloud else 64}",
        f"{row.printed / 1e9:.0f} GB/s",
        "DeepEP, README at d8dd185" if row.platform == "H800" else "UCCL-EP, ep/README.md",
        lambda: row.two_tiers,
        within=HELD_OUT,
        miss=(_CLOUD_MISS if cloud else _NVLINK_MISS) if off else "",
    )


def _nvlink(nodes: int, network: float) -> float:
    links = ExpertDispatch(network=1.0, intra_node=1.0, experts=EXPERTS, chosen=CHOSEN)
    to_nodes, to_ranks = links.copies(nodes)
    return network * to_ranks / to_nodes


def _by_card(two_nodes: float) -> float:
    """Return what four nodes print if a card carries as many bytes/s as with two nodes."""
    return two_nodes * (1 - 1 / 2) / (1 - 1 / 4)


def _example(layer: int) -> tuple[bool, str]:
    experts = place_experts(EXAMPLE_LOADS[layer], 8, 16, nodes=2, groups=4).expert.ravel()
    return bool(np.array_equal(experts, EXAMPLE_SLOTS[layer])), " ".join(map(str, experts))


_P5EN = [row for row in uccl_rows() if row.platform == "On p5en"]
_V2 = {
    phase: {
        row.ranks: row
        for row in deepep_rows()
        if (row.commit, row.phase) == (FOURTH, phase) and row.platform.startswith("SM90")
    }
    for phase in PHASES
}
_SHORT = {commit: [printed(commit, "low-latency", p) for p in PHASES] for commit in (FIRST, THIRD)}

SHEET = Sheet(
    "C. Zhao, S. Zhou, L. Zhang, C. Deng and others, 'DeepEP', github.com/deepseek-ai/DeepEP, "
    "2025; 'EPLB', github.com/deepseek-ai/EPLB, 2025; UCCL-EP, github.com/uccl-project/uccl, 2025",
    [
        *(
            _bandwidth(row, "UCCL-EP, ep/README.md, p5en")
            for row in _P5EN
            if row.kernel == "normal"
        ),
        *(
            _bandwidth(row, "UCCL-EP, ep/README.md, p5en", _TWO_RUNS_MISS)
            for row in _P5EN
            if row.kernel == "low-latency" and row.ranks == 16
        ),
        *(
            _bandwidth(row, "DeepEP, README at ebfe47e")
            for table in _SHORT[FIRST]
            for row in table.values()
        ),
        *(
            _bandwidth(
                row,
                "DeepEP, README at d8dd185",
                "" if _whole(row) == row.bandwidth else _MEAN_MISS,
            )
            for table in _SHORT[THIRD]
            for row in table.values()
            if row.ranks <= 64
        ),
        *map(_held_out, held_out()),
        *map(_held_out, held_out_on_clouds()),
        *(
            same_method(
                f"low-latency {phase} of 64 ranks from those of 16 and 32",
                f"{1e6 * float(printed(THIRD, 'low-latency', phase)[64].latency or 0):.0f} us",
                "DeepEP, README at d8dd185, latency",
                lambda phase=phase: float(fit_short(phase).time(64)),  # type: ignore[misc]
                within=SHORT,
            )
            for phase in PHASES
        ),
        *(
            same_method(
                f"V2, {phase} of 32 ranks from the row of 16 ranks, limited by the card",
                f"{rows[32].bandwidth / 1e9:.0f} GB/s",
                "DeepEP, README at b306af0, SM90",
                partial(_by_card, rows[16].bandwidth),
                within=HELD_OUT,
                miss="" if phase == "dispatch" else _V2_MISS,
            )
            for phase, rows in _V2.items()
        ),
        *(
            same_method(
                f"NVLink's rate from RDMA's of the same run, {run}",
                f"{inside / 1e9:.2f} GB/s",
                f"DeepEP, {where}",
                partial(_nvlink, nodes, network),
                within=RUN,
            )
            for nodes, run, network, inside, where in USER_RUNS
        ),
        *(
            trend(
                f"12 experts in 16 slots of 8 GPUs, layer {layer}",
                "phy2log: " + " ".join(map(str, EXAMPLE_SLOTS[layer])),
                "EPLB, README at d52c72d",
                partial(_example, layer),
            )
            for layer in (0, 1)
        ),
    ],
    unheld="We found no measured popularity of experts, so loads on this page are synthetic, "
    "except for EPLB's example. The rows of 128 and 256 ranks in the table of June 2025 equal the "
    "rows of February to the microsecond, so they don't test a line through the others.",
)
