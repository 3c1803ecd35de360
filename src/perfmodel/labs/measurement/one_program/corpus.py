"""A made-up corpus: documents and queries whose words follow Zipf's law, drawn from seeds.

Source: G. K. Zipf, "Human Behavior and the Principle of Least Effort", 1949, for the law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, whole

VOCABULARY = 20_000
"""Different words; a word is its rank less 1, and the commonest word is 0."""
WORDS_EACH = 50
"""Words of a document."""
CHUNK = 500
"""Documents that are drawn from a seed of their own."""
SHORTEST, LONGEST = 10, 400
"""Words of a query."""

Words = NDArray[np.int32]


@dataclass(frozen=True)
class Query:
    """The different words of a query, and how often each occurs in it, shape (n,)."""

    words: Words
    counts: Floats

    @property
    def length(self) -> int:
        """Words, repeated ones included."""
        return int(self.counts.sum())


def zipf_words(rng: np.random.Generator, count: int) -> Words:
    """Draw words; rank k has the probability log(1 + 1/k) / log(1 + VOCABULARY), near Zipf's 1/k.

    >>> words = zipf_words(np.random.default_rng(1), 10_000)
    >>> round(float((words == 0).mean()), 2), round(float((words == 1).mean()), 2)
    (0.07, 0.04)
    """
    ranks = np.exp(rng.random(whole("count", count)) * np.log1p(VOCABULARY)).astype(np.int32)
    return np.asarray(np.minimum(ranks, VOCABULARY) - 1, dtype=np.int32)


def read_documents(first: int, count: int, seed: int = 1) -> Words:
    """Return the words of `count` documents from number `first` on, shape (count, WORDS_EACH).

    Both are multiples of CHUNK. A larger corpus starts with the documents of a smaller one.

    >>> bool((read_documents(500, 500) == read_documents(0, 1000)[500:]).all())
    True
    """
    for name, value in (("first", first), ("count", count)):
        if whole(name, value) % CHUNK:
            raise ValueError(f"{name} must be a multiple of {CHUNK}, got {value}")
    chunks = range(first // CHUNK, (first + count) // CHUNK)
    drawn = [
        zipf_words(np.random.default_rng([whole("seed", seed), chunk]), CHUNK * WORDS_EACH)
        for chunk in chunks
    ]
    return np.concatenate(drawn or [np.empty(0, np.int32)]).reshape(-1, WORDS_EACH)


def draw_queries(
    count: int, seed: int, shortest: int = SHORTEST, longest: int = LONGEST
) -> list[Query]:
    """Draw queries of `shortest` to `longest` words; the logarithm of their number is uniform.

    >>> [query.length for query in draw_queries(4, seed=3, shortest=7, longest=7)]
    [7, 7, 7, 7]
    """
    low, high = whole("shortest", shortest, 1), whole("longest", longest, shortest)
    rng = np.random.default_rng([whole("seed", seed), 7])
    lengths = np.exp(rng.uniform(np.log(low), np.log(high + 1), whole("count", count, 1)))
    queries = []
    for length in np.minimum(lengths.astype(int), high):
        words, counts = np.unique(zipf_words(rng, int(length)), return_counts=True)
        queries.append(Query(words, counts.astype(np.float64)))
    return queries
