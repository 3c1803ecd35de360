"""Clusters of items by difficulty: planted ones found again, sorted lists, errors of the map."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import SUCCESS_LAW
from perfmodel.labs.forecasting.cod.benchmark import (
    COMPUTE,
    SEEDS,
    SORTS,
    TARGET,
    clusters_of,
    draw_benchmark,
)
from perfmodel.labs.forecasting.cod.chord import MIDDLE, two_items
from perfmodel.labs.forecasting.cod.difficulty_clusters import (
    cluster_items,
    fit_success,
    whole_from_part,
)
from perfmodel.labs.forecasting.cod.errors import (
    VIEWS,
    Errors,
    all_errors,
    errors_of,
    filter_of,
    mapped_error,
    mean_size,
    stranger_error,
    true_lasting_loss,
    view_of,
)
from perfmodel.labs.forecasting.cod.sorting import (
    LENGTHS,
    OF_EACH,
    forecast_trial,
    pass_rates,
    shuffled_lists,
)
from perfmodel.labs.forecasting.cod.tasks import score

SPENT = np.geomspace(1, 260, 8)


def curve(a, b, c, compute=SPENT):
    return np.exp(-a * np.asarray(compute) ** -b - c)


@given(st.floats(1.5, 40), st.floats(0.3, 0.7), st.floats(0.01, 0.5), st.floats(0, 0.3))
def test_a_law_without_noise_is_found_again(a, b, c, guess):
    fit = fit_success(SPENT, guess + (1 - guess) * curve(a, b, c), guess)
    truth = {"R0": guess, "A": guess + (1 - guess) * np.exp(-c), "K": a ** (1 / b), "b": b}
    assert fit.predict(SPENT) == pytest.approx(SUCCESS_LAW.value(truth, SPENT), abs=2e-4)
    assert float(fit.predict(2000)) == pytest.approx(SUCCESS_LAW.value(truth, 2000), abs=0.02)


def test_a_ceiling_above_one_is_held_at_one():
    rates = curve(4, 0.5, 0)
    rates[-1] = 0.97
    fit = fit_success(SPENT, rates)
    assert fit.theta["A"] == 1
    assert fit.free == ("K", "b")


def test_rates_below_guessing_have_guessing_as_their_ceiling():
    compute = np.array([1.0, 3, 10, 30, 100])
    fit = fit_success(compute, np.array([0.2, 0.15, 0.2, 0.18, 0.21]), guess=0.25)
    assert fit.theta["A"] == 0.25
    assert fit.predict(compute) == pytest.approx(0.25)


def test_items_of_three_curves_make_three_clusters_hardest_first():
    rng = np.random.default_rng(0)
    planted = [(1.5, 0.6, 0.02), (12, 0.5, 0.1), (300, 0.55, 0.1)]
    probabilities = np.repeat([curve(*item) for item in planted], [60, 40, 30], axis=0)
    result = cluster_items(rng.binomial(100, probabilities) / 100, SPENT, bandwidth=0.4)
    assert [cluster.items.size for cluster in result.clusters] == [30, 40, 60]
    assert result.outliers.size == 0
    middle = result.clusters[1]
    assert (middle.items == np.arange(60, 100)).all()
    assert middle.loss_to_lose == pytest.approx(12, rel=0.1)
    assert middle.lasting_loss == pytest.approx(0.1, abs=0.1)


def test_the_unit_of_compute_changes_no_verdict():
    rows = [curve(3, 0.5, 0.05)] * 20 + [curve(40, 0.4, 0.1)] * 20
    one, other = (cluster_items(rows, unit * SPENT) for unit in (1, 1e20))
    for a, b in zip(one.clusters, other.clusters, strict=True):
        assert a.loss_to_lose == pytest.approx(b.loss_to_lose, rel=1e-4)
        assert a.extrapolatable == b.extrapolatable
    assert float(one.forecast(7e3)) == pytest.approx(float(other.forecast(7e23)), abs=1e-6)


def test_guessing_is_no_part_of_the_loss():
    rows = [0.25 + 0.75 * curve(5, 0.4, 0.2)] * 12
    cluster = cluster_items(rows, SPENT, guess=0.25).clusters[0]
    assert cluster.lasting_loss == pytest.approx(0.2, abs=1e-3)
    assert cluster.loss_to_lose == pytest.approx(5, rel=1e-3)


@pytest.mark.parametrize(
    ("a", "b", "c", "kept"),
    [
        (5, 0.4, 0.1, True),
        (0.5, 0.4, 0.1, False),
        (5, 0.05, 0.1, False),
        (5, 0.4, 1.3, False),
    ],
)
def test_a_cluster_is_kept_if_it_still_rises_to_a_high_ceiling(a, b, c, kept):
    result = cluster_items([curve(a, b, c)] * 12, SPENT)
    assert result.clusters[0].extrapolatable is kept
    assert result.kept_fraction == kept


def test_forecasts_are_weighted_by_items_and_leave_out_what_is_not_kept():
    rows = [curve(5, 0.4, 0.1)] * 30 + [curve(60, 0.5, 1.4)] * 20
    result = cluster_items(rows, SPENT)
    easy, hard = curve(5, 0.4, 0.1, 1e3), curve(60, 0.5, 1.4, 1e3)
    assert float(result.forecast(1e3)) == pytest.approx(easy, abs=2e-3)
    every = float(result.forecast(1e3, every=True))
    assert every == pytest.approx(0.6 * easy + 0.4 * hard, abs=2e-3)
    assert (result.kept == np.arange(30)).all()


def test_items_far_from_all_others_are_outliers():
    rows = [curve(5, 0.4, 0.1)] * 30 + [np.linspace(1, 0, 8)]
    result = cluster_items(rows, SPENT)
    assert result.outliers.tolist() == [30]
    assert result.kept_fraction == pytest.approx(30 / 31)


scores = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(scores, st.data())
def test_the_map_rises_from_corner_to_corner(part, data):
    size = len(part)
    total = data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    to_whole = whole_from_part(part, total)
    values = to_whole(np.linspace(0, 1, 201))
    assert (np.diff(values) >= -1e-9).all()
    assert values[[0, -1]] == pytest.approx([0, 1], abs=1e-9)


def test_the_map_goes_through_models_in_order_and_is_the_identity_for_all_items():
    to_whole = whole_from_part([0.6, 0.2], [0.45, 0.1])
    assert to_whole([0.2, 0.6]) == pytest.approx([0.1, 0.45])
    same = whole_from_part([0.1, 0.3, 0.7], [0.1, 0.3, 0.7])
    assert same(np.linspace(0, 1, 11)) == pytest.approx(np.linspace(0, 1, 11))


def test_models_out_of_order_are_averaged():
    to_whole = whole_from_part([0.4, 0.5], [0.3, 0.2])
    assert to_whole([0.4, 0.5]) == pytest.approx([0.25, 0.25])


FLAT = [curve(60, 0.5, 1.4)] * 12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fit_success(SPENT, curve(5, 0.4, 0), 1.0),
            "guess must be at least 0 and below",
        ),
        (lambda: cluster_items(FLAT, SPENT[1:]), r"pass_rates must be of shape \(items, 7\)"),
        (
            lambda: cluster_items(FLAT, SPENT, min_items=13),
            "min_items must be at most a cluster's size",
        ),
        (
            lambda: cluster_items(FLAT, SPENT).forecast(9),
            "clusters must hold an extrapolatable",
        ),
        (lambda: whole_from_part([0.1], [0.1, 0.2]), "part and whole_score must be as long"),
        (lambda: whole_from_part([0.1], [0.2])(1.2), "scores must be between 0 and 1"),
    ],
)
def test_scores_and_clusters_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def chance_by_chain(start, budget):
    """Return the chance to be sorted, by the Markov chain over the orders of a list."""
    probabilities = {tuple(start): 1.0}
    pairs = len(start) - 1
    for _ in range(budget):
        after = {}
        for order, probability in probabilities.items():
            for left in range(pairs):
                new = list(order)
                new[left : left + 2] = sorted(new[left : left + 2])
                after[tuple(new)] = after.get(tuple(new), 0.0) + probability / pairs
        probabilities = after
    return probabilities.get(tuple(sorted(start)), 0.0)


@pytest.mark.parametrize("start", [(1, 0, 2), (2, 1, 0), (3, 0, 2, 1)])
def test_pass_rates_are_those_of_the_markov_chain(start):
    many = np.tile(np.array(start, dtype=float), (100, 1))
    budgets = [3, 6, 12]
    result = pass_rates([many], budgets, 0).mean(axis=0)
    exact = np.array([chance_by_chain(start, budget) for budget in budgets])
    error = np.sqrt(exact * (1 - exact) / 5_000)
    assert (np.abs(result - exact) <= 4 * error + 1e-12).all()


def test_sorted_lists_pass_and_long_ones_need_more():
    assert (pass_rates([np.arange(5.0)[None]], [1, 9], 0) == 1).all()
    rates = pass_rates(shuffled_lists(0), [12, 48], 1)
    by_length = rates.reshape(len(LENGTHS), OF_EACH, 2).mean(axis=1)
    assert (np.diff(by_length, axis=0) <= 0.01).all()
    assert (by_length[:, 1] >= by_length[:, 0]).all()


def test_lists_are_orders_and_repeat_with_their_seed():
    lists = shuffled_lists(4)
    assert [one.shape for one in lists] == [(OF_EACH, n) for n in LENGTHS]
    assert all((np.sort(one, axis=1) == np.arange(one.shape[1])).all() for one in lists)
    assert all((a == b).all() for a, b in zip(lists, shuffled_lists(4), strict=True))


def test_a_trial_forecasts_what_it_then_runs():
    trial = forecast_trial(0)
    assert trial == forecast_trial(0)
    assert 0.9 < trial.found <= 1
    assert trial.one_law < trial.found - 0.1
    assert 0 < trial.kept_fraction <= 1
    assert 0 <= trial.kept <= 1


@pytest.fixture(scope="module")
def found():
    rows = all_errors()
    return {name: np.array([getattr(row, name) for row in rows]) for name in Errors._fields}


def test_items_have_the_curves_of_their_sorts():
    benchmark = draw_benchmark(3)
    easy = benchmark.true_rates([TARGET])[:100, 0]
    a, b, c = SORTS[0]
    assert np.median(easy) == pytest.approx(np.exp(-a * TARGET**-b - c), rel=0.01)
    scatter = benchmark.rates - benchmark.true_rates(COMPUTE)
    assert abs(scatter.mean()) < 0.003
    assert scatter.std() < 0.05


def test_the_benchmark_is_that_of_the_fact_sheet():
    assert draw_benchmark(0).truth.mean() == pytest.approx(0.4527, abs=0.003)
    assert draw_benchmark(0).truth[:100].mean() == pytest.approx(0.929, abs=0.002)


@given(st.lists(st.floats(0, 5), min_size=2, max_size=30))
def test_unlike_items_score_more_than_one_item_of_their_mean_loss(losses):
    values = np.array(losses)
    assert score.reference(values) >= np.exp(-values.mean()) - 1e-12


def test_two_losses_by_hand():
    mean = float(score.reference(np.array([0.2, 2.0])))
    assert mean == pytest.approx(0.4770, abs=5e-5)
    assert np.exp(-1.1) * (1 + 0.81 / 2) == pytest.approx(0.4677, abs=5e-5)
    shown = two_items(0.9).values
    assert shown["mean of the two"] == pytest.approx(mean)
    assert shown["at the mean loss"] == pytest.approx(0.3329, abs=5e-5)


def test_one_law_is_too_low_in_every_draw(found):
    assert (found["one_law"] < -2).all()
    assert mean_size(found["one_law"])[0] == pytest.approx(4.7, abs=1)


def test_clusters_have_smaller_errors_and_kept_ones_the_smallest(found):
    means = [mean_size(found[name])[0] for name in ("one_law", "every_cluster", "kept")]
    assert means == sorted(means, reverse=True)
    assert means[1:] == [pytest.approx(2.52, abs=1), pytest.approx(1.35, abs=1)]
    better = np.abs(found["every_cluster"]) < np.abs(found["one_law"])
    assert better.sum() >= 10


def test_a_narrow_bandwidth_drops_items_and_a_wide_one_does_no_harm():
    errors, left = [], []
    for bandwidth in (0.25, 0.6):
        clusters = [
            cluster_items(draw_benchmark(seed).rates, COMPUTE, bandwidth=bandwidth)
            for seed in range(6)
        ]
        truths = [draw_benchmark(seed).truth.mean() for seed in range(6)]
        pairs = zip(clusters, truths, strict=True)
        off = [100 * abs(float(c.forecast(TARGET, every=True)) - truth) for c, truth in pairs]
        errors.append(np.mean(off))
        left.append(np.mean([c.outliers.size for c in clusters]))
    assert errors == [pytest.approx(4.4, abs=0.8), pytest.approx(2.7, abs=0.6)]
    assert 40 < left[0] < 80
    assert left[1] < 3


def test_on_the_items_that_are_left_one_law_does_as_well(found):
    part = found["kept_fraction"] < 1
    clusters, one = (np.abs(found[name][part]).mean() for name in ("kept", "kept_one_law"))
    assert one < 1.2 * clusters


def test_the_filter_keeps_a_third_or_all(found):
    fractions = found["kept_fraction"]
    assert 2 <= (fractions == 1).sum() <= 7
    assert ((fractions == 1) | ((fractions > 0.3) & (fractions < 0.4))).all()
    few, many = filter_of(100), filter_of(10_000)
    assert few.highest - few.lowest > 2 * (many.highest - many.lowest)
    assert few.lowest < 1 < few.highest
    assert many.median > 4 * true_lasting_loss()


def test_the_filter_keeps_the_better_forecasts_of_the_hardest_cluster(found):
    kept = found["hardest_kept"].astype(bool)
    assert np.abs(found["hardest"][kept]).max() < np.abs(found["hardest"][~kept]).mean()
    assert (found["hardest"][~kept] < 0).all()


def test_true_ceiling_by_hand():
    hand = np.mean(np.exp([-0.10, -0.15, -0.20, -0.30]))
    assert true_lasting_loss() == pytest.approx(-np.log(hand))
    unlimited = draw_benchmark(0).true_rates([1e300])[200:].mean()
    assert -np.log(unlimited) == pytest.approx(true_lasting_loss())


def test_the_map_needs_a_model_like_the_target():
    alone, helped = (
        mean_size(np.array([mapped_error(seed, s) for seed in range(SEEDS)]))[0] for s in (0, 1.0)
    )
    assert alone > 3 * helped
    assert stranger_error(0, 0.1) < -8
    assert abs(stranger_error(0, 1.0)) < 1


def test_with_all_items_kept_the_map_changes_nothing(found):
    seed = int(np.flatnonzero(found["kept_fraction"] == 1)[0])
    assert mapped_error(seed) == pytest.approx(found["kept"][seed], abs=0.05)


@pytest.mark.parametrize("view", VIEWS)
def test_views_agree_with_the_errors(view):
    shown, errors = view_of(view, 1, [1.0, 10.0]), errors_of(1)
    assert shown.seen.shape == COMPUTE.shape
    assert shown.forecast.shape == shown.truth.shape == (2,)
    if view == VIEWS[0]:
        assert shown.error == pytest.approx(errors.one_law)
    if view == VIEWS[2]:
        assert shown.error == pytest.approx(errors.hardest)
        hardest = clusters_of(1).clusters[0]
        assert shown.conclusion.endswith("kept" if hardest.extrapolatable else "set aside")


def test_the_hardest_cluster_is_passed_least():
    hardest, easiest = (view_of(view, 1, [1.0]) for view in VIEWS[2:])
    assert hardest.seen.mean() < easiest.seen.mean()
    assert hardest.conclusion.startswith(f"{clusters_of(1).clusters[0].items.size} items")


@pytest.mark.parametrize("distance", [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, MIDDLE])
def test_every_state_can_be_read(distance):
    assert not two_items(distance).faults()
