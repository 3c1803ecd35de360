"""Losses of paired groups and their intervals."""

import numpy as np
import pytest

from perfmodel.prediction.arena.paired_losses import Loss, paired_loss, share_lost


def test_verdicts():
    assert Loss(1.0, 0.5, 1.5).verdict == "loses"
    assert Loss(-1.0, -1.5, -0.5).verdict == "gains"
    assert Loss(0.1, -0.2, 0.4).verdict == "no difference shown"


def test_a_constant_difference_has_no_width():
    assert paired_loss([3, 4], [1, 2]) == Loss(2.0, 2.0, 2.0)


def test_the_interval_covers_the_true_loss():
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        base = rng.lognormal(0, 1, 9)
        hits += (
            (result := share_lost(base, base * rng.lognormal(-0.2, 0.3, 9))).low
            <= (1 - np.exp(-0.2))
            <= result.high
        )
    assert 0.92 <= hits / 400 <= 0.98


def test_unpaired_groups_are_refused():
    with pytest.raises(ValueError, match="without"):
        paired_loss([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="without"):
        share_lost([1, 2], [1, 0])
