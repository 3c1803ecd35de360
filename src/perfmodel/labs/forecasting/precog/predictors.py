"""Four ways from a description to a score, each with the error that it expects to make.

Every one is called with descriptions and scores to learn from and with descriptions to forecast,
and sees nothing else: words, weights and constants come from what it learns from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfmodel.labs.forecasting.precog.descriptions import chance_level, read_result
from perfmodel.validation import Floats

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

REFITS = 20
"""Ridge regressions on resampled records."""
NEIGHBOURS = 7
PENALTY = 0.5
"""Of the ridge regression's squared weights."""
ROUNDING = 0.25
"""Mean error of a number that is read where it was rounded to a whole one, points."""


class Forecasts(NamedTuple):
    """Of each description asked for."""

    scores: Floats
    """0 to 100."""
    spread: Floats
    """Absolute error that the predictor expects, points; the less, the surer it is."""


Predictor = Callable[[Sequence[str], Floats, Sequence[str]], Forecasts]


def constant(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer the median of what was learned from, whatever is asked."""
    middle = float(np.median(scores))
    spread = float(np.abs(scores - middle).mean())
    return Forecasts(np.full(len(asked), middle), np.full(len(asked), spread))


def chance_aware(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer chance plus the median share of what is left above it.

    Where more is given by chance less is left to err by, so that this has a confidence, too.
    """
    floor = np.array([chance_level(text) for text in known])
    fractions = (scores - floor) / (100 - floor)
    middle = float(np.median(fractions))
    spread = float(np.abs(fractions - middle).mean())
    left = 100 - np.array([chance_level(text) for text in asked])
    return Forecasts(100 - left * (1 - middle), left * spread)


def ridge(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer a weighted sum of the words and pairs of words, the weights from all records.

    The spread is that of refits to resampled records, as a mean absolute deviation.
    """
    from sklearn.linear_model import Ridge

    words = _words().fit(known)
    learned, new = words.transform(known), words.transform(asked)
    fit = Ridge(PENALTY).fit(learned, scores)
    rng = np.random.default_rng(0)
    refits = []
    for _ in range(REFITS):
        rows = rng.integers(len(scores), size=len(scores))
        refits.append(Ridge(PENALTY).fit(learned[rows], scores[rows]).predict(new))
    spread = np.std(refits, axis=0, ddof=1) * np.sqrt(2 / np.pi)
    return Forecasts(np.clip(fit.predict(new), 0, 100), spread)


def ridge_and_novelty(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer what `ridge` does, but be the less sure the more words have never been seen.

    Of a description in unseen words nothing is known, and the constant's spread holds; the spread
    lies between that and ridge's by the share of the words that are unseen.
    """
    guess, blind = ridge(known, scores, asked), constant(known, scores, asked)
    unseen = unseen_fraction(known, asked)
    return Forecasts(guess.scores, (1 - unseen) * guess.spread + unseen * blind.spread)


def unseen_fraction(known: Sequence[str], asked: Sequence[str]) -> Floats:
    """Return which share of each description's words none of the known ones has.

    >>> print(unseen_fraction(["news in English"], ["news in French", "English news"]).round(2))
    [0.33 0.  ]
    """
    split = _words().build_tokenizer()
    seen = {word.lower() for text in known for word in split(text)}
    return np.array([np.mean([w.lower() not in seen for w in split(text)]) for text in asked])


def neighbours(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer the mean score of the seven most similar descriptions; the spread is their scatter."""
    from sklearn.neighbors import NearestNeighbors

    words = _words()
    near = NearestNeighbors(n_neighbors=NEIGHBOURS, metric="cosine").fit(words.fit_transform(known))
    result = scores[near.kneighbors(words.transform(asked), return_distance=False)]
    middle = result.mean(axis=1)
    return Forecasts(middle, np.abs(result - middle[:, None]).mean(axis=1))


def reader(known: Sequence[str], scores: Floats, asked: Sequence[str]) -> Forecasts:
    """Answer the result where the description still has it, and ridge's forecast elsewhere."""
    guess = ridge(known, scores, asked)
    read = [read_result(text) for text in asked]
    there = np.array([value is not None for value in read])
    values = np.array([0.0 if value is None else value for value in read])
    return Forecasts(
        np.where(there, values, guess.scores),
        np.where(there, np.minimum(ROUNDING, guess.spread), guess.spread),
    )


PREDICTORS: Mapping[str, Predictor] = MappingProxyType(
    {
        "constant": constant,
        "chance-aware": chance_aware,
        "neighbours": neighbours,
        "ridge": ridge,
        "ridge, wary of new words": ridge_and_novelty,
    }
)
"""By name: no model, a whitebox of one line, a learner that remembers, a regression on words."""


def _words() -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=(1, 2))
