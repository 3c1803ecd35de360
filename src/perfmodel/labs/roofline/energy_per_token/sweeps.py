"""Sweeps of one model over the batch: the law from three batches, and its errors elsewhere."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np

from perfmodel.labs.roofline.energy_per_token.inputs import (
    CARDS,
    CHAT,
    LAYER_CACHE,
    LAYERS,
    PARAMETERS,
    PROMPT,
    WEIGHT_BYTES,
    Run,
    runs,
)
from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.roofline import AmortisedEnergy, PowerDraw, fit_amortised, fit_power_draw
from perfmodel.validation import Floats, one_of, positive

TRAINED = (8, 16, 32)
"""Limits of the batch from which the law is fitted."""
SMALL = ("Llama-3.1-8B-Instruct", "Qwen3-8B", "Qwen3-14B")
LARGE = ("Qwen3-32B", "Llama-3.1-70B-Instruct", "Llama-3.3-70B-Instruct")
"""Models whose power the prices are fitted to, and those held out."""


@cache
def sweep(model: str, card: str) -> tuple[Run, ...]:
    """Return the chat runs of a dense model on the most cards that it ran on, by batch.

    >>> [run.limit for run in sweep("Llama-3.1-8B-Instruct", "B200")][-1]
    2048
    """
    one_of("model", model, PARAMETERS)
    one_of("card", card, CARDS)
    selected = [r for r in runs() if (r.model, r.card, r.task) == (model, card, CHAT)]
    largest = max(run.cards for run in selected)
    return tuple(sorted((r for r in selected if r.cards == largest), key=lambda run: run.batch))


def fit_energy_model(sweep_: tuple[Run, ...]) -> AmortisedEnergy:
    """Return the law fitted to the batches of up to 8, 16 and 32 requests of a sweep."""
    trained = [run for run in sweep_ if run.limit in TRAINED]
    if len(trained) < len(TRAINED):
        raise ValueError(f"sweep_ must have batches of {TRAINED}, got {len(trained)} of them")
    return fit_amortised([run.batch for run in trained], [run.energy for run in trained])


def unseen(sweep_: tuple[Run, ...]) -> tuple[Floats, Floats]:
    """Return batches beyond 32 and the relative errors of the law there."""
    rest = [run for run in sweep_ if run.limit > max(TRAINED)]
    batch, energy = np.array([(run.batch, run.energy) for run in rest]).T
    return batch, fit_energy_model(sweep_).energy(batch) / energy - 1


class EnergyModel(NamedTuple):
    """The law of a model on a card, and how it does beyond its three batches."""

    model: str
    card: str
    cards: int
    step: float
    """A, joules."""
    token: float
    """e, joules."""
    byte: float
    """A for each byte of the weights, joules."""
    operation: float
    """e for each operation of a token, joules."""
    error: float
    """Mean of the absolute relative errors."""
    worst: float


@cache
def energy_models(card: str) -> tuple[EnergyModel, ...]:
    """Return the laws of the eight dense models on a card."""
    fitted = []
    for model, weights in PARAMETERS.items():
        line = sweep(model, card)
        fit, (batch, errors) = fit_energy_model(line), unseen(line)
        errors = np.abs(errors[batch <= 1024])
        fitted.append(
            EnergyModel(
                model,
                card,
                line[0].cards,
                fit.step,
                fit.token,
                fit.step / (WEIGHT_BYTES * weights),
                fit.token / (2 * weights),
                float(errors.mean()),
                float(errors.max()),
            )
        )
    return tuple(fitted)


def transferred(card: str) -> tuple[float, float]:
    """Return the mean and the largest relative error for models of 27B and more.

    The predictions use the medians of A a byte and e an operation of models up to 15B, and batches
    up to 64.

    >>> [round(100 * error) for error in transferred("H100")]
    [11, 28]
    """
    small = [one for one in energy_models(card) if PARAMETERS[one.model] < 20e9]
    byte, operation = (float(np.median([one[i] for one in small])) for i in (5, 6))
    errors = []
    for model, weights in PARAMETERS.items():
        if weights > 20e9:
            for run in sweep(model, card):
                if run.limit <= 64:
                    fit = AmortisedEnergy(WEIGHT_BYTES * weights * byte, 2 * weights * operation)
                    errors.append(float(fit.energy(run.batch)) / run.energy - 1)
    return float(np.mean(np.abs(errors))), float(np.max(errors))


@cache
def task_errors(card: str) -> dict[str, float]:
    """Return the median relative error of the law above 32 requests by task, over all models.

    Models with a batch of 8, 16 and 32 on the same number of cards in one precision.

    >>> round(100 * task_errors("H100")["lm-arena-chat"], 1)
    4.1
    """
    one_of("card", card, CARDS)
    groups: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in runs():
        if run.card == card:
            groups[run.task, run.model, run.cards, run.precision].append(run)
    errors: dict[str, list[float]] = defaultdict(list)
    for (task, *_), group in groups.items():
        limits = {run.limit for run in group}
        if limits.issuperset(TRAINED) and max(limits) > max(TRAINED):
            errors[str(task)] += np.abs(unseen(tuple(group))[1]).tolist()
    return {task: float(np.median(values)) for task, values in errors.items()}


def rates(run: Run) -> tuple[float, float, float]:
    """Return bytes/s, operations/s and watts of one card in a run of a dense model of the chat.

    A step reads all weights and the keys and values of all requests, whose contexts are half
    written on average; operations are two a weight, for tokens of prompts as well.
    """
    weights, cache_token = PARAMETERS[run.model], LAYERS[run.model] * LAYER_CACHE
    context = PROMPT + run.output / 2
    step = run.batch / run.rate
    moved = (WEIGHT_BYTES * weights + run.batch * context * cache_token) / step
    done = 2 * weights * run.rate * (1 + PROMPT / run.output)
    return moved / run.cards, done / run.cards, run.power / run.cards


@cache
def prices(card: str, byte: float | None = None) -> PowerDraw:
    """Return the prices fitted to the runs of the three small models on a card.

    >>> fit = prices("H100")
    >>> round(fit.constant), fit.byte
    (424, 0.0)
    """
    return fit_power_draw(*_points(SMALL, card), byte)


def _points(models: tuple[str, ...], card: str) -> tuple[Floats, Floats, Floats]:
    points = np.array([rates(run) for model in models for run in sweep(model, card)])
    return points[:, 0], points[:, 1], points[:, 2]


def price_errors(card: str) -> dict[str, tuple[float, float]]:
    """Return mean errors of power for each large model: by the prices, and by a constant power."""
    fit, constant = prices(card), float(_points(SMALL, card)[2].mean())
    errors = {}
    for model in LARGE:
        moved, done, power = _points((model,), card)
        by_price = np.abs(fit.power(moved, done) / power - 1).mean()
        errors[model] = (float(by_price), float(np.abs(constant / power - 1).mean()))
    return errors


def cheapest(model: str, card: str, latency: float) -> float:
    """Return the least J a token of the runs whose median time between tokens meets a limit.

    >>> round(cheapest("Llama-3.1-8B-Instruct", "H100", 0.05), 4)
    0.0702
    """
    limit = float(positive("latency", latency))
    within = [run.energy for run in sweep(model, card) if run.latency <= limit]
    if not within:
        raise ValueError(f"latency must be met by a run, got {latency!r} s for {model} on {card}")
    return min(within)


def measured(model: str, card: str, limit: int, cards: int, precision: str = "bfloat16") -> Run:
    """Return the chat run of a model with a limit of the batch on this many cards."""
    wanted = (model, CHAT, card, cards, precision, limit)
    for run in runs():
        if run[:6] == wanted:
            return run
    raise ValueError(f"no run has {wanted!r}")


_FULL = 320.0
"""Units of the sheet for a token's energy alone in a step."""


def shared_step(step: float, token: float, batch: float) -> Scene:
    """Draw a token's energy (J): its part of the step, which `batch` share, and its own."""
    positive("step", step)
    positive("token", token)
    energy = AmortisedEnergy(step, token)
    total, part = float(energy.energy(batch)), step / batch
    scale = _FULL / float(energy.energy(1))
    whole_step = Box(20, 34, step * scale, 30, "weights, once a step", 1, "hatch")
    shapes: list[Shape] = [
        Text("one step, joules", 20, 18, "start"),
        whole_step,
        Text(
            "one token of it, enlarged 8 times" if batch > 8 else "one token of it", 20, 88, "start"
        ),
    ]
    zoom = 8 if batch > 8 else 1
    left = 20.0
    for amount, colour, fill in ((part, 1, "hatch"), (token, 2, "solid")):
        width = max(zoom * amount * scale, 1.0)
        shapes.append(Box(left, 104, width, 30, "", colour, fill))  # type: ignore[arg-type]
        left += width
    fraction = part / total
    words = "half" if abs(fraction - 0.5) < 0.005 else f"{100 * fraction:.0f} %"
    says = (
        f"With {batch:g} requests a token costs {total:.3g} J. Its part of the step is {words} of "
        "this energy."
    )
    return Scene(146, shapes, says, {"a token (J)": total, "for the step (%)": 100 * fraction})
