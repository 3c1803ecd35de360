"""What the learned nets compute, in JAX: their layers, their loss and how they are trained.

Every net is a function of a tree of parameters and of arrays whose first axis is the sample; it
returns one number a sample. `perfmodel.prediction.nets.learners` makes estimators of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

jax: Any = None  # Without the extra `ml` importing this is allowed, computing is not.
jnp: Any = None
with suppress(ImportError):
    jax, jnp = import_module("jax"), import_module("jax.numpy")

Tree = Any
"""Nested lists and mappings of arrays."""
Array = Any
"""An array of JAX."""


def installed() -> bool:
    """Return whether JAX is there."""
    return jax is not None


def size(params: Tree) -> int:
    """Return how many numbers a tree of parameters, `params`, holds."""
    return sum(np.size(leaf) for leaf in jax.tree.leaves(params))


def dense(random: np.random.Generator, inputs: int, outputs: int) -> dict[str, Any]:
    """Return the weights of a layer, normal with variance 2 / inputs (He et al., 2015)."""
    weights = random.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
    return {"w": weights.astype(np.float32), "b": np.zeros(outputs, np.float32)}


def _through(layer: Mapping[str, Array], values: Array) -> Array:
    return values @ layer["w"] + layer["b"]


def mlp_parameters(random: np.random.Generator, inputs: int, hidden: tuple[int, ...]) -> Tree:
    """Return the parameters of `mlp`, for the width of each hidden layer."""
    sizes = (inputs, *hidden, 1)
    return [dense(random, *pair) for pair in pairwise(sizes)]


def mlp(params: Tree, features: Array) -> Array:
    """Return one number a sample from `features`, shape (n, p): layers, `params`, with swish."""
    for layer in params[:-1]:
        features = jax.nn.silu(_through(layer, features))
    return _through(params[-1], features)[:, 0]


def attention_parameters(
    random: np.random.Generator, inputs: int, width: int, blocks: int, expansion: int
) -> Tree:
    """Return the parameters of an `Attention`; those of its blocks have one more axis.

    Vectors have the length `inputs` and `width` inside; the layer between two is `expansion` times
    as wide.
    """

    def stacked(inputs: int, outputs: int) -> dict[str, Any]:
        parts = [dense(random, inputs, outputs) for _ in range(blocks)]
        return {name: np.stack([part[name] for part in parts]) for name in "wb"}

    norm = {"w": np.ones((blocks, width), np.float32), "b": np.zeros((blocks, width), np.float32)}
    return {
        "embedding": dense(random, inputs, width),
        "class": random.normal(0, 0.1, width).astype(np.float32),
        "blocks": {
            **{name: stacked(width, width) for name in ("query", "key", "value", "out")},
            "wide": stacked(width, expansion * width),
            "narrow": stacked(expansion * width, width),
            "norms": [norm, norm],
        },
        "head": mlp_parameters(random, width, (width,)),
    }


@dataclass(frozen=True)
class Attention:
    """A transformer's encoder whose class token is read out (A. Vaswani et al., NeurIPS 2017)."""

    heads: int
    ordered: bool
    """Whether positions are distinguished, by sines and cosines added to the embedding."""

    def __call__(self, params: Tree, vectors: Array, there: Array) -> Array:
        """Return one number a set or sequence of vectors, shape (n, t, p), by the class token."""
        values = jax.nn.relu(_through(params["embedding"], vectors))
        count, longest, width = values.shape
        if self.ordered:
            values = values + _places(longest, width)
        first = jnp.broadcast_to(params["class"], (count, 1, width))
        values = jnp.concatenate([first, values], axis=1)
        there = jnp.concatenate([jnp.ones((count, 1)), there], axis=1)

        def through(values: Array, block: Tree) -> tuple[Array, None]:
            values = _normed(block["norms"][0], values + self._attend(block, values, there))
            wide = jax.nn.relu(_through(block["wide"], values))
            return _normed(block["norms"][1], values + _through(block["narrow"], wide)), None

        # A scan is compiled once for all blocks, and compiling takes longer than a short training.
        return mlp(params["head"], jax.lax.scan(through, values, params["blocks"])[0][:, 0])

    def _attend(self, block: Tree, values: Array, there: Array) -> Array:
        """Return softmax(Q K^T / sqrt(d)) V of each head, put together."""
        count, longest, width = values.shape
        shape = (count, longest, self.heads, width // self.heads)
        query, key, value = (
            _through(block[name], values).reshape(shape) for name in ("query", "key", "value")
        )
        scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / np.sqrt(shape[-1])
        scores = jnp.where(there[:, None, None, :] > 0, scores, -jnp.inf)
        heads = jnp.einsum("nhqk,nkhd->nqhd", jax.nn.softmax(scores), value)
        return _through(block["out"], heads.reshape(values.shape))


def _places(longest: int, width: int) -> Array:
    angle = np.arange(longest)[:, None] / 10000 ** (2 * np.arange(width // 2) / width)
    return jnp.asarray(np.concatenate([np.sin(angle), np.cos(angle)], axis=1), jnp.float32)


def _normed(norm: Mapping[str, Array], values: Array) -> Array:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = jnp.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return centred / spread * norm["w"] + norm["b"]


@dataclass(frozen=True)
class Logistic:
    """A net whose answer is between 0 and 1, by a logistic curve at its end."""

    net: Callable[..., Array]

    def __call__(self, params: Tree, *inputs: Array) -> Array:
        """Return a number between 0 and 1 for each sample."""
        return jax.nn.sigmoid(self.net(params, *inputs))


def log_cosh(error: Array) -> Array:
    """Return ln cosh of the error: half its square where it is small, its size where it is large.

    One sample that is far off pulls no harder than another that is off.
    """
    size = jnp.abs(error)
    return size + jax.nn.softplus(-2 * size) - np.log(2)


def loss(net: Callable[..., Array], params: Tree, inputs: Tree, target: Array) -> Array:
    """Return the mean of `log_cosh` of `net(params, *inputs)` against `target`."""
    return jnp.mean(log_cosh(net(params, *inputs) - target))


@dataclass(frozen=True)
class Schedule:
    """How a net is trained: what does not change its form, only its numbers."""

    epochs: int
    batch: int
    rate: float
    decay: float
    """Share of the rate by which every weight shrinks in a step (Loshchilov and Hutter, 2019)."""
    seed: int


def train(
    net: Callable[..., Array], params: Tree, inputs: Tree, target: Array, how: Schedule
) -> Tree:
    """Return the parameters after training on samples in batches that are drawn again each epoch.

    Adam (D. P. Kingma and J. Ba, ICLR 2015) with a rate that falls to 0 along a cosine.
    """
    count = target.shape[0]
    random = np.random.default_rng(how.seed)
    steps, size = max(count // how.batch, 1), min(how.batch, count)
    fraction = np.arange(how.epochs * steps).reshape(how.epochs, steps) / (how.epochs * steps)
    rates = (how.rate * (1 + np.cos(np.pi * fraction)) / 2).astype(np.float32)
    samples = jax.tree.map(jnp.asarray, (*inputs, target))
    params = jax.tree.map(jnp.asarray, params)
    zero = jax.tree.map(jnp.zeros_like, params)
    state = (params, zero, zero, jnp.float32(1))
    for now in rates:
        rows = random.permutation(count)[: steps * size].reshape(steps, size)
        state = _compiled()[0](net, state, samples, rows, now, how.decay)
    return jax.tree.map(np.asarray, state[0])


def apply(net: Callable[..., Array], params: Tree, inputs: Tree) -> Any:
    """Return `net(params, *inputs)` as a NumPy array."""
    return np.asarray(_compiled()[1](net, params, *inputs), dtype=float)


@cache
def _compiled() -> tuple[Any, Any]:
    epoch = jax.jit(_epoch, static_argnums=0)
    return epoch, jax.jit(lambda net, params, *inputs: net(params, *inputs), static_argnums=0)


def _epoch(
    net: Callable[..., Array], state: Tree, samples: Tree, rows: Array, rates: Array, decay: float
) -> Tree:
    """Return parameters, both moments and the number of the next step, after one epoch of Adam."""

    def step(state: Tree, now: Tree) -> Tree:
        params, first, second, number = state
        *inputs, target = (part[now[0]] for part in samples)
        slope = jax.grad(loss, argnums=1)(net, params, inputs, target)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, second, slope)

        def moved(weight: Array, m: Array, v: Array) -> Array:
            size = m / (1 - 0.9**number) / (jnp.sqrt(v / (1 - 0.999**number)) + 1e-8)
            return weight - now[1] * (size + decay * weight)

        return (jax.tree.map(moved, params, first, second), first, second, number + 1), None

    return jax.lax.scan(step, state, (rows, rates))[0]
