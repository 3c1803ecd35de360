"""`perfmodel llm rank`: which machine, how many devices, how many requests at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.language_models.serve import WORDS, check_engine, peak_of, time_of
from perfmodel.command.language_models.setting import (
    CONFIG,
    ENGINE,
    KV_BITS,
    MEMORY,
    OUTPUT,
    PROMPT,
    REPLACED,
    Setting,
    setting_of,
    too_long,
    traps_of,
)
from perfmodel.command.options import Assumed, answers, typed

if TYPE_CHECKING:
    from perfmodel.roofline.transformer import Decoder
    from perfmodel.serving.calibration.plans import Device, ServingPlans

_SHOWN = 10
_INTERVAL = "80 % of points not fitted"
_MOST = 1024
"""Largest number of requests at once that is tried."""


@dataclass(frozen=True)
class _Ranking:
    """Plans, and the best load of each device and count in the order of what they give."""

    settings: Sequence[Setting]
    devices: Sequence[Device]
    plans: ServingPlans
    chosen: Sequence[int]
    """Indices of plans that stay within the limit."""
    limit: float
    rates: Sequence[float] | None
    """Price of an hour of each device."""

    def is_sure(self, i: int) -> bool:
        """Whether the whole interval of a plan stays within the limit."""
        return bool(self.plans.high[i] <= self.limit)

    def where(self, i: int) -> str:
        """Return a plan's devices."""
        machine = self.settings[self.plans.device[i]].machine
        return f"{self.plans.count[i]} x {machine.short or machine.id}"

    def price(self, i: int) -> float | None:
        """Return what a million tokens cost."""
        if self.rates is None:
            return None
        tokens = float(self.plans.per_device[i])
        return round(1e6 * float(self.rates[self.plans.device[i]]) / 3600 / tokens, 3)

    def row(self, i: int) -> Mapping[str, Cell]:
        """Return a plan as a row of the table."""
        price = self.price(i)
        return {
            "machine": self.where(i),
            "weights": self.settings[self.plans.device[i]].weights.name,
            "requests": int(self.plans.concurrency[i]),
            "ms a token": round(1e3 * float(self.plans.seconds[i]), 1),
            "to": round(1e3 * float(self.plans.high[i]), 1),
            "tokens/s a device": round(float(self.plans.per_device[i])),
            **({} if price is None else {"price of 1e6 tokens": price}),
            "sure": "yes" if self.is_sure(i) else "not sure",
        }

    def indistinguishable(self) -> int:
        """Return how many of the chosen, from the first on, may be better than the first."""
        import numpy as np

        index = list(self.chosen)
        cost = 1.0 if self.rates is None else np.array(self.rates)[self.plans.device[index]]
        tokens = (self.plans.concurrency / self.plans.count)[index] / cost
        least, most = tokens / self.plans.high[index], tokens / self.plans.low[index]
        worse = np.flatnonzero(most < least[0])
        return int(worse[0]) if worse.size else len(index)


@answers(assume=(*MEMORY, KV_BITS))
@CONFIG
@click.option(
    "--on",
    "machines",
    multiple=True,
    required=True,
    help="A machine to choose from, such as h100. Repeatable.",
)
@click.option(
    "--within", "target", required=True, help="The time per token to stay within, such as 20ms."
)
@PROMPT
@OUTPUT
@click.option(
    "--most",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="Most devices that share a layer.",
)
@ENGINE
@click.option(
    "--weight-bits",
    "bits",
    multiple=True,
    type=float,
    help="Bits of a stored weight to choose from. Repeatable; default: the config's.",
)
@click.option(
    "--price",
    "prices",
    multiple=True,
    metavar="MACHINE=PRICE",
    help="What a device of it costs an hour; for every machine or for none.",
)
@REPLACED
def rank(
    assumed: Assumed,
    config: Path,
    machines: tuple[str, ...],
    target: str,
    prompt: int,
    output: int,
    most: int,
    engine: str,
    bits: tuple[float, ...],
    prices: tuple[str, ...],
    replaced: tuple[str, ...],
) -> Answer:
    """Rank machines, devices and loads by a device's tokens within a time per token.

    \b
      perfmodel llm rank config.json --on h100 --on h200 --within 25ms
      perfmodel llm rank config.json --on h100 --on b200 --within 25ms \\
          --price h100=2.50 --price b200=5

    CONFIG is a model's config.json, as on Hugging Face, or its folder.
    """  # noqa: D301
    import numpy as np

    from perfmodel.serving.calibration.plans import serving_plans
    from perfmodel.units import prefixed
    from perfmodel.validation import positive

    check_engine(engine)
    limit = time_of(target)
    kv_bytes = float(positive("kv_bits", assumed["kv_bits"])) / 8
    machines = tuple(dict.fromkeys(machines))
    settings = [
        setting_of(config, machine, 1, replaced, width)
        for machine in machines
        for width in (bits or (None,))
    ]
    devices, sources = zip(*(_device(one, assumed, engine) for one in settings), strict=True)
    shape = settings[0].shape
    plans = serving_plans(
        shape, devices, prompt=prompt, output=output,
        counts=[2**i for i in range(most.bit_length())], concurrency=np.arange(1, _MOST + 1),
        kv_bytes=kv_bytes,
    )  # fmt: skip
    rates = _rates(prices, machines, settings)
    order = plans.best(limit, 1.0 if rates is None else np.array(rates)[plans.device])
    chosen = _first_of_each(plans, order.tolist())
    ranking = _Ranking(settings, devices, plans, chosen, limit, rates)
    aim = "gives most tokens a device" if rates is None else "costs least a token"
    calibrations = dict(zip((one.machine.id for one in settings), sources, strict=True))
    empty = Answer(
        f"Which way of serving {settings[0].model.name} {aim} within {prefixed(limit, 's')} a "
        "token?",
        "no",
        f"No plan stays within {prefixed(limit, 's')}: the fastest takes "
        f"{prefixed(float(plans.seconds.min()), 's')}."
        if plans.seconds.size
        else "The weights fit on none of these machines; raise --most.",
        assumed=(
            Assumption("plans", plans.seconds.size, "1", "those that fit into memory"),
            Assumption("prompt", prompt, "1", "tokens"),
            Assumption("output", output, "1", "tokens"),
            *(Assumption("calibration", card, "", said) for card, said in calibrations.items()),
            *assumed.listed(),
        ),
        unknown=(
            "Time to first token: it depends on how requests arrive.",
            "Pipelines, data-parallel attention, speculative decoding and prefix caching aren't "
            "among the plans.",
        ),
        traps=(
            *dict.fromkeys(trap for one in settings for trap in traps_of(one)),
            *too_long(settings[0], prompt + output),
        ),
        steps=(
            f"{plans.seconds.size:,} plans fit into memory; {order.size:,} stay within the limit.",
            "Of each machine, number format and count of devices the best load is shown. Plans "
            "whose whole interval stays within the limit come first.",
        ),
        chapter="book/serving.md",
    )
    if not chosen:
        return empty
    return _best(empty, ranking, _binding(ranking, shape, prompt, output, kv_bytes))


def _best(empty: Answer, ranking: _Ranking, parts: tuple[str, str]) -> Answer:
    """Return the answer with the best plan; `parts` are the two largest of its time."""
    plans, first = ranking.plans, ranking.chosen[0]
    tokens, price, sure = (
        float(plans.per_device[first]),
        ranking.price(first),
        ranking.is_sure(first),
    )
    least, largest = (
        tokens * float(plans.seconds[first] / one[first]) for one in (plans.high, plans.low)
    )
    close = ranking.indistinguishable()
    tied = (
        f"Which of the first {close} machines and counts is best: their intervals overlap. A run "
        "of your own on each decides.",
    )
    return replace(
        empty,
        verdict="yes" if sure else "unknown",
        summary=f"{ranking.where(first)} with {plans.concurrency[first]:.0f} requests at once: "
        f"{tokens:,.0f} tokens/s from each device"
        + ("" if price is None else f", {price} for a million tokens")
        + ("." if sure else ", if the interval's upper half doesn't come true."),
        quantities=(
            Quantity("tokens/s of a device", tokens, least, largest, "1/s", _INTERVAL),
            Quantity("time per token", float(plans.seconds[first]), float(plans.low[first]),
                     float(plans.high[first]), "s", _INTERVAL),
        ),
        binds=parts[0],
        next_binds=parts[1],
        unknown=(*(tied if close > 1 else ()), *empty.unknown),
        more={"Best plans": tuple(ranking.row(i) for i in ranking.chosen[:_SHOWN])},
    )  # fmt: skip


def _device(setting: Setting, assumed: Assumed, engine: str) -> tuple[Device, str]:
    from perfmodel.serving.calibration.plans import Device
    from perfmodel.serving.calibration.shipped import calibration, kind_of
    from perfmodel.validation import within

    share = float(within("memory_share", assumed["memory_share"], 0.01, 1))
    kind = kind_of(setting.shape.routed_parameters)
    known, source = calibration(setting.machine.id, engine, kind=kind)
    return (
        Device(
            setting.machine.memory_bandwidth,
            peak_of(setting)[0],
            share * setting.machine.memory_capacity - float(assumed["workspace"]),
            setting.weights.bytes_of(setting.shape),
            lambda tokens: setting.weights.read_bytes(setting.shape, tokens),
            known,
        ),
        source,
    )


def _rates(
    given: Sequence[str], machines: Sequence[str], settings: Sequence[Setting]
) -> list[float] | None:
    """Return the price of each setting's device hour, or None if no price is given."""
    if not given:
        return None
    prices: dict[str, float] = {}
    for text in given:
        machine, _, price = text.partition("=")
        try:
            prices[machine] = typed(price).value
        except ValueError:
            prices[machine] = 0.0
        if not prices[machine] > 0:
            raise click.UsageError(f"--price must be MACHINE=PRICE above 0, got {text!r}")
    missing = [machine for machine in machines if machine not in prices]
    if missing or len(prices) > len(set(machines)):
        raise click.UsageError(
            f"--price must name the machines of --on, {', '.join(machines)}; got "
            f"{', '.join(prices)}"
        )
    each = len(settings) // len(machines)
    return [prices[machine] for machine in machines for _ in range(each)]


def _first_of_each(plans: ServingPlans, order: Sequence[int]) -> list[int]:
    """Return the best plan of each device and count, in the given order."""
    best: dict[tuple[int, int], int] = {}
    for i in order:
        best.setdefault((int(plans.device[i]), int(plans.count[i])), int(i))
    return list(best.values())


def _binding(
    ranking: _Ranking, shape: Decoder, prompt: int, output: int, kv_bytes: float
) -> tuple[str, str]:
    """Return the largest and the second largest part of the best plan's time."""
    from perfmodel.serving.calibration.token_time import step_terms

    plans, first = ranking.plans, ranking.chosen[0]
    device, running = ranking.devices[plans.device[first]], plans.concurrency[first]
    terms = step_terms(
        shape, weight_bytes=device.read_bytes(running), bandwidth=device.bandwidth,
        peak=device.peak, concurrency=running, prompt=prompt, output=output,
        tensor=int(plans.count[first]), kv_bytes=kv_bytes,
    )  # fmt: skip
    parts = {name: float(value) for name, value in device.calibration.parts(terms).items()}
    order = sorted(parts, key=lambda name: -parts[name])
    return WORDS[order[0]], WORDS[order[1]]
