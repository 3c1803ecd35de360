"""Energy from samples of power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.melt.power_trace import Session, energy


def test_exact_energy_is_the_integral():
    session = Session(tokens=20)
    edges = session.generating + np.arange(21) / session.rate
    cuts = np.sort([session.started, session.generating, *edges, *(edges + 0.45 / 13.6)])
    pieces = [0.0, *cuts[cuts < session.duration], session.duration]
    middle = (np.array(pieces[1:]) + pieces[:-1]) / 2
    assert session.energy() == pytest.approx(float(np.diff(pieces) @ session.power(middle)))


@given(st.lists(st.floats(0.01, 5), min_size=2, max_size=20), st.integers(0, 99))
def test_trapezoid_is_the_mean_of_the_two_rectangles(steps, seed):
    times = np.cumsum(steps)
    power = np.sort(np.random.default_rng(seed).random(len(steps)))
    middle = energy(times, power, "trapezoid")
    left = float(np.diff(times) @ power[:-1])
    assert middle == pytest.approx((left + energy(times, power)) / 2)


def test_faster_sampling_is_nearer_and_sampling_at_the_tokens_rate_is_not():
    session = Session()
    error = {f: abs(energy(*session.sampled(f)) / session.energy() - 1) for f in (1, 100, 5000)}
    assert error[5000] < 1e-3 < error[1]
    assert error[5000] < error[100]
    in_step, between = (
        energy(*session.sampled(session.rate, session.generating % (1 / session.rate) + shift))
        for shift in (0.1 / session.rate, 0.7 / session.rate)
    )
    truth = session.energy()
    assert in_step > 1.1 * truth
    assert between < 0.9 * truth


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: energy([0, 1], [1, 2, 3]), "one length, got 2 and 3"),
        (lambda: energy([0, 0], [1, 2]), "times must increase"),
        (lambda: energy([0], [1]), "times must be a one-dimensional sample of 2 or more"),
        (lambda: energy([0, 1], [1, np.nan]), "power must be finite"),
        (lambda: energy([0, 1], [1, 2], "simpson"), "rule must be 'rectangle' or 'trapezoid'"),
        (lambda: Session(rate=0), "rate must be above 0"),
        (lambda: Session(duty=1.5), "duty must be between 0 and 1"),
        (lambda: Session(idle=-1), "idle must be 0 or more"),
        (lambda: Session().sampled(0), "frequency must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
