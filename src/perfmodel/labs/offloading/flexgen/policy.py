"""A policy: how many sequences go together, and which share of what lives where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.validation import Floats, whole, within

SHARES = ("wg", "wc", "wd", "cg", "cc", "cd", "hg", "hc", "hd")
"""Weights, cache, activations (hidden states), each on GPU, CPU (its DRAM) and disk."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Batch:
    """A block of sequences: `count` GPU batches of `size` sequences that share each weight load."""

    size: int
    count: int

    def __post_init__(self) -> None:
        """Refuse empty blocks."""
        whole("size", self.size, 1)
        whole("count", self.count, 1)

    @property
    def block(self) -> int:
        """Sequences of the block."""
        return self.size * self.count


@dataclass(frozen=True)
class Policy:
    """A batch, and the shares of weights, cache and activations on GPU, CPU and disk.

    >>> Policy.percent(48, 3, 20, 80, 0, 100, 0, 100).weights
    (0.2, 0.8, 0.0)
    """

    batch: Batch
    weights: tuple[float, float, float]
    cache: tuple[float, float, float]
    hidden: tuple[float, float, float]

    def __post_init__(self) -> None:
        """Refuse shares that don't make a whole."""
        for name in ("weights", "cache", "hidden"):
            triple = within(name, getattr(self, name), -_ROUNDING, 1 + _ROUNDING)
            if triple.shape != (3,) or abs(triple.sum() - 1) > _ROUNDING:
                raise ValueError(f"{name} must be three shares of 1, got {getattr(self, name)!r}")

    @classmethod
    def percent(
        cls, size: int, count: int, wg: float, wc: float, cg: float, cc: float, hg: float, hc: float
    ) -> Policy:
        """Return the policy that the paper prints as `size` x `count` and six percentages.

        They are of weights, cache and activations on GPU and CPU; the rest is on disk.
        """

        def triple(gpu: float, cpu: float) -> tuple[float, float, float]:
            return gpu / 100, cpu / 100, (100 - gpu - cpu) / 100

        return cls(Batch(size, count), triple(wg, wc), triple(cg, cc), triple(hg, hc))

    @classmethod
    def from_shares(cls, batch: Batch, shares: Floats) -> Policy:
        """Return the policy of a batch and nine shares in the order of `SHARES`."""
        nine = [float(share) for share in within("shares", shares, -_ROUNDING, 1 + _ROUNDING)]
        if len(nine) != len(SHARES):
            raise ValueError(f"shares must be {len(SHARES)} numbers, got {len(nine)}")
        w, c, h = (nine[i : i + 3] for i in (0, 3, 6))
        return cls(batch, (w[0], w[1], w[2]), (c[0], c[1], c[2]), (h[0], h[1], h[2]))

    @property
    def shares(self) -> Floats:
        """The nine shares in the order of `SHARES`."""
        return np.array([*self.weights, *self.cache, *self.hidden])
