"""FuseMax against its rivals: speedups, energy, and the numbers that the paper prints.

Nayak, Wu, Odemuyiwa, Pellauer, Emer and Fletcher, "FuseMax: leveraging extended Einsums to optimize
attention accelerator design", MICRO 2024, arXiv 2406.10491. Passes are counted in
`cascades`, run in `passes`, and turned into seconds
in `latency`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gmean

from perfmodel.labs.roofline.fusemax import cascades
from perfmodel.labs.roofline.fusemax.energy import energy_ratios
from perfmodel.labs.roofline.fusemax.latency import (
    BERT,
    DESIGNS,
    LENGTHS,
    MODELS,
    XLM,
    Design,
    Transformer,
    latency,
    linear_latency,
    traffic,
    utilization,
)
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import Floats


def speedups(baseline: Design, end_to_end: bool = False) -> Floats:
    """Return FuseMax's speedup over a design for each of `MODELS` and of `LENGTHS`.

    Parameters
    ----------
    baseline : str
        A design of `attention_latency.latency`.
    end_to_end : bool
        Whether the linear layers, the same in both, are included.

    Returns
    -------
    ndarray, shape (4, 6)

    Raises
    ------
    ValueError
        If `baseline` is unknown.

    Examples
    --------
    >>> print(round(speedups("FLAT").mean(), 4))
    6.7226
    """

    def ratio(model: Transformer, length: int) -> float:
        rest = linear_latency(model, length) if end_to_end else 0.0
        slow = latency(baseline, model, length)
        return (slow + rest) / (latency("FuseMax", model, length) + rest)

    return np.array([[ratio(model, length) for length in LENGTHS] for model in MODELS])


def intensity(design: Design, model: Transformer, length: int) -> float:
    """Return the multiply-accumulates of attention's two products per byte of DRAM traffic.

    Parameters and errors are those of `attention_latency.traffic`.

    Examples
    --------
    >>> print(round(intensity("unfused", BERT, 65536), 2), intensity("FuseMax", BERT, 1024))
    15.98 256.0
    """
    operations = 2.0 * model.batch * model.heads * length**2 * model.head_width
    return operations / traffic(design, model, length)


_Row = tuple[str, str, Callable[[], ArrayLike]]


def claims() -> list[Claim]:
    """Return what the paper and its artifact print, beside what these models compute."""
    worked_out = "artifact, worked out from its rows"
    return [
        *_rows(_paper(), "1", "abstract"),
        *_rows(_longest(), "1", "section VI"),
        *_rows(_passes(), "1", "Table I"),
        *_rows(_ablation(), "s", "artifact, attn-*.csv"),
        *_rows(_spilled(), "s", "artifact, attn-flat.csv"),
        *_rows(_linear(), "s", "artifact, end2end-flat.csv"),
        *_rows(_traffic(), "bytes", "artifact, attn-binding.csv"),
        *_rows(_busy(), "1", "artifact, attn-binding.csv and attn-flat.csv"),
        *_rows(_speedups(), "1", "artifact, attn-flat.csv over attn-binding.csv"),
        *_rows(_digits(), "1", worked_out, derived=True),
        _slower(),
    ]


def _rows(rows: list[_Row], unit: str, source: str, derived: bool = False) -> list[Claim]:
    return [
        Claim(
            system="fusemax",
            quantity=quantity,
            kind="recomputed",
            published=float(printed),
            unit=unit,
            source=source,
            compute=partial(_number, compute),
            derived=derived,
            absolute=half_unit(printed),
        )
        for quantity, printed, compute in rows
    ]


def _number(compute: Callable[[], ArrayLike]) -> float:
    return float(np.asarray(compute()))


def _paper() -> list[_Row]:
    mean = "mean of 4 models and 6 lengths"
    return [
        (f"attention speedup over FLAT, {mean}", "6.7", lambda: speedups("FLAT").mean()),
        (f"attention speedup over unfused, {mean}", "10", lambda: speedups("unfused").mean()),
        (f"end-to-end speedup over FLAT, {mean}", "5.3", lambda: speedups("FLAT", True).mean()),
        (
            f"end-to-end speedup over unfused, {mean}",
            "7.6",
            lambda: speedups("unfused", True).mean(),
        ),
        (
            f"attention energy over FLAT's by the artifact's joules, {mean}",
            "0.79",
            lambda: energy_ratios("FLAT").mean(),
        ),
        (
            f"attention energy over unfused by the artifact's joules, {mean}",
            "0.77",
            lambda: energy_ratios("unfused").mean(),
        ),
        (
            f"end-to-end energy over FLAT's by the artifact's joules, {mean}",
            "0.83",
            lambda: energy_ratios("FLAT", True).mean(),
        ),
    ]


def _longest() -> list[_Row]:
    rows: tuple[tuple[Design, str], ...] = (("FLAT", "7.5"), ("unfused", "10"))
    return [
        (
            f"end-to-end speedup over {baseline} at 1M tokens, mean of 4 models",
            printed,
            partial(_at_1m, baseline),
        )
        for baseline, printed in rows
    ]


def _at_1m(baseline: Design) -> float:
    return float(speedups(baseline, True)[:, -1].mean())


def _passes() -> list[_Row]:
    count = "passes over the keys: "
    return [
        (count + "PyTorch, FLAT", "3", partial(cascades.passes, cascades.THREE_PASS, "m")),
        (count + "TileFlow", "2", partial(cascades.passes, cascades.TWO_PASS, "m1 m0")),
        (count + "FlashAttention-2", "1", partial(cascades.passes, cascades.ONE_PASS, "m1 m0")),
    ]


def _ablation() -> list[_Row]:
    printed = ("0.0218236", "0.0133861", "0.0153339", "0.0059871", "0.00201314")
    return [
        (
            f"latency of attention, {design}, BERT, 1K tokens",
            text,
            partial(latency, design, BERT, 1024),
        )
        for design, text in zip(DESIGNS, printed, strict=True)
    ]


def _spilled() -> list[_Row]:
    printed = {
        "256K": ("1013.88", "1351.84", "675.92", "1392.96"),
        "1024K": ("16220.64", "21627.52", "10813.76", "22283.52"),
    }
    return [
        (
            f"latency of attention, FLAT, {model.name}, {name} tokens",
            text,
            partial(latency, "FLAT", model, 1024 * int(name[:-1])),
        )
        for name, row in printed.items()
        for model, text in zip(MODELS, row, strict=True)
    ]


def _linear() -> list[_Row]:
    printed = ("0.00752967", "0.01338608", "0.00348590", "0.05354431")
    return [
        (
            f"latency of the linear layers, {model.name}, 1K tokens",
            text,
            partial(linear_latency, model, 1024),
        )
        for model, text in zip(MODELS, printed, strict=True)
    ]


def _traffic() -> list[_Row]:
    moved = partial(traffic, "FuseMax", BERT)
    return [
        ("DRAM traffic of FuseMax, BERT, 1K tokens", "402653184", partial(moved, 1024)),
        ("DRAM traffic of FuseMax, BERT, 64K tokens", "38654705664", partial(moved, 65536)),
    ]


def _busy() -> list[_Row]:
    return [
        (
            "matrix array busy, FuseMax, BERT, 1K tokens",
            "0.88961",
            lambda: utilization("FuseMax", BERT, 1024)[0],
        ),
        (
            "vector array busy, FLAT, BERT, 256K tokens",
            "0.865",
            lambda: utilization("FLAT", BERT, 262144)[1],
        ),
    ]


def _speedups() -> list[_Row]:
    printed = {
        "BERT": ("6.649", "7.211", "7.367", "7.407", "8.572", "8.574"),
        "XLM": ("3.436", "3.737", "3.821", "3.842", "4.582", "4.583"),
    }
    return [
        (
            f"attention speedup over FLAT, {model.name}, {length // 1024}K tokens",
            text,
            partial(_speedup, model, length),
        )
        for model in (BERT, XLM)
        for length, text in zip(LENGTHS, printed[model.name], strict=True)
    ]


def _speedup(model: Transformer, length: int) -> float:
    return latency("FLAT", model, length) / latency("FuseMax", model, length)


def _digits() -> list[_Row]:
    return [
        ("attention speedup over FLAT, mean", "6.7226", lambda: speedups("FLAT").mean()),
        ("attention speedup over FLAT, geometric", "6.462", lambda: gmean(speedups("FLAT"), None)),
        ("attention speedup over FLAT, largest", "8.574", lambda: speedups("FLAT").max()),
        ("attention speedup over FLAT, smallest", "3.436", lambda: speedups("FLAT").min()),
        ("attention speedup over unfused, mean", "10.05", lambda: speedups("unfused").mean()),
        ("attention energy over FLAT's, mean", "0.7875", lambda: energy_ratios("FLAT").mean()),
        ("attention energy over unfused, mean", "0.767", lambda: energy_ratios("unfused").mean()),
        ("end-to-end energy, mean", "0.8335", lambda: energy_ratios("FLAT", True).mean()),
        ("end-to-end speedup over FLAT, mean", "5.3017", lambda: speedups("FLAT", True).mean()),
    ]


def _slower() -> Claim:
    return Claim(
        "fusemax",
        "the one-pass cascade alone, on FLAT's hardware, BERT, 1K tokens",
        "trend",
        "slower than FLAT",
        "",
        "artifact, attn-cascade.csv",
        _cascade_alone,
    )


def _cascade_alone() -> Trend:
    ratio = latency("FLAT", BERT, 1024) / latency("+cascade", BERT, 1024)
    return Trend(ratio < 1, f"{ratio:.3f} times FLAT's speed")
