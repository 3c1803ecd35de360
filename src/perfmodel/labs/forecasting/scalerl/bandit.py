"""Reinforcement learning small enough for a second: a thousand questions, each with four answers.

Every question has its own scores for its answers; a right answer is rewarded with 1. REINFORCE
raises the score of an answer in proportion to its reward less the policy's own mean. Questions
differ in how far the right answer is behind at the start.

Source: R. J. Williams, "Simple statistical gradient-following algorithms for connectionist
reinforcement learning", Machine Learning 8, 1992.
"""

from __future__ import annotations

import numpy as np

from perfmodel.validation import Floats, positive, whole

ANSWERS = 4
QUESTIONS = 1_000


def train_bandits(
    steps: int, seed: int, rate: float = 0.3, unlearnable: float = 0.2
) -> tuple[Floats, Floats]:
    """Return the steps at which the policy is looked at (at most 40), and its mean pass rate there.

    A step answers each question once; the fraction `unlearnable` is never rewarded, so that the
    ceiling is about 1 less that.

    >>> looks, rates = train_bandits(200, 0)
    >>> bool(rates[0] < rates[-1] < 1)
    True
    """
    last = whole("steps", steps, 8)
    speed = float(positive("rate", rate))
    rng = np.random.default_rng(whole("seed", seed))
    scores = np.zeros((QUESTIONS, ANSWERS))
    scores[:, 0] = rng.normal(-1.0, 1.5, QUESTIONS)
    paid = rng.random(QUESTIONS) >= unlearnable
    looks = np.unique(np.geomspace(4, last, 40).round())
    rates = []
    for step in range(1, last + 1):
        probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        if step in looks:
            rates.append(float((probabilities[:, 0] * paid).mean()))
        chosen = (rng.random((QUESTIONS, 1)) > np.cumsum(probabilities, axis=1)).sum(axis=1)
        chosen = np.minimum(chosen, ANSWERS - 1)
        reward = (chosen == 0) * paid
        better = reward - probabilities[:, 0] * paid
        picked = np.eye(ANSWERS)[chosen]
        scores += speed * better[:, None] * (picked - probabilities)
    return looks, np.array(rates)
