"""What data don't determine is said, by every fitter of the topics; what they do is covered.

Each case gives a fitter data that say nothing about one parameter, and reads what it returns: an
end of an interval that is open, or a refusal that names what is missing.
"""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.benchmarking import fit_quadratic
from perfmodel.communication import bootstrap_messages, fit_messages
from perfmodel.forecasting import (
    LOSSES,
    POWER_LAW,
    SATURATING_POWER_LAW,
    TWO_VARIABLE_LAW,
    bootstrap_law,
    compute_optimal,
    fit_law,
    forecast_interval,
    prefix_regression,
)
from perfmodel.labs.forecasting.adele.characteristic_curves import fit_characteristic_curve
from perfmodel.labs.forecasting.adele.item_response import fit_rasch
from perfmodel.prediction import fitted_line
from perfmodel.queueing import fit_hyper_erlang, fit_map_em
from perfmodel.scaling import fit_serial_fraction, fit_usl, usl_throughput
from perfmodel.serving import fit_roofline

TRUE = {"E": 1.8, "A": 480.0, "B": 2100.0, "alpha": 0.35, "beta": 0.37}
SIZES = np.geomspace(5e7, 4e9, 14)
NOISE = 0.002


def luck(count, seed=0, spread=NOISE):
    return np.exp(spread * np.random.default_rng(seed).standard_normal(count))


def runs(sizes, tokens, seed=0, loss=LOSSES[1]):
    tokens = np.broadcast_to(tokens, sizes.shape)
    y = TWO_VARIABLE_LAW.value(TRUE, sizes, tokens) * luck(sizes.size, seed)
    return fit_law(TWO_VARIABLE_LAW, (sizes, tokens), y, loss=loss)


def loss_interval(fit, *place, way="pairs"):
    return bootstrap_law(fit, 40, method=way).forecast(*place)


def steps(compute_bound):
    """Thirty steps bound by one side of a roofline, whose other side is anything."""
    rng = np.random.default_rng(1)
    amount, other = np.geomspace(1e8, 1e10, 30), rng.uniform(0.01, 0.4, 30)
    seconds = 2e-5 + amount / 7e11
    work, moved = (amount, amount * other) if compute_bound else (amount * other, amount)
    return work, moved, seconds * luck(30, 1, 0.02)


def messages(sizes, seed=0):
    return bootstrap_messages(
        fit_messages(sizes, (1e-5 + sizes / 1e10) * luck(sizes.size, seed, 0.02), breaks=0), 200
    )


def branches(*times):
    fit = fit_hyper_erlang(np.concatenate(times), [1, 1])
    return 0, fit.mean_errors.max()


def curve(solved, anchor=20.0):
    items = np.full(4, 500.0)
    return fit_characteristic_curve(np.arange(1.0, 5), items, solved, anchor=anchor).bounds


def usl_coherency():
    load = np.array([1.0, 2, 3, 4, 5])
    fit = fit_usl(load, usl_throughput(load, 100, 0.05, 1e-5) * luck(5, 3))
    return fit.peak_load_interval


def usl_further(at):
    load = np.array([1.0, 2, 4, 8, 16, 32])
    return fit_usl(load, usl_throughput(load, 100, 0.05, 1e-4) * luck(6)).predict(at)[1:]


def prefix_of_constant():
    rng = np.random.default_rng(0)
    curves = np.column_stack([np.full(12, 3.0), rng.normal(size=12), rng.normal(size=12)])
    return prefix_regression(curves, 2).interval([[4.0, 0.0]])


WIDE = {
    "two-variable law, one token count": lambda: loss_interval(runs(SIZES, 2e10), 4e9, 2e11),
    "the same, robust": lambda: loss_interval(runs(SIZES, 2e10, loss=LOSSES[0]), 4e9, 2e11),
    "its data exponent": lambda: bootstrap_law(runs(SIZES, 2e10), 40).interval("beta"),
    "its data scale": lambda: bootstrap_law(runs(SIZES, 2e10), 40).interval("B"),
    "its floor": lambda: bootstrap_law(runs(SIZES, 2e10), 40).interval("E"),
    "one size": lambda: loss_interval(runs(np.full(14, 1e9), SIZES), 4e10, 4e9),
    "its size exponent": lambda: bootstrap_law(runs(np.full(14, 1e9), SIZES), 40).interval("alpha"),
    "normal resamples": lambda: loss_interval(runs(SIZES, 2e10), 4e9, 2e11, way="normal"),
    "residuals": lambda: loss_interval(runs(SIZES, 2e10), 4e9, 2e11, way="residuals"),
    "several bootstraps": lambda: forecast_interval(
        [bootstrap_law(runs(SIZES, 2e10), 40)], 4e9, 4e9
    ),
    "two token counts": lambda: loss_interval(
        runs(SIZES, np.where(np.arange(14) % 2, 2e10, 4e10)), 4e9, 2e12
    ),
    "as many runs as parameters": lambda: bootstrap_law(
        fit_law(SATURATING_POWER_LAW, [1.0, 2, 4], [3.0, 2.5, 2.3]), 40
    ).forecast(100.0),
    "one x": lambda: bootstrap_law(fit_law(POWER_LAW, np.full(6, 5.0), luck(6)), 40).interval("b"),
    "a forecast from one x": lambda: bootstrap_law(
        fit_law(POWER_LAW, np.full(6, 5.0), luck(6)), 40
    ).forecast(50.0),
    "roofline, memory-bound": lambda: fit_roofline(*steps(False)).interval("peak"),
    "roofline, compute-bound": lambda: fit_roofline(*steps(True)).interval("bandwidth"),
    "messages, small ones": lambda: messages(2.0 ** np.arange(2, 9)).bandwidth(),
    "scalability, no peak seen": usl_coherency,
    "scalability, four times as far": lambda: usl_further(128),
    "scalability, sixteen times as far": lambda: usl_further(512),
    "two branches, one time": lambda: branches(np.full(20, 1.0)),
    "two branches, two times": lambda: branches([1.0, 2.0]),
    "items that all solve": lambda: curve([500, 500, 500, 500]),
    "items that nobody solves": lambda: curve([1, 0, 0, 0]),
    "a prefix that never varied": prefix_of_constant,
    "a subject that solves all": lambda: (
        0,
        fit_rasch([[9, 9]] * 2, [[9, 9], [5, 2]]).ability_errors[0],
    ),
    "subjects that share no group": lambda: (
        0,
        fit_rasch([[9, 0], [0, 9]], [[5, 0], [0, 3]]).difficulty_errors.max(),
    ),
}
REFUSED = {
    "compute-optimal of one token count": (
        lambda: compute_optimal(runs(SIZES, 2e10).theta, 1e21),
        "leave B, beta open: all runs have D = 2e\\+10; add runs at other D",
    ),
    "compute-optimal on a line": (
        lambda: compute_optimal(runs(SIZES, 20 * SIZES).theta, 1e21),
        "N and D move together in all runs",
    ),
    "roofline of one intensity": (
        lambda: fit_roofline(SIZES, SIZES / 50, 1e-5 + SIZES / 1e13),
        "add steps of another operational intensity",
    ),
    "a step that the open side would bind": (
        lambda: fit_roofline(*steps(False)).seconds(1e15, 1e8),
        "show only that it is .* or more",
    ),
    "messages of one size": (
        lambda: fit_messages([8.0] * 9, luck(9)),
        "sizes must have 3 different values or more, got 1",
    ),
    "serial fraction of the base alone": (
        lambda: fit_serial_fraction([16, 16, 16], [1, 1.01, 0.99], base=16),
        "2 or more runs on 32 or more processors",
    ),
    "scalability of two loads": (
        lambda: fit_usl([1, 1, 4, 4], [10, 11, 30, 31]),
        "3 or more different values, got 2",
    ),
    "a quadratic on two levels": (
        lambda: fit_quadratic([[-1.0], [1], [-1], [1]], [1.0, 2, 1, 2]),
        "three levels",
    ),
    "a line through one prediction": (
        lambda: fitted_line([1.0], [2.0, 2.0], [3.0, 4.0]),
        "known must have two different values or more, got 2 only",
    ),
}


@pytest.mark.parametrize("case", WIDE)
def test_an_interval_is_open_where_nothing_is_known(case):
    low, high = (float(np.squeeze(end)) for end in WIDE[case]())
    assert low <= high
    assert np.isinf(high) or np.isinf(low)


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_names_what_is_missing(case):
    ask, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        ask()


def test_two_phases_of_six_times_are_not_determined():
    gaps = [1.0, 2, 3, 4, 5, 6]
    assert not fit_map_em(gaps, 2).determined
    assert fit_map_em([*gaps, 7], 2).determined


def test_runs_on_a_line_forecast_along_it_and_not_away_from_it():
    fit = runs(SIZES, 20 * SIZES)
    along, away = (np.diff(loss_interval(fit, 1e10, tokens))[0] for tokens in (2e11, 2e12))
    assert along < 0.06
    assert away > 3 * along


@pytest.mark.parametrize("jitter", [0.0, 0.05])
def test_forecasts_away_from_a_line_hold_the_truth(jitter):
    """Twelve draws: with 95 % each, fewer than 10 happen once in 50 times."""
    tokens = 20 * SIZES * luck(14, 7, jitter)
    held = 0
    for seed in range(12):
        low, high = loss_interval(runs(SIZES, tokens, seed), 4e9, 2e11)
        held += low <= TWO_VARIABLE_LAW.value(TRUE, 4e9, 2e11) <= high
    assert held >= 10


def covered(draw, count=400):
    """Return the share of intervals that hold the truth; its standard error is 1.1 %."""
    return np.mean([low <= true <= high for low, true, high in map(draw, range(count))])


def serial(seed):
    p = np.array([2.0, 4, 8, 16, 32])
    noise = 0.002 * np.random.default_rng(seed).standard_normal(5)
    ends = fit_serial_fraction(p, 1 / (0.05 + 0.95 / p + noise)).interval
    return ends[0], 0.05, ends[1]


def throughput(seed):
    load = np.array([1.0, 2, 4, 8, 16, 32, 48, 64])
    truth = usl_throughput(load, 100, 0.05, 1e-3)
    fit = fit_usl(load, truth + np.random.default_rng(seed).standard_normal(8))
    ends = fit.predict(96)
    return ends.low, usl_throughput(96, 100, 0.05, 1e-3), ends.high


def latency(seed):
    low, high = messages(2.0 ** np.arange(10, 29), seed).latency()
    return low, 1e-5, high


def bandwidth(seed):
    low, high = messages(2.0 ** np.arange(10, 29), seed).bandwidth()
    return low, 1e10, high


def prefix(seed):
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(20, 2))
    ends = seen @ [1.0, 0.5] + 0.1 * rng.standard_normal(20)
    line = prefix_regression(np.column_stack([seen[1:], ends[1:]]), 2)
    low, high = line.interval(seen[:1])
    return float(low[0]), ends[0], float(high[0])


@pytest.mark.parametrize("draw", [serial, throughput, latency, bandwidth, prefix])
def test_an_interval_of_95_percent_holds_what_was_planted_in_93_to_97(draw):
    assert 0.93 - 0.011 <= covered(draw) <= 0.97 + 0.011


def test_a_base_of_many_processors_gives_the_same_serial_fraction():
    p = np.array([16.0, 32, 64, 128])
    time = 0.01 + 0.99 / p
    fit = fit_serial_fraction(p, time[0] / time, base=16)
    assert fit.serial_fraction == pytest.approx(0.01, rel=1e-9)
