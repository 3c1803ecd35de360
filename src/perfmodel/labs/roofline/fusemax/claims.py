"""Published values of FuseMax (Nayak et al., 2024, and their artifact), compared with our model."""

from collections.abc import Callable
from functools import partial

from perfmodel.labs.roofline.fusemax import cascades
from perfmodel.labs.roofline.fusemax.inputs import (
    BERT,
    LENGTHS,
    MODELS,
    T5,
    TRANSFORMER_XL,
    XLM,
    Chip,
    Transformer,
)
from perfmodel.labs.roofline.fusemax.latency import (
    Design,
    fusemax_latency,
    latency,
    linear_latency,
    speedups,
    traffic,
    utilization,
)
from perfmodel.ledger import Claim, Sheet, recomputed, same_method
from perfmodel.units import amount

WITHIN = 0.01
"""Bound for formulas that were derived from the artifact's latencies, which aren't rounded. If the
paper gives two digits, the bound is half a unit of the last digit."""

_read_off = partial(same_method, within=WITHIN)


def _mean(baseline: Design, end_to_end: bool) -> Callable[[], float]:
    return lambda: float(speedups(baseline, end_to_end).mean())


def _longest(baseline: Design) -> Callable[[], float]:
    return lambda: float(speedups(baseline, end_to_end=True)[:, -1].mean())


def _speedup(quantity: str, printed: str, where: str, compute: Callable[[], float]) -> Claim:
    number = amount(printed)
    return same_method(quantity, printed, where, compute, within=number.half_unit / number.value)


_ALL = "mean of 4 models and 6 lengths"
ABSTRACT = [
    _speedup(f"attention's speedup over FLAT, {_ALL}", "6.7", "abstract", _mean("FLAT", False)),
    _speedup(
        f"attention's speedup over unfused, {_ALL}", "10", "abstract", _mean("unfused", False)
    ),
    _speedup(f"end-to-end speedup over FLAT, {_ALL}", "5.3", "abstract", _mean("FLAT", True)),
    _speedup(f"end-to-end speedup over unfused, {_ALL}", "7.6", "abstract", _mean("unfused", True)),
    _speedup("end-to-end speedup over FLAT, 1M tokens", "7.5", "section VI", _longest("FLAT")),
    _speedup("end-to-end speedup over unfused, 1M tokens", "10", "section VI", _longest("unfused")),
]

PASSES = [
    recomputed(f"passes over the {over}", printed, where, partial(cascades.passes, einsums, rank))
    for over, printed, where, einsums, rank in (
        ("vector that its own dot product scales", "2", "section III", cascades.SCALED, "k"),
        ("vector, multiplication deferred", "1", "section III", cascades.DEFERRED, "k"),
        ("keys by PyTorch, FLAT", "3", "Table I", *cascades.ATTENTION["three-pass"]),
        ("keys by TileFlow", "2", "Table I", *cascades.ATTENTION["two-pass"]),
        ("keys by FlashAttention-2", "1", "Table I", *cascades.ATTENTION["one-pass"]),
    )
]


def _latency(design: Design, model: Transformer, length: int, printed: str, file: str) -> Claim:
    quantity = f"latency of attention, {design}, {model.name}, {length // 1024}K tokens"
    return _read_off(quantity, printed, file, partial(latency, design, model, length))


def _by_length(design: Design, model: Transformer, file: str, printed: str) -> list[Claim]:
    seconds = printed.split()
    return [
        _latency(design, model, length, f"{text} s", file)
        for length, text in zip(LENGTHS[-len(seconds) :], seconds, strict=True)
    ]


FLAT = {
    BERT: _by_length(
        "FLAT", BERT, "attn-flat.csv", "0.0133861 0.214177 3.42684 54.8294 1013.88 16220.64"
    ),
    XLM: _by_length(
        "FLAT", XLM, "attn-flat.csv", "0.0178481 0.285570 4.56911 73.1058 1392.96 22283.52"
    ),
}
"""Latencies of FLAT by model, at all lengths."""
FUSEMAX = {
    BERT: _by_length(
        "FuseMax", BERT, "attn-binding.csv", "0.00201314 0.0297004 0.465166 7.40250 118.279 1891.83"
    ),
    XLM: _by_length(
        "FuseMax", XLM, "attn-binding.csv", "0.00519408 0.0764122 1.19582 19.0261 303.989 4862.11"
    ),
}
"""Latencies of FuseMax by model, at all lengths."""
OTHER_LATENCIES = [
    *_by_length("FLAT", TRANSFORMER_XL, "attn-flat.csv", "1351.84 21627.52"),
    *_by_length("FLAT", T5, "attn-flat.csv", "675.92 10813.76"),
    _latency("unfused", BERT, 1024, "0.0218236 s", "attn-unfused.csv"),
    _latency("+cascade", BERT, 1024, "0.0153339 s", "attn-cascade.csv"),
    _latency("+architecture", BERT, 1024, "0.0059871 s", "attn-arch.csv"),
]

ARRAYS = [
    _read_off(
        f"latency of attention, FuseMax, {model.name}, 256K tokens, {side} x {side} units",
        f"{seconds} s",
        "pareto.csv",
        partial(fusemax_latency, model, 262_144, Chip(side=side)),
    )
    for model, row in (
        (BERT, "30266.7 7566.88 1891.83 473.010 29.5832"),
        (XLM, "77786.9 19447.3 4862.11 1215.67 76.0329"),
    )
    for side, seconds in zip((16, 32, 64, 128, 512), row.split(), strict=True)
]
"""Sizes of the array that weren't used to derive the formulas."""

LINEAR = [
    recomputed(
        f"latency of the linear layers, {model.name}, 1K tokens",
        f"{seconds} s",
        "end2end-flat.csv",
        partial(linear_latency, model, 1024),
    )
    for model, seconds in zip(
        MODELS, ("0.00752967", "0.01338608", "0.00348590", "0.05354431"), strict=True
    )
]

TRAFFIC = [
    _read_off(
        f"DRAM traffic, FuseMax, BERT, {length // 1024}K tokens",
        f"{moved} bytes",
        "attn-binding.csv",
        partial(traffic, "FuseMax", BERT, length),
    )
    for length, moved in ((1024, "402653184"), (65_536, "38654705664"))
]

BUSY = [
    _read_off(
        "matrix array busy, FuseMax, BERT, 1K tokens",
        "0.88961",
        "attn-binding.csv",
        lambda: utilization("FuseMax", BERT, 1024)[0],
    ),
    _read_off(
        "vector array busy, FLAT, BERT, 256K tokens",
        "0.86526",
        "attn-flat.csv",
        lambda: utilization("FLAT", BERT, 262_144)[1],
    ),
]

SHEET = Sheet(
    "Nayak, Wu, Odemuyiwa, Pellauer, Emer and Fletcher, 'FuseMax: leveraging extended Einsums to "
    "optimize attention accelerator design', MICRO 2024, arXiv 2406.10491, and its artifact, "
    "github.com/FPSG-UIUC/micro24-fusemax-artifact (the .csv files)",
    [
        *ABSTRACT,
        *PASSES,
        *FLAT[BERT],
        *FLAT[XLM],
        *FUSEMAX[BERT],
        *FUSEMAX[XLM],
        *OTHER_LATENCIES,
        *ARRAYS,
        *LINEAR,
        *TRAFFIC,
        *BUSY,
    ],
    unheld="We don't compare energies (79 % of FLAT's, 77 % of the unfused baseline's, 83 % end to "
    "end). They are means of the artifact's own joules, and we have no model of them. We also lack "
    "the area model behind the chip that is 6.4 % smaller. Latencies, traffic and busy fractions "
    "of attention use formulas derived from the artifact at 256 x 256 units. Only the passes and "
    "the linear layers follow from the equations and the chip alone.",
)
