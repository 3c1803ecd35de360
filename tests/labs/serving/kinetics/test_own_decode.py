from itertools import count

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.kinetics.own_decode import StepTimes, time_steps, verdict

CONTEXTS = np.array([10.0, 20.0, 40.0])


def made(fixed=2.0, token=0.1, noise=0.0, apart=1.0):
    rng = np.random.default_rng(1)
    steps = fixed + token * CONTEXTS + noise * rng.standard_normal((9, 3))
    return StepTimes(CONTEXTS, steps, np.full(9, fixed * apart), np.full(9, token * 40))


@given(fixed=st.floats(0.1, 100), token=st.floats(0.01, 10))
def test_a_line_gives_back_what_it_was_made_of(fixed, token):
    times = made(fixed, token)
    assert times.measured == pytest.approx(np.full(9, fixed / token), rel=1e-6)
    assert times.forecast == pytest.approx(np.full(9, fixed / token))
    assert times.ratio() == pytest.approx((1, 1, 1), rel=1e-6)
    assert times.straight == pytest.approx(1)


def test_verdict_has_a_branch_for_each_outcome():
    assert "forecast the whole" in verdict(made(noise=0.2))
    assert verdict(made()).startswith("Even at: forecast 20 tokens, measured 20. ")
    assert "too wide to tell" in verdict(made(fixed=0.5, noise=0.2))
    assert "The forecast is too short" in verdict(made(apart=0.5))
    assert "The forecast is too long" in verdict(made(apart=2.0))
    assert "don't lie near enough to a rising line" in verdict(made(token=-0.01))
    crooked = made()
    crooked.steps[:, 1] += 50
    assert "measured 2" not in verdict(crooked)
    assert "don't lie near enough to a rising line" in verdict(crooked)


def test_parts_are_timed_in_turn_and_the_first_round_left_out():
    ticks = count()
    times = time_steps(6, rows=8, width=4, contexts=(2, 3, 5), clock=lambda: float(next(ticks)))
    assert times.steps.shape == (6, 3)
    assert (times.steps == 1).all()
    assert next(ticks) == 7 * 5 * 2
    assert times.contexts.tolist() == [2, 3, 5]


def test_a_slow_first_round_does_not_count():
    seconds = iter([*(100.0 for _ in range(10)), *(1.0 for _ in range(60))])
    now = [0.0]

    def clock():
        now[0] += next(seconds)
        return now[0]

    assert time_steps(6, rows=8, width=4, contexts=(2, 3, 5), clock=clock).steps.max() == 1


def test_real_steps_are_above_zero():
    times = time_steps(6, rows=64, width=16, contexts=(8, 16, 32))
    assert (times.steps > 0).all()
    assert (times.weights > 0).all()
    assert (times.cache > 0).all()


def test_refuses():
    with pytest.raises(ValueError, match="rounds must be a whole number, 6 or more, got 5"):
        time_steps(5)
    for bad in ((1, 2), (3, 2, 4), (2, 2, 4)):
        with pytest.raises(ValueError, match="contexts must be 3 or more rising lengths"):
            time_steps(6, rows=8, width=4, contexts=bad)
