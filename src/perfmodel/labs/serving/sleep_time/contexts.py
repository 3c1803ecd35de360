"""Two contexts with questions that have exact answers, and the indexes that can be built ahead.

Of an array, sums over ranges are asked; its index are the sums of all its beginnings (prefix sums).
Of a graph, lengths of shortest paths are asked; its index are the lengths of all paths from some
sources, or from all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from perfmodel.labs.serving.sleep_time.popular import covered_share
from perfmodel.offloading import zipf_popularity
from perfmodel.validation import whole

ELEMENTS = 300_000
"""Of the array."""
NODES, EDGES = 200, 4
"""Of the graph; edges a node."""
ROWS = 20
"""Sources prepared where not all of them are."""
Question = tuple[int, int]


@dataclass(frozen=True)
class Subject:
    """A context with its two ways to an answer."""

    name: str
    build: Callable[[], Any]
    """Does the work ahead and returns the index."""
    scratch: Callable[[Question], float]
    """Answers without the index."""
    look_up: Callable[[Any, Question], float | None]
    """Answers from the index, or returns None where it doesn't cover the question."""
    ask: Callable[[np.random.Generator, int], list[Question]]
    """Draws questions."""
    covered: float = 1.0
    """Share of questions that the index covers, by the law they are drawn from."""

    def answer(self, index: Any, question: Question) -> float:
        """Return the answer, from scratch where the index has none."""
        found = self.look_up(index, question)
        return self.scratch(question) if found is None else found


def range_sums(elements: int = ELEMENTS, seed: int = 0) -> Subject:
    """Return sums over ranges of an array, against prefix sums of all of it.

    >>> subject = range_sums(1000)
    >>> subject.scratch((10, 60)) == subject.answer(subject.build(), (10, 60))
    True
    """
    count = whole("elements", elements, 1)
    values = np.random.default_rng(seed).integers(0, 1000, count)
    sums = np.zeros(count + 1, dtype=np.int64)

    def build() -> np.ndarray:
        np.cumsum(values, out=sums[1:])
        return sums

    def ask(rng: np.random.Generator, many: int) -> list[Question]:
        ends = np.sort(rng.integers(0, count + 1, (many, 2)), axis=1)
        return [(int(first), int(last)) for first, last in ends]

    return Subject(
        "range sums, all",
        build,
        lambda question: float(values[question[0] : question[1]].sum()),
        lambda index, question: float(index[question[1]] - index[question[0]]),
        ask,
    )


def shortest_paths(
    rows: int | None = None, exponent: float = 0.0, nodes: int = NODES, seed: int = 0
) -> Subject:
    """Return lengths of shortest paths in a random graph, against a table of some sources.

    The `rows` likeliest sources, all if left out; questions choose a source by Zipf's law, with an
    exponent of 0 for all alike. Each of `nodes` has `EDGES` edges to random nodes, of random whole
    lengths.

    >>> subject = shortest_paths(rows=5, exponent=1.0, nodes=50)
    >>> index = subject.build()
    >>> all(subject.scratch((i, 7)) == subject.answer(index, (i, 7)) for i in range(10))
    True
    """
    size = whole("nodes", nodes, 1)
    prepared = size if rows is None else whole("rows", rows, 1)
    if prepared > size:
        raise ValueError(f"rows must be at most nodes = {size}, got {prepared}")
    graph = random_graph(size, seed)
    shares = zipf_popularity(size, exponent)

    def ask(rng: np.random.Generator, many: int) -> list[Question]:
        sources, targets = rng.choice(size, many, p=shares), rng.integers(0, size, many)
        return [(int(a), int(b)) for a, b in zip(sources, targets, strict=True)]

    def look_up(index: np.ndarray, question: Question) -> float | None:
        return float(index[question]) if question[0] < prepared else None

    rest = "all" if prepared == size else f"{prepared}{' popular' * (exponent > 0)} of {size}"
    return Subject(
        f"paths, {rest}",
        lambda: dijkstra(graph, indices=np.arange(prepared)),
        lambda question: float(dijkstra(graph, indices=question[0])[question[1]]),
        look_up,
        ask,
        covered_share(shares, prepared),
    )


def random_graph(nodes: int, seed: int) -> Any:
    """Return a sparse graph with `EDGES` edges a node, of whole lengths from 1 to 99.

    >>> random_graph(10, 0).shape
    (10, 10)
    """
    rng = np.random.default_rng(seed)
    starts = np.repeat(np.arange(nodes), EDGES)
    ends = rng.integers(0, nodes, starts.size)
    lengths = rng.integers(1, 100, starts.size).astype(float)
    return csr_array((lengths, (starts, ends)), (nodes, nodes))
