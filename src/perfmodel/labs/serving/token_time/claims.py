"""Published times per token and throughputs, next to those computed from other runs."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from perfmodel.labs.serving.token_time.peers import Cell, cells
from perfmodel.labs.serving.token_time.sweeps import Sweep, sweeps
from perfmodel.ledger import Claim, Sheet, same_method
from perfmodel.serving.calibration.shipped import DENSE, calibration, points

BOUND = 0.10
"""How far a time per token may be off."""
BATCH = 64
_REASONS = {
    "GLM-5": (
        "This model's attention first selects tokens by an index, which no other model of the "
        "card and engine does."
    ),
    "DeepSeek": (
        "The fit knows the bytes of this model's compressed cache, but not the speed of its "
        "kernels. By their speed some runs also predict tokens ahead; the table doesn't say which."
    ),
    "int4": (
        "No other model of the card and engine stores weights as 4-bit integers: the fit knows "
        "their bytes, not the work of decoding them."
    ),
    "dense": (
        "One other dense model was run on this card and engine, or none: its kernels reach another "
        "share of the bandwidth."
    ),
    "mixture": (
        "The kernels of this model's experts reach another share of the bandwidth than those of "
        "the models that were fitted."
    ),
}


def _reason(model: str) -> str:
    for name, reason in _REASONS.items():
        if name in model:
            return reason
    return _REASONS["dense" if "Llama" in model or "32B" in model else "mixture"]


def _computed(name: str) -> float:
    sweep = sweeps()[name]
    return float(sweep.computed[_at(sweep)])


def _at(sweep: Sweep) -> int:
    return int(np.flatnonzero(sweep.batch == BATCH)[0])


def _row(sweep: Sweep) -> Claim:
    measured = float(sweep.measured[_at(sweep)])
    off = abs(_computed(sweep.name) / measured - 1) > BOUND
    return same_method(
        f"time per token, {sweep.name}, {BATCH} requests, from the engine's other models",
        f"{1e3 * measured:.2f} ms",
        "aiconfigurator-core 0.12.0, systems/silicon_sample.csv",
        partial(_computed, sweep.name),
        within=BOUND,
        miss=_reason(sweep.model) if off else "",
    )


@cache
def _largest(card: str) -> tuple[int, int, int]:
    """Return the longest prompt and answer, and the most requests at once, of the fitted runs."""
    runs = points()
    fitted = [
        (*map(int, setting.split()[-2:]), round(requests))
        for of, engine, kind, setting, requests in zip(
            runs.card, runs.engine, runs.kind, runs.setting, runs.concurrency, strict=True
        )
        if (of, engine, kind) == (card, "trtllm", DENSE)
    ]
    prompt, output, most = map(max, zip(*fitted, strict=True))
    return prompt, output, most


def _why_missed(cell: Cell) -> str:
    prompt, output, most = _largest(cell.card)
    if cell.prompt > prompt:
        return "No fitted run of this card and engine reads prompts this long."
    if cell.prompt > 5 * cell.output:
        return (
            "Reading prompts takes most of this time, and the fit ends there at its bound: the "
            "peak of the data sheet."
        )
    if cell.output > output:
        return "No fitted run of this card and engine writes answers this long."
    if cell.plan[0] > most:
        return f"No fitted run of this card and engine has more than {most} requests at once."
    if cell.model != "70B":
        return "The fitted runs are of another model."
    usual = calibration(cell.card, "trtllm")[0].validation_error or 0.0
    return (
        f"Held-out runs of this card and engine are missed by {100 * usual:.0f} %, too, in the "
        "median."
    )


def _cell(cell: Cell) -> Claim:
    missed = abs(cell.computed / cell.measured - 1) > BOUND
    return same_method(
        f"tokens/s at most, {cell.name}",
        f"{cell.measured:.0f} 1/s",
        "TensorRT-LLM, docs/source/performance/perf-overview.md at commit 00f37686aa85",
        lambda: cell.computed,
        within=BOUND,
        miss=_why_missed(cell) if missed else "",
    )


def _distinct() -> list[Sweep]:
    """Return the sweeps with this load; a run that stands under two names counts once."""
    kept: dict[tuple[str, str, float], Sweep] = {}
    for sweep in sweeps().values():
        if BATCH in sweep.batch:
            kept.setdefault((sweep.card, sweep.engine, float(sweep.measured[_at(sweep)])), sweep)
    return list(kept.values())


SHEET = Sheet(
    "NVIDIA and contributors, aiconfigurator-core 0.12.0, 2026: measured runs of served models; "
    "TensorRT-LLM 1.0, Overview of performance, 2025: tokens/s of Llama under full load",
    [*(_row(sweep) for sweep in _distinct()), *(_cell(cell) for cell in cells())],
    unheld="The table's predictions by its own tool aren't shipped with it. Times to first token "
    "depend on how the tester sends requests, which the rows don't say.",
)
