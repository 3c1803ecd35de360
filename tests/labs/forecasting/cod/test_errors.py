"""The made-up benchmark, its forecasts over twelve draws, the filter, the map and the drawing."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import cluster_items
from perfmodel.labs.forecasting.cod.benchmark import clusters_of, draw_benchmark
from perfmodel.labs.forecasting.cod.chord import MIDDLE, two_items
from perfmodel.labs.forecasting.cod.errors import (
    Errors,
    all_errors,
    errors_of,
    filter_of,
    mapped_error,
    mean_size,
    stranger_error,
    true_lasting_loss,
)
from perfmodel.labs.forecasting.cod.inputs import COMPUTE, SEEDS, SORTS, TARGET
from perfmodel.labs.forecasting.cod.tasks import score
from perfmodel.labs.forecasting.cod.views import VIEWS, view_of


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
    part = found["kept_share"] < 1
    clusters, one = (np.abs(found[name][part]).mean() for name in ("kept", "kept_one_law"))
    assert one < 1.2 * clusters


def test_the_filter_keeps_a_third_or_all(found):
    shares = found["kept_share"]
    assert 2 <= (shares == 1).sum() <= 7
    assert ((shares == 1) | ((shares > 0.3) & (shares < 0.4))).all()
    few, many = filter_of(100), filter_of(10_000)
    assert few.most - few.least > 2 * (many.most - many.least)
    assert few.least < 1 < few.most
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
    seed = int(np.flatnonzero(found["kept_share"] == 1)[0])
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
        assert shown.verdict.endswith("kept" if hardest.extrapolatable else "set aside")


def test_the_hardest_cluster_is_passed_least():
    hardest, easiest = (view_of(view, 1, [1.0]) for view in VIEWS[2:])
    assert hardest.seen.mean() < easiest.seen.mean()
    assert hardest.verdict.startswith(f"{clusters_of(1).clusters[0].items.size} items")


@pytest.mark.parametrize("distance", [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, MIDDLE])
def test_every_state_can_be_read(distance):
    assert not two_items(distance).faults()
