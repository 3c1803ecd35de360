"""Which questions to prepare for, and two contexts with exact answers and indexes built ahead.

Questions are about the `sources` of a context, and preparing for one source costs a row. The most
likely sources come first. So the best number of rows follows from the probability of each question,
without an assumed curve.

Questions about an array ask for sums over ranges; its index holds the prefix sums. Questions about
a graph ask for lengths of shortest paths; its index holds the lengths of all paths from some or all
sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from perfmodel.offloading import zipf_popularity
from perfmodel.serving import best_effort
from perfmodel.validation import Floats, non_negative, positive, sample, whole


def covered_fraction(shares: ArrayLike, rows: int) -> float:
    """Return the share of questions that the first `rows` cover, 0 or more.

    >>> covered_fraction([0.5, 0.25, 0.25], 2)
    0.75
    """
    return min(1.0, float(np.sum(sample("shares", shares)[: whole("rows", rows)])))


def best_rows(shares: ArrayLike, queries: ArrayLike, row: float, saved: float) -> np.ndarray:
    """Return how many rows are worth preparing: each whose questions save more than it costs.

    `shares` say how likely a question is about each source, falling; `queries` are the weighted
    questions q N for a context, `saved` what one about a prepared source costs less. With Zipf's
    law of exponent 1 ten times the questions ask for ten times the rows:

    >>> from perfmodel.offloading import zipf_popularity
    >>> print(best_rows(zipf_popularity(1000, 1.0), [10.5, 105, 1050], 1.0, 5.0))
    [  7  70 701]
    """
    likely = sample("shares", shares)
    if (np.diff(likely) > 0).any():
        raise ValueError("shares must fall, the likeliest source first")
    worth = np.multiply.outer(non_negative("queries", queries), likely)
    worth = worth * non_negative("saved", saved)
    return np.asarray((worth > positive("row", row)).sum(axis=-1))


def context_cost(
    shares: ArrayLike, queries: float, row: float, fresh: float, rows: ArrayLike
) -> Floats:
    """Return the cost of a context with each number of rows prepared.

    An answer costs `fresh` from scratch, and nothing from a row; for the rest see `best_rows`.

    >>> print(context_cost([0.5, 0.25, 0.25], 10, 3.0, 1.0, [0, 1, 3]))
    [10.  8.  9.]
    """
    covered = np.concatenate([[0.0], np.cumsum(sample("shares", shares))])
    counts = np.asarray(rows, dtype=int)
    uncovered = 1 - covered[counts]
    return np.asarray(row * counts + float(non_negative("queries", queries)) * fresh * uncovered)


def exponential_scale(shares: ArrayLike, rows: int) -> float:
    """Return s_0 in rows of the exponential that leaves as many questions uncovered as `rows` do.

    It is -rows / ln(1 - covered): what one would fit who had tried that many rows and no others.

    >>> round(exponential_scale([0.5, 0.25, 0.25], 1), 4)
    1.4427
    """
    uncovered = 1 - covered_fraction(shares, rows)
    return float(-whole("rows", rows, 1) / np.log(positive("uncovered share", uncovered)))


class Choice(NamedTuple):
    """How many rows two readers prepare, shape (n,)."""

    best: np.ndarray
    """With every likelihood known."""
    guessed: np.ndarray
    """By the exponential of the rows that were tried, whole rows."""
    excess: Floats
    """Cost of the guess over the least cost."""


def choices(shares: ArrayLike, queries: ArrayLike, tried: int) -> Choice:
    """Return what is best to prepare and what an exponential says that met `tried` rows only.

    A row costs an answer from scratch, and an answer from a row is free.

    >>> choices([0.5, 0.25, 0.25], [1, 3, 10], 1).best.tolist()
    [0, 1, 3]
    """
    asked, known = positive("queries", queries), sample("shares", shares)
    best = best_rows(known, asked, 1.0, 1.0)
    effort = best_effort(asked, 1.0, exponential_scale(known, tried))
    guessed = np.minimum(np.rint(effort), known.size).astype(int)
    costs = [
        float(
            context_cost(known, each, 1.0, 1.0, guess) / context_cost(known, each, 1.0, 1.0, least)
        )
        for each, guess, least in zip(asked, guessed, best, strict=True)
    ]
    return Choice(best, guessed, np.array(costs))


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
        result = self.look_up(index, question)
        return self.scratch(question) if result is None else result


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
    """Return lengths of shortest paths in a random graph, with a table of some sources as index.

    The table has the `rows` most likely sources, or all. Questions choose a source by Zipf's law;
    an exponent of 0 makes all equally likely. Each of `nodes` has `EDGES` edges to random nodes, of
    random whole lengths.

    >>> subject = shortest_paths(rows=5, exponent=1.0, nodes=50)
    >>> index = subject.build()
    >>> all(subject.scratch((i, 7)) == subject.answer(index, (i, 7)) for i in range(10))
    True
    """
    size = whole("nodes", nodes, 1)
    prepared = size if rows is None else whole("rows", rows, 1, size)
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
        covered_fraction(shares, prepared),
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
