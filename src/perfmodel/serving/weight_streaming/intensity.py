"""FLOP a byte of a pass that streams all weights: how many tokens pay for the bytes.

A layer with experts reads all of them and uses a few for each token, so that it takes more tokens
to keep the device busy. Source: Yuan and others, MoE-Lens, arXiv:2504.09345, 2025, equations 1, 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class ExpertLayer:
    """A decoder's layer whose feed-forward network is one of several experts.

    Raises
    ------
    ValueError
        If a number is not whole and 1 or more, `group` doesn't divide `hidden`, or more experts are
        active than there are.
    """

    hidden: int
    """Values of a token's vector."""
    expert_width: int
    """Values between the matrices of an expert, of which there are three."""
    group: int
    """Query heads that share keys and values."""
    experts: int
    """Of the layer; 1 is a dense model."""
    active: int
    """Experts that a token goes through."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("hidden", "expert_width", "group", "experts", "active"):
            whole(name, getattr(self, name), low=1)
        if self.hidden % self.group:
            raise ValueError(f"group must divide hidden {self.hidden}, got {self.group}")
        if self.active > self.experts:
            raise ValueError(f"active must be at most experts {self.experts}, got {self.active}")

    @property
    def attention_weights(self) -> int:
        """Queries and output are square; keys and values are narrower by the group."""
        return 2 * self.hidden**2 + 2 * self.hidden**2 // self.group

    @property
    def weights(self) -> int:
        """Of the layer, all experts; the small matrix that chooses experts is left out."""
        return self.attention_weights + 3 * self.experts * self.hidden * self.expert_width

    @property
    def active_weights(self) -> int:
        """Weights that a token goes through."""
        return self.attention_weights + 3 * self.active * self.hidden * self.expert_width


def streamed_intensity(
    layer: ExpertLayer, tokens: ArrayLike = 1, bytes_per_weight: ArrayLike = 2
) -> Floats:
    """Return the FLOP a byte of a pass of `tokens` through a layer whose weights are all streamed.

    Parameters
    ----------
    layer : ExpertLayer
    tokens : array_like
        That share the pass, 0 or more; of all sequences, prompts and answers together.
    bytes_per_weight : array_like
        2 for 16 bits.

    Returns
    -------
    ndarray
        FLOP/byte, linear in `tokens` (Yuan 2025, equation 1, which has 16 bits). A multiplication
        and an addition a weight; attention's own products aren't counted. Nearly `tokens` times
        the share of experts that are active.

    Examples
    --------
    >>> mixtral = ExpertLayer(4096, 14336, 4, experts=8, active=2)
    >>> streamed_intensity(mixtral, [1, 1000]).round(4)
    array([  0.2717, 271.6763])
    """
    work = 2 * layer.active_weights * non_negative("tokens", tokens)
    return np.asarray(work / (layer.weights * positive("bytes_per_weight", bytes_per_weight)))


def saturating_tokens(compute: ArrayLike, link: ArrayLike, token_intensity: ArrayLike) -> Floats:
    """Return the tokens of a pass from which the device is the limit, not the link.

    Parameters
    ----------
    compute : array_like
        FLOP/s of the device, above 0.
    link : array_like
        Bytes/s at which weights come in, above 0.
    token_intensity : array_like
        FLOP a streamed byte of a single token, above 0: `streamed_intensity(layer)`, or the share
        of experts that are active as its estimate.

    Returns
    -------
    ndarray
        Tokens (Yuan 2025, equation 2).

    Examples
    --------
    >>> float(saturating_tokens(312e12, 32e9, 2 / 8))
    39000.0
    """
    balance = positive("compute", compute) / positive("link", link)
    return np.asarray(balance / positive("token_intensity", token_intensity))
