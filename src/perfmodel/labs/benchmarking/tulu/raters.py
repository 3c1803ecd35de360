"""Two readers of the same answers, who guess on some of them."""

from __future__ import annotations

from perfmodel.benchmarking import guessing_kappa, raw_agreement, simulate_raters
from perfmodel.live.drawing import Box, Scene, Shape, Text

ITEMS = 20
_SHARES = (0.4, 0.3, 0.3)
_LABELS = "ATB"
_SEED = 77
"""Of 200 seeds the one whose 20 pairs stay nearest to the mean over many pairs."""
_LEFT, _CELL = 64.0, 14.4


def two_readers(guessing: float) -> Scene:
    """Draw what two readers say of 20 pairs of answers: A better, a tie, or B better.

    A reader guesses on a share of the pairs; pairs and guesses stay the same while it grows.

    >>> two_readers(0.0).values["agree on"], two_readers(1.0).values["kappa expected"]
    (20.0, 0.0)
    """
    truth, _ = simulate_raters(_SHARES, 0.0, ITEMS, _SEED)
    readers = simulate_raters(_SHARES, guessing, ITEMS, _SEED)
    shapes: list[Shape] = [Text("20 pairs of answers; hatched: not the truth", _LEFT, 12, "start")]
    shapes += _row(32, "truth", truth, truth)
    for i, labels in enumerate(readers):
        shapes += _row(66 + 24 * i, f"reader {i + 1}", labels, truth)
    shapes.append(Text("same?", _LEFT - 6, 130, "end"))
    for i, (a, b) in enumerate(zip(*readers, strict=True)):
        if a == b:
            shapes.append(Text("=", _LEFT + (i + 0.5) * _CELL, 130, bold=True))
    alike = round(ITEMS * raw_agreement(*readers))
    kappa = float(guessing_kappa(guessing))
    says = (
        f"Each reader guesses on {100 * guessing:.0f} % of the pairs: they agree on {alike} of "
        f"{ITEMS}; over many pairs their kappa is {kappa:.2f}."
    )
    return Scene(146, shapes, says, {"agree on": float(alike), "kappa expected": kappa})


def _row(y: float, name: str, labels: list[int], truth: list[int]) -> list[Shape]:
    shapes: list[Shape] = [Text(name, _LEFT - 6, y + 9, "end")]
    for i, (label, right) in enumerate(zip(labels, truth, strict=True)):
        fine = label == right
        x = _LEFT + i * _CELL
        box = Box(x, y, _CELL, 18, "", 1 if fine else 2, "light" if fine else "hatch")
        shapes += [box, Text(_LABELS[label], x + _CELL / 2, y + 9)]
    return shapes
