"""No answer breaks the judge: a student can't turn a wrong answer into the grader's failure."""

import random

import kinds
import numpy as np
import pytest

from perfcourse.judge import judge
from perfcourse.kernel.plain import Other, plain

LEAVES = [None, True, 1, 1.5, np.nan, np.inf, "", "x", "yes", "*", 3 + 2j, 10**400, [], {}]
LEAVES += [np.ones(2), np.zeros((2, 2)), np.array([True]), np.array([]), Other("set")]
KEYS = ["panels", "series", "x", "y", "title", "legend", "label", "scale", "limits", "twice"]


def tree(rng, depth):
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(LEAVES)
    if rng.random() < 0.4:
        return [tree(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {key: tree(rng, depth - 1) for key in rng.sample(KEYS, rng.randrange(len(KEYS)))}


def axis(rng):
    limits = rng.choice([[1.0, 2.0], tree(rng, 1)])
    return {
        "label": rng.choice(["x", tree(rng, 1)]),
        "scale": rng.choice(["log", tree(rng, 1)]),
        "limits": limits,
    }


def picture(rng):
    """Return what looks like the description of a plot, wrong in some places."""
    data = {name: rng.choice([[1, 2, 4, 8], tree(rng, 1)]) for name in "xy"}
    series = [{"label": rng.choice(["", tree(rng, 1)]), **data}]
    return {
        "panels": rng.choice([1, 1, 1, tree(rng, 1)]),
        "x": rng.choice([axis(rng), axis(rng), tree(rng, 2)]),
        "y": axis(rng),
        "title": rng.choice(["t", tree(rng, 1)]),
        "legend": rng.choice([["a"], tree(rng, 1)]),
        "series": rng.choice([series, series, tree(rng, 2)]),
    }


@pytest.mark.parametrize("question", kinds.bank.questions, ids=lambda question: question.id)
def test_every_odd_answer_gets_a_verdict(question):
    rng = random.Random(question.id)
    for number in range(800):
        made = tree(rng, 4) if number % 2 else picture(rng)
        verdict = judge("kinds", question, plain(made), "ada", "secret")
        assert not verdict.failed, made
        assert 0 <= verdict.earned <= verdict.points
