"""The public points, and the six numbers of each card and engine that were fitted to them."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
FOLDS = 5
"""Parts into which settings are dealt, each held out once."""
_TWINS = {
    "deepseek-ai/DeepSeek-R1": "deepseek-ai/DeepSeek-V3",
    "nvidia/Llama-3.1-8B-Instruct-FP8": "meta-llama/Llama-3.1-8B-Instruct",
}
"""Models that differ from another in their name and weights alone: a step asks for the same."""
ANY = "any"
"""The card or engine of a calibration that is fitted to all of them."""
DENSE, MIXTURE = "dense", "mixture of experts"
"""The kinds of models: their matrices are multiplied by kernels of their own."""

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
    concurrency: Floats
    """Requests that run at once."""
    terms: StepTerms
    prompt_seconds: Floats
    """Seconds in which the devices read one request's prompt at their peak."""
    time_per_token: Floats
    """Seconds."""
    time_to_first_token: Floats
    """Seconds, under a tester that sends all requests at once."""

    @property
    def architecture(self) -> list[str]:
        """The model without its number format, and one name for models of the same shape."""
        names = [model.split()[0] for model in self.model]
        return [_TWINS.get(name, name) for name in names]

    @property
    def kind(self) -> list[str]:
        """Whether the model is dense or a mixture of experts."""
        return [kind_of(experts) for experts in self.terms.expert]

    def only(self, mask: Sequence[bool]) -> PublicPoints:
        """Return the runs of a mask."""
        kept = [i for i, one in enumerate(mask) if one]
        card, engine, model, setting = (
            [column[i] for i in kept]
            for column in (self.card, self.engine, self.model, self.setting)
        )
        terms = StepTerms(*(term[kept] for term in self.terms))
        numbers = (self.prompt_seconds, self.time_per_token, self.time_to_first_token)
        return PublicPoints(
            card, engine, model, setting, self.concurrency[kept], terms,
            *(column[kept] for column in numbers),
        )  # fmt: skip


@lru_cache(maxsize=1)
def points() -> PublicPoints:
    """Return all public points; the `README.md` in their folder describes them."""
    rows = _rows("points.csv")

    def numbers(name: str) -> Floats:
        return np.array([float(row[name]) for row in rows])

    terms = StepTerms(*map(numbers, NAMES))
    return PublicPoints(
        [row["card"] for row in rows],
        [row["engine"] for row in rows],
        [f"{row['model']} {row['precision']}" for row in rows],
        [
            " ".join(row[name] for name in ("model", "precision", "tensor", "prompt", "output"))
            for row in rows
        ],
        numbers("concurrency"),
        terms,
        numbers("prompt_seconds"),
        numbers("time_per_token"),
        numbers("time_to_first_token"),
    )


def kind_of(experts: float) -> str:
    """Return the kind of a model whose steps choose this many experts."""
    return MIXTURE if experts > 0 else DENSE


def calibrations_of(runs: PublicPoints) -> list[dict[str, object]]:
    """Return one row for each kind of models on a card and engine, and for each of the models.

    The error held out is of models that were not fitted, in no number format and under no other
    name; of a single model it is of settings (devices and lengths) that were not, and of all cards
    together of cards that were not. If a card and engine have one model, the fit that erred is of
    other cards. How far it erred holds here too, the direction doesn't: `low` and `high` are then
    quantiles of both measured over computed time and its reciprocal.
    """
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    columns = zip(runs.card, runs.engine, runs.model, runs.kind, strict=True)
    for i, (card, engine, model, kind) in enumerate(columns):
        for key in (
            (card, engine, model),
            *((c, e, kind) for c in (card, ANY) for e in (engine, ANY)),
        ):
            groups[key].append(i)
    left: dict[tuple[bool, bool], Floats] = {}
    found = []
    for (card, engine, model), members in sorted(groups.items()):
        if len(members) < _MEMBERS:
            continue
        part = runs.only(_mask(members, len(runs.card)))
        if model not in (DENSE, MIXTURE):
            unit, ratio = "setting", _left_out(part, dealt(part.setting))
        else:
            which = (card != ANY, engine != ANY)
            unit = "model" if which[0] else "card"
            if which not in left:
                engines = ("engine",) if which[1] else ()
                left[which] = (
                    held_out_ratios(runs, ("card", *engines, "kind"), _shapes, (*engines, "kind"))
                    if which[0]
                    else held_out_ratios(runs, (*engines, "kind"), lambda some: some.card)
                )
            ratio = left[which][members]
        ratio = ratio[np.isfinite(ratio)]
        if not ratio.size:
            continue
        alone = unit == "model" and len(set(part.architecture)) == 1
        inside = np.concatenate([ratio, 1 / ratio]) if alone else ratio
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
                "low": f"{np.quantile(inside, 0.1):.4g}",
                "high": f"{np.quantile(inside, 0.9):.4g}",
            }
        )
    return found


def dealt(labels: Sequence[str]) -> list[object]:
    """Return the part of each run: its label, or one of five parts where there are many labels."""
    distinct = sorted(set(labels))
    if len(distinct) <= 2 * FOLDS:
        return list(labels)
    part = {label: i % FOLDS for i, label in enumerate(distinct)}
    return [part[label] for label in labels]


def held_out_ratios(
    runs: PublicPoints,
    together: Sequence[str],
    left_out: Callable[[PublicPoints], Sequence[object]],
    elsewhere: Sequence[str] = (),
) -> Floats:
    """Return measured over computed times (runs,), each computed without the runs of its label.

    Runs that share the columns `together` are fitted together; `left_out` gives such runs their
    labels, and those of one label are left out at a time. Where too few remain, runs are fitted
    that share the columns `elsewhere`, again without those of the label; without `elsewhere` it is
    nan.
    """
    ratios = np.full(len(runs.card), np.nan)
    for columns in (together, elsewhere):
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, key in enumerate(zip(*(getattr(runs, name) for name in columns), strict=True)):
            groups[key].append(i)
        for members in groups.values():
            at = np.array(members)
            missing = ~np.isfinite(ratios[at])
            if missing.any():
                part = runs.only(_mask(members, len(ratios)))
                ratios[at[missing]] = _left_out(part, left_out(part), missing)[missing]
    return ratios


def _left_out(
    part: PublicPoints, labels: Sequence[object], asked: NDArray[np.bool_] | None = None
) -> Floats:
    computed = cross_validated(part.terms, part.time_per_token, labels, asked)
    return np.asarray(part.time_per_token / computed)


def _shapes(part: PublicPoints) -> Sequence[object]:
    return part.architecture


def _mask(members: Sequence[int], size: int) -> list[bool]:
    mask = np.zeros(size, bool)
    mask[list(members)] = True
    return mask.tolist()


def own_runs_of(runs: PublicPoints) -> list[OwnRuns]:
    """Return what 0 to 6 own runs of a model add to a fit of others of its card, engine and kind.

    Own runs are drawn at random, and scale the fit by the median of measured over computed time.
    The model's other runs then show how far the scaled times are off.
    """
    ratios = held_out_ratios(runs, ("card", "engine", "kind"), _shapes, ("engine", "kind"))
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


def calibration(
    card: str, engine: str = ANY, model: str = "", *, kind: str = DENSE
) -> tuple[TokenTime, str]:
    """Return the calibration of a card and engine and a sentence on which one it is.

    `kind` is the asked model's: dense models and mixtures of experts have calibrations of their
    own. Without points of the card with the engine, those of the card with any are taken, then
    those of all cards with the engine, then all. A `model` and number format, such as
    `openai/gpt-oss-120b fp4`, must be among those of the card and engine.

    Raises `ValueError` if that card and engine have no such model; lists those that they have.
    """
    known = calibrations()
    if model:
        if (card, engine, model) not in known:
            there = [key[2] for key in known if key[:2] == (card, engine) and "/" in key[2]]
            listed = ", ".join(there) or "none"
            raise ValueError(f"model must be one of {card} with {engine}: {listed}; got {model!r}")
        found = known[card, engine, model]
        return found, f"{found.points} points of {model} on {card} with {engine}; {SOURCE}"
    for key in ((card, engine), (card, ANY), (ANY, engine), (ANY, ANY)):
        if (*key, kind) in known:
            found = known[*key, kind]
            which = "all cards" if key[0] == ANY else key[0]
            with_engine = "all engines" if key[1] == ANY else key[1]
            models = "dense models" if kind == DENSE else "mixtures of experts"
            return (
                found,
                f"{found.points} points of {models} on {which} with {with_engine}; {SOURCE}",
            )
    raise ValueError(f"card must have a calibration, got {card!r}")


def _read(row: dict[str, str]) -> TokenTime:
    return TokenTime(
        tuple(float(row[name]) for name in NAMES),
        tuple(mark == "y" for mark in row["determined"]),
        int(row["points"]),
        float(row["fitted_error"]),
        float(row["held_out_error"]),
        (float(row["low"]), float(row["high"])),
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
