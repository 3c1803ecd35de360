"""`perfmodel llm`: whether a language model fits, and how fast it serves or trains."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfmodel.command.answer import Answer, Assumption, Quantity
from perfmodel.command.options import Assumable, Assumed, Subcommands, answers

if TYPE_CHECKING:
    from perfmodel.machines.machine import Machine
    from perfmodel.readers.models import ModelFile
    from perfmodel.readers.weight_formats import WeightFormat
    from perfmodel.roofline.decoder import Decoder

_MEMORY = (
    Assumable(
        "memory_share", "share of a device's memory that the engine takes", 0.9, "1",
        "vLLM's default, --gpu-memory-utilization 0.9",
    ),
    Assumable(
        "workspace", "bytes of a device for activations, graphs and libraries", 3e9, "bytes",
        "between 1.5 and 6 GB in engines' logs; a guess until you measure yours",
    ),
)  # fmt: skip
_SERVE = Assumable(
    "kv_bits", "bits of a number in the cache", 16.0, "1", "what engines use unless told otherwise"
)


@click.group(cls=Subcommands)
def llm() -> None:
    """Say whether a language model fits on a machine, and how fast it serves or trains."""


def _model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what all three commands take."""
    for option in reversed(
        (
            click.argument("config", type=click.Path(path_type=Path)),
            click.option("--on", "machine", required=True, help="A machine, such as h100."),
            click.option("--count", default=1, show_default=True, help="Devices of it."),
            click.option("--set", "replaced", multiple=True, metavar="FIELD=VALUE",
                         help="Take this for a field of the config."),
            click.option("--weight-bits", type=float, help="Bits of a stored weight."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


@dataclass(frozen=True)
class Setting:
    """A model on devices."""

    model: ModelFile
    machine: Machine
    count: int
    weights: WeightFormat
    assumed: tuple[Assumption, ...]

    @property
    def shape(self) -> Decoder:
        """The model's shape."""
        return self.model.shape

    @property
    def device_weights(self) -> float:
        """Bytes of weights on each device, all cut evenly."""
        return self.weights.bytes_of(self.shape) / self.count

    def cache_bytes(self, context: float, bits: float) -> float:
        """Return the bytes of cache of one sequence on each device."""
        total = 0.0
        for block, layers in Counter(self.shape.blocks).items():
            window = block.attention.window
            seen = context if window is None else min(context, window)
            parts = min(self.count, block.attention.kv_parts)
            total += layers * block.attention.kv_numbers * seen / parts
        return total * bits / 8


def _setting(
    config: Path, machine: str, count: int, replaced: tuple[str, ...], weight_bits: float | None
) -> Setting:
    from perfmodel.machines import match
    from perfmodel.readers.models import read_config
    from perfmodel.readers.weight_formats import uniform_format
    from perfmodel.validation import whole

    model = read_config(config, replacements(replaced))
    found, others = match(machine)
    whole("count", count, low=1, high=100_000)
    weights = model.weights if weight_bits is None else uniform_format(weight_bits)
    noted = [Assumption("machine", found.id, "", "given" if found.id == machine else
                        f"{machine!r} also fits {', '.join(others)}" if others else
                        f"the one machine that fits {machine!r}")]  # fmt: skip
    source = "given" if weight_bits is not None else "the config"
    noted.append(Assumption("weights", weights.name, "", source))
    if count > 1:
        noted.append(
            Assumption("parallelism", f"tensor, over {count}", "", "each layer is cut evenly")
        )
    return Setting(model, found, count, weights, tuple(noted))


def replacements(given: tuple[str, ...]) -> dict[str, Any]:
    """Return fields of a config from `name=value` texts, whose values are JSON or words."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set must be FIELD=VALUE, got {text!r}")
        try:
            found[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            found[name.strip()] = value.strip()
    return found


def _context(setting: Setting, context: int | None) -> tuple[int, Assumption]:
    if context is not None:
        return context, Assumption("context", context, "1", "given")
    longest = setting.model.longest or 4096
    source = "the config's longest text" if setting.model.longest else "none is in the config"
    return longest, Assumption("context", longest, "1", source)


def _traps(setting: Setting) -> tuple[str, ...]:
    found = [*setting.model.said, *setting.model.traps]
    if not setting.weights.certain:
        found.append("The weights are mixed: which matrices keep 16 bits is taken from the config.")
    if setting.machine.has("memory_capacity"):
        figure = setting.machine.figure("memory_capacity")
        if not figure.verified:
            found.append(f"The memory of {setting.machine.id} is not verified: {figure.source}.")
    return tuple(found)


@answers(assume=(*_MEMORY, _SERVE))
@_model_options
@click.option("--context", type=int, help="Tokens of each sequence; default: the config's longest.")
@click.option("--concurrency", type=int, help="Sequences that must fit at once.")
def memory(
    assumed: Assumed,
    config: Path,
    machine: str,
    count: int,
    replaced: tuple[str, ...],
    weight_bits: float | None,
    context: int | None,
    concurrency: int | None,
) -> Answer:
    """Say whether the model fits, and how many sequences beside it.

    \b
      perfmodel llm memory config.json --on h100 --context 32768 --concurrency 16
    """  # noqa: D301
    from perfmodel.validation import positive, within

    setting = _setting(config, machine, count, replaced, weight_bits)
    shape, bits = setting.shape, float(positive("kv_bits", assumed["kv_bits"]))
    tokens, noted = _context(setting, context)
    positive("context", tokens)
    share = float(within("memory_share", assumed["memory_share"], 0.01, 1))
    room = share * setting.machine.memory_capacity - setting.device_weights
    each = setting.cache_bytes(tokens, bits)
    spaces = [float(assumed["workspace"])]
    given = "workspace" in assumed.given
    low, high = (spaces[0], spaces[0]) if given else (6e9, 1.5e9)
    fits = [(room - space) / each for space in (spaces[0], low, high)]
    middle, fewest, most = (max(0, int(one)) for one in fits)
    wanted = concurrency or 1
    verdict = "yes" if fewest >= wanted else "no" if most < wanted else "unknown"
    where = f"{setting.count} x {setting.machine.short or setting.machine.id}"
    if room - high < 0:
        summary = f"The weights alone don't fit into {where}."
    else:
        summary = (
            f"{middle:,} sequences of {tokens:,} tokens fit beside the weights on {where}; "
            f"{wanted:,} {'is' if wanted == 1 else 'are'} asked for."
        )
    capacity = setting.machine.memory_capacity
    needed = setting.device_weights + wanted * each + spaces[0]
    smallest = _fewest(setting, share, spaces[0], wanted, tokens, bits)
    total = shape.kv_bytes_per_token(bits / 8)
    quantities = (
        Quantity("parameters", shape.parameters, shape.parameters, shape.parameters, "1",
                 f"{shape.active_parameters:,} active"),
        _exact("weights, all devices", setting.weights.bytes_of(shape), "bytes"),
        _exact("cache of a token, before windows", total, "bytes", "all layers, one copy"),
        _exact(f"cache of a sequence of {tokens:,}", each, "bytes", "on each device"),
        _exact("memory of a device", capacity, "bytes"),
        Quantity("needed on a device", needed, needed - spaces[0] + high, needed - spaces[0] + low,
                 "bytes"),
        Quantity("sequences that fit", middle, fewest, most, "1",
                 "by the bytes of the workspace" if not given else ""),
        Quantity("fewest devices", smallest, None, None, "1", "powers of two, for what is asked"),
    )  # fmt: skip
    held = "weights" if setting.device_weights > wanted * each else "cache"
    other = "the cache" if held == "weights" else "the weights"
    copies = [
        "The cache of latent attention is not cut: each device holds all of it."
        for block in shape.blocks[:1]
        if block.attention.kv_parts < count
    ]
    return Answer(
        f"Does {setting.model.name} fit on {where}?",
        verdict,
        summary,
        quantities,
        (*setting.assumed, noted, *assumed.listed()),
        f"device memory, most of it for the {held}",
        f"{other}; with all in memory, the bandwidth that reads both in every step",
        (
            "What fragmentation, adapters and vision parts take.",
            "Whether the engine frees the cache behind windows, as counted here.",
        ),
        (*_traps(setting), *copies),
        (
            f"{shape.parameters:,} parameters make {setting.weights.bytes_of(shape):,.0f} bytes.",
            f"{share:g} x {capacity:,.0f} bytes less {setting.device_weights:,.0f} of weights "
            f"leave {room:,.0f} bytes; {spaces[0]:,.0f} are workspace.",
            f"A sequence takes {each:,.0f} bytes on a device, so {middle:,} fit.",
        ),
        "book/serving.md",
    )


def _exact(name: str, value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(name, value, value, value, unit, note)


def _fewest(
    setting: Setting, share: float, workspace: float, wanted: int, tokens: int, bits: float
) -> int | None:
    from dataclasses import replace

    for power in range(11):
        one = replace(setting, count=2**power)
        need = one.device_weights + wanted * one.cache_bytes(tokens, bits) + workspace
        if need <= share * setting.machine.memory_capacity:
            return int(2**power)
    return None


@answers(assume=(*_MEMORY, _SERVE))
@_model_options
@click.option("--prompt", default=1024, show_default=True, help="Tokens of a prompt.")
@click.option("--output", default=256, show_default=True, help="Tokens of an answer.")
@click.option("--concurrency", default=32, show_default=True, help="Requests that run at once.")
@click.option("--engine", default="any", show_default=True, help="vllm, sglang or trtllm.")
@click.option("--within", "target", help="The time per token to stay within, such as 20ms.")
@click.option(
    "--calibrate",
    "benchmarks",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A benchmark of this model here: vLLM, aiperf or guidellm JSON. Repeatable.",
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
    benchmarks: tuple[Path, ...],
) -> Answer:
    """Say how long a token takes, and how many come out a second.

    \b
      perfmodel llm serve config.json --on h100 --count 4 --concurrency 64 --engine vllm
    """  # noqa: D301
    from perfmodel.readers.serving_benchmarks import read_serving
    from perfmodel.serving.calibration.shipped import calibration
    from perfmodel.serving.calibration.token_time import step_terms
    from perfmodel.units import prefixed
    from perfmodel.validation import positive

    if engine not in ("any", "vllm", "sglang", "trtllm"):
        raise click.UsageError(f"--engine must be vllm, sglang, trtllm or any, got {engine!r}")
    setting = _setting(config, machine, count, replaced, weight_bits)
    shape, bits = setting.shape, float(positive("kv_bits", assumed["kv_bits"]))
    rate, precision = _peak(setting)
    bandwidth = setting.machine.memory_bandwidth

    def terms(running: float, before: float, after: float) -> Any:
        return step_terms(
            shape, weight_bytes=setting.weights.read_bytes(shape, running), bandwidth=bandwidth,
            peak=rate, concurrency=running, prompt=before, output=after, tensor=count,
            kv_bytes=bits / 8,
        )  # fmt: skip

    known, source = calibration(setting.machine.id, engine)
    asked = terms(concurrency, prompt, output)
    parts = {name: float(value) for name, value in known.parts(asked).items()}
    least = max(float(asked.bandwidth), _decode_seconds(shape, concurrency, rate, count))
    factor, low, high, traps = 1.0, *(known.spread or (0.5, 2.0)), list(_traps(setting))
    seen = [read_serving(path) for path in benchmarks]
    if seen:
        ratios = []
        for one in seen:
            running = one.mean_concurrency
            computed = float(known.seconds(terms(running, one.prompt, one.output)))
            ratios.append(one.time_per_token / computed)
            traps += one.traps
        ratios.sort()
        factor = ratios[len(ratios) // 2]
        wide = max(abs(one / factor - 1) for one in ratios)
        off = max(wide, known.fitted_error or 0.1)
        low, high = 1 - off, 1 + off
        source = f"{source}; times {factor:.3g} to meet {len(seen)} benchmark(s) of yours"
    time = max(least, factor * sum(parts.values()))
    ends = max(least, time * low), max(least, time * high)
    limit = None if target is None else _time(target)
    verdict = None
    if limit is not None:
        verdict = "yes" if ends[1] <= limit else "no" if ends[0] > limit else "unknown"
    where = f"{count} x {setting.machine.short or setting.machine.id}"
    fits = _serves(setting, assumed, prompt + output, concurrency, bits)
    unknown = [
        "Time to first token: it depends on how requests arrive. A tester that sends all at once "
        "measures its own burst.",
        "Speculative decoding, prefix caching and chunking of prompts change both times.",
    ]
    if seen and len(seen) < 6:
        unknown.append("With fewer than six benchmarks one factor is fitted, not the five numbers.")
    for name, sure in zip(parts, known.determined, strict=True):
        if not sure:
            unknown.append(f"The points don't determine the number of {_WORDS[name]}.")
    if not fits:
        traps.append("So many requests don't fit at once: fewer will run, and others will wait.")
    error = known.held_out_error
    return Answer(
        f"How long does a token of {setting.model.name} take on {where}?",
        verdict,  # type: ignore[arg-type]
        f"A token takes {prefixed(time, 's')} while {concurrency} requests run: "
        f"{concurrency / time:,.0f} tokens/s from {where}.",
        (
            Quantity("time per token", time, *ends, "s", "80 % of points not fitted lie inside"
                     if not seen else "by your benchmarks"),
            Quantity("generated tokens/s", concurrency / time, concurrency / ends[1],
                     concurrency / ends[0], "1/s"),
            Quantity("time per token at full bandwidth", least, least, None, "s", "no engine can "
                     "be faster"),
            Quantity("error on points not fitted", error, None, None, "1", "median"),
        ),
        (*setting.assumed,
         Assumption("arithmetic", precision, "", "the fastest that the weights allow"),
         Assumption("calibration", engine, "", source), *assumed.listed("kv_bits")),
        _WORDS[max(parts, key=lambda name: parts[name])],
        _WORDS[sorted(parts, key=lambda name: parts[name])[-2]],
        tuple(unknown),
        tuple(traps),
        tuple(f"{_WORDS[name]}: {prefixed(factor * value, 's')} of a token's time."
              for name, value in parts.items()),
        "book/serving.md",
        {"Time of a token": tuple({"part": _WORDS[name], "seconds": factor * value}
                                  for name, value in parts.items())},
    )  # fmt: skip


def _time(text: str) -> float:
    """Return the seconds of a text such as `20ms`."""
    from perfmodel.units import amount

    spaced = re.sub(r"^([\d.]+)([a-zµ]+)$", r"\1 \2", text.strip())
    try:
        given = amount(spaced)
    except ValueError:
        given = None
    if given is None or given.unit != "s" or given.value <= 0:
        raise click.UsageError(f"--within must be a time such as 20ms, got {text!r}")
    return given.value


_WORDS = {
    "bandwidth": "reading weights and cache",
    "layer": "launching a layer's kernels",
    "collective": "all-reduces between devices",
    "sequence": "work for each running sequence",
    "prefill": "prompts that are read in between",
}


def _peak(setting: Setting) -> tuple[float, str]:
    narrow = setting.weights.others <= 1.01
    for precision in ("fp8", "bf16", "fp16") if narrow else ("bf16", "fp16"):
        if setting.machine.has(f"peak_{precision}_matrix"):
            return setting.machine.value(f"peak_{precision}_matrix"), precision
    for precision in ("fp16", "fp32", "fp64"):
        if setting.machine.has(f"peak_{precision}"):
            return setting.machine.value(f"peak_{precision}"), precision
    return setting.machine.peak("bf16"), "bf16"


def _decode_seconds(shape: Decoder, batch: float, peak: float, count: int) -> float:
    return batch * shape.operations_per_token / (peak * count)


def _serves(setting: Setting, assumed: Assumed, tokens: int, wanted: int, bits: float) -> bool:
    room = float(assumed["memory_share"]) * setting.machine.memory_capacity
    room -= setting.device_weights + float(assumed["workspace"])
    return room >= wanted * setting.cache_bytes(tokens, bits)


@answers(
    assume=(
        Assumable("utilization", "share of the peak that training reaches", 0.4, "1",
                  "0.3 to 0.5 in public reports of training on many GPUs"),
    )
)  # fmt: skip
@_model_options
@click.option("--sequence", default=4096, show_default=True, help="Tokens of a sequence.")
@click.option("--batch", default=1, show_default=True, help="Sequences a device holds at once.")
@click.option(
    "--stage",
    type=click.IntRange(0, 3),
    default=3,
    show_default=True,
    help="ZeRO stage: which states the devices share.",
)
@click.option(
    "--recompute/--keep",
    default=True,
    show_default=True,
    help="Compute activations again, or keep them.",
)
@click.option("--tokens", type=float, help="Tokens to train on.")
def train(
    assumed: Assumed,
    config: Path,
    machine: str,
    count: int,
    replaced: tuple[str, ...],
    weight_bits: float | None,
    sequence: int,
    batch: int,
    stage: int,
    recompute: bool,
    tokens: float | None,
) -> Answer:
    """Say whether training all weights with Adam fits, and how fast it is.

    \b
      perfmodel llm train config.json --on h100 --count 16 --sequence 4096
    """  # noqa: D301
    from perfmodel.roofline import training
    from perfmodel.validation import positive, within

    if weight_bits is not None:
        raise click.UsageError("--weight-bits has no meaning here: states take 16 bytes a weight")
    setting = _setting(config, machine, count, replaced, None)
    shape = setting.shape
    states = training.state_bytes(shape.parameters, gpus=count, stage=stage)
    kept = _activations(shape, batch, sequence, recompute)
    words = 6.0 * batch * sequence * shape.vocabulary
    capacity = setting.machine.memory_capacity
    low, needed = states + kept, states + kept + words
    high = states + 1.5 * kept + words + 4e9
    verdict = "yes" if high <= capacity else "no" if low > capacity else "unknown"
    share = float(positive("utilization", within("utilization", assumed["utilization"], 0, 1)))
    rate, precision = _training_peak(setting)
    speed = training.training_tokens_per_second(
        shape, count, rate, share, sequence=sequence, recompute=recompute
    )
    given = "utilization" in assumed.given
    slow, fast = (speed, speed) if given else (speed * 0.3 / share, speed * 0.5 / share)
    where = f"{count} x {setting.machine.short or setting.machine.id}"
    quantities = [
        _exact("parameters", shape.parameters, "1", f"{shape.active_parameters:,} active"),
        _exact("states, all devices", 16.0 * shape.parameters, "bytes",
               "16 bytes a parameter: 16-bit weights and gradients, a 32-bit copy, two moments"),
        _exact("states on a device", states, "bytes", f"ZeRO stage {stage}"),
        Quantity("activations on a device", kept, kept, 1.5 * kept, "bytes",
                 "computed again" if recompute else "kept, without the matrix of attention"),
        _exact("logits on a device", words, "bytes", "16-bit logits and their 32-bit copy"),
        Quantity("needed on a device", needed, low, high, "bytes"),
        _exact("memory of a device", capacity, "bytes"),
        Quantity("trained tokens/s", speed, slow, fast, "1/s"),
    ]  # fmt: skip
    if tokens is not None:
        total = float(positive("tokens", tokens))
        quantities.append(
            Quantity("time of training", total / speed, total / fast, total / slow, "s")
        )
    biggest = max((states, "states"), (kept, "activations"), (words, "logits"))[1]
    return Answer(
        f"Does training {setting.model.name} fit on {where}?",
        verdict,  # type: ignore[arg-type]
        f"A device needs about {needed / 1e9:,.1f} GB of its {capacity / 1e9:,.1f} GB; "
        f"{where} train about {speed:,.0f} tokens/s.",
        tuple(quantities),
        (*setting.assumed[:1],
         Assumption("parallelism", f"ZeRO stage {stage} over {count}", "", "--stage"),
         Assumption("arithmetic", precision, "", "the fastest 16 bits of the device"),
         *assumed.listed()),
        f"device memory, most of it for {biggest}" if needed > capacity
        else "arithmetic, at the utilization assumed",
        "the links: stage 3 gathers all weights twice a step" if stage == 3 and count > 1
        else "device memory, with longer sequences or larger batches",
        ("What fragmentation takes.", "Whether the links keep up; their latency isn't in this.",
         "Frozen weights, adapters (LoRA) and optimizers of fewer bytes need less."),
        (*_traps(setting), "A tool that counts 4 times the 16-bit weights leaves out the copy: "
         "8 bytes a parameter instead of 16."),
        (f"16 x {shape.parameters:,} bytes of states, {states:,.0f} on each device.",
         f"{batch} x {sequence} tokens keep {kept:,.0f} bytes of activations.",
         f"{training.training_operations_per_token(shape, sequence, recompute=recompute):.4g} FLOP "
         f"a token at {share:g} of {rate:.4g} FLOP/s a device."),
        "notebooks/roofline/llm-runtime.ipynb",
    )  # fmt: skip


def _training_peak(setting: Setting) -> tuple[float, str]:
    for precision in ("bf16", "fp16"):
        if setting.machine.has(f"peak_{precision}_matrix"):
            return setting.machine.value(f"peak_{precision}_matrix"), precision
    return setting.machine.peak("fp32"), "fp32"


def _activations(shape: Decoder, batch: int, sequence: int, recompute: bool) -> float:
    """Return the bytes of activations at 16 bits: what each matrix reads, and its layer's input."""
    from perfmodel.validation import whole

    rows = whole("batch", batch, low=1) * whole("sequence", sequence, low=1)
    each = []
    for block in shape.blocks:
        feed, attention = block.feed_forward, block.attention
        width = feed.active * feed.width + feed.shared_width
        heads = attention.heads * (getattr(attention, "head_width", None) or attention.value_width)
        each.append(2.0 * rows * (8 * shape.hidden + 2 * heads + attention.kv_numbers + 4 * width))
    if not recompute:
        return sum(each)
    return 2.0 * rows * shape.hidden * shape.layers + max(each)


for _command in (memory, serve, train):
    llm.add_command(_command)
