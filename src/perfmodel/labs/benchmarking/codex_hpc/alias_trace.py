"""Names and arrays while conjugate gradients make their first step: one array or two."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import laplacian
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import Floats, whole

STATEMENTS = ("r = b.copy()", "p = r", "r -= step * (A p)", "p = r + beta * p")
"""What is written, in its order; the second copies in the right version."""
_A, _B = laplacian(2), np.array([1.0, 0.0])


def _states(copies: bool) -> list[tuple[Floats, Floats | None]]:
    """Return r and p after each statement; the same object where they share an array."""
    r = _B.copy()
    found: list[tuple[Floats, Floats | None]] = [(r.copy(), None)]
    p = r.copy() if copies else r
    found.append((r.copy(), p.copy()))
    square = r @ r
    image = _A @ p
    r -= square / (p @ image) * image
    found.append((r.copy(), p.copy()))
    p = r + (r @ r) / square * p
    found.append((r.copy(), p.copy()))
    return found


def names_and_arrays(copies: bool, step: int) -> Scene:
    """Draw which array each name stands for after a statement, on a system of two unknowns.

    >>> [names_and_arrays(copies, 3).values["arrays"] for copies in (True, False)]
    [2, 1]
    """
    done = min(whole("step", step, 1), len(STATEMENTS))
    r, p = _states(bool(copies))[done - 1]
    shared = not copies and done in (2, 3)
    shapes: list[Shape] = []
    for place, text in enumerate(STATEMENTS):
        words = "p = r.copy()" if place == 1 and copies else text
        now = place == done - 1
        shapes.append(Text(("> " if now else "") + words, 20, 18 + 20 * place, "start", bold=now))
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
        return "r and p are two names of one array, so that what changes r changes p."
    if done < len(STATEMENTS):
        return "r and p are two arrays; p keeps the first direction."
    against = float(p @ _A @ _B)
    ending = "is conjugate to" if abs(against) < 1e-12 else "isn't conjugate to"
    return f"the new direction {ending} the first: their product through A is {against:.4g}."
