import numpy as np
import pytest

from perfmodel.labs.serving.apex.step_errors import step_errors


def test_by_hand():
    found = step_errors([1, 2, 4], [1.5, 2, 1])
    assert found.mean == pytest.approx((0.5 + 0 + 0.75) / 3)
    assert found.median == 0.5
    assert found.mean_low <= found.mean <= found.mean_high


def test_the_median_is_one_statistic_of_sample_and_resamples():
    """Shares of 1 to 10 %: the order statistics are symmetric about 5.5, and so is the interval."""
    found = step_errors(np.ones(10), 1 + np.arange(1, 11) / 100)
    assert found[3:] == pytest.approx((0.055, 0.03, 0.08))
    two = step_errors([1.0, 1.0], [1.1, 1.2])
    assert two[3:] == pytest.approx((0.15, 0.1, 0.2))


@pytest.mark.parametrize("size", range(2, 12))
def test_the_median_lies_in_its_interval(size):
    found = step_errors(np.ones(size), 1 + np.random.default_rng(size).exponential(0.1, size))
    assert found.median_low <= found.median <= found.median_high


def test_interval_of_single_steps_is_that_of_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(1)
    off = rng.exponential(0.1, 200)
    found = step_errors(np.ones(200), 1 + off, resamples=4000)
    theirs = bootstrap((off,), np.mean, method="percentile", rng=rng).confidence_interval
    assert (found.mean_low, found.mean_high) == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_groups_that_err_alike_widen_the_interval():
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(20), 30)
    off = rng.exponential(0.1, 20)[group]
    alone, joined = (step_errors(np.ones(600), 1 + off, g) for g in (None, group))
    assert alone.mean == joined.mean
    ratio = (joined.mean_high - joined.mean_low) / (alone.mean_high - alone.mean_low)
    assert ratio == pytest.approx(np.sqrt(30), rel=0.25)


def test_groups_of_different_sizes_keep_their_own_means():
    """Drawn twice, the small group alone is off by a half, the large one by a tenth."""
    found = step_errors(np.ones(10), [1.5] + [1.1] * 9, [0] + [1] * 9)
    assert (found.mean_low, found.mean_high) == pytest.approx((0.1, 0.5))
    assert found.mean == pytest.approx(0.14)
    assert (found.median, found.median_high) == pytest.approx((0.1, 0.5))
    middle = step_errors(np.ones(10), [1.5] + [1.1] * 9, [0] + [1] * 9, confidence=0.2)
    assert (middle.mean_low, middle.mean_high) == pytest.approx((0.14, 0.14))


def test_covers_the_true_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    hits = []
    for seed in range(200):
        off = rng.exponential(0.1, 40)
        found = step_errors(np.ones(40), 1 + off, resamples=300, seed=seed)
        hits.append(found.mean_low <= 0.1 <= found.mean_high)
    assert 0.86 < np.mean(hits) < 0.99


def test_refuses():
    with pytest.raises(ValueError, match="predicted and groups must be of shape"):
        step_errors([1, 2], [1])
    with pytest.raises(ValueError, match="groups must be two or more, got 1"):
        step_errors([1, 2], [1, 2], [0, 0])
    with pytest.raises(ValueError, match="confidence must be between"):
        step_errors([1, 2], [1, 2], confidence=1.0)
