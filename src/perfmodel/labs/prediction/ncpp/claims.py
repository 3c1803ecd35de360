"""Scores in the public sample of PerfCastDB, compared with composites and models of servers."""

from functools import partial

from perfmodel.labs.prediction.ncpp.perfcast import (
    SPECRATE,
    composite,
    cycles,
    intensity,
    measured_value,
    published_composites,
    ratios,
)
from perfmodel.ledger import Sheet, re_aggregated, same_method

PRINTED = {
    "8487C": ("468.68", "469.01", "469.47"),
    "8474C": ("389.02", "392.89"),
    "Max 9468": ("514.58", "514.69", "514.29"),
    "8463B": ("429.23", "428.44", "429.86"),
}
"""By machine, of each iteration; the sample has them as floating-point numbers of 32 bits."""


def _composite(machine: str, iteration: int) -> float:
    return float(composite(ratios(machine, iteration)))


COMPOSITES = [
    re_aggregated(
        f"SPECrate {SPECRATE[machine]} of the {machine} from its components, iteration {iteration}",
        printed,
        "RESULT.Value",
        partial(_composite, machine, iteration),
    )
    for machine, iterations in PRINTED.items()
    for iteration, printed in enumerate(iterations)
]


def _by_capacity(known: str, machine: str) -> float:
    return float(published_composites(known)[0] * cycles(machine) / cycles(known))


def _hpcg_by_bandwidth() -> float:
    per_byte = intensity(measured_value("8472C", "GFLOPS"), measured_value("8472C", "Triad"))
    return float(per_byte * measured_value("Max 9460", "All Sockets 100R"))


SERVERS = [
    same_method(
        "SPECrate int of the 8463B, from the 8474C's by cores x clock",
        "429.23",
        "RESULT.Value, iteration 0",
        partial(_by_capacity, "8474C", "8463B"),
        within=0.1,
    ),
    same_method(
        "SPECrate fp of the Max 9468, from the 8487C's by cores x clock",
        "514.58",
        "RESULT.Value, iteration 0",
        partial(_by_capacity, "8487C", "Max 9468"),
        within=0.1,
        miss="Cores x clock ignore memory, and the Max has high-bandwidth memory. Five of the "
        "thirteen programs run up to three times as fast as predicted.",
    ),
    same_method(
        "HPCG of the Max 9460, from its bandwidth and the 8472C's FLOP/byte",
        "121.24 GFLOP/s",
        "RESULT.Value, iteration 0",
        _hpcg_by_bandwidth,
        within=0.1,
    ),
]
SHEET = Sheet(
    "X. Liu, 'Towards CPU Performance Prediction: New Challenge Benchmark Dataset and Novel "
    "Approach', arXiv:2407.03385, 2024: the public sample, https://github.com/xiaoman-liu/NCPP",
    [*COMPOSITES, *SERVERS],
    unheld="The errors of the NCPP network: the data base that it was trained on is closed.",
)
