"""`perfmodel llm rank`: which machine, how many devices, how many requests at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.language_models.serve import WORDS, check_engine, peak_of, time_of
from perfmodel.command.language_models.setting import (
    KV_BITS,
    MEMORY,
    Setting,
    setting_of,
    traps_of,
)
from perfmodel.command.options import Assumed, answers, typed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from perfmodel.roofline.transformer import Decoder
    from perfmodel.serving.calibration.plans import Device, ServingPlans

_SHOWN = 10
_MOST = 1024
"""Largest number of requests at once that is tried."""


@answers(assume=(*MEMORY, KV_BITS))
@click.argument("config", type=click.Path(path_type=Path))
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
@click.option("--prompt", default=1024, show_default=True, help="Tokens of a prompt.")
@click.option("--output", default=256, show_default=True, help="Tokens of an answer.")
@click.option(
    "--most",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="Most devices that share a layer.",
)
@click.option("--engine", default="any", show_default=True, help="vllm, sglang or trtllm.")
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
@click.option(
    "--set",
    "replaced",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Take this for a field of the config.",
)
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
    shape, name = settings[0].shape, settings[0].model.name
    devices, sources = zip(*(_device(one, assumed, engine) for one in settings), strict=True)
    plans = serving_plans(
        shape, devices, prompt=prompt, output=output,
        counts=[2**i for i in range(most.bit_length())], concurrency=np.arange(1, _MOST + 1),
        kv_bytes=kv_bytes,
    )  # fmt: skip
    rates = _rates(prices, machines, settings)
    rate = 1.0 if rates is None else np.array(rates)[plans.device]
    order = plans.best(limit, rate)
    chosen = _first_of_each(plans, order.tolist())
    rows = [_row(plans, i, settings, rates, limit) for i in chosen[:_SHOWN]]
    sure = bool(chosen) and bool(plans.high[chosen[0]] <= limit)
    aim = "gives most tokens a device" if rates is None else "costs least a token"
    asked = f"Which way of serving {name} {aim} within {prefixed(limit, 's')} a token?"
    unknown = [
        "Time to first token: it depends on how requests arrive.",
        "Pipelines, data-parallel attention, speculative decoding and prefix caching aren't among "
        "the plans.",
    ]
    noted = (
        Assumption("plans", plans.seconds.size, "1", "those that fit into memory"),
        Assumption("prompt", prompt, "1", "tokens"),
        Assumption("output", output, "1", "tokens"),
        *(Assumption("calibration", one, "", source) for one, source in
          {s.machine.id: source for s, source in zip(settings, sources, strict=True)}.items()),
        *assumed.listed(),
    )  # fmt: skip
    traps = tuple(dict.fromkeys(trap for one in settings for trap in traps_of(one)))
    longest = settings[0].model.longest
    if longest is not None and prompt + output > longest:
        traps += (f"A prompt and its answer have {prompt + output:,} tokens, and the config "
                  f"allows {longest:,}.",)  # fmt: skip
    if not chosen:
        fastest = prefixed(float(plans.seconds.min()), "s") if plans.seconds.size else ""
        return Answer(
            asked, "no",
            f"No plan stays within {prefixed(limit, 's')}: the fastest takes {fastest}."
            if fastest else "The weights fit on none of these machines; raise --most.",
            (), noted, unknown=tuple(unknown), traps=traps, chapter="book/serving.md",
        )  # fmt: skip
    first = chosen[0]
    close = _close(plans, chosen, rate)
    if close > 1:
        unknown.insert(0, f"Which of the first {close} machines and counts is best: their "
                       "intervals overlap. A run of your own on each decides.")  # fmt: skip
    setting = settings[plans.device[first]]
    binds, following = _binding(plans, first, devices, shape, prompt, output, kv_bytes)
    best = float(plans.per_device[first])
    least, largest = (
        float(plans.concurrency[first] / seconds[first] / plans.count[first])
        for seconds in (plans.high, plans.low)
    )
    return Answer(
        asked,
        "yes" if sure else "unknown",
        f"{plans.count[first]} x {setting.machine.short or setting.machine.id} with "
        f"{plans.concurrency[first]:.0f} requests at once: {best:,.0f} tokens/s from each device"
        + ("" if rates is None else f", {rows[0]['price of 1e6 tokens']} for a million tokens")
        + ("." if sure else ", if the interval's upper half doesn't come true."),
        (
            Quantity("tokens/s of a device", best, least, largest, "1/s",
                     "80 % of points not fitted"),
            Quantity("time per token", float(plans.seconds[first]), float(plans.low[first]),
                     float(plans.high[first]), "s", "80 % of points not fitted"),
        ),
        noted, binds, following, tuple(unknown), traps,
        (
            f"{plans.seconds.size:,} plans fit into memory; {order.size:,} stay within the limit.",
            "Of each machine, number format and count of devices the best load is shown. Plans "
            "whose whole interval stays within the limit come first.",
        ),
        "book/serving.md",
        {"Best plans": tuple(rows)},
    )  # fmt: skip


def _device(setting: Setting, assumed: Assumed, engine: str) -> tuple[Device, str]:
    from perfmodel.serving.calibration.plans import Device
    from perfmodel.serving.calibration.shipped import calibration
    from perfmodel.validation import within

    share = float(within("memory_share", assumed["memory_share"], 0.01, 1))
    known, source = calibration(setting.machine.id, engine)
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


def _close(plans: ServingPlans, chosen: Sequence[int], rate: ArrayLike) -> int:
    """Return how many of the chosen in a row may be better than the first."""
    import numpy as np

    index = list(chosen)
    cost = np.broadcast_to(np.asarray(rate), plans.seconds.shape)[index]
    per_second = (plans.concurrency / plans.count)[index] / cost
    least, most = per_second / plans.high[index], per_second / plans.low[index]
    worse = np.flatnonzero(most < least[0])
    return int(worse[0]) if worse.size else len(index)


def _row(
    plans: ServingPlans,
    i: int,
    settings: Sequence[Setting],
    rates: Sequence[float] | None,
    limit: float,
) -> Mapping[str, Cell]:
    setting = settings[plans.device[i]]
    tokens = float(plans.per_device[i])
    row: dict[str, Cell] = {
        "machine": f"{plans.count[i]} x {setting.machine.short or setting.machine.id}",
        "weights": setting.weights.name,
        "requests": int(plans.concurrency[i]),
        "ms a token": round(1e3 * float(plans.seconds[i]), 1),
        "to": round(1e3 * float(plans.high[i]), 1),
        "tokens/s a device": round(tokens),
    }
    if rates is not None:
        row["price of 1e6 tokens"] = round(1e6 * rates[plans.device[i]] / 3600 / tokens, 3)
    row["sure"] = "yes" if plans.high[i] <= limit else "not sure"
    return row


def _binding(
    plans: ServingPlans,
    i: int,
    devices: Sequence[Device],
    shape: Decoder,
    prompt: int,
    output: int,
    kv_bytes: float,
) -> tuple[str, str]:
    """Return the largest and the second largest part of a plan's time."""
    import numpy as np

    from perfmodel.serving.calibration.token_time import step_terms

    device = devices[plans.device[i]]
    terms = step_terms(
        shape,
        weight_bytes=device.read_bytes(np.asarray(plans.concurrency[i])),
        bandwidth=device.bandwidth, peak=device.peak, concurrency=plans.concurrency[i],
        prompt=prompt, output=output, tensor=int(plans.count[i]), kv_bytes=kv_bytes,
    )  # fmt: skip
    parts = {name: float(value) for name, value in device.calibration.parts(terms).items()}
    order = sorted(parts, key=lambda name: -parts[name])
    return WORDS[order[0]], WORDS[order[1]]
