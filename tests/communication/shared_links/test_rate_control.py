"""The rate law: its fixed point from any start, what the exponent does, and delay against roots."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    RateControl,
    jain_index,
    largest_stable_delay,
    simulate_rate_control,
)

LAW = RateControl(target=0.064, base=1.5)


@settings(max_examples=8, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6))
def test_every_start_ends_at_an_even_share(flows: int, seed: int) -> None:
    start = np.random.default_rng(seed).uniform(0.001, 1, flows)
    end = simulate_rate_control(LAW, start, 8000)
    assert end.rates[-1] == pytest.approx(np.full(flows, 1 / flows), rel=1e-4)
    assert end.inflation[-1] == pytest.approx(1.5 + 0.064 * flows**0.5, rel=1e-4)


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1.0])
def test_inflation_grows_as_a_power_of_the_flows(exponent: float) -> None:
    law = RateControl(0.3, exponent=exponent, base=1.0)
    start = np.random.default_rng(0)
    ends = [
        simulate_rate_control(law, start.uniform(0.01, 1, n), 6000).inflation[-1]
        for n in (4, 16, 64)
    ]
    assert np.diff(np.log(np.subtract(ends, 1))) == pytest.approx(exponent * np.log(4), rel=1e-3)


def test_without_an_exponent_the_start_decides() -> None:
    law = RateControl(0.064, 1.5, exponent=0.0)
    end = simulate_rate_control(law, [0.08, 0.02, 0.01], 8000)
    assert end.rates[-1] / end.rates[-1][0] == pytest.approx([1, 0.25, 0.125])
    assert jain_index(end.rates[-1]) < 0.65


def test_one_flow_alone_can_fill_no_queue() -> None:
    end = simulate_rate_control(LAW, [0.3], 3000)
    assert end.rates[-1] == 1
    assert end.inflation[-1] == 1


def test_twice_the_target_is_four_times_the_rate() -> None:
    """By hand: the same inflation for both, so rates go with the squares of the targets."""
    end = simulate_rate_control(LAW, [0.5, 0.5], 12_000, targets=[0.064, 0.128])
    assert end.rates[-1] == pytest.approx([0.2, 0.8], rel=1e-3)
    assert end.inflation[-1] == pytest.approx(1.6431, abs=1e-4)
    assert jain_index(end.rates[-1]) == pytest.approx(0.7353, abs=1e-3)


@pytest.mark.parametrize(
    ("flows", "inflation"), [(1, 1.564), (16, 1.756), (64, 2.012), (1024, 3.548), (8192, 7.293)]
)
def test_equilibrium_of_the_published_constants(flows: int, inflation: float) -> None:
    assert LAW.equilibrium_inflation(flows) == pytest.approx(inflation, abs=5e-4)


def growth(law: RateControl, flows: int, delay: int) -> float:
    """Return by how much a small swing of the inflation grows from early to late."""
    calm = float(law.equilibrium_inflation(flows))
    history = simulate_rate_control(
        law, np.full(flows, 1.0001 / flows), 9000, delay, inflation=calm
    )
    early, late = history.inflation[1000:3000], history.inflation[-2000:]
    return float(np.ptp(late) / np.ptp(early))


@pytest.mark.parametrize("flows", [4, 16, 64, 256])
def test_the_longest_stable_delay_separates_dying_from_growing(flows: int) -> None:
    limit = largest_stable_delay(LAW, flows)
    assert growth(LAW, flows, limit) < 0.9
    assert growth(LAW, flows, limit + 1) > 1.1


def test_more_flows_and_smaller_steps_bear_a_longer_delay() -> None:
    delays = [largest_stable_delay(LAW, flows) for flows in (4, 16, 64, 256, 1024)]
    assert delays == sorted(delays)
    gentle = RateControl(0.064, 1.5, drain=0.01)
    assert largest_stable_delay(gentle, 64) > largest_stable_delay(LAW, 64)


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-3, 1.5),
    st.floats(-1.5, 0.5),
    st.floats(-2, 1),
    st.floats(-7, 0),
    st.integers(1, 999),
)
def test_differences_between_flows_die_out_wherever_the_mean_does(
    target: float, exponent: float, gain: float, drain: float, flows: int
) -> None:
    law = RateControl(10**target, 1.5, 10**exponent, 10**gain, drain=10**drain)
    delay = largest_stable_delay(law, flows, 12)
    strength = law.gain * law.steepness * law.exponent * law.target
    assert delay == -1 or strength < 2 * np.sin(np.pi / (4 * delay + 2))
    roots = np.roots([1, -1, *[0] * (delay - 1), strength] if delay > 0 else [1, strength - 1])
    assert delay == -1 or np.abs(roots).max() < 1


def test_a_step_up_and_a_step_down_undo_each_other() -> None:
    up = LAW.factors(np.array([0.25]), 1.0, LAW.target)
    down = LAW.factors(np.array([0.25]), 1.5 + 4 * LAW.target, LAW.target)
    assert up * down == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: RateControl(0.1).equilibrium_inflation([4, 400]),
            "target must make base .* and 0.2",
        ),
        (lambda: simulate_rate_control(LAW, [0.1], 5, targets=[0.0]), "targets must be above 0"),
        (
            lambda: largest_stable_delay(RateControl(0.1, exponent=0.0), 4),
            "exponent must be above 0",
        ),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
