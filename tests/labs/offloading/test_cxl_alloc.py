"""CXL memory for training: placement, the update, what the printed percentages imply."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.cxl_alloc import adam, claims, tasks
from perfmodel.labs.offloading.cxl_alloc.adam import in_expressions, states
from perfmodel.labs.offloading.cxl_alloc.allocation import (
    ORDER,
    best_weight,
    by_density,
    first_spilled,
    interleaved,
    interleaved_rate,
    latency_first,
    tensor_bytes,
    tensor_traffic,
)
from perfmodel.labs.offloading.cxl_alloc.allocation_chart import DRAWN, allocation_steps
from perfmodel.labs.offloading.cxl_alloc.inputs import (
    CXL_BUDGET,
    DRAM_BUDGET,
    GIB,
    LFM,
    NEMO,
    QWEN,
    Host,
)
from perfmodel.labs.offloading.cxl_alloc.own_adam import AdamTimes, conclusion, knee, time_adam
from perfmodel.labs.offloading.cxl_alloc.tasks import BLOCK, in_blocks
from perfmodel.labs.offloading.cxl_alloc.training_step import (
    POLICIES,
    Setting,
    implied_ratios,
    implied_update_and_ratio,
    passes_over_update,
    placed,
    predicted_share,
    ratio_for_gain,
    ratio_for_share,
    slowdown,
    step_problem,
    step_times,
    throughput,
    update_time,
)
from perfmodel.offloading import best_placement, placement_time


@pytest.mark.parametrize("size", [1, 7, BLOCK, BLOCK + 1, 100_001])
def test_both_ways_give_the_same_weights_and_states(size):
    one, other = states(size), states(size)
    for _ in range(3):
        in_expressions(*one)
        in_blocks(*other)
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_step_by_hand():
    w, m, v, g = (np.array([x], np.float32) for x in (1.0, 0.5, 0.2, 2.0))
    in_expressions(w, m, v, g)
    assert m[0] == pytest.approx(0.9 * 0.5 + 0.1 * 2)
    assert v[0] == pytest.approx(0.95 * 0.2 + 0.05 * 4)
    assert w[0] == pytest.approx(1 - 1e-4 * 0.65 / np.sqrt(0.39))


def test_the_small_number_counts_where_there_is_hardly_a_gradient():
    w, m, v, g = states(5, 1e-8)
    before, mean, square = w.copy(), 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
    in_expressions(w, m, v, g)
    measured = before.astype(float) - w
    assert measured == pytest.approx(1e-4 * mean / (np.sqrt(square) + 1e-8), abs=2e-7)
    assert (np.abs(measured - 1e-4 * mean / np.sqrt(square)) > 1e-5).all()
    assert (np.abs(measured - 1e-4 * mean / np.sqrt(square + 1e-8)) > 5e-6).all()


def test_bytes_counted():
    assert adam.MUST == 28
    assert adam.MOVED == 164


def allocated(model, batch=1, tokens=4096, cards=1):
    return latency_first(tensor_bytes(model, batch, tokens), DRAM_BUDGET, CXL_BUDGET, cards) / GIB


PRINTED_NODES = [(0,), (0,), (0,), (0, 1), (1,), (1,), (1,)]
"""Nodes of each tensor of `ORDER` for LFM2.5 8B-A1B, section 5 of the tutorial; 0 is DRAM."""


def nodes(placement):
    """Return the nodes on which each tensor has bytes."""
    return [tuple(np.flatnonzero(row).tolist()) for row in placement]


def test_nodes_of_the_tutorial():
    assert nodes(allocated(LFM)) == PRINTED_NODES


def test_placed_gib_by_hand():
    lfm, qwen, nemo = allocated(LFM), allocated(QWEN), allocated(NEMO)
    assert lfm[3, 0] == pytest.approx(100 - 3 * 4 * 8_474_147_584 / 2**30, abs=1e-6)
    assert lfm[3, 0] == pytest.approx(5.294, abs=5e-4)
    assert lfm[:, 1].sum() == pytest.approx(58.22, abs=0.01)
    assert qwen[3] == pytest.approx([14.19, 14.19], abs=0.01)
    assert qwen[4, 0] == pytest.approx(0.70, abs=0.01)
    assert nemo[2] == pytest.approx([8.75, 36.88], abs=0.01)
    assert nemo[:, 1].sum() == pytest.approx(129.70, abs=0.01)
    assert allocated(NEMO, 8, 32768)[:, 1].sum() == pytest.approx(228.1, abs=0.1)


@pytest.mark.parametrize(
    ("parameters", "same"), [(7.66e9, False), (7.68e9, True), (8.94e9, True), (8.96e9, False)]
)
def test_nodes_of_the_tutorial_are_those_of_a_range_of_models(parameters, same):
    # Half of the master weights, 2P, fill what three tensors leave, 100 GiB - 12P, from 100/14 on.
    assert 7.66e9 < DRAM_BUDGET / 14 < 7.68e9
    assert 8.94e9 < DRAM_BUDGET / 12 < 8.96e9
    size = tensor_bytes(replace(LFM, parameters=int(parameters)), 1, 4096)
    assert (nodes(latency_first(size, DRAM_BUDGET, CXL_BUDGET)) == PRINTED_NODES) is same


@pytest.mark.parametrize("model", [QWEN, NEMO, LFM])
def test_context_does_not_change_what_spills_first(model):
    spilled = {first_spilled(allocated(model, 1, tokens)) for tokens in (4096, 16384, 32768)}
    assert len(spilled) == 1


sizes = st.lists(st.integers(1, 1000), min_size=1, max_size=8)


@settings(max_examples=100)
@given(size=sizes, dram=st.integers(0, 3000), cards=st.integers(1, 3))
def test_nothing_is_lost_and_budgets_hold(size, dram, cards):
    for index in (latency_first, interleaved):
        placed = index(size, dram, 1e9, cards)
        assert placed.sum(axis=1) == pytest.approx(size)
        assert placed[:, 0].sum() <= dram + 1e-9
        assert (placed >= 0).all()
        assert placed[:, 1:] == pytest.approx(np.repeat(placed[:, 1:2], cards, axis=1))


@given(size=sizes, dram=st.integers(0, 3000))
def test_latency_first_is_wholly_in_dram_before_it_spills(size, dram):
    placed = latency_first(size, dram, 1e9)
    first = first_spilled(placed)
    whole = size if first < 0 else size[:first]
    assert placed[: len(whole), 0] == pytest.approx(whole)
    assert sum(whole) <= dram
    if first >= 0:
        assert sum(size[: first + 1]) > dram
        assert placed[first, 0] == min(dram - sum(whole), size[first] // 2)


def test_interleaved_until_dram_is_full_and_by_weights():
    assert interleaved([10, 10], 7, 100) == pytest.approx(np.array([[5, 5], [2, 8]]))
    assert interleaved([10], 50, 100, weights=[4, 1]) == pytest.approx(np.array([[8, 2]]))
    assert interleaved([12], 50, 100, cards=2) == pytest.approx(np.array([[4, 4, 4]]))


def test_density_cuts_the_last():
    placed = by_density([10, 10], [10, 20], 12, 100)
    assert placed == pytest.approx(np.array([[2, 8], [10, 0]]))


@given(dram=st.floats(1, 500), cxl=st.floats(1, 500))
def test_best_weight_is_the_peak_and_adds_the_rates(dram, cxl):
    share = best_weight(dram, cxl)
    assert interleaved_rate(share, dram, cxl) == pytest.approx(dram + cxl)
    grid = interleaved_rate(np.linspace(0, 1, 101), dram, cxl)
    assert grid.max() <= (dram + cxl) * (1 + 1e-9)


def test_cards_too_small_for_the_tensors_are_refused():
    with pytest.raises(ValueError, match="cxl must hold"):
        latency_first([10, 10], 5, 3)


@pytest.mark.parametrize("model", list(DRAWN))
@pytest.mark.parametrize("step", range(8))
def test_every_state_can_be_read(model, step):
    scene = allocation_steps(model, step)
    assert scene.faults() == []
    assert scene.height == allocation_steps("Qwen2.5 7B", 0).height


def test_last_state_tells_the_allocators_numbers():
    scene = allocation_steps("LFM2.5 8B-A1B", 7)
    assert scene.values["master weights in DRAM (GiB)"] == pytest.approx(5.294, abs=5e-4)
    assert "DRAM holds 100 GiB, CXL 58.22" in scene.says
    assert allocation_steps("LFM2.5 8B-A1B", 0).says.startswith("No tensor is placed yet")


def test_a_second_card_is_judged_without_the_first(monkeypatch):
    """A call with one card would raise a KeyError."""
    kept = {}
    monkeypatch.setattr(claims, "predicted_share", lambda *_, cards=1: kept[cards])
    for share, holds in [(0.992, True), (1.0, True), (1.008, True), (0.985, False), (1.02, False)]:
        kept[2] = share
        assert claims.second_card(0.5) == (holds, f"{100 * share:.1f} %")


def test_a_first_card_is_judged_without_the_second(monkeypatch):
    kept = {}
    monkeypatch.setattr(claims, "predicted_share", lambda *_, cards=1: kept[cards])
    for share, holds in [(0.97, True), (0.99, True), (0.96, False), (1.0, False)]:
        kept[1] = share
        assert claims.one_card(0.5).holds is holds


def test_nodes_would_differ_for_another_model():
    assert nodes(placed(Setting(NEMO), "latency first")) != PRINTED_NODES


@pytest.mark.parametrize(
    ("model", "first", "total"),
    [(QWEN, 28.37, 142.62), (NEMO, 45.63, 229.70), (LFM, 31.57, 158.22)],
)
def test_gib_by_hand(model, first, total):
    size = tensor_bytes(model, 1, 4096) / GIB
    assert size[0] == pytest.approx(first, abs=0.005)
    assert size.sum() == pytest.approx(total, abs=0.01)


def test_activations_of_a_long_batch():
    size = dict(zip(ORDER, tensor_bytes(NEMO, 8, 32768), strict=True))
    assert size["activations"] == 2 * 8 * 32768 * 5120 * 40
    assert size["activations"] / GIB == 100


@given(batch=st.integers(1, 64), tokens=st.integers(1, 65536), gpus=st.integers(1, 8))
def test_twenty_bytes_a_parameter_and_linear_activations(batch, tokens, gpus):
    size = tensor_bytes(QWEN, batch, tokens, gpus)
    activations = 2 * batch * tokens * gpus * 3584 * 28
    assert size.sum() == 20 * QWEN.parameters + activations


def test_update_moves_28_bytes_a_parameter_and_the_copy():
    traffic = tensor_traffic(QWEN, 1, 4096)
    assert traffic.update.sum() == 30 * QWEN.parameters
    assert traffic.update[ORDER.index("compute weights")] == 2 * QWEN.parameters
    assert traffic.forward.sum() == 2 * QWEN.parameters + tensor_bytes(QWEN, 1, 4096)[5]
    assert np.all(traffic.backward[:2] == 0)


@given(ratio=st.floats(0, 100), update=st.floats(1.01, 10))
def test_ratio_for_share_inverts_throughput(ratio, update):
    share = throughput(ratio, update)
    assert ratio_for_share(share, update) == pytest.approx(ratio, rel=1e-6, abs=1e-6)


@given(ratio=st.floats(0, 100), update=st.floats(0.5, 3), worse=st.floats(1.05, 4))
def test_ratio_for_gain_inverts_throughput(ratio, update, worse):
    gain = throughput(ratio, update) / throughput(ratio, worse * update)
    assert ratio_for_gain(gain, update, worse * update) == pytest.approx(ratio, rel=1e-5, abs=1e-5)


@given(ratio=st.floats(0.1, 100), update=st.floats(1, 3), worse=st.floats(1.1, 4))
def test_both_finds_slowdown_and_ratio(ratio, update, worse):
    baseline = worse * update
    share = throughput(ratio, update)
    result = implied_update_and_ratio(share, share / throughput(ratio, baseline), baseline)
    assert result == pytest.approx((update, ratio), rel=1e-5)


def test_both_by_hand():
    update, ratio = implied_update_and_ratio(0.98, 1.21, 2.0)
    assert throughput(ratio, update) == pytest.approx(0.98)
    assert (ratio + 2) / (ratio + update) == pytest.approx(1.21)


def test_limits_of_throughput():
    assert throughput(0, 4) == pytest.approx(0.25)
    assert throughput(1e9, 4) == pytest.approx(1)


def test_no_ratio_gives_a_gain_larger_than_the_updates():
    need = implied_ratios(Setting(NEMO), 0.5)
    assert need.naive / need.aware < 1.21
    assert need.gain < 0
    with pytest.raises(ValueError, match="gain must be below"):
        predicted_share(Setting(NEMO), 0.5)


def test_predicted_share_is_what_the_ratio_gives():
    need = implied_ratios(Setting(QWEN), 0.5)
    assert predicted_share(Setting(QWEN), 0.5) == pytest.approx(
        float(throughput(need.gain, need.aware))
    )


@pytest.mark.parametrize(
    ("budget", "overlap", "one", "two"),
    [(97, 0.75, 98.4, 100.0), (100, 0.6, 97.7, 97.4), (120, 0, 98.4, 98.0), (120, 1, 100.7, 100.9)],
)
def test_budget_and_overlap_decide_what_is_kept(budget, overlap, one, two):
    setting = Setting(QWEN, dram=budget * GIB)
    kept = [100 * predicted_share(setting, overlap, cards=cards) for cards in (1, 2)]
    assert kept == pytest.approx([one, two], abs=0.05)


def test_with_100_gib_each_percentage_has_an_overlap_and_both_have_none():
    """As the notebook says: neither at an end, each in between, not both with the same."""
    overlaps = np.linspace(0, 1, 101)
    one, two = (
        np.array([predicted_share(Setting(QWEN), overlap, cards=cards) for overlap in overlaps])
        for cards in (1, 2)
    )
    first, second = (one >= 0.97) & (one <= 0.99), np.abs(two - 1) <= 0.01
    assert not (first | second)[[0, -1]].any()
    assert first.any()
    assert second.any()
    assert not (first & second).any()
    assert (two[first] < one[first]).any()


def test_percentages_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="share must differ from 1"):
        ratio_for_share(1, 2)
    with pytest.raises(ValueError, match="gain must be above share"):
        implied_update_and_ratio(0.9, 0.8, 2)


def test_times_by_a_clock_that_ticks():
    ticks = count()
    result = time_adam([2**20], repeats=6, clock=lambda: float(next(ticks)))
    assert result[0].expressions == (1 / 2**20,) * 3
    assert result[0].rate[0] == 2 * 4 * 4 * 2**20
    assert result[0].bytes == 16 * 2**20


def test_a_sample_of_small_arrays_goes_over_a_mebielement():
    """A second by the clock is that of all rounds together."""
    ticks = count()
    result = time_adam([2**15], repeats=6, clock=lambda: float(next(ticks)))
    assert result[0].expressions == result[0].blocks == pytest.approx((1 / 2**20,) * 3)
    assert result[0].rate[0] == pytest.approx(2 * 4 * 4 * 2**20)


def made(size, rate, expressions, blocks, wide=0.0):
    def spread(value):
        return value, value * (1 - wide), value * (1 + wide)

    return AdamTimes(size, spread(rate), spread(expressions), spread(blocks))


SMALL, MIDDLE = made(2**16, 90e9, 2e-9, 2e-9), made(2**20, 88e9, 2e-9, 2e-9)


def test_knee_lies_between_the_sizes_where_the_rate_falls():
    slow = made(2**22, 20e9, 8e-9, 2e-9)
    assert knee([SMALL, MIDDLE, slow]) == pytest.approx(16 * 2**21)
    assert knee([SMALL, MIDDLE]) is None


def test_verdict_has_a_sentence_for_each_outcome():
    both = conclusion([SMALL, made(2**22, 40e9, 8e-9, 2e-9)])
    assert "leaves the caches" in both
    assert "Each large temporary array may be new memory" in both
    assert "Their data may wait in the cache" in both
    fits = conclusion([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9)])
    assert "counted bytes explain both times" in fits
    assert "measure again" in conclusion([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9, wide=0.5)])
    assert "No knee showed" in conclusion([SMALL, MIDDLE])


def small_number_under_the_root(w, m, v, g):
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / np.sqrt(v + 1e-8)
    return w


def no_small_number(w, m, v, g):
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / np.sqrt(v)
    return w


def gradient_overwritten(w, m, v, g):
    m *= 0.9
    g *= 0.1
    m += g
    v *= 0.95
    v += 0.05 * g * g
    w -= 1e-4 * m / (np.sqrt(v) + 1e-8)
    return w


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (small_number_under_the_root, "not under it"),
        (no_small_number, "The 1e-8 is missing"),
        (gradient_overwritten, "before taking its square"),
    ],
)
def test_slips_of_an_adam_step_in_place_are_named(slip, said):
    outcome = tasks.quick_adam.results.judge(slip)
    assert outcome.state == "wrong"
    assert said in outcome.said


@pytest.mark.parametrize(
    ("task", "answer", "said"),
    [
        (
            tasks.stays,
            lambda parameters, budget: (budget - 12 * parameters) / 2,
            "not half of the remaining",
        ),
        (tasks.stays, lambda parameters, budget: budget - 16 * parameters, "are the fourth"),
        (tasks.page_share, lambda dram, cxl, cards: dram / (cards * cxl), "fraction of 4/5"),
        (tasks.page_share, lambda dram, cxl, cards: 1 - cxl / dram, "the sum of all rates"),
        (tasks.ratio, lambda share, update: share * (update - 1) / (1 - share), "Multiply out"),
    ],
)
def test_usual_first_answers_are_told_what_they_are(task, answer, said):
    assert said in task.judge(answer).said


SETTING = Setting(QWEN)


def test_update_in_dram_by_hand():
    alone = placed(SETTING, "DRAM alone")
    by_hand = 30 * QWEN.parameters / 200e9
    assert update_time(SETTING, alone, [0.0, 1.0]) == pytest.approx([by_hand, by_hand])


def test_interleaving_by_hand():
    # Half of the bytes at a quarter of the rate: 0.5 x 4 with overlap, and 0.5 more without.
    assert slowdown(SETTING, "interleaved", 1.0) == pytest.approx(2)
    assert slowdown(SETTING, "interleaved", 0.0) == pytest.approx(2.5)
    assert slowdown(SETTING, "interleaved", 0.5) == pytest.approx(2.25)


def test_equal_memories_are_no_slowdown_without_overlap():
    host = Host(100e9, 100e9, 50e9, 1e14)
    for policy in POLICIES:
        assert slowdown(replace(SETTING, host=host), policy, 0.0) == pytest.approx(1)


@pytest.mark.parametrize("model", [QWEN, NEMO, LFM])
@pytest.mark.parametrize("overlap", [True, False])
def test_program_is_never_beaten_and_times_agree(model, overlap):
    setting = Setting(model)
    times, best = step_times(setting, overlap=overlap)
    within = [times[policy] for policy in POLICIES[1:]]
    assert times["linear program"] <= min(within) * (1 + 1e-9)
    assert best.time == times["linear program"]
    assert (best.used <= step_problem(setting).capacity * (1 + 1e-9)).all()


@pytest.mark.parametrize("model", [QWEN, NEMO, LFM])
def test_densest_first_is_the_programs_optimum_where_nodes_take_turns(model):
    times, _ = step_times(Setting(model), overlap=False)
    assert times["densest first"] == pytest.approx(times["linear program"])


def test_program_beats_dram_alone_where_nodes_overlap():
    times, _ = step_times(SETTING)
    assert times["linear program"] < times["DRAM alone"]


@pytest.mark.parametrize("overlap", [True, False])
def test_update_of_the_program_equals_the_formula(overlap):
    where = placed(SETTING, "latency first")
    problem = step_problem(SETTING, overlap=overlap)
    step = placement_time(problem, where / SETTING.size[:, None])
    alone = placement_time(problem, placed(SETTING, "DRAM alone") / SETTING.size[:, None])
    formula = update_time(SETTING, where, float(overlap))
    in_dram = update_time(SETTING, placed(SETTING, "DRAM alone"), float(overlap))
    assert step - alone == pytest.approx(float(formula - in_dram))


def test_more_dram_helps_and_the_price_is_its_slope():
    more = [best_placement(step_problem(Setting(NEMO, dram=g * GIB))) for g in (100, 100.01)]
    assert more[0].time - more[1].time == pytest.approx(
        0.01 * GIB * more[0].capacity_prices[0], rel=1e-4
    )


def test_passes_over_update_grow_with_tokens_only():
    ratios = [passes_over_update(Setting(QWEN, 1, tokens)) for tokens in (4096, 8192)]
    assert ratios[1] == pytest.approx(2 * ratios[0])
    # 8 FLOP a parameter and token at 1e14/s over 30 bytes at 2e11/s.
    assert ratios[0] == pytest.approx(8 * 4096 / 1e14 / (30 / 2e11))


def test_long_passes_hide_the_card_and_short_ones_do_not():
    def lost(tokens):
        setting = Setting(QWEN, tokens=tokens)
        problem = step_problem(setting)
        steps = [
            placement_time(problem, placed(setting, policy) / setting.size[:, None])
            for policy in ("densest first", "DRAM alone")
        ]
        updates = [
            float(update_time(setting, placed(setting, policy), 1.0))
            for policy in ("densest first", "DRAM alone")
        ]
        return steps[0] - steps[1] - (updates[0] - updates[1])

    assert lost(4096) == pytest.approx(0, abs=1e-9)
    assert lost(1024) > 0.3


def test_two_cards_share_what_spills():
    where = placed(replace(SETTING, cards=2), "densest first")
    assert where[:, 1] == pytest.approx(where[:, 2])
    assert where.sum() == pytest.approx(SETTING.size.sum())
