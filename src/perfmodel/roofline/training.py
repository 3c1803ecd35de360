"""Memory, operations and communication of training a transformer on several GPUs.

Mixed precision with Adam keeps 16 bytes a parameter: weights and gradients in 16 bits, and master
weights, momentum and variance in 32. ZeRO (Rajbhandari et al., SC 2020) divides them among N GPUs,
one kind after the other; activations come on top.

>>> [round(state_bytes(6.738e9, gpus=n, stage=3) / 1e9, 1) for n in (1, 8)]
[107.8, 13.5]
"""

from __future__ import annotations

import math

from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import LARGEST_WHOLE, positive, whole, within

ADAM_STATES = {"weights": 2, "gradients": 2, "optimizer": 12}
"""Bytes a parameter of each kind of state."""
ZERO_STAGES = {
    0: (),
    1: ("optimizer",),
    2: ("optimizer", "gradients"),
    3: ("optimizer", "gradients", "weights"),
}
"""Which states each ZeRO stage divides among the GPUs."""


def state_bytes(
    parameters: float,
    *,
    gpus: int = 1,
    stage: int = 0,
    offload_optimizer: bool = False,
    offload_weights: bool = False,
) -> float:
    """Return the bytes of training state on each GPU between steps.

    Parameters
    ----------
    parameters : float
        Of the model, above 0.
    gpus : int
        N, that share the states.
    stage : int
        ZeRO stage, 0 (nothing divided) to 3.
    offload_optimizer : bool
        Optimizer states and gradients rest in the host's memory.
    offload_weights : bool
        Weights too; needs stage 3.

    Raises
    ------
    ValueError
        If a number is out of range or the combination doesn't exist.
    """
    held, shares = dict(ADAM_STATES), _stage(stage)
    if offload_optimizer:
        held |= {"optimizer": 0, "gradients": 0}
    if offload_weights:
        if stage != 3:
            raise ValueError(f"offload_weights needs stage 3, got stage {stage}")
        held |= {"weights": 0}
    n = whole("gpus", gpus, low=1)
    each = sum(size / n if kind in shares else size for kind, size in held.items())
    return float(positive("parameters", parameters)) * each


def fewest_gpus(parameters: float, memory: float) -> int:
    """Return the fewest GPUs whose stage-3 share of all states fits into `memory` bytes.

    The states are those of a model with this number of `parameters`.

    >>> fewest_gpus(68.977e9, 20e9)
    56
    """
    states = state_bytes(parameters)
    gpus = states / float(positive("memory", memory))
    if gpus > LARGEST_WHOLE:
        raise ValueError(
            f"memory must be larger compared with the {states:g} bytes of all states, "
            f"got {memory!r}"
        )
    return math.ceil(gpus)


def layer_activation_bytes(
    model: Decoder, batch: int, sequence: int, *, flash: bool = False
) -> float:
    """Return the bytes that one layer keeps for its backward pass, in 16 bits.

    s b h (34 + 5 a s / h), Korthikanti et al. (MLSys 2023), eq. 1; the second term, the matrix of
    attention, is not kept with FlashAttention. The count is for the paper's layer, a plain
    feed-forward network four times as wide as the model.

    Parameters
    ----------
    model : Decoder
        Its width and heads count.
    batch, sequence : int
        Sequences of a micro-batch and tokens in each.
    flash : bool
        Whether the matrix of attention is never stored.

    Examples
    --------
    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> layer_activation_bytes(model, 1, 2048) / 2**20
    912.0
    """
    s, b = whole("sequence", sequence, low=1), whole("batch", batch, low=1)
    attention = 0.0 if flash else 5 * model.heads * s / model.hidden_size
    return s * b * model.hidden_size * (34 + attention)


def activation_bytes(
    model: Decoder, batch: int, sequence: int, *, flash: bool = False, recompute: bool = False
) -> float:
    """Return the bytes of activations that all layers keep.

    With `recompute` each layer keeps only its input, 2 s b h bytes, and one layer at a time is laid
    out in full; `model`, `batch`, `sequence` and `flash` are those of `layer_activation_bytes`.

    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> activation_bytes(model, 1, 2048, flash=True) / 2**30
    8.5
    """
    layer = layer_activation_bytes(model, batch, sequence, flash=flash)
    if not recompute:
        return model.layers * layer
    return model.layers * 2.0 * sequence * batch * model.hidden_size + layer


def training_operations_per_token(
    model: Decoder, sequence: int = 0, *, recompute: bool = False
) -> float:
    """Return the FLOP of training `model` on a token.

    6 a parameter that a token goes through (2 forward, 4 backward) and, where heads together are as
    wide as the model, 12 L h s for attention over `sequence` tokens, causal masking not used; a
    third more if the forward pass is repeated (`recompute`).

    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> round(training_operations_per_token(model, 4096) / 1e9, 1)
    46.9
    """
    pairs = model.pair_operations * whole("sequence", sequence)
    forward = 2.0 * model.active_parameters + pairs
    return forward * (4 if recompute else 3)


def training_tokens_per_second(
    model: Decoder,
    gpus: int,
    peak: float,
    utilization: float,
    *,
    sequence: int = 0,
    recompute: bool = False,
) -> float:
    """Return the tokens/s of training that is bound by computing.

    Parameters
    ----------
    model : Decoder
        Its parameters count, and with `sequence` its layers.
    gpus : int
        That share the work.
    peak : float
        FLOP/s of one GPU, above 0.
    utilization : float
        Fraction of the peak that is reached, above 0 to 1, recomputed operations counted: hardware
        FLOPs utilization (HFU). Without recomputation it is model FLOPs utilization (MFU).
    sequence : int
        Tokens that attention looks at; 0 leaves it out.
    recompute : bool
        Whether the forward pass is repeated in the backward one.

    Examples
    --------
    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> round(training_tokens_per_second(model, 8, 1e15, 0.4))
    79151
    """
    share = float(positive("utilization", within("utilization", utilization, 0, 1)))
    rate = whole("gpus", gpus, low=1) * float(positive("peak", peak)) * share
    return rate / training_operations_per_token(model, sequence, recompute=recompute)


def _stage(stage: int) -> tuple[str, ...]:
    if stage not in ZERO_STAGES:
        raise ValueError(f"stage must be 0, 1, 2 or 3, got {stage!r}")
    return ZERO_STAGES[stage]
