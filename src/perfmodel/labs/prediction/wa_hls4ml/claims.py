"""Reported values of the largest layers of hls4ml's pilot, compared with rules and fitted prices.

The form of rules and counts was read off the pilot's table, including these rows. Prices are fitted
to layers of at most a quarter of the size.
"""

from functools import partial

import pandas as pd

from perfmodel.labs.prediction.wa_hls4ml.circuit import dsp_slices, latency
from perfmodel.labs.prediction.wa_hls4ml.extrapolation import CUT
from perfmodel.labs.prediction.wa_hls4ml.synthesis import circuit_counts, reused_designs, table
from perfmodel.ledger import Sheet, same_method
from perfmodel.prediction.arena.estimators import Priced

SIZE, BITS = 256, 8
"""Inputs and outputs of the largest layers, and the middle precision of the pilot."""
REUSE = (512, 1024)
"""All reuse factors of those layers."""


def _layer(reuse: int) -> str:
    return f"{SIZE} to {SIZE}, {BITS} bits, reuse {reuse:,}"


def _cycles(reuse: int) -> float:
    return float(latency(SIZE, BITS, reuse))


def _slices(reuse: int) -> float:
    return float(dsp_slices(SIZE, SIZE, BITS, reuse))


def _extrapolated(target: str, reuse: int) -> float:
    designs = reused_designs(table())
    small = designs[designs["n"] <= CUT]
    fitted = Priced(partial(circuit_counts, target=target)).fit(small, small[target])
    layer = pd.DataFrame({"d_in": [SIZE], "d_out": [SIZE], "prec": [BITS], "rf": [reuse]})
    return float(fitted.predict(layer)[0])


RULES = [
    same_method(
        f"{what} of {_layer(reuse)}, by a rule read off such rows",
        printed,
        column,
        partial(rule, reuse),
        within=0.01,
    )
    for what, column, rule, reported in (
        ("least cycles", "BestLatency_hls", _cycles, ("513", "1025")),
        ("DSP slices", "DSP_hls", _slices, ("128", "64")),
    )
    for reuse, printed in zip(REUSE, reported, strict=True)
]
COUNTS = [
    same_method(
        f"{what} of {_layer(reuse)}, prices from layers of {CUT:,} products at most",
        printed,
        column,
        partial(_extrapolated, target, reuse),
        within=0.1,
    )
    for what, column, target, reported in (
        ("lookup tables", "LUT_hls", "LUT", ("24329", "107684")),
        ("flip-flops", "FF_hls", "FF", ("5267", "5227")),
        ("blocks of memory", "BRAM_18K_hls", "BRAM", ("29", "30")),
    )
    for reuse, printed in zip(REUSE, reported, strict=True)
]
SHEET = Sheet(
    "B. Hawks et al., 'wa-hls4ml: A Benchmark and Surrogate Models for hls4ml Resource and Latency "
    "Estimation', ACM TRETS 19(2), 2026: its public pilot, "
    "https://github.com/Dendendelen/wa-hls4ml-search",
    [*RULES, *COUNTS],
    unheld="R2 and SMAPE of the paper's three surrogates: they refer to 102,484 networks of a "
    "data set of 5 GB, and we know the tables only from a transcription.",
)
