"""Learned nets as estimators of scikit-learn's interface, trained from scratch on a processor.

They need JAX, which comes with the extra `ml`; without it this module can be imported, and `fit`
says what to install. The same seed on the same machine and versions gives the same net.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from perfmodel.prediction.nets import arrays
from perfmodel.validation import Floats, non_negative, positive, sample, whole

Rows = tuple[NDArray[Any], ...]


class NeedsJaxError(ImportError):
    """A net was to be trained, and JAX is not installed."""


def jax_installed() -> bool:
    """Return whether nets can be trained here: whether JAX is installed."""
    from perfmodel.prediction.nets import layers

    return layers.installed()


def _layers() -> ModuleType:
    # JAX takes a second to load, and most users of this module only need its names.
    from perfmodel.prediction.nets import layers

    if not layers.installed():
        raise NeedsJaxError("learned nets need JAX: pip install jax")
    return layers


class _Net(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """What the nets share: checks, scaling of the target, training, predicting."""

    epochs: int
    batch: int
    rate: float
    decay: float
    seed: int
    bounds: tuple[float, float] | None

    def _learn_inputs(self, X: Any) -> None:
        raise NotImplementedError

    def _inputs(self, X: Any) -> Rows:
        raise NotImplementedError

    def _build(self, layers: ModuleType, random: np.random.Generator) -> Any:
        raise NotImplementedError

    def _net(self, layers: ModuleType) -> Any:
        raise NotImplementedError

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from samples and targets, shape (n,); needs JAX."""
        layers, target = _layers(), sample("y", y, 2)
        how = self._schedule(layers)
        self._learn_inputs(X)
        inputs = self._inputs(X)
        if len(inputs[0]) != target.size:
            raise ValueError(f"X must have {target.size} samples as y has, got {len(inputs[0])}")
        self._learn_target(target)
        params = self._build(layers, np.random.default_rng(self.seed))
        scaled = ((target - self.shift_) / self.scale_).astype(np.float32)
        self.params_ = layers.train(self._final(layers), params, inputs, scaled, how)
        self.parameters_ = layers.size(self.params_)
        return self

    def predict(self, X: Any) -> Floats:
        """Return predictions, shape (n,)."""
        check_is_fitted(self, "params_")
        layers = _layers()
        answer = layers.apply(self._final(layers), self.params_, self._inputs(X))
        return np.asarray(self.shift_ + self.scale_ * answer)

    def _final(self, layers: ModuleType) -> Any:
        net = self._net(layers)
        return net if self.bounds is None else layers.Logistic(net)

    def _schedule(self, layers: ModuleType) -> Any:
        return layers.Schedule(
            whole("epochs", self.epochs, 1),
            whole("batch", self.batch, 1),
            float(positive("rate", self.rate)),
            float(non_negative("decay", self.decay)),
            whole("seed", self.seed),
        )

    def _learn_target(self, target: Floats) -> None:
        if self.bounds is None:
            self.shift_, self.scale_ = float(target.mean()), float(target.std()) or 1.0
            return
        low, high = self.bounds
        if not low < high or target.min() < low or target.max() > high:
            raise ValueError(
                f"bounds must be (low, high) around all targets, which are from "
                f"{target.min():g} to {target.max():g}, got {self.bounds!r}"
            )
        self.shift_, self.scale_ = float(low), float(high - low)


class Mlp(_Net):
    """A multilayer perceptron on rows of numbers, which it brings to mean 0 and variance 1.

    Parameters
    ----------
    hidden : sequence of int
        Width of each hidden layer.
    epochs, batch : int
        Passes over the samples, and samples in a step.
    rate : float
        Adam's rate at the start; it falls to 0 along a cosine.
    decay : float
        Weight decay, as a share of the rate.
    seed : int
        Of the first weights and of the order of the samples.
    bounds : (float, float), optional
        Values that no answer leaves, held by a logistic curve at the end of the net.
    """

    def __init__(
        self,
        hidden: Sequence[int] = (64, 64),
        epochs: int = 400,
        batch: int = 32,
        rate: float = 3e-3,
        decay: float = 1e-2,
        seed: int = 0,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.decay = decay
        self.seed = seed
        self.bounds = bounds

    def _learn_inputs(self, X: Any) -> None:
        self.mean_, self.spread_ = arrays.scale(arrays.matrix(X))

    def _inputs(self, X: Any) -> Rows:
        rows = arrays.matrix(X)
        if rows.shape[1] != self.mean_.size:
            raise ValueError(f"X must have {self.mean_.size} columns, got {rows.shape[1]}")
        return (((rows - self.mean_) / self.spread_).astype(np.float32),)

    def _build(self, layers: ModuleType, random: np.random.Generator) -> Any:
        widths = tuple(whole("hidden", width, 1) for width in self.hidden)
        return layers.mlp_parameters(random, self.mean_.size, widths)

    def _net(self, layers: ModuleType) -> Any:
        return layers.mlp


class AttentionPool(_Net):
    """A small transformer's encoder on sets or sequences of vectors, read out at a class token.

    Samples are arrays of shape (t, p), t of 1 or more that may differ between samples; or one
    array of shape (n, t, p); or a data frame whose only column holds such arrays.

    Parameters
    ----------
    width : int
        Of every vector inside; even, and a multiple of `heads`.
    heads, blocks : int
        Attention heads in a block, and blocks.
    expansion : int
        Width of the layer between two blocks, as a multiple of `width`.
    ordered : bool
        Whether the places of the vectors count. If not, any order of them gives the same answer.
    epochs, batch, rate, decay, seed, bounds
        As for `Mlp`.
    """

    def __init__(
        self,
        width: int = 16,
        heads: int = 4,
        blocks: int = 3,
        expansion: int = 4,
        ordered: bool = False,
        epochs: int = 60,
        batch: int = 64,
        rate: float = 3e-3,
        decay: float = 1e-2,
        seed: int = 0,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        self.width = width
        self.heads = heads
        self.blocks = blocks
        self.expansion = expansion
        self.ordered = ordered
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.decay = decay
        self.seed = seed
        self.bounds = bounds

    def _learn_inputs(self, X: Any) -> None:
        self.mean_, self.spread_ = arrays.scale(np.concatenate(arrays.vectors(X)))

    def _inputs(self, X: Any) -> Rows:
        sets = arrays.vectors(X)
        if sets[0].shape[1] != self.mean_.size:
            raise ValueError(f"X must have vectors of {self.mean_.size}, got {sets[0].shape[1]}")
        vectors, there = arrays.padded([(rows - self.mean_) / self.spread_ for rows in sets])
        return vectors.astype(np.float32), there

    def _build(self, layers: ModuleType, random: np.random.Generator) -> Any:
        width, heads = whole("width", self.width, 2), whole("heads", self.heads, 1)
        if width % 2 or width % heads:
            raise ValueError(f"width must be even and a multiple of {heads} heads, got {width}")
        blocks, expansion = whole("blocks", self.blocks, 1), whole("expansion", self.expansion, 1)
        return layers.attention_parameters(random, self.mean_.size, width, blocks, expansion)

    def _net(self, layers: ModuleType) -> Any:
        return layers.Attention(self.heads, self.ordered)
