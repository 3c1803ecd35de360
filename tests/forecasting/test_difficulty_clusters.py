"""Success laws fitted within their bounds, clusters found again, the filter, and the rising map."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import SUCCESS_LAW, cluster_items, fit_success, whole_from_part

COMPUTE = np.geomspace(1, 260, 8)


def curve(a, b, c, compute=COMPUTE):
    return np.exp(-a * np.asarray(compute) ** -b - c)


@given(st.floats(1.5, 40), st.floats(0.3, 0.7), st.floats(0.01, 0.5), st.floats(0, 0.3))
def test_a_law_without_noise_is_found_again(a, b, c, guess):
    fit = fit_success(COMPUTE, guess + (1 - guess) * curve(a, b, c), guess)
    truth = {"R0": guess, "A": guess + (1 - guess) * np.exp(-c), "K": a ** (1 / b), "b": b}
    assert fit.predict(COMPUTE) == pytest.approx(SUCCESS_LAW.value(truth, COMPUTE), abs=2e-4)
    assert float(fit.predict(2000)) == pytest.approx(SUCCESS_LAW.value(truth, 2000), abs=0.02)


def test_a_ceiling_above_one_is_held_at_one():
    rates = curve(4, 0.5, 0)
    rates[-1] = 0.97
    fit = fit_success(COMPUTE, rates)
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
    chances = np.repeat([curve(*one) for one in planted], [60, 40, 30], axis=0)
    found = cluster_items(rng.binomial(100, chances) / 100, COMPUTE, bandwidth=0.4)
    assert [cluster.items.size for cluster in found.clusters] == [30, 40, 60]
    assert found.outliers.size == 0
    middle = found.clusters[1]
    assert (middle.items == np.arange(60, 100)).all()
    assert middle.loss_to_lose == pytest.approx(12, rel=0.1)
    assert middle.lasting_loss == pytest.approx(0.1, abs=0.1)


def test_the_unit_of_compute_changes_no_verdict():
    rows = [curve(3, 0.5, 0.05)] * 20 + [curve(40, 0.4, 0.1)] * 20
    one, other = (cluster_items(rows, unit * COMPUTE) for unit in (1, 1e20))
    for a, b in zip(one.clusters, other.clusters, strict=True):
        assert a.loss_to_lose == pytest.approx(b.loss_to_lose, rel=1e-4)
        assert a.extrapolatable == b.extrapolatable
    assert float(one.forecast(7e3)) == pytest.approx(float(other.forecast(7e23)), abs=1e-6)


def test_guessing_is_no_part_of_the_loss():
    rows = [0.25 + 0.75 * curve(5, 0.4, 0.2)] * 12
    cluster = cluster_items(rows, COMPUTE, guess=0.25).clusters[0]
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
    found = cluster_items([curve(a, b, c)] * 12, COMPUTE)
    assert found.clusters[0].extrapolatable is kept
    assert found.kept_share == kept


def test_forecasts_are_weighted_by_items_and_leave_out_what_is_not_kept():
    rows = [curve(5, 0.4, 0.1)] * 30 + [curve(60, 0.5, 1.4)] * 20
    found = cluster_items(rows, COMPUTE)
    easy, hard = curve(5, 0.4, 0.1, 1e3), curve(60, 0.5, 1.4, 1e3)
    assert float(found.forecast(1e3)) == pytest.approx(easy, abs=2e-3)
    every = float(found.forecast(1e3, every=True))
    assert every == pytest.approx(0.6 * easy + 0.4 * hard, abs=2e-3)
    assert (found.kept == np.arange(30)).all()


def test_items_far_from_all_others_are_outliers():
    rows = [curve(5, 0.4, 0.1)] * 30 + [np.linspace(1, 0, 8)]
    found = cluster_items(rows, COMPUTE)
    assert found.outliers.tolist() == [30]
    assert found.kept_share == pytest.approx(30 / 31)


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
        (lambda: fit_success(COMPUTE, curve(5, 0.4, 0), 1.0), "guess must be at least 0 and below"),
        (lambda: cluster_items(FLAT, COMPUTE[1:]), r"pass_rates must be of shape \(items, 7\)"),
        (lambda: cluster_items(FLAT, COMPUTE, least=13), "least must be at most a cluster's size"),
        (lambda: cluster_items(FLAT, COMPUTE).forecast(9), "clusters must hold an extrapolatable"),
        (lambda: whole_from_part([0.1], [0.1, 0.2]), "part and whole_score must be as long"),
        (lambda: whole_from_part([0.1], [0.2])(1.2), "scores must be between 0 and 1"),
    ],
)
def test_scores_and_clusters_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
