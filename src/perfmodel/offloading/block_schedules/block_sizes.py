"""How many batches a block may hold in a given memory, and what the diagonal order gains by it.

Sheng et al. (ICML 2023), appendix A.2. The zig-zag block needs all its memory only at the last
token; the diagonal order has batches at all tokens in memory, always the same sum, and so fits
more of them.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from perfmodel.offloading.block_schedules.traffic import CellBytes
from perfmodel.validation import Floats, at_least, positive


def zig_zag_block(
    memory: ArrayLike, layers: ArrayLike, tokens: ArrayLike, sizes: CellBytes
) -> Floats:
    """Return the paper's bls1: batches of a zig-zag block that fit, not rounded.

    It reserves the cache of s + n tokens, one more than is ever written, and leaves out the
    activations of the prompt, so that a peak counted by `count_traffic` stays below `memory` unless
    those outweigh the cache.

    Parameters
    ----------
    memory : array_like
        Bytes, more than a layer's weights.
    layers : array_like
        Layers of the model, 2 or more.
    tokens : array_like
        Tokens generated, 1 or more.
    sizes : CellBytes
        What a batch reads and writes.

    Returns
    -------
    ndarray
        In the shape the arguments broadcast to.

    Raises
    ------
    ValueError
        If an argument is out of range, or batches need no memory at all.

    Examples
    --------
    >>> sizes = CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0)
    >>> float(zig_zag_block(500.0, 4, 10, sizes).round(2))
    6.78
    """
    layer, n = at_least("layers", layers, 2), at_least("tokens", tokens, 1)
    needed = sizes.activation + sizes.cache * layer * (sizes.prompt + n)
    return _room(memory, sizes) / _above_0(needed, sizes)


def diagonal_block(
    memory: ArrayLike, layers: ArrayLike, tokens: ArrayLike, sizes: CellBytes
) -> Floats:
    """Return the paper's bls2: batches in progress in the diagonal order that fit, not rounded.

    A group is one n-th of it. The paper counts groups with s + 1 to s + n - 1 tokens in the cache
    and not the newest with s, so that a peak counted by `count_traffic` is above `memory` by nearly
    that.

    Parameters
    ----------
    memory : array_like
        Bytes, more than a layer's weights.
    layers : array_like
        Layers of the model, 2 or more.
    tokens : array_like
        Tokens generated, 1 or more.
    sizes : CellBytes
        What a batch reads and writes.

    Returns
    -------
    ndarray
        In the shape the arguments broadcast to.

    Raises
    ------
    ValueError
        If an argument is out of range, or batches need no memory at all.

    Examples
    --------
    >>> sizes = CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0)
    >>> float(diagonal_block(500.0, 4, 10, sizes).round(2))
    10.36
    """
    layer, n = at_least("layers", layers, 2), at_least("tokens", tokens, 1)
    cached = sizes.cache * layer * (2 * sizes.prompt + n) * (n - 1) / 2
    return n * _room(memory, sizes) / _above_0(sizes.activation * n + cached, sizes)


def diagonal_gain(prompt: ArrayLike, tokens: ArrayLike) -> Floats:
    """Return what bls2 / bls1 tends to with many layers and tokens: (2s + 2n) / (2s + n).

    1 where the prompt is much longer than the answer, 2 where it is much shorter.

    Parameters
    ----------
    prompt, tokens : array_like
        s and n, above 0.

    Examples
    --------
    >>> float(diagonal_gain(512, 32).round(4))
    1.0303
    """
    s, n = positive("prompt", prompt), positive("tokens", tokens)
    return 2 * (s + n) / (2 * s + n)


def _above_0(needed: Floats, sizes: CellBytes) -> Floats:
    if not (needed > 0).all():
        raise ValueError(f"sizes must give batches something to keep, got {sizes}")
    return needed


def _room(memory: ArrayLike, sizes: CellBytes) -> Floats:
    room = positive("memory", memory) - sizes.weight
    if not (room > 0).all():
        raise ValueError(f"memory must hold a layer's {sizes.weight:g} bytes of weights and more")
    return room
