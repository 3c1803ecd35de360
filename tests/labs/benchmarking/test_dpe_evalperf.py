"""Guesses of hidden scores: exact where their model holds, and blind to what is hidden."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.labs.benchmarking.dpe_evalperf.leaderboard import (
    TaskScores,
    hidden_errors,
    printed,
    task_scores,
)
from perfmodel.labs.benchmarking.dpe_evalperf.references import (
    ReferenceClusters,
    cluster_costs,
    cluster_drawing,
    references,
)
from perfmodel.labs.benchmarking.dpe_evalperf.window_maxima import (
    PROGRAMS,
    measure_programs,
    window_input,
)

RNG = np.random.default_rng(3)
PARTS = np.add.outer(RNG.normal(50, 9, 12), RNG.normal(0, 9, 30))


def test_regression_is_exact_on_sums_of_parts():
    errors = hidden_errors(PARTS)
    assert errors["regression"] == pytest.approx(np.zeros(errors["regression"].size), abs=1e-9)
    assert errors["own mean"].mean() > 1


def test_the_mean_of_the_task_is_exact_where_models_are_alike():
    alike = np.tile(RNG.normal(50, 9, 30), (6, 1))
    errors = hidden_errors(alike)
    assert errors["task mean"] == pytest.approx(np.zeros(errors["task mean"].size), abs=1e-9)
    assert errors["own mean"].mean() > 1


def test_the_nearest_model_is_exact_on_twins():
    twins = np.repeat(RNG.normal(50, 9, (6, 30)), 2, axis=0)
    assert np.median(hidden_errors(twins)["nearest model"]) == 0


def test_a_hidden_score_is_not_looked_at():
    single = PARTS.copy()
    single[4] += 1000.0 * (np.arange(30) == 7)
    plain, spiked = hidden_errors(PARTS, 0.5, seed=1), hidden_errors(single, 0.5, seed=1)
    hidden = np.random.default_rng(1).random(PARTS.size) < 0.5
    assert hidden[4 * 30 + 7]
    assert (spiked["regression"] - plain["regression"]).max() == pytest.approx(1000, abs=1)


# Means and win rates against plain loops, and who leads on which tasks.

TABLE = task_scores()
SCORES = arrays(float, (4, 6), elements=st.integers(0, 3).map(float) | st.just(np.nan)).map(
    lambda scores: np.column_stack([scores, np.ones(4)])
)


def of(scores):
    return TaskScores(tuple("abcd"), tuple(map(str, range(scores.shape[1]))), scores)


def loops(scores):
    """Return task and model win rates as one would count them by hand."""
    tasks, models = [], []
    for own in scores:
        wins = rounds = beaten = 0
        for other in scores:
            if other is own:
                continue
            pairs = [(x, y) for x, y in zip(own, other, strict=True) if x == x and y == y]
            wins += sum(x > y for x, y in pairs) + 0.5 * sum(x == y for x, y in pairs)
            rounds += len(pairs)
            beaten += sum(x for x, _ in pairs) > sum(y for _, y in pairs)
        tasks.append(wins / rounds)
        models.append(beaten / (len(scores) - 1))
    return tasks, models


@given(SCORES)
def test_win_rates_are_counted_on_tasks_of_both(scores):
    tasks, models = loops(list(scores))
    assert of(scores).task_win_rates() == pytest.approx(tasks)
    assert of(scores).model_win_rates() == pytest.approx(models)


def test_a_win_of_one_is_a_loss_of_the_other():
    pair = TaskScores(("a", "b"), ("x", "y", "z"), np.array([[3.0, 1, np.nan], [2.0, 1, 0]]))
    assert pair.task_win_rates().tolist() == [0.75, 0.25]
    assert pair.own_means().tolist() == [2, 1]
    assert pair.common().tolist() == [True, True, False]
    assert pair.common(1).all()


def test_a_tie_may_be_wide():
    pair = TaskScores(("a", "b"), ("x", "y"), np.array([[50.0, 30.0], [50.0 + 1e-13, 20.0]]))
    assert pair.task_win_rates().tolist() == [0.5, 0.5]
    assert pair.task_win_rates(1e-9).tolist() == [0.75, 0.25]
    with pytest.raises(ValueError, match="tie must be 0 or more, got -1"):
        pair.task_win_rates(-1)


def test_the_lead_changes_on_tasks_that_all_solve():
    own, common = TABLE.own_means(), TABLE.common()
    shared = TABLE.scores[:, common].mean(axis=1)
    assert common.sum() == 59
    assert TABLE.models[own.argmax()] == "gpt-4o-2024-08-06"
    assert TABLE.models[shared.argmax()] == "deepseek-chat-v2.5"
    assert np.sort(shared)[-2:] == pytest.approx([88.39, 89.11], abs=0.005)


def test_four_printed_rates_rest_on_the_last_bits_of_a_float():
    exact, sane = TABLE.task_win_rates(), TABLE.task_win_rates(1e-9)
    assert (exact.round(4) != sane.round(4)).sum() == 4


def test_the_printed_table_names_the_same_models():
    assert tuple(printed().index) == TABLE.models
    assert TABLE.row("o1-mini-2024-09-12").shape == (118,)
    with pytest.raises(ValueError, match="model must be one of .* got 'eliza'"):
        TABLE.row("eliza")


# Clusters and scores: by hand, by brute force, and what must not change them.

TEN = [58e6, 10e6, 100e6, 29e6, 9.7e6, 60e6, 98e6, 30e6, 57e6, 9.8e6]
COSTS = st.lists(st.integers(10_000, 10**9).map(float), min_size=1, max_size=30)


def clusters_one_by_one(costs, gap, noise):
    falling = sorted(costs, reverse=True)
    groups = [[falling[0]]]
    for cost in falling[1:]:
        last = groups[-1][-1]
        if (last - cost) / last > gap + (noise / last) ** 0.5:
            groups.append([])
        groups[-1].append(cost)
    return groups


def test_ten_solutions_by_hand():
    groups = cluster_costs(TEN)
    assert [len(g) for g in groups] == [2, 3, 2, 3]
    found = references(TEN)
    assert found.score.tolist() == [20, 50, 70, 100]
    assert found.cost.tolist() == [100e6, 60e6, 30e6, 10e6]
    assert found.placement(59e6) == (50, 50)
    assert found.placement(9e6) == (100, 100)
    assert found.placement(101e6) == found.placement(np.inf) == (0, 0)


@given(COSTS, st.floats(0, 0.9), st.floats(0, 1e5))
def test_splits_are_those_of_a_scan_from_slow_to_fast(costs, gap, noise):
    groups = [g.tolist() for g in cluster_costs(costs, gap, noise)]
    assert groups == clusters_one_by_one(costs, gap, noise)


@given(COSTS, st.floats(1e3, 2e9), st.floats(1, 10))
def test_a_slower_program_never_scores_more(costs, cost, factor):
    found = references(costs)
    fast, slow = found.placement(cost), found.placement(cost * factor)
    assert 0 <= slow.score <= fast.score <= 100
    assert slow.normalised <= fast.normalised
    assert found.placement(min(costs)) == (100, 100)


@given(COSTS, st.sampled_from([0.25, 2.0, 1024.0]))
def test_only_ratios_matter_when_noise_scales_along(costs, scale):
    sizes = [g.size for g in cluster_costs(costs)]
    scaled = cluster_costs(np.array(costs) * scale, noise=1e4 * scale)
    assert [g.size for g in scaled] == sizes


@given(COSTS, st.data())
def test_a_copy_of_a_reference_moves_no_boundary(costs, data):
    copied = [*costs, data.draw(st.sampled_from(costs))]
    assert references(copied).cost.tolist() == references(costs).cost.tolist()


def test_the_share_counts_solutions_and_the_normalised_score_clusters():
    table = ReferenceClusters(np.array([4.0, 3, 2, 1]), np.array([30.0, 50, 80, 100]))
    assert table.placement(2.0) == (80, 75)


def test_a_cost_must_be_above_0_or_infinite():
    with pytest.raises(ValueError, match="cost must be above 0 or infinite, got 0.0"):
        references([1.0]).placement(0.0)
    with pytest.raises(ValueError, match="cost must be above 0 or infinite, got nan"):
        references([1.0]).placement(np.nan)


@pytest.mark.parametrize("gap", [0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("cost", [9, 9.9, 15, 29.5, 40, 57.5, 59, 80, 99, 120])
def test_every_drawing_can_be_read(cost, gap):
    scene = cluster_drawing(cost, gap)
    assert scene.faults() == []
    assert len(scene.says) <= 160


# Twelve programs that must agree, and the two ways to cost them.


@pytest.mark.parametrize("name", PROGRAMS)
@given(values=st.lists(st.integers(-9, 9), min_size=1, max_size=25), data=st.data())
def test_a_program_finds_the_largest_of_every_window(name, values, data):
    width = data.draw(st.integers(1, len(values)))
    given_values = values.copy()
    expected = []
    for start in range(len(values) - width + 1):
        window = values[start : start + width]
        expected.append(next(v for v in window if all(v >= w for w in window)))
    assert PROGRAMS[name](values, width) == expected
    assert values == given_values


def test_counts_repeat_and_times_are_positive():
    costs = measure_programs(size=80, width=8, counts=3, rounds=2)
    count, clock = costs.variation()
    assert count.tolist() == [0.0] * 12
    assert costs.seconds.shape == (12, 2)
    assert (costs.seconds > 0).all()
    assert (clock >= 0).all()


def test_scanning_costs_more_than_remembering():
    counts = dict(zip(PROGRAMS, measure_programs(300, 40, 2, 2).bytecodes[:, 0], strict=True))
    assert counts["nested_loops"] > 4 * counts["candidates"]


def test_input_mostly_falls():
    values = window_input(500)
    assert values[0] > values[250] > values[-1]
    assert values == window_input(500)


def test_a_window_wider_than_the_input_is_refused():
    with pytest.raises(ValueError, match="width must be at most size = 10, got 11"):
        measure_programs(10, 11)
