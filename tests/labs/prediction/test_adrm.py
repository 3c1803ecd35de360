"""ADRM: forecasts without looking ahead, adaptive regression and choosing a replica."""

import inspect
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from perfmodel.labs.prediction.adrm import regression
from perfmodel.labs.prediction.adrm.regression import (
    adaptive_regression,
    choose_replicas,
    chronological_split,
    exponential_forgetting,
    forecaster_bank,
    frozen_window,
    recursive_least_squares,
    replicas,
    sliding_window,
)
from perfmodel.labs.prediction.adrm.transfers import START_UP, copies, surrogate, table

Series = NDArray[np.float64]
Forecaster = Callable[[Series], Mapping[str, Series]]
SAME = 1e-9
"""Relative: matrix products of another shape add up in another order."""


def futures(series: Series, known: int, random: np.random.Generator) -> list[Series]:
    """Return positive series that are the given one in its first `known` values, and then differ.

    Series that agree up to a moment must get the same forecasts up to it. The other future is far
    from the first: a choice among methods stays the same under small changes, even where it is
    made with the answer in view.
    """
    past, rest = series[:known], series[known:]
    wild = rest * 10 ** random.uniform(-3, 3, rest.size)
    next_alone = np.append(1e3 * rest[0], rest[1:])
    others = (1e3 * rest, 1e-3 * rest, rest[::-1], wild, next_alone)
    return [past, *(np.concatenate([past, other]) for other in others)]


def looks_ahead(
    forecast: Forecaster, series: Series, random: np.random.Generator, moments: int = 2
) -> set[str]:
    """Return the names of the forecasts that know more than they may.

    Element i of a forecast is to be made from values 0 to i of the series (10 or more, above 0);
    the last element may be left out. Other futures begin after the first four moments, in which a
    choice among methods still depends on every single error, and after `moments` random ones.
    """
    honest, ahead = forecast(series), set()
    later = random.choice(np.arange(6, series.size), moments, replace=False)
    for known in (2, 3, 4, 5, *later):
        for other in futures(series, known, random):
            for name, values in forecast(other).items():
                size = min(known, len(values), len(honest[name]))
                pair = honest[name][:size], values[:size]
                if not np.allclose(*pair, rtol=SAME, atol=0, equal_nan=True):
                    ahead.add(name)
    return ahead


CHOICE = "np.column_stack([np.zeros(len(rows)), missed])"
LEAKS = {
    "the value that is forecast": ('"last": values,', '"last": values.shift(-1),', {"last"}),
    "the value after it": ('"last": values,', '"last": values.shift(-2),', {"last"}),
    "half of it": ('"last": values,', '"last": values / 2 + values.shift(-1) / 2,', {"last"}),
    "the mean of all": ("values.expanding().mean()", "values * 0 + values.mean()", {"mean"}),
    "a scale from all": ("values.expanding().mean()", "values / values.std()", {"mean"}),
    "ranks among all": ("values.expanding().mean()", "values.rank()", {"mean"}),
    "sorted values": (
        "past = values.rolling",
        "past = values.sort_values(ignore_index=True).rolling",
        {f"{of} of {window}" for of in ("mean", "median") for window in (5, 10, 30)},
    ),
    "a centred window": (
        "min_periods=1)",
        "min_periods=1, center=True)",
        {f"{of} of {window}" for of in ("mean", "median") for window in (5, 10, 30)},
    ),
    "smoothing from the end": (
        "values.ewm(alpha=share, adjust=False).mean()",
        "values[::-1].ewm(alpha=share, adjust=False).mean()[::-1]",
        {f"smoothing {share}" for share in (0.1, 0.3, 0.5)},
    ),
    "a choice with the answer in view": (CHOICE, "np.c_[missed, missed[:, -1]]", {"best"}),
    "a choice by all errors": (CHOICE, f"{CHOICE} * 0 + missed[:, -1:]", {"best"}),
}
"""What is put instead of what in the bank's source, and which forecasts then look ahead."""


def test_each_method_by_hand():
    forecasts = forecaster_bank([1.0, 5.0, 3.0, 9.0])
    assert forecasts["last"].tolist() == [1, 5, 3, 9]
    assert forecasts["mean"].tolist() == [1, 3, 3, 4.5]
    assert forecasts["median of 5"].tolist() == [1, 3, 3, 4]
    assert forecasts["smoothing 0.5"].tolist() == [1, 3, 3, 6]


def test_windows_forget():
    forecasts = forecaster_bank([100.0, *[1.0] * 5])
    assert forecasts["mean of 5"][-1] == 1
    assert forecasts["mean of 10"][-1] == pytest.approx(105 / 6)


def test_the_best_so_far_is_taken_and_only_the_past_decides():
    rng = np.random.default_rng(0)
    walk, noise = np.cumsum(rng.normal(size=200)) + 100, rng.normal(100, 1, 200)
    missed = {}
    for name, series in {"walk": walk, "noise": noise}.items():
        forecasts = forecaster_bank(series)
        missed[name] = {k: np.abs(v[20:-1] - series[21:]).mean() for k, v in forecasts.items()}
        of = missed[name]
        assert of["best"] <= 1.1 * min(of.values())
    assert missed["walk"]["last"] < missed["walk"]["mean"]
    assert missed["noise"]["mean"] < missed["noise"]["last"]


def drawn(seed, count=40):
    """Return a walk that is above 0, on which now one method is best and now another."""
    random = np.random.default_rng(seed)
    return np.exp(np.cumsum(random.normal(0, 0.1, count)) + random.normal(0, 0.2, count)), random


@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_no_method_and_no_choice_looks_ahead(seed):
    assert looks_ahead(forecaster_bank, *drawn(seed)) == set()


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found_where_it_was_planted(leak):
    old, new, where = LEAKS[leak]
    source = inspect.getsource(forecaster_bank)
    assert source.count(old) == 1
    planted = dict(vars(regression))
    exec(source.replace(old, new), planted)
    ahead = looks_ahead(planted["forecaster_bank"], *drawn(0))
    assert where <= ahead <= where | {"best"}


@given(st.lists(st.sampled_from([0.0, 0.0, 0.5, -2.0]), min_size=7, max_size=7), st.integers(0, 99))
def test_the_guard_finds_all_weights_on_later_values_and_only_those(weights, seed):
    """A weighted sum of the values from three before the present one to three after it."""

    def forecast(series):
        padded = np.pad(series, 3)
        return {"sum": sum(w * padded[k:][: series.size] for k, w in enumerate(weights))}

    ahead = looks_ahead(forecast, *drawn(seed, 12))
    assert ahead == ({"sum"} if any(weights[4:]) else set())


IDEAL = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 64.0])
TIME = np.array([13.5, 25.5, 37.5, 49.5, 61.5, 78.3])


@pytest.fixture(scope="module")
def trace():
    return surrogate(0)


def test_the_hand_worked_line():
    # 1.5 s to start and 1.2 times the ideal time: 64 MB at 8 Mbit/s take 78.3 s, and the ideal
    # time alone is 18.3 % too low.
    for relative in (True, False):
        assert adaptive_regression(IDEAL, TIME, sliding_window(6, 5), relative)[
            -1
        ] == pytest.approx(78.3)
    assert regression.mean_relative_error(TIME, IDEAL, slice(5, 6)) == pytest.approx(
        0.183, abs=5e-4
    )


def test_a_window_half_full_of_the_new_slope_lies_in_between():
    # 18 transfers at slope 1, 12 at 5/3, with like ideal times: (18 + 12 x 5/3) / 30 = 1.267.
    x = np.tile([10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 5)
    t = x * np.repeat([1.0, 5 / 3], [18, 12])
    far = adaptive_regression(
        np.append(x, 1000.0), np.append(t, 1.0), sliding_window(31, 30), relative=False
    )[-1]
    near = adaptive_regression(
        np.append(x, 500.0), np.append(t, 1.0), sliding_window(31, 30), relative=False
    )[-1]
    assert (far - near) / 500 == pytest.approx(38 / 30)


def test_each_memory_is_least_squares_on_its_rows(trace):
    x, t = trace.ideal[:80], trace.time[:80]
    rows = {"window": np.arange(50, 79), "frozen": np.arange(29), "all": np.arange(79)}
    memory = {
        "window": sliding_window(80, 29),
        "frozen": frozen_window(80, 29),
        "all": sliding_window(80, 80),
    }
    for name, used in rows.items():
        slope, shift = np.polyfit(x[used], t[used], 1, w=1 / t[used])
        predicted = adaptive_regression(x, t, memory[name])[-1]
        assert predicted == pytest.approx(shift + slope * x[-1]), name


@pytest.mark.parametrize("forget", [0.8, 0.95, 1.0])
def test_the_recursion_is_the_fading_memory(trace, forget):
    x, t = trace.ideal[:200], trace.time[:200]
    batch = adaptive_regression(x, t, exponential_forgetting(200, forget))
    assert recursive_least_squares(x, t, forget)[10:] == pytest.approx(batch[10:], rel=1e-5)


def test_memories_see_no_present_and_no_future(trace):
    x, t = trace.ideal[:90], trace.time[:90].copy()
    before = {
        memory: adaptive_regression(x, t, memory(90, 20))
        for memory in (sliding_window, frozen_window)
    }
    steps = recursive_least_squares(x, t, 0.9)
    t[60:] *= 7
    for memory, predicted in before.items():
        assert (adaptive_regression(x, t, memory(90, 20))[:61] == predicted[:61]).all()
    assert (recursive_least_squares(x, t, 0.9)[:61] == steps[:61]).all()
    assert exponential_forgetting(4, 0.5)[3].tolist() == [0.25, 0.5, 1.0, 0.0]
    assert sliding_window(4, 2)[3].tolist() == [0.0, 1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="memory must be 0 for the request itself"):
        adaptive_regression(x, t, np.ones((90, 90)))


def test_no_prediction_of_a_transfer_looks_at_it_or_at_later_ones(trace):
    ideal, size = trace.ideal, trace.size

    def predictions(time):
        n = time.size
        memories = {
            "sliding": sliding_window(n, 6),
            "frozen": frozen_window(n, 4),
            "fading": exponential_forgetting(n, 0.8),
        }
        predicted = {
            k: adaptive_regression(ideal[:n], time, memory)[1:] for k, memory in memories.items()
        }
        predicted["recursive"] = recursive_least_squares(ideal[:n], time, 0.8)[1:]
        return {**predicted, "throughput": regression.throughput_prediction(size[:n], time, 6)}

    def planted(time):
        known = {k: v * (1 + 1e-6 * time[1:]) for k, v in predictions(time).items()}
        return {**predictions(time), "fading": known["fading"]}

    random = np.random.default_rng(0)
    assert looks_ahead(predictions, trace.time[:40], random) == set()
    assert looks_ahead(planted, trace.time[:40], random) == {"fading"}


def test_several_traces_at_once():
    traces = [surrogate(seed, count=60) for seed in (0, 1)]
    ideal, time = (np.array([getattr(t, of) for t in traces]) for of in ("ideal", "time"))
    predicted = adaptive_regression(ideal, time, sliding_window(60, 9))
    for prediction, trace in zip(predicted, traces, strict=True):
        assert prediction == pytest.approx(
            adaptive_regression(trace.ideal, trace.time, sliding_window(60, 9))
        )
    errors = [regression.mean_relative_error(t, p) for t, p in zip(time, predicted, strict=True)]
    assert regression.mean_relative_error(time, predicted) == pytest.approx(np.mean(errors))


def test_little_to_learn_from():
    x, t = np.array([10.0, 10.0, 10.0]), np.array([12.0, 12.0, 12.0])
    # Nothing yet: the ideal time. No slope to be seen: the factor.
    assert adaptive_regression(x, t, sliding_window(3, 3)) == pytest.approx([10.0, 12.0, 12.0])


@given(st.floats(0.2, 5), st.floats(0, 10), st.integers(2, 25), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_world_that_is_a_line_is_learned_by_every_window(slope, shift, window, seed):
    x = np.random.default_rng(seed).permutation(np.linspace(10, 90, 30))
    t = shift + slope * x
    assert adaptive_regression(x, t, sliding_window(30, window))[2:] == pytest.approx(
        t[2:], rel=1e-6
    )
    assert recursive_least_squares(x, t, 1.0)[5:] == pytest.approx(t[5:], rel=1e-4)


def test_the_surrogate_is_what_it_says():
    exact = surrogate(3, gains=(1.0, 0.5), probe_noise=0.0)
    assert (exact.probe == exact.bandwidth).all()
    factor = (exact.time - START_UP) / exact.ideal
    assert np.log(factor[:300]).mean() == pytest.approx(0, abs=0.01)
    assert np.log(factor[300:]).mean() == pytest.approx(np.log(2), abs=0.01)
    assert np.log(factor[300:]).std() == pytest.approx(0.05, rel=0.15)
    noisy = surrogate(3, probe_noise=0.1)
    assert np.log(noisy.probe / noisy.bandwidth).std() == pytest.approx(0.1, rel=0.1)
    assert (surrogate(3).time == noisy.time).all()


def test_window_error_is_u_shaped_when_the_world_changes_and_falls_when_it_does_not():
    windows, before, after = (5, 20, 150), [], []
    for window in windows:
        runs = [
            (t, adaptive_regression(t.ideal, t.time, sliding_window(600, window)))
            for t in map(surrogate, (0, 1))
        ]
        before.append(
            np.mean([regression.mean_relative_error(t.time, p, slice(150, 300)) for t, p in runs])
        )
        after.append(
            np.mean([regression.mean_relative_error(t.time, p, slice(300, None)) for t, p in runs])
        )
    assert before[0] > before[1] > before[2]
    assert after[0] > after[1] < after[2]


def test_mean_throughput():
    predicted = regression.throughput_prediction([8.0, 2.0, 6.0], [4.0, 4.0, 1.0], window=2)
    assert predicted == pytest.approx([2.0 * 4 / 8, 6.0 * 8 / 10])


def test_in_order_looks_only_back(trace):
    runs = table(trace)
    split = chronological_split(runs, 300)
    split.check(runs)
    assert split.train.max() < split.tests["beyond"].min()
    with pytest.raises(ValueError, match="budget must be below the 600 rows, got 600"):
        chronological_split(runs, 600)


def test_copies_with_a_clock_that_ticks():
    ticks = iter(range(1000))
    measured = copies(6, clock=lambda: float(next(ticks)))
    assert measured.time == pytest.approx(1.0)
    assert measured.probe == pytest.approx(256 * 1024)
    assert measured.gain == pytest.approx(measured.size / measured.probe)


@pytest.mark.parametrize(
    ("variant", "expected", "around"),
    [
        ("probe", 0.272, 0.01),
        ("frozen", 0.248, 0.01),
        ("expanding", 0.215, 0.01),
        ("sliding", 0.096, 0.01),
        ("throughput", 0.359, 0.05),
    ],
)
def test_errors_on_the_surrogate_are_those_of_a_separate_calculation(variant, expected, around):
    assert np.mean(regression.benchmark()[variant]) == pytest.approx(expected, abs=around)


def test_adapting_beats_learning_once_and_learning_beats_the_bare_probe():
    variants = ("sliding", "expanding", "frozen", "probe")
    means = [np.mean(regression.benchmark()[variant]) for variant in variants]
    assert means == sorted(means)


def test_nobody_beats_those_who_know():
    errors = {name: np.array(values) for name, values in regression.benchmark(2).items()}
    assert (errors["all known"] < errors["share known"]).all()
    assert (errors["share known"] < errors["sliding"]).all()
    # The mean of |exp(0.05 N) - 1| is 0.04, but for the start-up.
    assert errors["all known"].mean() == pytest.approx(0.05 * np.sqrt(2 / np.pi), rel=0.1)


def test_memories_fit_the_requests_and_traces_the_regimes():
    with pytest.raises(ValueError, match=r"memory must have shape \(n, n\)"):
        adaptive_regression([1.0, 2, 3], [1.0, 2, 3], sliding_window(4, 2))
    with pytest.raises(ValueError, match="multiple of 6 regimes and 2 gains, got 601"):
        surrogate(0, count=601)


ALIKE, CROSSING, LATE = [(0.6, 0.6)] * 3, [(1, 0.6), (0.8, 0.8), (0.6, 1)], [(0.8, 0.8), (0.3, 1)]


def test_a_bias_that_all_share_is_no_loss():
    traces = replicas(0, ALIKE)
    bare, learned = choose_replicas(traces, learn=0), choose_replicas(traces)
    assert bare.error > 0.4 > 0.1 > learned.error
    assert bare.time_lost == pytest.approx(learned.time_lost, abs=0.01)


def test_when_the_best_replica_changes_only_adapting_follows():
    traces = replicas(0, CROSSING)
    bare, frozen, adapting = (
        choose_replicas(traces, learn=0),
        choose_replicas(traces, 1.0, learn=30),
        choose_replicas(traces),
    )
    assert adapting.time_lost < bare.time_lost / 2 < frozen.time_lost
    assert adapting.best_fraction > bare.best_fraction


def test_who_never_looks_never_learns():
    traces = replicas(1, LATE)
    sure, curious = choose_replicas(traces), choose_replicas(traces, explore=0.02)
    assert sure.error < curious.error
    assert curious.time_lost < sure.time_lost / 2


def test_one_replica_leaves_no_choice():
    choice = choose_replicas(replicas(0, [(1.0, 0.6)]))
    assert (choice.time_lost, choice.best_fraction) == (0.0, 1.0)


def test_replicas_hold_the_same_files():
    first, second = replicas(4, [(1.0,), (0.5,)])
    assert (first.size == second.size).all()
    assert (first.bandwidth != second.bandwidth)[1:].all()
    assert set(np.unique(second.gain)) == {0.5}
