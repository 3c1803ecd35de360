"""What an iteration costs: seconds from its new tokens, its sequences and what it reads.

A server works in iterations. In each, some sequences gain an output token, and some prompts, or
parts of them, are prefilled. The seconds follow from four numbers of the iteration:

- new prompt tokens,
- sequences that gain an output token: those that decode, and those whose prefill ends,
- tokens read from the KV cache: of each sequence that decodes all that
  it has, the one written in this iteration too; of each part of a prompt those before the part,
- pairs of prompt attention: each new prompt token with itself and all before it in its sequence.

`StepPieces` is linear in them, or the largest of several linear pieces (a roofline: one piece for
the arithmetic, one for the memory); `StepTable` interpolates a grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, sample


@dataclass(frozen=True, eq=False)
class StepPieces:
    r"""Seconds of an iteration as the largest of linear pieces.

    .. math::

        t = \max_r \big( & f_r + a_r n + b_r s \\
                        & + c_r k + d_r q \big)

    with n new prompt tokens, s sequences that gain an output token, k tokens read from the cache
    and q pairs of prompt attention.

    Parameters
    ----------
    fixed, prompt_token, sequence, cache_token, prompt_pair : array_like, shape (pieces,) or ()
        The seconds f, a, b, c, d of each piece, 0 or more; a number stands for all pieces.

    Raises
    ------
    ValueError
        If a coefficient is negative, all are 0, or lengths differ.

    Examples
    --------
    Two pieces, of arithmetic and of memory: 10 ms to read the weights, 0.1 ms a token to compute.

    >>> steps = StepPieces(fixed=[0, 0.01], prompt_token=[1e-4, 0], sequence=[1e-4, 0],
    ...                    cache_token=[0, 1e-6])
    >>> print(steps.seconds(prompt_tokens=[0, 512], sequences=32, cached=20_000).round(4))
    [0.03   0.0544]
    """

    fixed: Floats
    prompt_token: Floats
    sequence: Floats
    cache_token: Floats
    prompt_pair: Floats

    def __init__(
        self,
        fixed: ArrayLike,
        prompt_token: ArrayLike,
        sequence: ArrayLike,
        cache_token: ArrayLike,
        prompt_pair: ArrayLike = 0.0,
    ) -> None:
        names = ("fixed", "prompt_token", "sequence", "cache_token", "prompt_pair")
        given = (fixed, prompt_token, sequence, cache_token, prompt_pair)
        arrays = [non_negative(name, value) for name, value in zip(names, given, strict=True)]
        shapes = {array.shape for array in arrays} - {()}
        if len(shapes) > 1 or any(len(shape) > 1 for shape in shapes) or (0,) in shapes:
            raise ValueError(f"pieces must be as many for each coefficient, got shapes {shapes}")
        if not any(array.any() for array in arrays):
            raise ValueError("an iteration must take time: one coefficient must be above 0")
        pieces = max((shape[0] for shape in shapes), default=1)
        for name, array in zip(names, arrays, strict=True):
            object.__setattr__(self, name, np.array(np.broadcast_to(array, pieces)))

    def seconds(
        self,
        prompt_tokens: ArrayLike = 0.0,
        sequences: ArrayLike = 0.0,
        cached: ArrayLike = 0.0,
        pairs: ArrayLike = 0.0,
    ) -> Floats:
        """Return the seconds of iterations; the arguments broadcast.

        Parameters
        ----------
        prompt_tokens : array_like
            New prompt tokens.
        sequences : array_like
            Sequences that gain an output token.
        cached : array_like
            Tokens read from the cache.
        pairs : array_like
            Pairs of prompt attention; n (n + 1) / 2 for one whole prompt of n tokens.
        """
        n, s, k, q = (
            non_negative(name, value)[..., np.newaxis]
            for name, value in (
                ("prompt_tokens", prompt_tokens),
                ("sequences", sequences),
                ("cached", cached),
                ("pairs", pairs),
            )
        )
        pieces = self.fixed + self.prompt_token * n + self.sequence * s
        return np.asarray((pieces + self.cache_token * k + self.prompt_pair * q).max(axis=-1))


@dataclass(frozen=True, eq=False)
class StepTable:
    """Seconds of an iteration on a grid, linear in between along either axis (bilinear).

    Parameters
    ----------
    tokens : array_like, shape (rows,)
        New tokens of an iteration: those of prompts and one for each sequence that is past its
        prompt. Rising from 1, two or more.
    cached : array_like, shape (columns,)
        Tokens read from the cache. Rising from 0, two or more.
    grid : array_like, shape (rows, columns)
        Seconds, 0 or more, not all 0.

    Raises
    ------
    ValueError
        If an axis doesn't rise from its start or the grid has another shape. `simulate_serving`
        refuses a run that leaves the grid and says how far.

    Examples
    --------
    >>> table = StepTable([1, 1001], [0, 10_000], [[0.01, 0.02], [0.05, 0.06]])
    >>> print(table.seconds(prompt_tokens=500, sequences=1, cached=5000).round(4))
    0.035
    """

    tokens: Floats
    cached: Floats
    grid: Floats

    def __init__(self, tokens: ArrayLike, cached: ArrayLike, grid: ArrayLike) -> None:
        rows, columns = _axis("tokens", tokens, 1), _axis("cached", cached, 0)
        values = non_negative("grid", grid)
        if values.shape != (rows.size, columns.size):
            raise ValueError(
                f"grid must be of shape {(rows.size, columns.size)}, got {values.shape}"
            )
        if not values.any():
            raise ValueError("an iteration must take time: one value of grid must be above 0")
        object.__setattr__(self, "tokens", rows)
        object.__setattr__(self, "cached", columns)
        object.__setattr__(self, "grid", values.copy())

    def seconds(
        self,
        prompt_tokens: ArrayLike = 0.0,
        sequences: ArrayLike = 1.0,
        cached: ArrayLike = 0.0,
        pairs: ArrayLike = 0.0,
    ) -> Floats:
        """Return the seconds of iterations; the arguments broadcast.

        Parameters
        ----------
        prompt_tokens : array_like
            New prompt tokens.
        sequences : array_like
            Sequences past their prompt, one new token each.
        cached : array_like
            Tokens read from the cache.
        pairs : array_like
            Not looked at.

        Raises
        ------
        ValueError
            If a point lies outside the grid.
        """
        non_negative("pairs", pairs)
        new = non_negative("prompt_tokens", prompt_tokens) + non_negative("sequences", sequences)
        new, read = np.broadcast_arrays(new, non_negative("cached", cached))
        _inside("tokens", new, self.tokens)
        _inside("cached", read, self.cached)
        i, u = _cell(self.tokens, new)
        j, v = _cell(self.cached, read)
        low = self.grid[i, j] * (1 - v) + self.grid[i, j + 1] * v
        high = self.grid[i + 1, j] * (1 - v) + self.grid[i + 1, j + 1] * v
        return np.asarray(low * (1 - u) + high * u)


Steps = StepPieces | StepTable


def _axis(name: str, values: ArrayLike, start: float) -> Floats:
    axis = sample(name, values, at_least=2)
    if axis[0] != start or not (np.diff(axis) > 0).all():
        raise ValueError(f"{name} must rise from {start:g}, got {axis}")
    return axis.copy()


def _inside(name: str, values: Floats, axis: Floats) -> None:
    if values.size and (values.min() < axis[0] or values.max() > axis[-1]):
        raise ValueError(
            f"{name} must be between {axis[0]:g} and {axis[-1]:g}, the ends of the grid, "
            f"got {values.min():g} to {values.max():g}"
        )


def _cell(axis: Floats, values: Floats) -> tuple[np.ndarray, Floats]:
    """Return the cell of each value and where in it, from 0 to 1."""
    at = np.clip(np.searchsorted(axis, values, side="right") - 1, 0, axis.size - 2)
    return at, (values - axis[at]) / (axis[at + 1] - axis[at])
