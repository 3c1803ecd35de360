"""The method of conjugate gradients, right, and with two names for one array.

The method makes the residual r small along directions p, each conjugate to those before. The first
direction is the first residual. Written `p = r`, both names stand for one array, and the in-place
`r -= ...` changes the direction as well. The answer that comes out is right; it comes late.

Source: M. R. Hestenes and E. Stiefel, "Methods of conjugate gradients for solving linear systems",
Journal of Research of the National Bureau of Standards 49(6), 1952. The bug is one that three of
ten suggestions for this kernel share in the repository of Godoy and others, by our reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import Floats, positive, whole


class Solved(NamedTuple):
    """What a solver found."""

    x: Floats
    residuals: Floats
    """Norm of b - A x over that of b, before each iteration and after the last."""

    @property
    def iterations(self) -> int:
        """How many it took."""
        return len(self.residuals) - 1


Solver = Callable[..., Solved]


def conjugate_gradient(
    a: Floats, b: Floats, tolerance: float = 1e-8, max_iterations: int | None = None
) -> Solved:
    """Solve A x = b for a symmetric positive definite A, from x = 0.

    `tolerance` is the norm of the residual over that of b at which to stop. At most
    `max_iterations` are done, 20 n if not given.

    >>> conjugate_gradient(np.diag([1.0, 2.0]), np.ones(2)).x.round(9)
    array([1. , 0.5])
    """
    return _iterate(a, b, tolerance, max_iterations, aliased=False)


def aliased_gradient(
    a: Floats, b: Floats, tolerance: float = 1e-8, max_iterations: int | None = None
) -> Solved:
    """Solve as `conjugate_gradient` does, except for `p = r` instead of a copy.

    >>> aliased_gradient(np.diag([1.0, 2.0]), np.ones(2)).x.round(7)
    array([1. , 0.5])
    """
    return _iterate(a, b, tolerance, max_iterations, aliased=True)


def _iterate(
    a: Floats, b: Floats, tolerance: float, max_iterations: int | None, aliased: bool
) -> Solved:
    limit = 20 * len(b) if max_iterations is None else whole("max_iterations", max_iterations, 1)
    goal = float(positive("tolerance", tolerance)) * float(np.sqrt(b @ b))
    x, r = np.zeros_like(b), b.copy()
    p = r if aliased else r.copy()
    square = r @ r
    norms = [float(np.sqrt(square))]
    while norms[-1] > goal and len(norms) <= limit:
        image = a @ p
        step = square / (p @ image)
        x += step * p
        r -= step * image
        before, square = square, r @ r
        p = r + (square / before) * p
        norms.append(float(np.sqrt(square)))
    return Solved(x, np.array(norms) / norms[0])


def laplacian(n: int) -> Floats:
    """Return the matrix of second differences on n points, 2 beside -1, shape (n, n).

    >>> laplacian(2)
    array([[ 2., -1.],
           [-1.,  2.]])
    """
    size = whole("n", n, 1)
    return np.asarray(2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1))


def right_hand_side(n: int, seed: int = 0) -> Floats:
    """Return n normal random numbers of a seed.

    >>> right_hand_side(3).shape
    (3,)
    """
    return np.random.default_rng(seed).standard_normal(whole("n", n, 1))


STATEMENTS = ("r = b.copy()", "p = r", "r -= step * (A p)", "p = r + beta * p")
"""What is written, in its order; the second copies in the right version."""
_A, _B = laplacian(2), np.array([1.0, 0.0])


def _states(copies: bool) -> list[tuple[Floats, Floats | None]]:
    """Return r and p after each statement; the same object where they share an array."""
    r = _B.copy()
    states: list[tuple[Floats, Floats | None]] = [(r.copy(), None)]
    p = r.copy() if copies else r
    states.append((r.copy(), p.copy()))
    square = r @ r
    image = _A @ p
    r -= square / (p @ image) * image
    states.append((r.copy(), p.copy()))
    p = r + (r @ r) / square * p
    states.append((r.copy(), p.copy()))
    return states


def names_and_arrays(copies: bool, step: int) -> Scene:
    """Draw which array each name stands for after a statement, on a system of two unknowns."""
    done = min(whole("step", step, 1), len(STATEMENTS))
    r, p = _states(bool(copies))[done - 1]
    shared = not copies and done in (2, 3)
    shapes: list[Shape] = []
    for index, text in enumerate(STATEMENTS):
        words = "p = r.copy()" if index == 1 and copies else text
        now = index == done - 1
        shapes.append(Text(("> " if now else "") + words, 20, 18 + 20 * index, "start", bold=now))
    shapes += _named("r", r, 120, 1)
    if p is not None and shared:
        shapes.append(Box(30, 180, 40, 30, "p", 2, "none"))
        shapes.append(Line([(70, 195), (110, 195), (158, 152)], 2, "dashed", head=True))
    elif p is not None:
        shapes += _named("p", p, 180, 2)
    says = f"After {done} of 4: " + _told(p, shared, done)
    arrays = 1 if p is None or shared else 2
    return Scene(226, shapes, says, {"arrays": arrays, "r[0]": float(r[0])})


def _named(name: str, values: Floats, top: float, colour: int) -> list[Shape]:
    written = ", ".join(f"{value:.3g}" for value in values)
    return [
        Box(30, top, 40, 30, name, colour, "none"),
        Line([(70, top + 15), (158, top + 15)], colour, "plain", head=True),
        Box(160, top, 150, 30, written, colour, "light"),
    ]


def _told(p: Floats | None, shared: bool, done: int) -> str:
    if p is None:
        return "r is a copy of b."
    if shared:
        return "r and p are two names of one array, so a change of r changes p."
    if done < len(STATEMENTS):
        return "r and p are two arrays; p keeps the first direction."
    against = float(p @ _A @ _B)
    ending = "is conjugate to" if abs(against) < 1e-12 else "isn't conjugate to"
    return f"the new direction {ending} the first. Their product through A is {against:.4g}."
