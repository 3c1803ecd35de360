import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.apex.learned_steps import learn_steps

SIZES = np.random.default_rng(0).uniform(1, 100, (150, 2))
TIMES = 1e-6 * (5 + SIZES[:, 0] * SIZES[:, 1])


@settings(max_examples=10, deadline=None)
@given(st.floats(100, 1e6), st.floats(1, 1e6))
def test_alone_it_never_leaves_what_it_saw(first, second):
    forest = learn_steps(SIZES, TIMES, trees=5)
    assert TIMES.min() <= forest.seconds([[first, second]])[0] <= TIMES.max()


def test_on_a_right_model_it_adds_nothing():
    exact = learn_steps(SIZES, TIMES, lambda s: 1e-6 * (5 + s[:, 0] * s[:, 1]), trees=5)
    far = np.array([[1000.0, 1000.0]])
    assert exact.seconds(far)[0] == pytest.approx(1.000005)


def test_same_seed_same_answer_and_nearer_than_the_mean():
    one, two = (learn_steps(SIZES[:100], TIMES[:100], trees=10, seed=3) for _ in range(2))
    assert (one.seconds(SIZES) == two.seconds(SIZES)).all()
    off = np.abs(np.log(one.seconds(SIZES[100:]) / TIMES[100:])).mean()
    flat = np.abs(np.log(TIMES[100:]) - np.log(TIMES[:100]).mean()).mean()
    assert off < flat / 3


def test_refuses():
    with pytest.raises(ValueError, match=r"sizes must be of shape \(n, d\)"):
        learn_steps([1.0], [1.0])
    with pytest.raises(ValueError, match=r"seconds must be of shape \(150,\), got \(1,\)"):
        learn_steps(SIZES, [1.0])
    with pytest.raises(ValueError, match="model must be above 0"):
        learn_steps(SIZES, TIMES, lambda s: 0 * s[:, 0])
