"""SpecEE: exits in the logs, schedules of asking, the cascade and two devices."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.specee import cascade, claims, devices, logs
from perfmodel.labs.serving.specee.cascade import (
    LAYERS as NET_LAYERS,
    Contest,
    Spread,
    compete,
    forecast,
    measure_parts,
    schedules,
    sure_at,
    trained,
)
from perfmodel.labs.serving.specee.devices import (
    EVERY,
    FEWEST,
    GPU_LAYER,
    SCHEDULES,
    Line,
    Reading,
    SlowPrompts,
    cpu_layer,
    fitted_line,
    forecast_seconds,
    frequent,
    full_seconds,
    held_out_hits,
    hits,
    long_enough,
    near,
    outside,
    points,
    quiet_reading,
    quiet_seconds,
    reading_seconds,
    readings,
    released,
    shares,
    shuffled_hits,
    slow_prompts,
    slowed,
    tilted,
    token_seconds,
)
from perfmodel.labs.serving.specee.findings import (
    DeviceResults,
    device_results,
    devices_summary,
    periods_summary,
    race_rows,
    race_summary,
)
from perfmodel.labs.serving.specee.logs import (
    DECODING,
    ESTIMATORS,
    EXECUTED,
    FIXED,
    HEADLINE,
    LAYERS,
    MEANS,
    MEDIANS,
    RATIOS,
    SPEEDUPS,
    Interval,
    all_exits,
    exits,
    most_moving,
    prompts,
    speedup,
    speedup_interval,
)
from perfmodel.labs.serving.specee.token_chart import COUNT, drawn, token_steps
from perfmodel.live.drawing import Box
from perfmodel.serving import (
    ExitCosts,
    best_checked_layers,
    device_layers,
    exit_probabilities,
    exits_when_checked,
    ideal_exit_speedup,
    mean_exit_layer,
)


@pytest.fixture
def work(monkeypatch):
    """Return a clock that counts layers and checks instead of time."""
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
    net, every = trained().net, frozenset(range(1, NET_LAYERS))
    for picture in trained().tested[:30]:
        digit, left = net.answer(picture, every)
        if left < NET_LAYERS:
            assert net.answer(picture, frozenset({left})) == (digit, left)
        for index in range(1, left):
            assert net.answer(picture, frozenset({index}))[1] == NET_LAYERS


def test_parts_are_what_the_clock_counts(work):
    parts = measure_parts(trained(), rounds=6, several=2, clock=work)
    assert parts["layer"] == pytest.approx((10e-6, 10e-6, 10e-6))
    assert parts["check"] == pytest.approx((4e-6, 4e-6, 4e-6))
    assert parts["fixed"].median == pytest.approx(10e-6)
    assert parts["answer"].median == pytest.approx(7e-6)


def test_measured_speedup_is_that_of_the_layers_and_checks_made(work):
    every = schedules(trained(), 10e-6, 4e-6)["every layer"]
    (result,) = compete(trained(), [every], rounds=6, clock=work)
    net, pictures = trained().net, trained().tested[: cascade.PICTURES]
    left = np.array([net.answer(picture, every)[1] for picture in pictures])
    time = 10 + 10 * left + 4 * np.minimum(left, NET_LAYERS - 1) + 7 * (left == NET_LAYERS)
    assert result.speedup.median == pytest.approx((17 + 10 * NET_LAYERS) / time.mean())
    assert result.mean_exit == left.mean()
    assert result.forecast.median == pytest.approx(result.speedup.median, rel=0.15)
    assert result.ratio.median == pytest.approx(result.speedup.median / result.forecast.median)


def test_schedules_are_held_against_the_first(work):
    every = frozenset(range(1, NET_LAYERS))
    first, second = compete(trained(), [every, frozenset({1})], rounds=6, clock=work)
    assert first.faster == (1, 1, 1)
    assert second.faster.median == pytest.approx(second.speedup.median / first.speedup.median)


def test_forecast_of_the_pictures_that_are_held(work):
    """Exits of the very pictures that made the forecast: layers and checks are counted exactly."""
    same = replace(trained(), tested=trained().held)
    every = frozenset(range(1, NET_LAYERS))
    pictures = trained().held[: cascade.PICTURES]
    first = exit_probabilities([trained().net.answer(x, every)[1] for x in pictures], NET_LAYERS)
    (result,) = compete(same, [every], rounds=6, clock=work)
    expected = forecast(first, ExitCosts(10e-6, check=4e-6, fixed=10e-6, answer=7e-6), every)
    assert result.speedup.median == pytest.approx(expected)


def test_best_schedule_is_the_models():
    places = schedules(trained(), 10e-6, 4e-6)["best by the model"]
    assert places == frozenset(best_checked_layers(sure_at(trained()), 10e-6, 4e-6)[0])
    shares = exits_when_checked(sure_at(trained()), places)
    assert 1 <= mean_exit_layer(shares) < NET_LAYERS
    assert schedules(trained(), 1.0, 100.0)["best by the model"] == frozenset()


def test_asking_nowhere_is_forecast_to_gain_nothing():
    assert forecast(sure_at(trained()), ExitCosts(1.0, check=0.4, fixed=2.0), frozenset()) == 1


def test_verdict_has_a_branch_for_each_outcome():
    def conclusion(low, high):
        one = Spread(1.0, 1.0, 1.0)
        return Contest(
            frozenset({1}), 2.0, 1.0, 1.0, one, one, Spread(1.0, low, high), one
        ).conclusion

    result = [conclusion(*ends) for ends in ((0.8, 0.9), (0.9, 1.1), (1.1, 1.2))]
    assert result == ["too high", "not refuted", "too low"]


def test_more_is_missed_than_held_of_the_speedups():
    rows = [claim for claim in claims.SHEET.claims if claim.quantity.startswith("speedup, Llama")]
    assert len(rows) == len(SPEEDUPS) == 12
    assert [row.printed for row in rows if not row.miss] == ["1.27", "1.43"]


def test_bound_is_what_tasks_differ_by_and_no_row_is_near_it():
    """It comes from Table 4, and any bound between 1.6 and 10.8 % would give the same rows."""
    by_task = [
        float(ideal_exit_speedup(LAYERS[model], executed)) / claims.free_speedup(model) - 1
        for model, tasks in EXECUTED.items()
        for executed in tasks
    ]
    largest = max(map(abs, by_task))
    assert largest == pytest.approx((53.867 + 1) / (49.40 + 1) - 1, abs=1e-4)  # 70B, SST2
    assert 0.08 < largest <= claims.BOUND == 0.09
    rows = [claim for claim in claims.SHEET.claims if claim.quantity.startswith("speedup, Llama")]
    assert {row.within for row in rows} == {claims.BOUND}
    errors = sorted(abs(row.check().error) for row in rows)
    assert errors[1] < 0.016
    assert errors[2] > 0.108


def test_one_speedup_is_more_than_layers_allow():
    over = [row for row in SPEEDUPS if row.speedup > claims.free_speedup(row.model)]
    assert [(row.model, row.place) for row in over] == [("7B", "RTX 4090")]


def test_forecast_by_hand():
    """7B: 32/(23.10 + 1) of the layers' time, 5.625 % of the token for predictors."""
    assert claims.free_speedup("7B") == pytest.approx(1.3278, abs=2e-4)
    assert claims.forecast_speedup("7B") == pytest.approx(1.3278 * 0.94375, abs=2e-4)


def test_unexplained_layers_give_back_the_printed_speedup():
    for row in SPEEDUPS:
        layers = claims.mean_executed(row.model) + 1 + claims.unexplained_layers(row)
        again = LAYERS[row.model] * (1 - claims.PREDICTOR_SHARE) / layers
        assert again == pytest.approx(row.speedup)


def test_predictors_by_hand():
    assert claims.predictor_bytes() == 32 * 2 * 7169 == 458_816
    assert 32 * 2 * (12 * 512 + 512) / 1024 == 416


def test_no_task_runs_more_than_all_layers():
    for model, layers in LAYERS.items():
        assert len(EXECUTED[model]) == 7
        assert 0.5 * layers < min(EXECUTED[model]) <= max(EXECUTED[model]) < layers


def test_layers_by_hand():
    """404.8 MB a layer: 0.2 ms from the GPU's memory, 14.2 ms on the CPU, which is 28.5 GB/s."""
    assert pytest.approx(404.8e6, rel=1e-3) == devices.LAYER_BYTES
    assert pytest.approx(404.8e6 / 2039e9, rel=1e-3) == GPU_LAYER
    assert cpu_layer() == pytest.approx((230.06e-3 - 16 * 0.1985e-3) / 16, rel=1e-3)
    assert full_seconds(16) == pytest.approx(token_seconds("full"))


def test_forecast_is_the_tokens_mean():
    exits = all_exits()
    mean = np.mean(np.minimum(exits, 16) * GPU_LAYER + np.maximum(exits - 16, 0) * cpu_layer())
    assert forecast_seconds(16) == pytest.approx(mean)
    assert device_layers(shares(), 16).second == pytest.approx(9.3447, abs=1e-4)


def test_early_exit_gained_more_than_layers_say_and_less_than_devices_allow():
    measured = token_seconds("full") / token_seconds("early")
    assert 32 / mean_exit_layer(shares()) < measured < full_seconds(16) / forecast_seconds(16)


@pytest.mark.parametrize("reading", readings().values(), ids=readings())
def test_each_reading_gives_the_measured_mean(reading):
    assert forecast_seconds(16, reading) == pytest.approx(token_seconds("early"))


def test_line_is_least_squares_and_agrees_with_both_readings():
    layers, seconds = points()
    assert layers.size == fitted_line().prompts == 77
    slope, intercept = np.polyfit(layers, seconds, 1)
    line = fitted_line()
    assert (line.slope, line.intercept) == (pytest.approx(slope), pytest.approx(intercept))
    for reading in readings().values():
        assert abs(line.slope - reading.factor * cpu_layer()) < 2 * line.slope_error
        assert abs(line.intercept - reading.extra) < 2 * line.intercept_error


def test_two_states_are_far_apart():
    """Time of a layer: slow prompts are 20 % above the slowest quiet one."""
    rows, kept = prompts(), long_enough()
    layers = np.full(80, 1.0)
    layers[kept] = points()[0]
    for which, by in (("full", np.ones(80)), ("early", layers)):
        time = rows[f"{which}_ms"] / np.maximum(rows[f"{which}_tokens"], 1) / by
        slow, quiet = time[slowed(which)], time[kept & ~slowed(which)]
        assert slow.min() / quiet.max() > 1.2
        assert slow.max() / slow.min() < 1.1
    assert not slowed("early")[~kept].any()
    assert slowed("early")[43:61].all()


def test_slow_prompts_were_read_slowly_too():
    """Reading a prompt has no part in finding the slow ones, and tells the same ones apart."""
    for which in ("full", "early"):
        seconds, slow = reading_seconds(which), slowed(which)
        assert seconds[slow].min() > seconds[long_enough() & ~slow].max()
        assert np.median(seconds[slow]) / np.median(seconds[~slow]) == pytest.approx(1.47, abs=0.02)
    assert not (slowed("full") & ~slowed("early")).any()


def test_slow_prompts_come_in_a_block_that_others_meet_easily():
    """Full: 50 to 57 but 53; early: 44 to 61. A span of 8 fits in there at 11 of 80 shifts."""
    slow = slow_prompts()
    assert slow.block.tolist() == [*range(44, 62)]
    assert slow.both == slowed("full").sum() == 7
    assert slow.shifts == 11 / 80
    assert slow.distinguishable
    assert slow.longer == pytest.approx(slow.reading[0] / slow.reading[1], rel=0.05)


def test_quiet_line_is_tight_and_finds_both_kinds_of_overhead():
    """57 prompts, hardly off the line: the intercept and the slope are both beyond layers alone."""
    line, (reading, error) = fitted_line(quiet=True), quiet_reading()
    assert line.prompts == (long_enough() & ~slowed("early")).sum() == 57
    assert line.slope_error < fitted_line().slope_error / 5
    assert reading.extra == pytest.approx(line.intercept - 16 * GPU_LAYER)
    assert reading.extra > 3 * error.extra
    assert reading.factor - 1 > 3 * error.factor
    assert quiet_seconds("full") < token_seconds("full")
    assert quiet_seconds("full") / quiet_seconds("early") > token_seconds("full") / token_seconds(
        "early"
    )


def test_points_are_prompts_of_some_length():
    layers, seconds = points()
    assert FEWEST == 20
    assert (layers > 0).all()
    assert 0.05 < seconds.min() < seconds.max() < 0.4


@given(st.floats(12, 31))
def test_tilted_shares_have_the_mean_asked_for(mean):
    result = tilted(mean)
    assert result.sum() == pytest.approx(1)
    assert mean_exit_layer(result) == pytest.approx(mean)
    left = shares()
    kept = (left > 0) & (np.arange(32) > 12)
    steps = np.diff(np.log(result[kept] / left[kept])) / np.diff(np.flatnonzero(kept))
    assert steps == pytest.approx(np.full(steps.size, steps[0]), abs=1e-6)


SLOW = SlowPrompts(np.array([4, 5, 9]), 1.5, (3.0, 2.0), True, 2, 0.2)
FOUND = DeviceResults(
    ran=20.0,
    full=0.3,
    early=0.15,
    free=0.12,
    every=Line(0.017, 0.002, 0.001, 0.003, 70),
    apart=(0.5, 1.9),
    slow=SLOW,
    slow_full=3,
    still=(0.28, 0.14),
    interval=Interval(1.8, 1.7, 1.9),
    quiet=Line(0.014, 0.0002, 0.01, 0.0025, 67),
    reading=Reading(0.0066, 1.08),
    error=Reading(0.002, 0.03),
)
PARTS = {
    "layer": Spread(2.7e-6, 2.6e-6, 2.8e-6),
    "check": Spread(3.4e-6, 3.3e-6, 3.5e-6),
    "fixed": Spread(9e-6, 8e-6, 9.5e-6),
    "answer": Spread(1.4e-6, 1.2e-6, 1.5e-6),
}
ALL = frozenset(range(1, 6))


def contest(asked=ALL, ratio=(1.0, 0.98, 1.02), faster=(1.0, 1.0, 1.0)):
    """Return the result of a schedule with these medians and ends."""
    forecast, speedup = Spread(1.52, 1.5, 1.54), Spread(1.53, 1.51, 1.55)
    return Contest(
        frozenset(asked), 1.734, 0.995, 0.96, forecast, speedup, Spread(*ratio), Spread(*faster)
    )


def raced(**best):
    """Return what is said of asking everywhere, and of another schedule with this result."""
    return race_summary(PARTS, {"every layer": contest(), "best by the model": contest(**best)})


def test_devices_from_beginning_to_end():
    assert devices_summary(FOUND) == (
        "**The skipped layers are the slow ones.** Tokens ran 20.0 layers. By their number alone "
        "early exit would be 1.60 times as fast; measured is 2.00. By (3) without overhead it "
        "would be 2.50, so 30 ms a token are not layers."
    )
    assert periods_summary(FOUND) == (
        "Does each token pay the 30 ms that are not layers, or each layer on the CPU? The line "
        "through all prompts (17.0 ± 2.0 ms a layer) can't tell. The points lie on **two** lines: "
        "for a while the machine was slower, also at reading "
        "prompts. The log doesn't say why. Of 3 prompts that were slow with all layers, 2 are "
        "among these; by chance as many meet in 20 % of all shifts of the two rows, so this says "
        "little.\n\nWhere both runs were quiet, early exit is 2.00 times as fast, outside the "
        "interval above (1.70 to 1.90), which knows nothing about slow periods. The quiet line has "
        "14.0 ± 0.2 ms a layer and 10.0 ± 2.5 ms at none (one standard error). So a token pays "
        "6.6 ± 2.0 ms beyond its layers, and a layer on the CPU takes 1.08 ± 0.03 times as long as "
        "without early exit."
    )


def test_less_may_be_gained_than_by_number():
    words = devices_summary(FOUND._replace(early=0.2))
    assert "would be 1.60 times as fast; measured is 1.50. By (3)" in words
    assert "slow ones" not in words


def test_the_line_may_speak_against_a_reading():
    words = periods_summary(FOUND._replace(apart=(2.5, 0.3)))
    assert "(17.0 ± 2.0 ms a layer) speaks against one of the two." in words
    assert "can't tell" not in words


def test_reading_may_not_tell_slow_prompts_apart():
    words = periods_summary(FOUND._replace(slow=SLOW._replace(distinguishable=False)))
    assert "the machine was slower. The log" in words


def test_few_shifts_may_meet():
    words = periods_summary(FOUND._replace(slow=SLOW._replace(shifts=0.04)))
    assert "in 4 % of all shifts of the two rows, so the runs of a pair may have been near" in words
    assert "this says little" not in words


@pytest.mark.parametrize(
    ("low", "high", "where"),
    [(1.7, 1.9, "outside"), (1.7, 2.1, "within"), (2.05, 2.1, "outside")],
)
def test_quiet_prompts_within_or_outside_the_interval(low, high, where):
    words = periods_summary(FOUND._replace(interval=Interval(2.0, low, high)))
    assert f"is 2.00 times as fast, {where} the interval above ({low:.2f} to {high:.2f})" in words


def test_results_are_those_of_the_logs():
    result = device_results()
    assert result.full == devices.token_seconds("full")
    assert result.early == devices.token_seconds("early")
    assert (result.every.prompts, result.quiet.prompts) == (77, 57)
    assert result.slow_full == result.slow.both == 7
    assert result.interval.speedup == logs.speedup(logs.DECODING)
    off = np.array([reading.factor for reading in devices.readings().values()])
    off = result.every.slope - off * devices.cpu_layer()
    assert np.multiply(result.apart, result.every.slope_error) == pytest.approx(np.abs(off))
    assert result.reading.extra > result.error.extra
    assert result.still[0] < result.full


def test_race_from_beginning_to_end():
    assert raced(asked={1, 3}, ratio=(1.01, 0.99, 1.04), faster=(1.1, 1.08, 1.12)) == (
        "A layer takes 2.7 us (95 % 2.6 to 2.8), a check 3.4 us (3.3 to 3.5), the answer after the "
        "last layer 1.4 us. Asked every layer: measured is between 0.98 and 1.02 times the "
        "forecast, which is not refuted. Asked best by the model: measured is between 0.99 and "
        "1.04 times the forecast, which is not refuted. Asking fewer is 1.10 times as fast, as the "
        "model says: faster."
    )


def test_forecast_may_be_off():
    high = raced(ratio=(0.8, 0.7, 0.9))
    assert "by the model: measured is 0.80 times the forecast, which is too high." in high
    low = raced(ratio=(1.2, 1.1, 1.3))
    assert "by the model: measured is 1.20 times the forecast, which is too low." in low


def test_asking_fewer_may_be_slower_or_unknown():
    slower = raced(asked={2}, faster=(0.9, 0.85, 0.95))
    assert slower.endswith("Asking fewer is 0.90 times as fast, against the model: slower.")
    unknown = raced(asked={2}, faster=(1.02, 0.97, 1.06))
    assert unknown.endswith(
        "Asking fewer is between 0.97 and 1.06 times as fast: these rounds can't tell."
    )


def test_the_model_may_ask_everywhere():
    words = raced(faster=(1.1, 1.08, 1.12))
    assert words.endswith("every layer should be asked here: checks are cheap enough.")
    assert "Asking fewer" not in words


def test_rows_show_each_schedule():
    result = {"every layer": contest(ratio=(0.8, 0.7, 0.9)), "nowhere": contest(asked=())}
    assert race_rows(result) == [
        ("after layers", "1, 2, 3, 4, 5", "none"),
        ("layers run", "1.73", "1.73"),
        ("as all layers (%)", "99.5", "99.5"),
        ("right (%)", "96.0", "96.0"),
        ("forecast", "1.52", "1.52"),
        ("measured", "1.53", "1.53"),
        ("95 %", "1.51 to 1.55", "1.51 to 1.55"),
        ("over forecast", "0.70 to 0.90", "0.98 to 1.02"),
    ]


def test_counts_of_the_logs():
    rows = prompts()
    totals = {name: column.sum() for name, column in rows.items()}
    assert all(column.shape == (80,) for column in rows.values())
    assert totals["prompt_tokens"] == 20_699
    assert (totals["full_tokens"], totals["early_tokens"]) == (15_958, 15_843)
    assert totals["full_ms"] == pytest.approx(3_671_350, abs=1)
    assert totals["early_ms"] == pytest.approx(2_565_407.5, abs=0.1)


def test_exits_have_the_means_that_the_logs_print():
    means = [layers.mean() for layers in exits()]
    assert means == pytest.approx(prompts()["mean_exit"], abs=0.00501)
    assert all_exits().size == 16_002
    assert all_exits().mean() == pytest.approx(25.30, abs=0.005)
    assert (all_exits() == 32).mean() == pytest.approx(0.340, abs=0.0005)


@pytest.mark.parametrize(
    ("estimator", "value", "low", "high"),
    [
        (HEADLINE, 1.405, None, None),
        (DECODING, 1.421, 1.34, 1.51),
        (MEANS, 1.345, 1.16, 1.62),
        (RATIOS, 1.426, 1.31, 1.56),
    ],
)
def test_speedups_found_by_hand(estimator, value, low, high):
    interval = speedup_interval(estimator)
    assert interval.speedup == pytest.approx(value, abs=0.001)
    if low:
        assert interval.low == pytest.approx(low, abs=0.025)
        assert interval.high == pytest.approx(high, abs=0.025)


def test_interval_of_totals_against_the_delta_method():
    """A ratio of totals is nearly normal: its error by linearising the four sums."""
    rows = prompts()
    parts = [rows[name] for name in ("full_ms", "full_tokens", "early_ms", "early_tokens")]
    ratio = speedup(DECODING)
    signs = (1, -1, -1, 1)
    each = sum(s * part / part.mean() for s, part in zip(signs, parts, strict=True))
    error = ratio * each.std(ddof=1) / np.sqrt(80)
    _, low, high = speedup_interval(DECODING)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_median_by_hand():
    full, early = (np.median(logs.rates(which, prompts())) for which in ("full", "early"))
    assert (full, early) == (pytest.approx(9.34, abs=0.005), pytest.approx(13.72, abs=0.005))
    assert speedup(MEDIANS) == pytest.approx(early / full)


def test_a_single_prompt_moves_the_mean_of_rates_most():
    number, without = most_moving(MEANS)
    assert prompts()["full_tokens"][number] == prompts()["early_tokens"][number] == 1
    assert abs(without / speedup(MEANS) - 1) > 0.05
    for estimator in (HEADLINE, DECODING, RATIOS):
        assert abs(most_moving(estimator)[1] / speedup(estimator) - 1) < 0.03


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_estimators_agree_where_all_prompts_are_alike(slower, faster):
    ones = np.ones(5)
    rows = {"prompt_tokens": 0 * ones}
    for which, time in (("full", slower), ("early", faster)):
        rows |= {f"{which}_tokens": 7 * ones, f"{which}_ms": time * ones}
        rows[f"{which}_total_ms"] = rows[f"{which}_ms"]
    for estimate in ESTIMATORS.values():
        assert estimate(rows) == pytest.approx(slower / faster)


def test_tokens_left_only_where_the_released_code_asks():
    """All 10,561 early exits: the logs can't say where else tokens could have left."""
    early = sum((layers < 32).sum() for layers in exits())
    assert early == 10_561
    assert outside() == 0
    assert hits(released).early == 1.0
    others = sum(layer < 32 and layer not in FIXED for layers in exits() for layer in layers)
    assert others > 1000


def test_hits_as_found_by_hand():
    result = hits(near)
    assert result.every == pytest.approx(0.849, abs=0.001)
    assert result.asked == pytest.approx(11.0, abs=0.01)
    assert shuffled_hits("prompt").every == pytest.approx(0.80, abs=0.01)
    assert shuffled_hits("all").every == pytest.approx(0.77, abs=0.01)


def test_order_matters_and_less_than_skewness():
    chance = hits(near).asked / 32
    ordered, within, mixed = hits(near), shuffled_hits("prompt"), shuffled_hits("all")
    assert chance < mixed.early < within.early < ordered.early
    assert ordered.early - within.early < within.early - chance


def test_frequent_layers_of_the_same_number_hit_more():
    assert held_out_hits(11).early > hits(near).early
    assert held_out_hits(11).early <= hits(lambda recent: set(frequent(11))).early + 0.01


@given(st.lists(st.integers(1, 32), min_size=6, max_size=30))
def test_sets_of_layers(sequence):
    past = np.array(sequence)
    asked = near(past)
    assert set(past[-5:].tolist()) <= asked
    assert len(asked) <= 25
    assert released(past) >= set(FIXED)
    assert all(any(abs(layer - e) <= 2 for e in past[-5:]) for layer in asked)


def test_hits_of_a_sequence_by_hand():
    """Five tokens of past, then a hit, a miss, and a token that ran all layers: 5, 7, 12 asked."""
    sequence = np.array([20, 20, 20, 20, 20, 22, 30, 32])
    result = hits(near, [sequence])
    assert result.early == 0.5
    assert result.every == pytest.approx(2 / 3)
    assert result.asked == pytest.approx((5 + 7 + 12) / 3)


def test_asking_every_layer_hits_all():
    assert hits(SCHEDULES[EVERY]).early == 1.0
    assert hits(SCHEDULES[EVERY]).asked == 31


@pytest.mark.parametrize(("tokens", "on_gpu"), [*product((1, 6, COUNT), (0, 16, 32))])
def test_boxes_are_the_layers_run(tokens, on_gpu):
    scene = token_steps(tokens, on_gpu)
    layers = drawn()[:tokens]
    columns = [box for box in scene.shapes if isinstance(box, Box) and box.width == 17]
    heights = {
        fill: sum(box.height for box in columns if box.fill == fill) / 6
        for fill in ("light", "solid", "none")
    }
    assert heights["light"] == pytest.approx(np.minimum(layers, on_gpu).sum())
    assert heights["solid"] == pytest.approx(np.maximum(layers - on_gpu, 0).sum())
    assert heights["none"] == pytest.approx((32 - layers).sum())
    assert scene.values["layers run"] == layers.sum()


def test_time_saved_by_hand():
    layers = drawn()
    time = np.minimum(layers, 16) * GPU_LAYER + np.maximum(layers - 16, 0) * cpu_layer()
    full = COUNT * 16 * (GPU_LAYER + cpu_layer())
    assert token_steps(COUNT, 16).values["time saved (times)"] == pytest.approx(full / time.sum())


def test_height_and_words_stay():
    scenes = [token_steps(tokens, 16) for tokens in (1, 5, COUNT)]
    assert len({scene.height for scene in scenes}) == 1
    assert "1 token:" in scenes[0].says
    assert f"{COUNT} tokens:" in scenes[2].says
