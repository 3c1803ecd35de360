"""Measurements of ML.ENERGY and Zeus, compared with laws fitted to a few of their runs."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.roofline.energy_per_token.caps import bert, cap_model
from perfmodel.labs.roofline.energy_per_token.inputs import PARAMETERS, Cap, Run
from perfmodel.labs.roofline.energy_per_token.sweeps import fit_energy_model, sweep
from perfmodel.ledger import Claim, Sheet, same_method

LAW, CAP = 0.05, 0.05
"""Largest relative error of the energy of a token and of an epoch."""
STATIC = 80.0
"""Watts of the static part, which fit the other networks of the V100 best."""
_H100_MISS = (
    "The three batches determine the floor e less well than the step A. If hundreds of requests "
    "share a step, the error of the floor is the whole error."
)
_B200_MISS = (
    "On this card the time between tokens doesn't rise evenly with the batch: it triples from 64 "
    "to 128 requests of Llama-3.1-8B and falls elsewhere. A law of two constants can't follow. "
    "The cause isn't documented."
)
_V100_MISS = (
    "At low caps the clock and the voltage reach their floor, and power no longer falls with the "
    "cube of the frequency."
)
_A40_MISS = (
    "At 100 W this card is far below the power at which its clock can run: an epoch takes 2.4 "
    "times as long as at 150 W. No law of the frequency's cube holds there."
)


def _token(run: Run, card: str) -> Claim:
    off = abs(_law_energy(run, card) / run.energy - 1) > LAW
    return same_method(
        f"{run.model}, {run.cards} {card}, up to {run.limit} requests, from 8, 16 and 32",
        f"{run.energy:.4f} J",
        "ml-energy/leaderboard at 0cd52da, chat",
        partial(_law_energy, run, card),
        within=LAW,
        miss={"H100": _H100_MISS, "B200": _B200_MISS}[card] if off else "",
    )


def _law_energy(run: Run, card: str) -> float:
    return float(fit_energy_model(sweep(run.model, card)).energy(run.batch))


def _chosen(model: str, card: str) -> list[Run]:
    """Return the run of 128 requests and the one of most, up to 1,024."""
    runs = [run for run in sweep(model, card) if run.limit <= 1024]
    return [run for run in runs if run.limit == 128 or run is runs[-1]]


def _cap_energy(card: str, batch: int, run: Cap) -> float:
    group = bert(card, batch)
    points = [group[len(group) // 2], group[-1]]
    fit = cap_model([point.power for point in points], [point.seconds for point in points], STATIC)
    return float(fit.time(run.power)) * run.power


def _caps(card: str, batch: int) -> list[Claim]:
    group = bert(card, batch)
    rows = []
    for i, run in enumerate(group[:-1]):
        if i == len(group) // 2:
            continue
        off = abs(_cap_energy(card, batch, run) / run.energy - 1) > CAP
        rows.append(
            same_method(
                f"energy of an epoch of BERT, batch {batch}, from two caps, at {run.cap:.0f} W",
                f"{run.energy / 1e3:.0f}e3 J",
                f"zeus trace, summary_power_{card.lower()}.csv",
                partial(_cap_energy, card, batch, run),
                within=CAP,
                miss=({"V100": _V100_MISS, "A40": _A40_MISS}[card] if off else ""),
            )
        )
    return rows


SHEET = Sheet(
    "J.-W. Chung and others, 'The ML.ENERGY Benchmark', arXiv:2505.06371, 2025, and its results; "
    "J. You, J.-W. Chung and M. Chowdhury, 'Zeus', NSDI 2023, and its traces",
    [
        *(
            _token(run, card)
            for card in ("H100", "B200")
            for m in PARAMETERS
            for run in _chosen(m, card)
        ),
        *_caps("V100", 128),
        *_caps("A40", 256),
    ],
    unheld="We don't compare the headline savings of both papers. They choose among settings by "
    "search and compare with their own baselines, and we read only their abstracts. In every row "
    "of the results, the energy of a token is power over throughput, so this identity tests "
    "nothing.",
)
