"""Ten pairs of answers, written for this lab, that a reader rates: A better, B better, or a tie."""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.benchmarking import (
    Kappa,
    cohens_kappa,
    guessing_kappa,
    raw_agreement,
    simulate_raters,
)
from perfmodel.live.drawing import Box, Scene, Shape, Text

CHOICES = {"a": "A", "b": "B", "t": "tie"}


class Pair(NamedTuple):
    """A question and two answers to it."""

    question: str
    a: str
    b: str

    @property
    def longer(self) -> str:
        """Which answer is longer, as `a` or `b`."""
        return "a" if len(self.a) > len(self.b) else "b"


PAIRS = [
    Pair(
        "What is a cache miss?",
        "The data asked for is not in the cache and must come from a slower level.",
        "A cache miss is when the cache misses. It is important for performance, and good "
        "programmers avoid it wherever they can.",
    ),
    Pair(
        "Why is my loop slow over columns?",
        "NumPy stores rows one after the other. Down a column each element lies in another cache "
        "line, so you load 64 bytes and use 8.",
        "Columns are slower than rows.",
    ),
    Pair("What does p50 mean?", "The median.", "Half of the requests are faster than it."),
    Pair(
        "How many bytes has a float64?",
        "8.",
        "A float64 is a floating-point number of double precision after IEEE 754, with a sign, an "
        "exponent and a mantissa; it takes 8 bytes.",
    ),
    Pair(
        "Should I use threads in Python?",
        "It depends on the program.",
        "For waiting (files, network) yes. For computing in pure Python no: one lock lets one "
        "thread run at a time.",
    ),
    Pair(
        "What is Little's law?",
        "Jobs present are the arrival rate times the time that a job stays.",
        "L = lambda W. For example, 10 jobs a second that stay 2 s each mean 20 jobs present. It "
        "holds for any distribution of the service times.",
    ),
    Pair(
        "Is O(n) always faster than O(n^2)?",
        "Yes, since n is smaller than n squared.",
        "No. For small n the constant decides.",
    ),
    Pair(
        "What is a speedup of 1.3?",
        "It is 30 % faster: the old time over the new one is 1.3.",
        "The new time is 1/1.3, or 77 %, of the old.",
    ),
    Pair(
        "Why warm up before timing?",
        "The first run pays for compiling, cold caches and page faults, which later runs don't.",
        "To be safe. Many benchmarks do it, so you should do it as well, and it costs little.",
    ),
    Pair(
        "What limits a dot product?",
        "Memory bandwidth: two loads for two operations.",
        "A dot product multiplies elements in pairs and adds the products; on modern machines it "
        "is limited by how fast the memory delivers the two vectors.",
    ),
]


def read_ratings(text: str) -> list[str]:
    """Return ten ratings from ten letters (a, b or t for a tie), of any case, with spaces.

    >>> read_ratings("aabta baatb")[:4]
    ['a', 'a', 'b', 't']
    """
    letters = "".join(text.lower().split())
    if len(letters) != len(PAIRS) or set(letters) - set(CHOICES):
        raise ValueError(f"text must be {len(PAIRS)} letters of a, b and t, got {text!r}")
    return list(letters)


def longer_won(ratings: list[str]) -> tuple[int, int]:
    """Return how often the longer answer was preferred, and how many `ratings` were decided.

    >>> longer_won(list("tttttttttt"))
    (0, 0)
    """
    decided = [(r, pair) for r, pair in zip(ratings, PAIRS, strict=True) if r != "t"]
    return sum(r == pair.longer for r, pair in decided), len(decided)


def verdict(first: str, second: str) -> str:
    """Return a conclusion from two readers' ratings of ten letters each; empty if missing.

    >>> verdict("", "")
    'Not rated yet: put ten letters in each of the two texts and run the cell again.'
    """
    if not first.strip() or not second.strip():
        return "Not rated yet: put ten letters in each of the two texts and run the cell again."
    try:
        one, two = read_ratings(first), read_ratings(second)
    except ValueError:
        return f"Not rated yet: each of the two texts takes {len(PAIRS)} letters of a, b and t."
    if len(set(one) | set(two)) < 2:
        return "Both readers gave only one letter. They agree completely, and chance explains it."
    kappa = cohens_kappa(one, two)
    won, decided = map(sum, zip(longer_won(one), longer_won(two), strict=True))
    sentence = f"The longer answer was preferred in {won} of {decided} decided ratings."
    return f"{_agreement(kappa)} {sentence}"


def _agreement(kappa: Kappa) -> str:
    head = (
        f"The readers agree on {100 * kappa.observed:.0f} % of the pairs; by chance it would be "
        f"{100 * kappa.chance_agreement:.0f} %. **Kappa is {kappa.value:.2f}**, with the 95 % "
        f"interval {kappa.low:.2f} to {kappa.high:.2f}."
    )
    if not kappa.observed:
        return "The readers agree on no pair. Readers who guess would agree on more."
    if kappa.low <= 0:
        return f"{head} It includes 0, so ten pairs can't show that these readers don't guess."
    return f"{head} It lies above 0, so the readers agree by more than chance."


ITEMS = 20
_SHARES = (0.4, 0.3, 0.3)
_LABELS = "ATB"
_SEED = 77
"""Of 200 seeds the seed whose 20 pairs stay closest to the mean over many pairs."""
_LEFT, _CELL = 64.0, 14.4


def two_readers(guessing: float) -> Scene:
    """Draw the labels that two readers, who guess on some pairs, give to 20 pairs of answers."""
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
        f"They agree on {alike} of the {ITEMS} pairs. Over many pairs their kappa is {kappa:.2f}."
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
