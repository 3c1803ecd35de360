"""A model on devices: what all commands of `perfmodel llm` take and say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfmodel.command.answer import Assumption
from perfmodel.command.options import Assumable

if TYPE_CHECKING:
    from perfmodel.machines.machine import Machine
    from perfmodel.readers.configs.weight_formats import WeightFormat
    from perfmodel.readers.models import ModelFile
    from perfmodel.roofline.transformer import Decoder

MEMORY = (
    Assumable(
        "memory_share", "share of a device's memory that the engine takes", 0.9, "1",
        "vLLM's default, --gpu-memory-utilization 0.9",
    ),
    Assumable(
        "workspace", "bytes of a device for activations, graphs and libraries", 3e9, "bytes",
        "between 1.5 and 6 GB in engines' logs; a guess until you measure yours", least=0.0,
    ),
)  # fmt: skip
KV_BITS = Assumable(
    "kv_bits", "bits of a number in the cache", 16.0, "1", "what engines use unless told otherwise"
)


CONFIG = click.argument("config", type=click.Path(path_type=Path))
REPLACED = click.option("--set", "replaced", multiple=True, metavar="FIELD=VALUE",
                        help="Take this for a field of the config.")  # fmt: skip
ENGINE = click.option("--engine", default="any", show_default=True,
                      help="vllm, sglang or trtllm.")  # fmt: skip
PROMPT = click.option("--prompt", default=1024, show_default=True, help="Tokens of a prompt.")
OUTPUT = click.option("--output", default=256, show_default=True, help="Tokens of an answer.")


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what all three commands take."""
    for option in reversed(
        (
            CONFIG,
            click.option("--on", "machine", required=True, help="A machine, such as h100."),
            click.option("--count", default=1, show_default=True, help="Devices of it."),
            REPLACED,
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
        from perfmodel.serving.calibration.token_time import device_cache

        return device_cache(self.shape, context, self.count) * bits / 8


def setting_of(
    config: Path, machine: str, count: int, replaced: tuple[str, ...], weight_bits: float | None
) -> Setting:
    """Return a model on devices, from the options of a command."""
    from perfmodel.machines import match
    from perfmodel.readers.configs.weight_formats import uniform_format
    from perfmodel.readers.models import read_config
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


def context_of(setting: Setting, context: int | None) -> tuple[int, Assumption]:
    """Return the tokens of a sequence, given or the config's longest, and who says so."""
    if context is not None:
        return context, Assumption("context", context, "1", "given")
    longest = setting.model.longest or 4096
    source = "the config's longest text" if setting.model.longest else "none is in the config"
    return longest, Assumption("context", longest, "1", source)


def traps_of(setting: Setting) -> tuple[str, ...]:
    """Return sentences on what the numbers are and are not."""
    found = [*setting.model.said, *setting.model.traps]
    if not setting.weights.certain:
        found.append("The weights are mixed: which matrices keep 16 bits is taken from the config.")
    if setting.machine.has("memory_capacity"):
        figure = setting.machine.figure("memory_capacity")
        if not figure.verified:
            found.append(f"The memory of {setting.machine.id} is not verified: {figure.source}.")
    return tuple(found)


def too_long(setting: Setting, tokens: int) -> tuple[str, ...]:
    """Return a sentence if a prompt and its answer are longer than the config allows."""
    longest = setting.model.longest
    if longest is None or tokens <= longest:
        return ()
    return (f"A prompt and its answer have {tokens:,} tokens, and the config allows {longest:,}.",)
