"""The search: read the posting lists of a query's words, add up scores, return the ten best.

Source: S. E. Robertson, "Understanding inverse document frequency", J. Documentation 60(5), 2004,
for the weight of a word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.measurement.one_program.corpus import VOCABULARY, Query
from perfmodel.labs.measurement.one_program.inverted_index import InvertedIndex

BEST = 10
"""Documents that a search returns."""


class Searcher:
    """An index, and a score for each of its documents that one search at a time uses."""

    def __init__(self, index: InvertedIndex) -> None:
        self.index = index
        self.scores = np.zeros(index.size, np.float32)
        self.weights = np.log((index.size + 1) / (index.lengths + 0.5))

    def search(self, query: Query) -> NDArray[np.int32]:
        """Return the documents with the highest scores, the best first.

        A score is the sum, over the words, of the word's weight times its count in the document
        and its count in the query.
        """
        from perfmodel.labs.measurement.one_program import scan

        index = self.index
        weights = (self.weights[query.words] * query.counts).astype(np.float32)
        scan.add_scores(
            index.starts, index.documents, index.counts, query.words, weights, self.scores
        )
        return np.asarray(scan.take_best(self.scores, BEST))

    def scan(self, words: NDArray[np.int32], times: int = 1) -> None:
        """Read the lists of `words` this many `times`, without choosing the best documents."""
        from perfmodel.labs.measurement.one_program import scan

        index, weights = self.index, np.ones(words.size, np.float32)
        for _ in range(times):
            scan.add_scores(
                index.starts, index.documents, index.counts, words, weights, self.scores
            )
        self.scores[:] = 0


def everything() -> NDArray[np.int32]:
    """Return all words: their lists are the whole index."""
    return np.arange(VOCABULARY, dtype=np.int32)
