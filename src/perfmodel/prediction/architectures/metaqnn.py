"""Networks of MetaQNN: their strings, the walk of shapes through them, and twelve numbers of each.

A string lists the layers of a chain from a 32 x 32 image of 3 channels to 10 classes: `C(n,f,s)` is
a convolution to n channels with kernel f and stride s, `P(f,s)` a maximum over f x f, `D(i,n)` the
i-th of n dropouts, `FC(n)` a dense layer, `GAP(n)` a 1 x 1 convolution to n channels and the mean
over the image, `SM(n)` the softmax over n classes with its dense layer.

>>> net = parse("[C(64,5,1), C(256,3,1), D(1,1), GAP(10), SM(10)]")
>>> sum(step.weights for step in walk(net) if step.layer.kind != "SM")
154816

Source of the data: B. Baker, O. Gupta, R. Raskar, N. Naik, "Accelerating Neural Architecture Search
using Performance Prediction", 2017, https://github.com/MITAutoML/accelerating_nas; `README.md` says
more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from perfmodel.prediction.arena.transfer import Labelled
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of, positive

SIDE, CHANNELS = 32, 3
"""Pixels along a side, and channels, of the images of CIFAR-10 and SVHN."""
ARGUMENTS = {"C": 3, "P": 2, "D": 2, "FC": 1, "GAP": 1, "SM": 1}
"""Numbers that each kind of layer has in a string."""
FAMILIES = ("cifar10", "svhn")
FEATURES = (
    "convolutions",
    "poolings",
    "dropouts",
    "dense",
    "global poolings",
    "mean kernel",
    "mean filters",
    "last channels",
    "last side",
    "log10 FLOPs",
    "log10 weights",
    "learning rate",
)
"""The descriptor's numbers, in order."""
_KERNEL = {"C": 1, "P": 0}
_HEADS = ("FC", "GAP", "SM")


@dataclass(frozen=True)
class NetLayer:
    """One layer of a string: its kind and its numbers, `C` and `(64, 5, 1)`."""

    kind: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class ShapedLayer:
    """A layer with the shapes before and after it, and what it computes and stores."""

    layer: NetLayer
    side: tuple[int, int]
    """Pixels along a side, in and out."""
    channels: tuple[int, int]
    operations: int
    """Multiply-adds for one image."""
    weights: int
    """Trained constants without the biases."""

    @property
    def kernel(self) -> int:
        """Pixels along a side of the window that an output is computed from; 1 without a window."""
        index = _KERNEL.get(self.layer.kind)
        return 1 if index is None else self.layer.numbers[index]


def parse(net: str) -> tuple[NetLayer, ...]:
    """Return the layers of a string, as the module says; another one is refused.

    >>> parse("[C(64,5,1), SM(10)]")
    (NetLayer(kind='C', numbers=(64, 5, 1)), NetLayer(kind='SM', numbers=(10,)))
    """
    shape = r"([A-Z]+)\((\d+(?:, ?\d+)*)\)"
    if not re.fullmatch(rf"\[{shape}(?:, ?{shape})*\]", net):
        raise ValueError(f"net must look like '[C(64,5,1), SM(10)]', got {net!r}")
    layers = []
    for kind, text in re.findall(shape, net):
        numbers = tuple(int(number) for number in text.split(","))
        if ARGUMENTS.get(kind) != len(numbers) or min(numbers) < 1:
            raise ValueError(
                f"a layer of net must be one of C(n,f,s), P(f,s), D(i,n), FC(n), GAP(n), SM(n) "
                f"with numbers above 0, got {kind}({text})"
            )
        layers.append(NetLayer(kind, numbers))
    return tuple(layers)


def walk(
    layers: Sequence[NetLayer], side: int = SIDE, channels: int = CHANNELS
) -> list[ShapedLayer]:
    """Return every layer with its shapes, in order, for an image of these channels and this side.

    A convolution keeps the side, or divides it by its stride and rounds up; a pooling drops what
    does not fill a window, and keeps one pixel at least.
    """
    steps = []
    for layer in layers:
        out_side, out_channels, work, weights = _through(layer, side, channels)
        steps.append(ShapedLayer(layer, (side, out_side), (channels, out_channels), work, weights))
        side, channels = out_side, out_channels
    return steps


def _through(layer: NetLayer, side: int, channels: int) -> tuple[int, int, int, int]:
    if layer.kind == "C":
        filters, kernel, stride = layer.numbers
        after, weights = max(1, -(-side // stride)), channels * filters * kernel**2
        return after, filters, after**2 * weights, weights
    if layer.kind == "P":
        kernel, stride = layer.numbers
        return max(1, (side - kernel) // stride + 1), channels, 0, 0
    if layer.kind == "D":
        return side, channels, 0, 0
    wide = layer.numbers[0]
    dense = side**2 * channels * wide
    return 1, wide, dense, channels * wide if layer.kind == "GAP" else dense


def descriptor(net: str, learning_rate: float) -> Floats:
    """Return the 12 `FEATURES` of a network that are known before it is trained.

    The last channels and side are those before the first dense layer; FLOPs count multiply-adds;
    both logarithms are of 1 more.

    >>> dict(zip(FEATURES, descriptor("[C(64,5,1), P(2,2), SM(10)]", 1e-3)))["last side"]
    np.float64(16.0)
    """
    steps = walk(parse(net))
    kinds = [step.layer.kind for step in steps]
    counts = [kinds.count(kind) for kind in ("C", "P", "D", "FC", "GAP")]
    inner = [step.layer.numbers for step in steps if step.layer.kind == "C"]
    filters, kernels, _ = np.mean(inner, axis=0) if inner else (0.0, 0.0, 0.0)
    body = [step for step in steps if step.layer.kind not in _HEADS]
    channels, side = (body[-1].channels[1], body[-1].side[1]) if body else (CHANNELS, SIDE)
    work = sum(step.operations for step in steps)
    weights = sum(step.weights for step in steps)
    rate = float(positive("learning_rate", learning_rate))
    last = [channels, side, np.log10(1 + work), np.log10(1 + weights), rate]
    return np.array([*counts, kernels, filters, *last], dtype=float)


@dataclass(frozen=True, eq=False)
class Family:
    """Networks that were trained on one data set for 20 epochs."""

    name: str
    nets: tuple[str, ...]
    features: Floats
    """Descriptors, shape (n, 12)."""
    depth: Floats
    """Layers as the authors count them, shape (n,)."""
    weights: Floats
    """Weights as the authors count them: no biases, and not those of the softmax, shape (n,)."""
    accuracy: Floats
    """Share of validation images that are right after each epoch, shape (n, 20)."""

    @property
    def target(self) -> Floats:
        """Accuracy after the last epoch, shape (n,)."""
        return self.accuracy[:, -1]


def described(family: Family) -> Labelled:
    """Return the networks of a family by their descriptors, with their last accuracy."""
    return Labelled(family.features, family.target)


@cache
def family(name: str) -> Family:
    """Return the networks trained on `cifar10` (1,000) or `svhn` (1,300)."""
    one_of("name", name, FAMILIES)
    table = shipped_table(__package__, f"metaqnn_{name}.csv")
    return Family(
        name,
        tuple(table["net"]),
        np.array([descriptor(n, r) for n, r in zip(table["net"], table["lr"], strict=True)]),
        table["depth"].to_numpy(dtype=float),
        table["num_params"].to_numpy(dtype=float),
        table.filter(like="acc_").to_numpy(dtype=float),
    )
