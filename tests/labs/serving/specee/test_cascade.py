from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from perfmodel.labs.serving.specee import cascade
from perfmodel.labs.serving.specee.cascade import (
    LAYERS,
    Contest,
    Spread,
    compete,
    forecast,
    measure_parts,
    schedules,
    sure_at,
    trained,
)
from perfmodel.serving import (
    ExitCosts,
    best_checked_layers,
    exit_shares,
    exits_when_checked,
    mean_exit_layer,
)


@pytest.fixture
def work(monkeypatch):
    """Return a clock that counts layers and checks in place of time."""
    seconds = [0.0]

    def counted(name, cost):
        plain = getattr(cascade, name)

        def run(*given):
            seconds[0] += cost
            return plain(*given)

        monkeypatch.setattr(cascade, name, run)

    counted("_layer", 10e-6)
    counted("_check", 4e-6)
    counted("_last", 7e-6)
    return lambda: seconds[0]


def test_net_learned_digits():
    net, held = trained().net, trained()
    full = [net.answer(picture, frozenset())[0] for picture in held.tested]
    assert np.mean(np.array(full) == held.digits) > 0.9


def test_answer_is_that_of_the_first_sure_check():
    net, every = trained().net, frozenset(range(1, LAYERS))
    for picture in trained().tested[:30]:
        digit, left = net.answer(picture, every)
        if left < LAYERS:
            assert net.answer(picture, frozenset({left})) == (digit, left)
        for place in range(1, left):
            assert net.answer(picture, frozenset({place}))[1] == LAYERS


def test_parts_are_what_the_clock_counts(work):
    parts = measure_parts(trained(), rounds=6, several=2, clock=work)
    assert parts["layer"] == pytest.approx((10e-6, 10e-6, 10e-6))
    assert parts["check"] == pytest.approx((4e-6, 4e-6, 4e-6))
    assert parts["fixed"].median == pytest.approx(10e-6)
    assert parts["answer"].median == pytest.approx(7e-6)


def test_measured_speedup_is_that_of_the_layers_and_checks_made(work):
    every = schedules(trained(), 10e-6, 4e-6)["every layer"]
    (found,) = compete(trained(), [every], rounds=6, clock=work)
    net, pictures = trained().net, trained().tested[: cascade.PICTURES]
    left = np.array([net.answer(picture, every)[1] for picture in pictures])
    time = 10 + 10 * left + 4 * np.minimum(left, LAYERS - 1) + 7 * (left == LAYERS)
    assert found.speedup.median == pytest.approx((17 + 10 * LAYERS) / time.mean())
    assert found.mean_exit == left.mean()
    assert found.forecast.median == pytest.approx(found.speedup.median, rel=0.15)
    assert found.ratio.median == pytest.approx(found.speedup.median / found.forecast.median)


def test_schedules_are_held_against_the_first(work):
    every = frozenset(range(1, LAYERS))
    first, second = compete(trained(), [every, frozenset({1})], rounds=6, clock=work)
    assert first.faster == (1, 1, 1)
    assert second.faster.median == pytest.approx(second.speedup.median / first.speedup.median)


def test_forecast_of_the_pictures_that_are_held(work):
    """Exits of the very pictures that made the forecast: layers and checks are counted exactly."""
    same = replace(trained(), tested=trained().held)
    every = frozenset(range(1, LAYERS))
    pictures = trained().held[: cascade.PICTURES]
    first = exit_shares([trained().net.answer(x, every)[1] for x in pictures], LAYERS)
    (found,) = compete(same, [every], rounds=6, clock=work)
    expected = forecast(first, ExitCosts(10e-6, check=4e-6, fixed=10e-6, answer=7e-6), every)
    assert found.speedup.median == pytest.approx(expected)


def test_best_schedule_is_the_models():
    places = schedules(trained(), 10e-6, 4e-6)["best by the model"]
    assert places == frozenset(best_checked_layers(sure_at(trained()), 10e-6, 4e-6)[0])
    shares = exits_when_checked(sure_at(trained()), places)
    assert 1 <= mean_exit_layer(shares) < LAYERS
    assert schedules(trained(), 1.0, 100.0)["best by the model"] == frozenset()


def test_asking_nowhere_is_forecast_to_gain_nothing():
    assert forecast(sure_at(trained()), ExitCosts(1.0, check=0.4, fixed=2.0), frozenset()) == 1


def test_verdict_has_a_branch_for_each_outcome():
    def verdict(low, high):
        one = Spread(1.0, 1.0, 1.0)
        return Contest(frozenset({1}), 2.0, 1.0, 1.0, one, one, Spread(1.0, low, high), one).verdict

    found = [verdict(*ends) for ends in ((0.8, 0.9), (0.9, 1.1), (1.1, 1.2))]
    assert found == ["too high", "not refuted", "too low"]


def test_refuses():
    ticks = count()
    with pytest.raises(ValueError, match="rounds must be a whole number, 6 or more, got 5"):
        measure_parts(trained(), 5, 1, lambda: float(next(ticks)))
    with pytest.raises(ValueError, match="rounds must be a whole number, 6 or more, got 2"):
        compete(trained(), [], 2)
    with pytest.raises(ValueError, match="several must be a whole number, 1 or more, got 0"):
        measure_parts(trained(), 6, 0)
