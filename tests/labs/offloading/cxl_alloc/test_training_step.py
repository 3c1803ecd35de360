from dataclasses import replace

import pytest

from perfmodel.labs.offloading.cxl_alloc.inputs import GIB, LFM, NEMO, QWEN, Host
from perfmodel.labs.offloading.cxl_alloc.training_step import (
    POLICIES,
    Setting,
    attention_share,
    passes_over_update,
    placed,
    slowdown,
    step_problem,
    step_times,
    update_time,
)
from perfmodel.offloading import best_placement, placement_time

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


def test_attention_by_hand():
    one = attention_share(Setting(QWEN, tokens=4096))
    assert one == pytest.approx(4096 * 3584 * 28 / 7_615_616_512)
    assert attention_share(Setting(QWEN, tokens=32768)) == pytest.approx(8 * one)


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


def test_bad_policy():
    with pytest.raises(ValueError, match="policy must be one of DRAM alone"):
        placed(SETTING, "guess")
