"""ZO2: memory, what a transfer hides behind, and zeroth-order steps block by block."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import curve_fit

from perfmodel.labs.offloading.zo2 import gpu_memory
from perfmodel.labs.offloading.zo2.buffer_chart import (
    BLOCKS as DRAWN_BLOCKS,
    END,
    TIMES as DRAWN_TIMES,
    buffer_steps,
)
from perfmodel.labs.offloading.zo2.claims import BOUND
from perfmodel.labs.offloading.zo2.gpu_memory import (
    FITTED,
    RESIDENT,
    WITH_CAST_SCORES,
    WITH_NOISE,
    WITH_PRODUCTS,
    WITH_SCORES,
    Counted,
    block_bytes,
    compare_regression,
    constant,
    fit_memory,
    memory,
    predict_largest,
    residual_bytes,
    residual_per_head,
    scores,
    table_bytes,
)
from perfmodel.labs.offloading.zo2.hiding import (
    StageTimes,
    blocks_time,
    delayed_loads,
    stage_times,
    tokens_to_hide,
)
from perfmodel.labs.offloading.zo2.inputs import (
    HEADS,
    PRINTED,
    SHAPES,
    VOCABULARY,
    Accelerator,
    accelerator,
)
from perfmodel.labs.offloading.zo2.own_overlap import (
    BLOCKS,
    OverlapTimes,
    conclusion,
    overlapped,
    time_overlap,
)
from perfmodel.labs.offloading.zo2.tasks import buffers_enough, hiding_tokens, last_end
from perfmodel.labs.offloading.zo2.zeroth_order import (
    deferred_steps,
    paired_steps,
    plain_steps,
    restoring_error,
    small_net,
    three_classes,
)
from perfmodel.offloading import equal_jobs_makespan, flow_shop_makespan, run_flow_shop


@pytest.mark.parametrize("buffers", [1, 2, 3, 4])
def test_every_state_can_be_read(buffers):
    for moment in range(int(END) + 1):
        scene = buffer_steps(buffers, float(moment))
        assert scene.faults() == []
        assert scene.values["buffers in use"] <= buffers


@pytest.mark.parametrize("buffers", [1, 2, 3, 4])
def test_the_end(buffers):
    values = buffer_steps(buffers, END).values
    assert values["all stored (ms)"] == equal_jobs_makespan(DRAWN_TIMES, DRAWN_BLOCKS, buffers)
    assert values["computed (ms)"] == DRAWN_BLOCKS * DRAWN_TIMES[1]
    assert values["buffers in use"] == 0


def test_blocks_and_tables_by_hand():
    megabytes = [100.7, 157.3, 402.7, 629.1, 1233, 2038, 3624]
    assert [block_bytes(n) / 1e6 for n in SHAPES] == pytest.approx(megabytes, rel=1e-3)
    weights = [
        layers * block_bytes(n) + 2 * VOCABULARY * width for n, (layers, width) in SHAPES.items()
    ]
    gigabytes = [2.6, 5.3, 13.3, 25.7, 59.9, 131.4, 349]
    assert np.array(weights) / 1e9 == pytest.approx(gigabytes, rel=0.01)


@pytest.mark.parametrize(
    "counted", [RESIDENT, WITH_NOISE, WITH_PRODUCTS, WITH_SCORES, WITH_CAST_SCORES]
)
@pytest.mark.parametrize("unit", [1.0, 2**30 / 1e9])
def test_the_constant_is_fitted_to_one_model(counted, unit):
    assert memory(FITTED, counted, unit) == pytest.approx(PRINTED[FITTED])
    rest = constant(counted, unit) + counted.blocks * block_bytes("175B")
    rest += counted.tables * table_bytes("175B") + counted.score_bytes * scores("175B")
    assert memory("175B", counted, unit) * unit == pytest.approx(rest)


def test_a_prediction_by_hand():
    """3.75 GB less three blocks and two tables of 1.3B, and those of 13B added."""
    assert memory("13B") / 1e9 == pytest.approx(3.75 - 0.302 - 0.4118 + 1.8874 + 1.0296, abs=1e-3)


def test_more_blocks_take_more_of_the_largest():
    ours = [memory("175B", c) for c in (RESIDENT, WITH_NOISE, WITH_PRODUCTS)]
    assert ours == sorted(ours)


def test_what_is_left_over_grows_with_heads():
    """25.2 MB a head in 6 bytes a score, 33.6 in 8; printed less counted lies between."""
    low, high = (2048**2 * each for each in (WITH_SCORES.score_bytes, WITH_CAST_SCORES.score_bytes))
    assert (low / 1e6, high / 1e6) == pytest.approx((25.17, 33.55), abs=0.01)
    for name in ("13B", "30B", "66B", "175B"):
        each = residual_per_head(name)
        assert low < each < high
        assert memory(name) + (HEADS[name] - 32) * each == pytest.approx(PRINTED[name])
        assert memory(name, WITH_SCORES) < PRINTED[name] < memory(name, WITH_CAST_SCORES)
    assert residual_bytes("6.7B") < 0 < residual_bytes("2.7B")
    assert residual_bytes(FITTED) == pytest.approx(0)


def test_which_numbers_of_blocks_the_bound_tells_from_three():
    within = [
        all(abs(memory(n, Counted(blocks=k)) / m - 1) <= BOUND for n, m in PRINTED.items())
        for k in (2, 3, 4, 5)
    ]
    assert within == [False, True, True, False]


def test_words_on_the_regression(monkeypatch):
    assert "30B by 4 % (8 %)" in compare_regression(4)
    assert "nearer than counting only for 30B" in compare_regression(4)
    exact = {n: memory(n) for n in PRINTED} | {"2.7B": 1.2 * memory("2.7B")}
    monkeypatch.setattr(gpu_memory, "PRINTED", exact)
    assert "farther off than counting each time" in compare_regression(3)
    made = {n: 2e9 + 5.0 * block_bytes(n) + 2.0 * table_bytes(n) for n in exact}
    monkeypatch.setattr(gpu_memory, "PRINTED", made)
    assert "nearer than counting each time" in compare_regression(3)


def _plane(columns, constant, blocks, tables):
    return constant + blocks * columns[0] + tables * columns[1]


def _columns(names):
    return np.array([[count(n) / 1e9 for n in names] for count in (block_bytes, table_bytes)])


def test_the_regression_is_the_sheets():
    """2.89 + 3.40 block + 2.34 table, at most 0.23 GB off, R^2 .9994: digits as noted there."""
    fit, printed = fit_memory(), np.array(list(PRINTED.values())) / 1e9
    result = fit.coefficients * [1e-9, 1, 1]
    assert result == pytest.approx([2.89, 3.40, 2.34], abs=0.005)
    off = printed - _plane(_columns(PRINTED), *result)
    assert abs(off).max() == pytest.approx(0.23, abs=0.005)
    assert 1 - (off**2).sum() / ((printed - printed.mean()) ** 2).sum() == pytest.approx(
        0.9994, abs=5e-5
    )


def test_standard_errors_and_intervals_by_another_fit():
    """Levenberg and Marquardt's iteration, its covariance from the Jacobian, Student's table."""
    fit, printed = fit_memory(), np.array(list(PRINTED.values())) / 1e9
    result, covariance = curve_fit(_plane, _columns(PRINTED), printed, method="lm")
    errors = np.sqrt(np.diag(covariance)) * [1e9, 1, 1]
    assert fit.coefficients == pytest.approx(result * [1e9, 1, 1], rel=1e-5)
    assert fit.errors == pytest.approx(errors, rel=1e-5)
    assert fit.high - fit.coefficients == pytest.approx(2.7764 * errors, rel=1e-4)
    assert fit.coefficients - fit.low == pytest.approx(2.7764 * errors, rel=1e-4)
    assert fit.low[1] < 3 < fit.high[1]


def test_standard_errors_are_the_spread_of_repeated_fits(monkeypatch):
    """Noise of 0.1 GB drawn again and again: coefficients scatter by what their errors say."""
    rng = np.random.default_rng(0)
    truth = np.array([2.5e9, 3.0, 2.0])
    exact = 1e9 * _plane(_columns(PRINTED), *(truth * [1e-9, 1, 1]))
    fits = []
    for noise in 1e8 * rng.standard_normal((400, len(exact))):
        made = dict(zip(PRINTED, (exact + noise).tolist(), strict=True))
        monkeypatch.setattr(gpu_memory, "PRINTED", made)
        fits.append(fit_memory())
    scatter = np.std([fit.coefficients for fit in fits], axis=0, ddof=1)
    said = np.sqrt(np.mean([fit.errors**2 for fit in fits], axis=0))
    assert said / scatter == pytest.approx(np.ones(3), abs=0.15)
    caught = np.mean([(fit.low < truth) & (truth < fit.high) for fit in fits], axis=0)
    assert caught == pytest.approx(0.95 * np.ones(3), abs=0.04)


def test_a_regression_finds_what_it_was_made_from(monkeypatch):
    made = {n: 2e9 + 3.0 * block_bytes(n) + 2.0 * table_bytes(n) for n in PRINTED}
    monkeypatch.setattr(gpu_memory, "PRINTED", made)
    assert fit_memory().coefficients == pytest.approx([2e9, 3.0, 2.0])
    assert predict_largest(3) == pytest.approx(list(made.values())[3:])


def test_bytes_per_head_need_more_heads():
    with pytest.raises(ValueError, match="name must have more than 32 heads, got '6.7B'"):
        residual_per_head("6.7B")


ROUND = Accelerator(150e12, 25e9, 2e12)  # not from the registry: round numbers for hand values
POSITIVE = st.floats(0.1, 10.0)


def test_thresholds_by_hand():
    assert tokens_to_hide(ROUND) == pytest.approx(3000)
    fast = Accelerator(300e12, 25e9, 2e12)  # not from the registry: round numbers
    single = Accelerator(19.5e12, 25e9, 2e12)  # not from the registry: an exercise's inputs
    assert tokens_to_hide(fast) == pytest.approx(6000)
    assert tokens_to_hide(single, weight_bytes=4) == pytest.approx(780)


@settings(deadline=None)
@given(POSITIVE, POSITIVE, POSITIVE, st.sampled_from([0, 10, 37]), st.integers(256, 20_000))
def test_at_the_threshold_link_and_gpu_take_as_long_at_any_width(rate, link, memory, q, width):
    machine = Accelerator(rate * 1e14, link * 1e10, memory * 1e12)
    tokens = tokens_to_hide(machine, traffic=q)
    load, compute, store = stage_times(width, tokens, machine, traffic=q)
    assert load == store
    if tokens > 0:
        assert compute == pytest.approx(load)
    else:
        assert compute >= load * (1 - 1e-12)


def test_a_sequence_for_each_number_of_tokens():
    tokens = np.array([128.0, 4096.0])
    both = stage_times(2048, tokens, ROUND, sequence=np.minimum(tokens, 2048))
    for index, each in enumerate(tokens):
        one = stage_times(2048, each, ROUND, sequence=min(each, 2048))
        assert both.compute[index] == one.compute


def test_noise_alone_may_hide_the_link():
    slow_memory = Accelerator(1e14, 5e10, 1e12)  # not from the registry: a made-up machine
    assert tokens_to_hide(slow_memory, traffic=37) == 0


def test_attention_helps_narrow_models_most():
    machine = accelerator()
    ratios = [
        float(t.compute / t.load)
        for t in (
            stage_times(h, 2048, machine, sequence=2048, traffic=0) for _, h in SHAPES.values()
        )
    ]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] / ratios[-1] == pytest.approx((1 + 1 / 6) / (1 + 1 / 36))


def fewest_slots(load, compute, store):
    """Return the fewest buffers at the slowest stage's pace, where rounding costs none."""
    return np.ceil((load + compute + store) / max(load, compute, store) - 1e-12)


@settings(deadline=None)
@given(POSITIVE, POSITIVE, POSITIVE, st.integers(20, 60))
def test_with_enough_slots_the_slowest_stage_sets_the_pace(load, compute, store, blocks):
    times = StageTimes(*map(np.array, (load, compute, store)))
    slots = int(fewest_slots(load, compute, store))
    assert 1 <= slots <= 3
    paced = sum(times) + (blocks - 1) * max(times)
    assert blocks_time(times, blocks, slots) == pytest.approx(paced)
    played = run_flow_shop([(load, compute, store)] * blocks, slots).makespan
    assert blocks_time(times, blocks, slots) == pytest.approx(float(played))
    if slots > 1 and sum(times) / max(times) > slots - 1 + 1e-6:
        assert blocks_time(times, blocks, slots - 1) > paced


def test_held_up_blocks():
    times = StageTimes(*map(np.array, (2.0, 3.0, 2.0)))
    made = delayed_loads(times, 4000, 0.25, 4.0)
    assert np.unique(made[:, 0]).tolist() == [2.0, 8.0]
    assert (made[:, 0] == 8).mean() == pytest.approx(0.25, abs=0.03)
    assert (made[:, 1:] == [3.0, 2.0]).all()


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_products_are_right_with_few_buffers(slots):
    rng = np.random.default_rng(slots)
    host = rng.random((4, 9, 9), np.float32)
    left, out = rng.random((2, 9), np.float32), np.zeros((BLOCKS, 2, 9), np.float32)
    overlapped(host, np.zeros((slots, 9, 9), np.float32), left, out)
    for i in range(BLOCKS):
        assert np.allclose(out[i], left @ host[i % 4])


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_overlap([2, 3], [1, 2], 4, 8, clock=lambda: float(next(ticks)))
    assert [t.rows for t in times] == [2, 3]
    one = times[0]
    assert one.copying.tolist() == one.multiplying.tolist() == [[1.0] * 4] * 2
    assert one.together.shape == (2, 4)
    assert one.forecast[:, 0].tolist() == pytest.approx([2, (BLOCKS + 1) / BLOCKS])
    assert (one.gain == 2).all()
    assert one.stretch[0].tolist() == pytest.approx([0.5] * 4)


def test_parts_are_timed_with_the_buffers_of_the_whole(monkeypatch):
    """Alone each goes through the buffers that both together have, and no others."""
    seen = []
    copyto, matmul = np.copyto, np.matmul

    def copy(target, source):
        seen.append(("copy", target.ctypes.data))
        copyto(target, source)

    def multiply(left, right, out):
        seen.append(("multiply", right.ctypes.data))
        matmul(left, right, out=out)

    monkeypatch.setattr(np, "copyto", copy)
    monkeypatch.setattr(np, "matmul", multiply)
    time_overlap([2], [1, 3], 1, 8)
    for half in (seen[: len(seen) // 2], seen[len(seen) // 2 :]):
        for index, slots in enumerate((1, 3)):
            first = 4 * BLOCKS * index
            alone = half[first : first + 2 * BLOCKS]
            together = half[first + 2 * BLOCKS : first + 4 * BLOCKS]
            assert [name for name, _ in alone] == ["copy"] * BLOCKS + ["multiply"] * BLOCKS
            for name in ("copy", "multiply"):
                used = {at for what, at in alone if what == name}
                assert len(used) == slots
                assert used == {at for what, at in together if what == name}


def test_forecast_takes_each_numbers_own_times():
    parts = np.array([[12.0] * 9, [24.0] * 9])
    times = OverlapTimes(4, (1, 2), parts, 2 * parts, np.ones((2, 9)))
    assert times.forecast[:, 0] == pytest.approx([12 + 24, 2 + BLOCKS * 4])
    assert times.gain[:, 0] == pytest.approx([36, 72])


def made(stretch, repeats=9, one=1.0):
    ones = np.ones((2, repeats))
    two = (BLOCKS + 1) / BLOCKS * np.broadcast_to(stretch, repeats)
    return OverlapTimes(16, (1, 2), ones, ones, np.stack([2 * one * ones[0], two]))


def test_verdict_says_what_came_out():
    def of_two(stretch):
        return conclusion([made(stretch)]).split("; 2 buffers")[1]

    assert "the model holds" in of_two(1.0)
    assert "too hopeful" in of_two(1.4)
    assert "faster together than alone" in of_two(0.8)
    assert "scatter" in of_two(np.linspace(0.7, 1.4, 9))
    assert "scatter" in of_two(np.linspace(0.98, 1.3, 9))
    assert conclusion([made(1.0, 5)]).startswith("Too few")
    assert "2 buffers 1.85 times as fast as one after the other" in conclusion([made(1.0)])


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (1.0, "1.00 to 1.00 (the model holds"),
        (0.8, "0.80 to 0.80 (less than the times alone allow"),
        (1.3, "1.30 to 1.30 (the model is too hopeful"),
    ],
)
def test_verdict_on_one_buffer(one, said):
    first, second = conclusion([made(1.0, one=one)]).split("; 2 buffers")
    assert f"one buffer {1 / one:.2f} times as fast" in first
    assert said in first
    assert "the model holds" in second


TIMES = st.integers(1, 9).map(float)


@settings(deadline=None)
@given(TIMES, TIMES, TIMES, st.integers(1, 12), st.integers(1, 5))
def test_the_loop_is_the_flow_shop(load, compute, store, blocks, buffers):
    stages = (load, compute, store)
    ours = last_end.reference(*stages, blocks, buffers)
    assert ours == pytest.approx(float(flow_shop_makespan([stages] * blocks, buffers)))
    assert ours == pytest.approx(float(equal_jobs_makespan(stages, blocks, buffers)))


@settings(deadline=None)
@given(TIMES, TIMES, TIMES)
def test_buffers_are_those_of_the_model(load, compute, store):
    assert buffers_enough.reference(load, compute, store) == fewest_slots(load, compute, store)


@pytest.mark.parametrize("case", hiding_tokens.cases)
def test_tokens_are_those_of_the_model(case):
    weight_bytes, rate, link, memory, passes = case
    model = tokens_to_hide(Accelerator(rate, link, memory), weight_bytes, passes)
    assert hiding_tokens.reference(*case) == pytest.approx(float(model))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda load, compute, store: -(-(load + compute + store) // compute),
        lambda load, compute, store: 1 + -(-(load + store) // compute),
        lambda load, compute, store: 3 if load + store > compute else 2,
        lambda load, compute, store: -(-(load + compute + store) // max(load, compute)),
        lambda load, compute, store: -(-(load + compute + store) // max(compute, store)),
        lambda load, compute, store: round((load + compute + store) / max(load, compute, store)),
    ],
)
def test_functions_that_take_computing_for_the_slowest_are_wrong(wrong):
    assert buffers_enough.judge(wrong).state == "wrong"


def flat(blocks):
    return np.concatenate([matrix.ravel() for block in blocks for matrix in block])


def loss_at(blocks, task):
    """Return the mean cross-entropy, written again."""
    passed = task.points @ blocks[0][0]
    for up, down in blocks[1:-1]:
        passed = passed + np.tanh(passed @ up) @ down
    logits = passed @ blocks[-1][0]
    chance = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -np.log(chance[np.arange(len(chance)), task.classes]).mean()


@settings(deadline=None, max_examples=20)
@given(st.integers(3, 6), st.integers(0, 4), st.integers(0, 2**20), st.floats(1e-4, 1e-2))
def test_the_order_of_work_changes_no_bit(blocks, steps, seed, rate):
    net, task = small_net(blocks, 4, 5, seed), three_classes(20, 4)
    seeds = range(seed, seed + steps)
    plain, paired, deferred = (
        train(net, task, seeds, rate=rate) for train in (plain_steps, paired_steps, deferred_steps)
    )
    for other in (paired, deferred):
        assert np.array_equal(flat(other.blocks), flat(plain.blocks))
        assert np.array_equal(other.losses, plain.losses)
        assert np.array_equal(other.slopes, plain.slopes)
    assert plain.loads == 3 * blocks * steps
    assert paired.loads == 2 * blocks * steps
    assert deferred.loads == blocks * (steps + 1) * (steps > 0)


def test_a_step_by_hand():
    net, task, eps, rate = small_net(4), three_classes(), 1e-3, 5e-3
    noise = np.random.default_rng(7)
    z = [[noise.normal(size=m.shape) for m in block] for block in net]
    moved = [
        [
            [m + sign * eps * d for m, d in zip(*pair, strict=True)]
            for pair in zip(net, z, strict=True)
        ]
        for sign in (1, -1)
    ]
    above, below = (loss_at(blocks, task) for blocks in moved)
    slope = (above - below) / (2 * eps)
    after = plain_steps(net, task, [7], eps, rate)
    assert after.slopes[0] == pytest.approx(slope, rel=1e-8)
    assert after.losses[0] == pytest.approx((above + below) / 2)
    assert flat(after.blocks) == pytest.approx(flat(net) - rate * slope * flat(z), abs=1e-9)


def test_the_start_stays_as_it_is():
    net, task = small_net(), three_classes()
    before = flat(net).copy()
    for train in (plain_steps, paired_steps, deferred_steps):
        train(net, task, range(3))
    assert np.array_equal(flat(net), before)


def test_the_loss_falls():
    losses = deferred_steps(small_net(), three_classes(), range(400)).losses
    assert losses[-20:].mean() < 0.3 < 1 < losses[0]


def test_without_the_last_sweep_an_update_is_missing():
    """The weights that the deferred order leaves in memory lag by one step."""
    net, task = small_net(), three_classes()
    all_steps = deferred_steps(net, task, range(4)).blocks
    one_less = deferred_steps(net, task, range(3)).blocks
    assert not np.array_equal(flat(all_steps), flat(one_less))


def test_moving_to_and_fro_leaves_rounding():
    wide, single, half = map(restoring_error, (np.float64, np.float32, np.float16))
    assert 0 < wide < 1e-13 < single < 1e-4 < half < 0.1


def test_text_on_the_largest_model_is_true():
    """A regression on the five smallest misses it by 11 %, counting by 9 %."""
    assert "175B by 11 % (9 %)" in compare_regression(5)
