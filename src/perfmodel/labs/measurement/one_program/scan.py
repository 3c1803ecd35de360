"""The two loops of a search, compiled by numba and kept on disk after the first time."""

import numba
import numpy as np


@numba.njit(cache=True, nogil=True)
def add_scores(starts, documents, counts, words, weights, scores):  # type: ignore[no-untyped-def]
    """Add the weight of each of `words`, times its count, to the scores of its documents."""
    for i in range(words.size):
        for j in range(starts[words[i]], starts[words[i] + 1]):
            scores[documents[j]] += weights[i] * counts[j]


@numba.njit(cache=True, nogil=True)
def take_best(scores, number):  # type: ignore[no-untyped-def]
    """Return the documents with the highest scores above 0, and set all scores to 0."""
    best, highest, found = np.empty(number, np.int32), np.empty(number, np.float32), 0
    for document in range(scores.size):
        score = scores[document]
        scores[document] = 0
        if score <= 0 or (found == number and score <= highest[number - 1]):
            continue
        found = min(found + 1, number)
        at = found - 1
        while at > 0 and highest[at - 1] < score:
            best[at], highest[at] = best[at - 1], highest[at - 1]
            at -= 1
        best[at], highest[at] = document, score
    return best[:found]
