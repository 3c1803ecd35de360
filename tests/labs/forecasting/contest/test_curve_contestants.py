"""What each contestant makes of curves whose law is known, and what it cannot have seen."""

from dataclasses import replace

import numpy as np
import pytest

from perfmodel.forecasting.laws import RISING_POWER_LAW
from perfmodel.labs.forecasting.contest.curve_contestants import Started, answers, features

EPOCHS, SEEN, KNOWN = 40, 12, 60


def drawn(seed=0, runs=KNOWN + 40, noise=0.004):
    """Return curves that follow the law, each with parameters and noise of its own."""
    rng = np.random.default_rng(seed)
    ends, falls = rng.uniform(0.5, 0.8, runs), rng.uniform(0.3, 0.45, runs)
    curves = ends[:, None] - falls[:, None] * np.arange(1, EPOCHS + 1) ** -0.7
    return curves + rng.normal(0, noise, curves.shape), rng.normal(size=(runs, 2))


def started(curves, settings, seen=SEEN):
    return Started(
        curves[:KNOWN],
        settings[:KNOWN],
        curves[KNOWN:, :seen],
        settings[KNOWN:],
        RISING_POWER_LAW,
        1.0,
    )


@pytest.fixture(scope="module")
def known_law():
    curves, settings = drawn()
    return curves[KNOWN:, -1], answers(started(curves, settings))


def test_all_beat_the_last_value_where_the_law_holds(known_law):
    actual, found = known_law
    errors = {name: np.abs(one.middle - actual).mean() for name, one in found.items()}
    assert max(errors[name] for name in errors if name != "last value") < errors["last value"] / 2
    assert errors["law"] == errors["law, calibrated"]


def test_stated_intervals_cover_where_the_law_holds(known_law):
    actual, found = known_law
    for name, one in found.items():
        inside = np.mean((one.low <= actual) & (actual <= one.high))
        assert inside >= 0.85, name
        assert (one.low <= one.high).all()
        assert (one.low >= 0).all()
        assert (one.high <= 1).all()


def test_law_sees_its_own_curve_only():
    curves, settings = drawn(runs=KNOWN + 3)
    first = started(curves, settings)
    other = replace(first, finished=first.finished[::-1] ** 2, settings=first.settings + 1)
    one, two = answers(first), answers(other)
    for end in ("middle", "low", "high"):
        np.testing.assert_array_equal(getattr(one["law"], end), getattr(two["law"], end))
    assert not np.allclose(one["law, calibrated"].low, two["law, calibrated"].low)
    assert not np.allclose(one["regression"].middle, two["regression"].middle)


def test_law_has_no_answer_from_as_many_epochs_as_parameters():
    curves, settings = drawn(runs=KNOWN + 3)
    few, more = (answers(started(curves, settings, seen)) for seen in (3, 4))
    for name in ("law", "law, calibrated"):
        assert np.isnan(few[name].middle).all()
        assert np.isfinite(more[name].low).all()
    assert np.isfinite(few["learner"].middle).all()


def test_long_prefixes_become_blocks():
    prefix = np.arange(17.0)[None]
    found = features(prefix, [[3.0]])
    # The first block has three epochs, the others two.
    np.testing.assert_array_equal(found[0, :2], [1.0, 3.5])
    np.testing.assert_array_equal(found[0, -2:], [16.0, 3.0])
    assert found.shape == (1, 10)
    # Of 12 epochs the last block is the last value.
    np.testing.assert_array_equal(features(prefix[:, :12], [[3.0]])[0, -3:], [10.0, 11.0, 3.0])
