"""`perfmodel llm train`: whether training fits, and how fast it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.command.answer import Answer, Assumption, Quantity, Verdict, exact
from perfmodel.command.language_models.setting import (
    Setting,
    model_options,
    setting_of,
    traps_of,
)
from perfmodel.command.options import Assumable, Assumed, answers

if TYPE_CHECKING:
    from perfmodel.roofline.transformer import Decoder


@answers(
    assume=(
        Assumable("utilization", "share of the peak that training reaches", 0.4, "1",
                  "0.3 to 0.5 in public reports of training on many GPUs"),
    )
)  # fmt: skip
@model_options
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

    CONFIG is a model's config.json, as on Hugging Face, or its folder.
    """  # noqa: D301
    from perfmodel.roofline import training
    from perfmodel.validation import positive, within

    if weight_bits is not None:
        raise click.UsageError("--weight-bits has no meaning here: states take 16 bytes a weight")
    setting = setting_of(config, machine, count, replaced, None)
    shape = setting.shape
    states = training.state_bytes(shape.parameters, gpus=count, stage=stage)
    kept = _activations(shape, batch, sequence, recompute)
    words = 6.0 * batch * sequence * shape.vocab_size
    capacity = setting.machine.memory_capacity
    low, needed = states + kept, states + kept + words
    high = states + 1.5 * kept + words + 4e9
    verdict: Verdict = "yes" if high <= capacity else "no" if low > capacity else "unknown"
    share = float(positive("utilization", within("utilization", assumed["utilization"], 0, 1)))
    rate, precision = _training_peak(setting)
    speed = training.training_tokens_per_second(
        shape, count, rate, share, sequence=sequence, recompute=recompute
    )
    given = "utilization" in assumed.given
    slow, fast = (speed, speed) if given else (speed * 0.3 / share, speed * 0.5 / share)
    where = f"{count} x {setting.machine.short or setting.machine.id}"
    quantities = [
        exact("parameters", shape.parameters, "1", f"{shape.active_parameters:,} active"),
        exact("states, all devices", 16.0 * shape.parameters, "bytes",
               "16 bytes a parameter: 16-bit weights and gradients, a 32-bit copy, two moments"),
        exact("states on a device", states, "bytes", f"ZeRO stage {stage}"),
        Quantity("activations on a device", kept, kept, 1.5 * kept, "bytes",
                 "computed again" if recompute else "kept, without the matrix of attention"),
        exact("logits on a device", words, "bytes", "16-bit logits and their 32-bit copy"),
        Quantity("needed on a device", needed, low, high, "bytes"),
        exact("memory of a device", capacity, "bytes"),
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
        verdict,
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
        (*traps_of(setting), "A tool that counts 4 times the 16-bit weights leaves out the copy: "
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
    from perfmodel.roofline.blocks import Attention
    from perfmodel.validation import whole

    rows = whole("batch", batch, low=1) * whole("sequence", sequence, low=1)
    each = []
    for block in shape.blocks:
        feed, attention = block.feed_forward, block.attention
        width = feed.active * feed.width + feed.shared_width
        wide = attention.head_dim if isinstance(attention, Attention) else attention.v_head_dim
        heads = attention.num_heads * wide
        each.append(
            2.0 * rows * (8 * shape.hidden_size + 2 * heads + attention.kv_numbers + 4 * width)
        )
    if not recompute:
        return sum(each)
    return 2.0 * rows * shape.hidden_size * shape.layers + max(each)
