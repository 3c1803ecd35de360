"""The public points, and the five numbers of each card and engine that were fitted to them."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perfmodel.serving.calibration.token_time import (
    NAMES,
    StepTerms,
    TokenTime,
    cross_validated,
    fit_token_time,
)
from perfmodel.validation import Floats

FOLDER = Path(__file__).parent
SOURCE = "public points in aiconfigurator-core 0.12.0 (PyPI, Apache-2.0)"
_FOLDS = 5
"""Parts into which the settings of a single model are dealt, each held out once."""
_TWINS = {
    "deepseek-ai/DeepSeek-R1": "deepseek-ai/DeepSeek-V3",
    "nvidia/Llama-3.1-8B-Instruct-FP8": "meta-llama/Llama-3.1-8B-Instruct",
}
"""Models that differ from another in their name and weights alone: a step asks for the same."""
ANY = "any"
"""The model or card of a calibration that is fitted to all of them."""


_MEMBERS = 12
"""Fewest runs of a calibration, and of a model whose own runs are drawn."""
_DRAWS = 20


class OwnRuns(NamedTuple):
    """What some own runs of a model add to a fit of other models."""

    runs: int
    """Own runs."""
    error: float
    """Median relative error on the model's other runs."""
    quantiles: tuple[float, float]
    """Measured over computed time of these: its 10 % and 90 % quantiles."""


class PublicPoints(NamedTuple):
    """Measured runs, arrays and lists of one length."""

    card: list[str]
    engine: list[str]
    model: list[str]
    """Model and number format."""
    setting: list[str]
    """Model, devices and lengths: what points of different concurrency have in common."""
    terms: StepTerms
    time_per_token: Floats
    """Seconds."""
    time_to_first_token: Floats
    """Seconds, under a tester that sends all requests at once."""

    @property
    def architecture(self) -> list[str]:
        """The model without its number format, and one name for models of the same shape."""
        names = [model.split()[0] for model in self.model]
        return [_TWINS.get(name, name) for name in names]

    def only(self, mask: Sequence[bool]) -> PublicPoints:
        """Return the runs of a mask."""
        kept = [i for i, one in enumerate(mask) if one]
        card, engine, model, setting = (
            [column[i] for i in kept]
            for column in (self.card, self.engine, self.model, self.setting)
        )
        terms = StepTerms(*(term[kept] for term in self.terms))
        token, first = self.time_per_token[kept], self.time_to_first_token[kept]
        return PublicPoints(card, engine, model, setting, terms, token, first)


@lru_cache(maxsize=1)
def points() -> PublicPoints:
    """Return all public points; the `README.md` in their folder describes them."""
    rows = _rows("points.csv")
    terms = StepTerms(*(np.array([float(row[name]) for row in rows]) for name in NAMES))
    return PublicPoints(
        [row["card"] for row in rows],
        [row["engine"] for row in rows],
        [f"{row['model']} {row['precision']}" for row in rows],
        [
            " ".join(row[name] for name in ("model", "precision", "tensor", "prompt", "output"))
            for row in rows
        ],
        terms,
        np.array([float(row["time_per_token"]) for row in rows]),
        np.array([float(row["time_to_first_token"]) for row in rows]),
    )


def calibrations_of(runs: PublicPoints) -> list[dict[str, object]]:
    """Return one row for each card and engine, for each of their models, and for all together.

    The error held out is of models that were not fitted, in no number format and under no other
    name, where there are several, and otherwise of settings (devices and lengths) that were not.
    """
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for i, (card, engine, model) in enumerate(zip(runs.card, runs.engine, runs.model, strict=True)):
        for key in (
            (card, engine, ANY),
            (card, engine, model),
            *((c, e, ANY) for c, e in ((ANY, engine), (card, ANY), (ANY, ANY))),
        ):
            groups[key].append(i)
    found = []
    for (card, engine, model), members in sorted(groups.items()):
        mask = np.zeros(len(runs.card), bool)
        mask[members] = True
        part = runs.only(list(mask))
        if len(members) < _MEMBERS:
            continue
        by = part.card if card == ANY else part.architecture
        unit = "card" if card == ANY else "model"
        if len(set(by)) == 1:
            order = sorted(set(part.setting))
            by, unit = [str(order.index(one) % _FOLDS) for one in part.setting], "setting"
        ratio = part.time_per_token / cross_validated(part.terms, part.time_per_token, by)
        ratio = ratio[np.isfinite(ratio)]
        if not ratio.size:
            continue
        fitted = fit_token_time(part.terms, part.time_per_token)
        found.append(
            {
                "card": card,
                "engine": engine,
                "model": model,
                **{
                    name: f"{value:.6g}"
                    for name, value in zip(NAMES, fitted.coefficients, strict=True)
                },
                "determined": "".join("y" if one else "n" for one in fitted.determined),
                "points": fitted.points,
                "fitted_error": f"{fitted.fitted_error:.4g}",
                "held_out_error": f"{np.median(np.abs(1 / ratio - 1)):.4g}",
                "held_out_by": unit,
                "low": f"{np.quantile(ratio, 0.1):.4g}",
                "high": f"{np.quantile(ratio, 0.9):.4g}",
            }
        )
    return found


def held_out_ratios(
    runs: PublicPoints,
    together: Sequence[str],
    left_out: Callable[[PublicPoints], Sequence[object]],
) -> Floats:
    """Return measured over computed times (runs,), each computed without the runs of its label.

    Runs that share the columns `together` are fitted together; `left_out` gives such runs their
    labels, and those of one label are left out at a time. Where too few runs remain, it is nan.
    """
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, key in enumerate(zip(*(getattr(runs, name) for name in together), strict=True)):
        groups[key].append(i)
    ratios = np.full(len(runs.card), np.nan)
    for members in groups.values():
        mask = np.zeros(len(runs.card), bool)
        mask[members] = True
        part = runs.only(list(mask))
        computed = cross_validated(part.terms, part.time_per_token, left_out(part))
        ratios[mask] = part.time_per_token / computed
    return ratios


def own_runs_of(runs: PublicPoints) -> list[OwnRuns]:
    """Return what 0 to 6 own runs of a model add to a fit of its card's and engine's other models.

    Own runs are drawn at random, and scale the fit by the median of measured over computed time.
    The model's other runs then show how far the scaled times are off.
    """
    ratios = held_out_ratios(runs, ("card", "engine"), lambda part: part.architecture)
    models: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for i in np.flatnonzero(np.isfinite(ratios)):
        models[runs.card[i], runs.engine[i], runs.model[i]].append(float(ratios[i]))
    rng, found = np.random.default_rng(0), []
    for count in (0, 1, 2, 3, 6):
        left = []
        for _, many in sorted(models.items()):
            for _ in range(_DRAWS if len(many) >= _MEMBERS else 0):
                own = rng.choice(len(many), count, replace=False)
                scale = float(np.median(np.array(many)[own])) if count else 1.0
                left.append(np.delete(many, own) / scale)
        rest = np.concatenate(left)
        low, high = (float(one) for one in np.quantile(rest, [0.1, 0.9]))
        found.append(OwnRuns(count, float(np.median(np.abs(1 / rest - 1))), (low, high)))
    return found


@lru_cache(maxsize=1)
def own_runs() -> list[OwnRuns]:
    """Return the shipped `own_runs_of`, starting without any own run."""
    return [
        OwnRuns(int(row["runs"]), float(row["error"]), (float(row["low"]), float(row["high"])))
        for row in _rows("own_runs.csv")
    ]


@lru_cache(maxsize=1)
def calibrations() -> Mapping[tuple[str, str, str], TokenTime]:
    """Return the shipped calibrations by card, engine and model; `any` stands for all."""
    return {
        (row["card"], row["engine"], row["model"]): _read(row) for row in _rows("calibrations.csv")
    }


def calibration(card: str, engine: str = ANY, model: str = ANY) -> tuple[TokenTime, str]:
    """Return the calibration of a card and engine and a sentence on which one it is.

    Without points of the card with the engine, those of the card with any are taken, then those of
    all cards with the engine, then all. A `model` and number format, such as `openai/gpt-oss-120b
    fp4`, must be among those of the card and engine.

    Raises `ValueError` if that card and engine have no such model; lists those that they have.
    """
    known = calibrations()
    if model != ANY:
        if (card, engine, model) not in known:
            there = [key[2] for key in known if key[:2] == (card, engine) and key[2] != ANY]
            listed = ", ".join(there) or "none"
            raise ValueError(f"model must be one of {card} with {engine}: {listed}; got {model!r}")
        found = known[card, engine, model]
        return found, f"{found.points} points of {model} on {card} with {engine}; {SOURCE}"
    for key in ((card, engine, ANY), (card, ANY, ANY), (ANY, engine, ANY), (ANY, ANY, ANY)):
        if key in known:
            found = known[key]
            which = "all cards" if key[0] == ANY else key[0]
            with_engine = "all engines" if key[1] == ANY else key[1]
            return found, f"{found.points} points of {which} with {with_engine}; {SOURCE}"
    raise ValueError(f"card must have a calibration, got {card!r}")


def _read(row: dict[str, str]) -> TokenTime:
    return TokenTime(
        tuple(float(row[name]) for name in NAMES),  # type: ignore[arg-type]
        tuple(mark == "y" for mark in row["determined"]),  # type: ignore[arg-type]
        int(row["points"]),
        float(row["fitted_error"]),
        float(row["held_out_error"]),
        (float(row["low"]), float(row["high"])),
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
