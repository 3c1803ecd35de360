import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.sleep_time.popular import (
    best_rows,
    choices,
    context_cost,
    covered_share,
    exponential_scale,
)
from perfmodel.offloading import zipf_popularity
from perfmodel.serving import remaining_work


@given(
    sources=st.integers(1, 60),
    exponent=st.floats(0, 3),
    queries=st.floats(0, 1e4),
    row=st.floats(0.1, 100),
    fresh=st.floats(0.1, 100),
)
def test_best_rows_cost_least_of_all(sources, exponent, queries, row, fresh):
    shares = zipf_popularity(sources, exponent)
    costs = context_cost(shares, queries, row, fresh, np.arange(sources + 1))
    best = int(best_rows(shares, queries, row, fresh))
    assert costs[best] <= costs.min() * (1 + 1e-9) + 1e-9


def test_cost_by_playing_questions():
    """Draw questions, count those about sources without a row."""
    shares = zipf_popularity(20, 1.0)
    asked = np.random.default_rng(3).choice(20, (20_000, 10), p=shares)
    played = 5 * 2.0 + 3.0 * (asked >= 5).sum(axis=1)
    error = played.std(ddof=1) / np.sqrt(played.size)
    assert abs(played.mean() - context_cost(shares, 10, 2.0, 3.0, 5)) < 4 * error


def test_alike_it_is_all_or_nothing():
    shares = np.full(10, 0.1)
    assert best_rows(shares, [9.9, 10.1], 1.0, 1.0).tolist() == [0, 10]


def test_covered_share_ends():
    shares = zipf_popularity(7, 1.3)
    assert covered_share(shares, 0) == 0
    assert covered_share(shares, 7) == pytest.approx(1)


@given(sources=st.integers(2, 60), exponent=st.floats(0, 3))
def test_exponential_meets_the_covered_share(sources, exponent):
    shares = zipf_popularity(sources, exponent)
    scale = exponential_scale(shares, sources // 2)
    left = remaining_work(sources // 2, 1.0, 0.0, scale)
    assert left == pytest.approx(1 - covered_share(shares, sources // 2))


@given(sources=st.integers(3, 60), exponent=st.floats(0, 3), queries=st.floats(0.1, 1e4))
def test_the_guess_never_costs_less_than_the_best(sources, exponent, queries):
    shares = zipf_popularity(sources, exponent)
    found = choices(shares, [queries], sources // 2)
    costs = context_cost(shares, queries, 1.0, 1.0, np.arange(sources + 1))
    assert costs[found.best[0]] * found.excess[0] == pytest.approx(costs[found.guessed[0]])
    assert found.excess[0] >= 1 - 1e-9
    assert 0 <= found.guessed[0] <= sources


def test_best_number_is_a_power_of_the_questions():
    """i^-a qN / H > 1 holds for i up to (qN / H)^(1/a)."""
    for exponent in (0.5, 1.0, 2.0):
        shares = zipf_popularity(1000, exponent)
        queries = np.array([50.5, 200.5]) ** exponent / shares[0]
        assert choices(shares, queries, 20).best.tolist() == [50, 200]


def test_the_guess_goes_by_the_rows_that_were_tried():
    shares = zipf_popularity(200, 1.0)
    for tried in (5, 20):
        scale = -tried / np.log(1 - shares[:tried].sum())
        guess = round(scale * np.log(1000 / scale))
        assert choices(shares, [1000], tried).guessed.tolist() == [guess]


def test_refuses():
    with pytest.raises(ValueError, match="uncovered share must be above 0"):
        exponential_scale([0.5, 0.5], 2)
    with pytest.raises(ValueError, match="shares must fall"):
        best_rows([0.2, 0.8], 1, 1, 1)
    with pytest.raises(ValueError, match="row must be above 0, got 0"):
        best_rows([1.0], 1, 0, 1)
    with pytest.raises(ValueError, match="rows must be a whole number"):
        covered_share([1.0], -1)
