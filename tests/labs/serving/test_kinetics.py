"""Kinetics: what a token costs, which forms fit, and the reader's own decoding."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import least_squares

from perfmodel import live
from perfmodel.labs.serving.kinetics.claims import (
    SHEET,
    attention_over_weights,
    cache_bytes,
    growth_by_doubling,
    matching_length,
)
from perfmodel.labs.serving.kinetics.inputs import (
    BUDGETS,
    LENGTHS,
    MODELS,
    PRICE,
    PROMPT,
    PROMPTS,
    SPEEDS,
    WRITTEN,
    block_of,
    model,
    runs,
)
from perfmodel.labs.serving.kinetics.own_decode import StepTimes, conclusion, time_steps
from perfmodel.labs.serving.kinetics.run_times import (
    BYTES_ONLY,
    FORMS,
    LEARNERS,
    ONE_RATE,
    TWO_RATES,
    Constants,
    contest,
    errors,
    fitted,
    learned,
    predicted,
)
from perfmodel.labs.serving.kinetics.token_bars import (
    BARS,
    NAMES as DRAWN_NAMES,
    TOKENS,
    parts,
    token_bars,
)
from perfmodel.labs.serving.kinetics.trade_offs import (
    LARGE,
    SMALL,
    TAUS,
    accuracy,
    batch_that_fits,
    even_batch_of_two,
    frontier,
    ignored_share,
    ignoring_batch,
    overpaid,
    ratio,
    settings,
    threshold,
)
from perfmodel.live.drawing import Box, Line
from perfmodel.roofline import Decoder
from perfmodel.serving import TokenDemand, crossover_length, text_cost, text_demand

ROUND = Constants(layer=5e-5, weights=1e12, cache=2e12, prompt=1e14)


@pytest.mark.parametrize("name", ["0.6B", "14B"])
@pytest.mark.parametrize("prompt", [1, 5000])
def test_seconds_are_the_sum_of_steps_and_of_the_prompts_tokens(name, prompt):
    one = model(name)
    steps = np.arange(WRITTEN) + 0.5
    reading = 2 * one.parameters / 1e12 + 2 * one.kv_numbers * (prompt + steps) / 2e12
    writing = np.sum(5e-5 * one.layers + reading)
    seen = np.arange(prompt) + 0.5
    first = np.sum(2 * one.parameters + 2 * one.group * one.kv_numbers * seen) / 1e14
    assert ROUND.seconds(one, prompt)[0] == pytest.approx(writing + first, rel=1e-9)
    assert ROUND.speed(one, prompt)[0] == pytest.approx((prompt + WRITTEN) / (writing + first))


def test_at_the_even_context_the_cache_takes_as_long_as_the_rest():
    one = model("8B")
    rest = 5e-5 * one.layers + 2 * one.parameters / 1e12
    assert 2 * one.kv_numbers * ROUND.even_context(one) / 2e12 == pytest.approx(rest)


def test_fit_is_that_of_another_solver():
    measured = runs()

    def off(logs):
        layer, rate, prompt = np.exp(logs)
        tried = Constants(layer, rate, rate, prompt)
        pairs = zip(measured.name, measured.prompt, strict=True)
        ours = [tried.seconds(model(name), tokens)[0] for name, tokens in pairs]
        return np.array(ours) / measured.seconds - 1

    result = np.exp(least_squares(off, np.log([1e-4, 1e12, 2e14])).x)
    ours = fitted(ONE_RATE)
    assert result == pytest.approx([ours.layer, ours.weights, ours.prompt], rel=1e-3)
    assert ours.weights == ours.cache


def test_runs_made_of_known_constants_give_them_back(monkeypatch):
    from perfmodel.labs.serving.kinetics import run_times

    real = runs()
    pairs = zip(real.name, real.prompt, strict=True)
    made = np.array([ROUND.seconds(model(name), tokens)[0] for name, tokens in pairs])
    monkeypatch.setattr(run_times, "runs", lambda: real._replace(seconds=made))
    run_times.fitted.cache_clear()
    try:
        assert run_times.fitted(TWO_RATES) == pytest.approx(ROUND, rel=1e-6)
        assert run_times.fitted(TWO_RATES, "8B") == pytest.approx(ROUND, rel=1e-6)
        assert abs(run_times.errors(TWO_RATES)).max() < 1e-6
    finally:
        run_times.fitted.cache_clear()


def test_a_held_out_model_tells_nothing(monkeypatch):
    from perfmodel.labs.serving.kinetics import run_times

    before = fitted(ONE_RATE, "14B")
    real = runs()
    slow = np.where(np.array(real.name) == "14B", 10.0, 1.0) * real.seconds
    monkeypatch.setattr(run_times, "runs", lambda: real._replace(seconds=slow))
    run_times.fitted.cache_clear()
    try:
        assert run_times.fitted(ONE_RATE, "14B") == pytest.approx(before)
        assert run_times.fitted(ONE_RATE, "8B") != pytest.approx(before)
    finally:
        run_times.fitted.cache_clear()


def test_errors_are_those_of_the_printed_speeds():
    printed = [speed for speeds in SPEEDS.values() for speed in speeds]
    ours = [
        predicted(ONE_RATE, name, prompt)
        for name, speeds in SPEEDS.items()
        for prompt, _ in zip(PROMPTS, speeds, strict=False)
    ]
    assert errors(ONE_RATE) == pytest.approx(np.array(ours) / printed - 1)


def test_more_constants_fit_better_where_they_are_fitted():
    """By squares of the seconds' relative errors, which is what is minimised."""
    inside = [np.sum((1 / (1 + errors(form, False)) - 1) ** 2) for form in FORMS]
    assert inside[0] > inside[1] > inside[2]
    assert fitted(BYTES_ONLY).layer == 0


def test_list_of_runs():
    measured = runs()
    assert len(measured.name) == sum(map(len, SPEEDS.values())) == 31
    assert set(measured.name) == {m.name for m in MODELS}
    assert measured.seconds[0] == pytest.approx(2049 / 414.17)


def test_rows_missed_are_those_that_say_why():
    checked = [claim.check() for claim in SHEET.claims]
    assert [c.claim.quantity for c in checked if not c.met] == [
        c.quantity for c in SHEET.claims if c.miss
    ]
    assert (len(checked), sum(c.met for c in checked)) == (37, 34)


def test_no_row_hangs_on_the_made_up_curve():
    assert not any("surrogate" in claim.quantity for claim in SHEET.claims)
    assert "no row" in SHEET.unheld


def test_cache_by_hand():
    assert cache_bytes("0.6B") == 28 * 8 * 128 * 2 * 2 * 32_768 == 3.5 * 2**30


def test_growth_lies_about_that_of_the_ends():
    ends = np.log(131_072 / 57_344) / np.log(32.76 / 0.752)
    assert growth_by_doubling() == pytest.approx(2**ends, abs=0.02)


def test_matching_length_solves_the_square_by_hand():
    """Equation (2) set equal to a cost is a quadratic in the length."""
    large, small = model("14B"), model("4B")

    def square(one):
        return (one.group + PRICE) * one.kv_numbers

    cost = 2 * large.parameters * 8000 + square(large) * (2 * PROMPT * 8000 + 8000**2)
    linear = 2 * small.parameters + 2 * PROMPT * square(small)
    roots = np.roots([square(small), linear, -cost])
    assert matching_length("4B", "14B", 8000) == pytest.approx(roots.max())


def test_printed_ratio_leaves_out_the_reading_of_the_prompt():
    """Theirs, with the bytes of the prompt, is ours; the printed one has only its work."""
    for one, printed in zip(MODELS, attention_over_weights(8192), strict=True):
        parts = text_demand(one.demand, PROMPT, 8192)
        ours = float((parts.attention + PRICE * parts.cache) / parts.matrices)
        left_out = 2 * PRICE * PROMPT * one.kv_numbers / (2 * one.parameters)
        assert printed + left_out == pytest.approx(ours)


def test_the_smallest_model_reaches_a_thousand_where_the_text_says():
    assert attention_over_weights(46_000)[0] < 1000 < attention_over_weights(47_000)[0]
    assert sum(ratio > 10 for ratio in attention_over_weights(4096)) == 4


NAMES = [m.name for m in MODELS]


def closed_form(one, prompt, output, price, samples=1):
    """Return 2NPL + 2rNpDL + rNDL^2 + I(2pDL + NDL^2), as the authors print it."""
    cached, group = one.kv_numbers, one.group
    work = samples * (
        2 * one.parameters * output
        + 2 * group * prompt * cached * output
        + group * cached * output**2
    )
    return work + price * (2 * prompt * cached * output + samples * cached * output**2)


@given(
    name=st.sampled_from(NAMES),
    prompt=st.integers(0, 10_000),
    output=st.integers(0, 100_000),
    price=st.floats(0, 1000),
    samples=st.integers(1, 32),
)
def test_cost_is_the_authors_closed_form(name, prompt, output, price, samples):
    one = model(name)
    ours = float(text_cost(one.demand, prompt, output, price, samples=samples))
    assert ours == pytest.approx(closed_form(one, prompt, output, price, samples), rel=1e-12)


def test_shapes_by_hand():
    assert [m.kv_numbers for m in MODELS] == [57_344, 57_344, 73_728, 73_728, 81_920, 131_072]
    assert [m.group for m in MODELS] == [2, 2, 4, 4, 5, 8]


@pytest.mark.parametrize(
    ("output", "tera"),
    [
        (8192, [2456, 2477, 3219, 3287, 3752, 6182]),
        (32_768, [35_893, 35_977, 46_512, 46_785, 52_446, 84_947]),
    ],
)
def test_costs_of_two_lengths(output, tera):
    ours = [float(text_cost(m.demand, PROMPT, output, PRICE)) / 1e12 for m in MODELS]
    assert [round(cost) for cost in ours] == tera


def test_even_lengths():
    lengths = [round(float(crossover_length(m.demand, PRICE))) for m in MODELS]
    assert lengths == [46, 125, 192, 392, 635, 876]


def test_sizes_draw_together_at_equal_length():
    assert float(
        text_cost(model("32B").demand, PROMPT, 32_768, PRICE)
        / text_cost(model("0.6B").demand, PROMPT, 32_768, PRICE)
    ) == pytest.approx(2.367, abs=5e-4)
    assert model("32B").parameters / model("0.6B").parameters == pytest.approx(43.56, abs=5e-3)


def test_a_prompt_is_read_once_for_all_samples():
    one = model("8B").demand
    together = float(text_cost(one, 2048, 4096, PRICE, samples=8)) / 1e12
    assert (round(together), round(8e-12 * float(text_cost(one, 2048, 4096, PRICE)))) == (
        6878,
        11_748,
    )


def released_sparse(one, prompt, budget, block, output):
    """Return the released function with its whole divisions, and the sign of its block variant."""
    wide = one.head * one.layers
    reads = budget * output - 0.5 * max(0, budget - prompt) ** 2
    looks = (2 * prompt + output) // block * output
    work = 2 * one.parameters * output + 4 * reads * one.heads * wide + looks * one.heads * wide
    return work + PRICE * (4 * reads * one.kv_heads * wide + looks * one.kv_heads * wide)


@pytest.mark.parametrize("budget", BUDGETS)
def test_budgets_with_search(budget):
    one, block = model("8B"), block_of(budget)
    ours = float(text_cost(one.demand, PROMPT, 32_768, PRICE, budget=budget, block=block))
    assert ours == pytest.approx(released_sparse(one, PROMPT, budget, block, 32_768), rel=5e-4)


def test_savings_of_budgets():
    one = model("8B").demand
    dense = float(text_cost(one, PROMPT, 32_768, PRICE))
    result = [
        dense / float(text_cost(one, PROMPT, 32_768, PRICE, budget=b, block=block_of(b)))
        for b in BUDGETS
    ]
    assert result == pytest.approx([43.8, 29.3, 17.6, 9.8, 5.2], abs=0.05)


def test_search_of_the_largest_blocks_by_hand():
    """1,024 tokens in blocks of 16: 1,435 TFLOP of bytes and 10 of work, of 4,774."""
    one = model("8B").demand
    blocks = text_demand(one, PROMPT, 32_768, budget=1024, block=16)
    free = text_demand(one, PROMPT, 32_768, budget=1024)
    assert float(blocks.cache - free.cache) * PRICE / 1e12 == pytest.approx(1435, abs=1)
    assert float(blocks.attention - free.attention) / 1e12 == pytest.approx(10, abs=0.5)


def test_order_turns_at_the_batch_that_says_so():
    turn = even_batch_of_two()
    assert float(ratio(batch=turn)) == pytest.approx(1)
    assert float(ratio(batch=turn * 0.9)) < 1 < float(ratio(batch=turn * 1.1))
    earlier = SMALL[0].parameters * SMALL[1] / (LARGE[0].parameters * LARGE[1])
    assert earlier == pytest.approx(266 / 2147, rel=5e-3)


@given(price=st.floats(150, 2000))
def test_order_turns_at_any_price(price):
    assert float(ratio(price, even_batch_of_two(price))) == pytest.approx(1)


def test_a_large_batch_is_the_authors_assumption():
    assert float(ratio(batch=1e9)) == pytest.approx(float(ratio()), rel=1e-6)


@given(name=st.sampled_from(NAMES), output=st.integers(256, 65_536), error=st.floats(0.01, 0.5))
def test_ignoring_weights_errs_by_just_so_much(name, output, error):
    batch = ignoring_batch(model(name), output, error)
    if batch >= 1:
        assert float(ignored_share(model(name), output, batch)) == pytest.approx(error)


def test_room_by_hand():
    """65.5 GB of weights; 262,144 bytes a token, 512 and on average 16,383.5 of them."""
    room = (192e9 - 65.52e9) / (262_144 * (512 + 16_383.5))
    assert batch_that_fits(model("32B"), 32_768, 192e9) == pytest.approx(room)
    assert batch_that_fits(model("32B"), 32_768, 60e9) == 0
    assert batch_that_fits(model("32B"), 32_768, 60e9, 2) > 0


def test_agrees_with_the_roofline_decoder_where_its_shape_fits():
    """Qwen3-8B: heads as wide as hidden over heads. Ours counts the input table too."""
    shape = Decoder.uniform(36, 4096, 12_288, 32, 8, 151_936, head_dim=128)
    theirs, ours = TokenDemand.of(shape), model("8B").demand
    assert (theirs.cache_work, theirs.cache_bytes) == (ours.cache_work, ours.cache_bytes)
    assert shape.parameters == pytest.approx(model("8B").parameters, rel=1e-3)
    assert theirs.weight_bytes == 2 * shape.streamed_parameters


def test_a_price_of_zero_has_a_ratio():
    assert np.isfinite(ratio([0.0, 1.0])).all()


def test_plane_is_least_squares_without_the_held_out_model():
    measured = runs()
    size = np.array([model(name).parameters for name in measured.name])
    table = np.column_stack([np.ones(size.size), np.log(size), np.log(measured.prompt + WRITTEN)])
    out = np.array(measured.name) == "4B"
    result, *_ = np.linalg.lstsq(table[~out], np.log(measured.seconds[~out]), rcond=None)
    assert learned(LEARNERS[0])[1][out] == pytest.approx(np.exp(table[out] @ result))


def test_all_models_are_compared_on_the_same_runs():
    rows = contest()
    assert [name for name, *_ in rows] == [*FORMS, *LEARNERS]
    for _, constants, inside, outside, worst in rows:
        assert 2 <= constants <= 6
        assert 0 < inside < outside <= worst


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
    assert "forecast the whole" in conclusion(made(noise=0.2))
    assert conclusion(made()).startswith(
        "Cache and weights are even at 20 tokens by the forecast, and at 20 measured. "
    )
    assert "too wide to tell" in conclusion(made(fixed=0.5, noise=0.2))
    assert "The forecast is too short" in conclusion(made(apart=0.5))
    assert "The forecast is too long" in conclusion(made(apart=2.0))
    assert "don't lie near enough to a rising line" in conclusion(made(token=-0.01))
    crooked = made()
    crooked.steps[:, 1] += 50
    assert "measured 2" not in conclusion(crooked)
    assert "don't lie near enough to a rising line" in conclusion(crooked)


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


def test_contexts_must_rise():
    for bad in ((1, 2), (3, 2, 4), (2, 2, 4)):
        with pytest.raises(ValueError, match="contexts must be 3 or more rising lengths"):
            time_steps(6, rows=8, width=4, contexts=bad)


@given(tau=st.floats(100, 1e6))
def test_curve_ends_where_it_was_measured_and_rises(tau):
    for one in MODELS:
        curve = accuracy(one, np.append(0, LENGTHS), tau)
        assert (curve[0], curve[-1]) == (0, pytest.approx(one.accuracy))
        assert (np.diff(curve) >= 0).all()


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("price", [None, 0.0, PRICE])
def test_frontier_by_brute_force(tau, price):
    every = settings(tau, price)
    points = list(zip(every.cost, every.accuracy, strict=True))
    unbeaten = [
        i
        for i, (cost, acc) in enumerate(points)
        if not any(c <= cost and a >= acc and (c, a) != (cost, acc) for c, a in points)
    ]
    assert sorted(frontier(tau, price).tolist()) == unbeaten


@pytest.mark.parametrize("tau", TAUS)
def test_overpaying_by_brute_force(tau):
    ours, earlier = settings(tau), settings(tau, None)
    worst = 1.0
    for index in frontier(tau, None):
        enough = ours.accuracy >= earlier.accuracy[index]
        worst = max(worst, ours.cost[index] / ours.cost[enough].min())
    assert overpaid(tau) == pytest.approx(worst)


def test_nobody_overpays_by_their_own_law():
    every = settings(4096)
    for index in frontier(4096):
        assert every.cost[every.accuracy >= every.accuracy[index]].min() == every.cost[index]


def test_earlier_law_is_two_flop_a_weight():
    every = settings(4096, None)
    index = int(np.flatnonzero((every.model == 3) & (every.output == 8192))[0])
    assert every.cost[index] == 2 * model("8B").parameters * 8192


def test_threshold_without_a_better_model_is_the_smallest(monkeypatch):
    """If all models are as accurate as each other, the cheapest one is worth every length."""
    from dataclasses import replace

    from perfmodel.labs.serving.kinetics import trade_offs

    alike = tuple(replace(m, accuracy=0.5) for m in MODELS)
    monkeypatch.setattr(trade_offs, "MODELS", alike)
    trade_offs.settings.cache_clear()
    try:
        assert threshold(4096) == threshold(4096, None) == "0.6B"
    finally:
        trade_offs.settings.cache_clear()


@pytest.mark.parametrize("name", DRAWN_NAMES)
def test_bars_add_up_to_the_text(name):
    total = sum(sum(parts(name, index)) for index in range(BARS)) * TOKENS / BARS
    assert total == pytest.approx(float(text_cost(model(name).demand, 0, TOKENS, PRICE)))


@pytest.mark.parametrize("name", DRAWN_NAMES)
def test_two_boxes_a_bar_one_on_the_other(name):
    boxes = [s for s in token_bars(name, 500).shapes if isinstance(s, Box)][2:]
    assert len(boxes) == BARS
    for below, above in zip(boxes[::2], boxes[1::2], strict=True):
        assert above.y + above.height == pytest.approx(below.y)
        assert below.fill != above.fill
    heights = [box.height for box in boxes[1::2]]
    assert heights == sorted(heights)


def test_the_even_token_is_marked_once_it_is_written():
    def dashes(written):
        lines = [s for s in token_bars("8B", written).shapes if isinstance(s, Line)]
        return sum(line.style == "thin" for line in lines)

    assert dashes(600) == dashes(0) + 1
    assert token_bars("8B", 600).values["even at (tokens)"] == 196


def test_every_state_can_be_read():
    tokens = [float(t) for t in range(0, TOKENS + 1, 200)]
    live.drawing(
        token_bars,
        "c",
        "Bars that grow along the tokens of a text",
        name=live.Options("Model", {name: name for name in DRAWN_NAMES}),
        written=live.Slider("Tokens", tokens),
    )
