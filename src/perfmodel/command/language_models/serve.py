"""`perfmodel llm serve`: how long a token takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfmodel.command.answer import Answer, Assumption, Quantity, Verdict
from perfmodel.command.language_models.setting import (
    ENGINE,
    KV_BITS,
    MEMORY,
    OUTPUT,
    PROMPT,
    Setting,
    model_options,
    setting_of,
    too_long,
    traps_of,
)
from perfmodel.command.options import Assumed, answers, typed

if TYPE_CHECKING:
    from perfmodel.readers.llm_benchmarks import ServingBenchmark
    from perfmodel.serving.calibration.token_time import StepTerms, TokenTime

_OWN = 12
"""Fewest settings of the reader's runs to which the six numbers are fitted."""


@answers(assume=(*MEMORY, KV_BITS))
@model_options
@PROMPT
@OUTPUT
@click.option("--concurrency", default=32, show_default=True, help="Requests that run at once.")
@ENGINE
@click.option(
    "--like",
    default="",
    help="Take the public points of this model alone, such as 'openai/gpt-oss-120b fp4'.",
)
@click.option("--within", "target", help="The time per token to stay within, such as 20ms.")
@click.option(
    "--calibrate",
    "benchmarks",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Runs of this model here: JSON of vLLM, aiperf or guidellm, or a CSV. Repeatable.",
)
def serve(
    assumed: Assumed,
    config: Path,
    machine: str,
    count: int,
    replaced: tuple[str, ...],
    weight_bits: float | None,
    prompt: int,
    output: int,
    concurrency: int,
    engine: str,
    target: str | None,
    like: str,
    benchmarks: tuple[Path, ...],
) -> Answer:
    """Say how long a token takes, and how many come out a second.

    \b
      perfmodel llm serve config.json --on h100 --count 4 --concurrency 64 --engine vllm

    CONFIG is a model's config.json, as on Hugging Face, or its folder.
    """  # noqa: D301
    from perfmodel.readers.llm_benchmarks import read_points
    from perfmodel.serving.calibration.shipped import calibration, kind_of
    from perfmodel.serving.calibration.token_time import step_terms
    from perfmodel.units import prefixed
    from perfmodel.validation import positive

    check_engine(engine)
    setting = setting_of(config, machine, count, replaced, weight_bits)
    shape, bits = setting.shape, float(positive("kv_bits", assumed["kv_bits"]))
    rate, precision = peak_of(setting)
    bandwidth = setting.machine.memory_bandwidth

    def terms(running: float, before: float, after: float) -> Any:
        return step_terms(
            shape, weight_bytes=setting.weights.read_bytes(shape, running), bandwidth=bandwidth,
            peak=rate, concurrency=running, prompt=before, output=after, tensor=count,
            kv_bytes=bits / 8,
        )  # fmt: skip

    asked = terms(concurrency, prompt, output)
    kind = kind_of(float(asked.expert))
    known, source = calibration(setting.machine.id, engine, like, kind=kind)
    parts = {name: float(value) for name, value in known.parts(asked).items()}
    least = max(float(asked.bandwidth), float(asked.arithmetic))
    factor, low, high, traps = (
        1.0,
        *(known.held_out_quantiles or (0.5, 2.0)),
        list(traps_of(setting)),
    )
    seen, doubts = [one for path in benchmarks for one in read_points(path)], list[str]()
    if seen:
        own = [terms(one.mean_concurrency, one.prompt, one.output) for one in seen]
        times = [one.time_per_token for one in seen]
        traps += dict.fromkeys(trap for one in seen for trap in one.traps)
        known, factor, (low, high), source, doubts = _calibrated(
            known, source, own, times, _settings_of(seen), asked
        )
        parts = {name: float(value) for name, value in known.parts(asked).items()}
        if not 1 / 3 < factor < 3:
            traps.append(
                f"Your runs take {factor:.3g} times what such a machine takes elsewhere: do they "
                "stem from this model on these devices? The interval holds both times."
            )
            low, high = min(low, low / factor), max(high, high / factor)
    time = max(least, factor * sum(parts.values()))
    ends = max(least, time * low), max(least, time * high)
    limit = None if target is None else time_of(target)
    verdict: Verdict | None = None
    if limit is not None:
        verdict = "yes" if ends[1] <= limit else "no" if ends[0] > limit else "unknown"
    where = f"{count} x {setting.machine.short or setting.machine.id}"
    fits = _serves(setting, assumed, prompt + output, concurrency, bits)
    unknown = [
        "Time to first token: it depends on how requests arrive. A tester that sends all at once "
        "measures its own burst.",
        "Speculative decoding, prefix caching and chunking of prompts change both times.",
    ]
    unknown += doubts
    for name, sure in zip(parts, known.determined, strict=True):
        if not sure and (parts[name] or name != "expert"):
            unknown.append(f"The points don't determine the number of {WORDS[name]}.")
    if not fits:
        traps.append("That many requests don't fit at once: fewer will run, and others will wait.")
    traps += too_long(setting, prompt + output)
    error, rests_on = known.validation_error, "median"
    if seen and factor != 1.0:
        rests_on = "median, of public models scaled by as many runs"
    return Answer(
        f"How long does a token of {setting.model.name} take on {where}?",
        verdict,
        f"A token takes {prefixed(time, 's')} while {concurrency} requests run: "
        f"{concurrency / time:,.0f} tokens/s from {where}."
        + ("" if fits else " But they don't fit into memory at once."),
        (
            Quantity("time per token", time, *ends, "s", "80 % of points not fitted lie inside"
                     if not seen else "by your benchmarks"),
            Quantity("generated tokens/s", concurrency / time, concurrency / ends[1],
                     concurrency / ends[0], "1/s"),
            Quantity("time per token at full bandwidth", least, least, None, "s", "no engine can "
                     "be faster"),
            Quantity("error on points not fitted", error, None, None, "1", rests_on),
        ),
        (*setting.assumed,
         Assumption("arithmetic", precision, "", "the fastest that the weights allow"),
         Assumption("calibration", engine, "", source), *assumed.listed("kv_bits")),
        WORDS[max(parts, key=lambda name: parts[name])],
        WORDS[sorted(parts, key=lambda name: parts[name])[-2]],
        tuple(unknown),
        tuple(traps),
        tuple(f"{WORDS[name]}: {prefixed(factor * value, 's')} of a token's time."
              for name, value in parts.items() if value),
        "book/serving.md",
        {"Time of a token": tuple({"part": WORDS[name], "seconds": factor * value}
                                  for name, value in parts.items() if value)},
    )  # fmt: skip


def _settings_of(seen: Sequence[ServingBenchmark]) -> list[str]:
    """Return a name of each run's setting: loads and lengths within about a tenth share one."""
    return [
        str([round(10 * log(size)) for size in (one.mean_concurrency, one.prompt, one.output)])
        for one in seen
    ]


def _calibrated(
    known: TokenTime,
    source: str,
    own: list[StepTerms],
    times: list[float],
    settings: Sequence[str],
    asked: StepTerms,
) -> tuple[TokenTime, float, tuple[float, float], str, list[str]]:
    """Return the numbers fitted to the reader's runs, or one factor where settings are too few.

    With them their factor, the ends of the interval over the computed time, their source, and what
    isn't known. A setting's runs are held out together: repeats would make any fit look right.
    """
    import numpy as np

    from perfmodel.serving.calibration.shipped import own_runs
    from perfmodel.serving.calibration.token_time import StepTerms, cross_validated, fit_token_time

    together = StepTerms(*(np.array(column) for column in zip(*own, strict=True)))
    scales = np.array(times) / known.seconds(together)
    factor = float(np.median(scales))
    usual = max(one for one in own_runs() if one.runs <= len(set(settings)))
    low = min(usual.quantiles[0], *scales / factor)
    high = max(usual.quantiles[1], *scales / factor)
    count = f"{len(times)} {'run' if len(times) == 1 else 'runs'} of yours"
    if len(set(settings)) < _OWN:
        few = (
            "Your runs are at fewer than twelve settings (loads or lengths): one factor is fitted "
            "to them, not the six numbers."
        )
        scaled = replace(known, validation_error=usual.error)
        return scaled, factor, (low, high), f"{source}; times {factor:.3g} to meet {count}", [few]
    fitted, doubts = fit_token_time(together, times), []
    ratios = np.array(times) / cross_validated(together, times, settings)
    ends = [min(float(np.quantile(ratios, 0.1)), 1.0), max(float(np.quantile(ratios, 0.9)), 1.0)]
    columns = zip(together, asked, strict=True)
    if any(not 0.9 * runs.min() <= term <= 1.1 * runs.max() for runs, term in columns):
        public = factor * float(known.seconds(asked)) / float(fitted.seconds(asked))
        ends = [min(ends[0], public * low), max(ends[1], public * high)]
        doubts.append(
            "Your runs don't reach this setting. The interval also holds the public numbers, "
            "scaled to your runs."
        )
    calibrated = replace(fitted, validation_error=float(np.median(np.abs(1 / ratios - 1))))
    return calibrated, 1.0, (ends[0], ends[1]), count, doubts


def time_of(text: str) -> float:
    """Return the seconds of a text such as `20ms`."""
    try:
        given = typed(text)
    except ValueError:
        given = None
    if given is None or given.unit != "s" or given.value <= 0:
        raise click.UsageError(f"--within must be a time such as 20ms, got {text!r}")
    return given.value


WORDS = {
    "bandwidth": "reading weights and cache",
    "layer": "launching a layer's kernels",
    "collective": "all-reduces between devices",
    "arithmetic": "arithmetic of new tokens and prompts",
    "activation": "moving the vectors of new tokens and prompts",
    "expert": "starting each expert",
}


def check_engine(engine: str) -> None:
    """Refuse an engine of which there are no public points."""
    if engine not in ("any", "vllm", "sglang", "trtllm"):
        raise click.UsageError(f"--engine must be vllm, sglang, trtllm or any, got {engine!r}")


def peak_of(setting: Setting) -> tuple[float, str]:
    """Return the FLOP/s of the arithmetic that the weights allow, and its name."""
    narrow = setting.weights.others <= 1.01
    for precision in ("fp8", "bf16", "fp16") if narrow else ("bf16", "fp16"):
        if setting.machine.has(f"peak_{precision}_matrix"):
            return setting.machine.value(f"peak_{precision}_matrix"), precision
    for precision in ("fp16", "fp32", "fp64"):
        if setting.machine.has(f"peak_{precision}"):
            return setting.machine.value(f"peak_{precision}"), precision
    return setting.machine.peak("bf16"), "bf16"


def _serves(setting: Setting, assumed: Assumed, tokens: int, wanted: int, bits: float) -> bool:
    from perfmodel.validation import within

    share = float(within("memory_share", assumed["memory_share"], 0.01, 1))
    room = share * setting.machine.memory_capacity
    room -= setting.device_weights + float(assumed["workspace"])
    return room >= wanted * setting.cache_bytes(tokens, bits)
