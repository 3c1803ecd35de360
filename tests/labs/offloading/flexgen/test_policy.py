"""Batches and shares."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.policy import Batch, Policy


def test_as_printed():
    policy = Policy.percent(32, 8, 0, 50, 0, 0, 0, 100)
    assert policy.batch.block == 256
    assert policy.shares.tolist() == [0, 0.5, 0.5, 0, 0, 1, 0, 1, 0]
    assert Policy.from_shares(policy.batch, policy.shares) == policy


def test_bad_input():
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more, got 0"):
        Batch(0, 1)
    with pytest.raises(ValueError, match="cache must be three shares of 1"):
        Policy(Batch(1, 1), (1, 0, 0), (0.5, 0, 0), (1, 0, 0))
    with pytest.raises(ValueError, match="weights must be between"):
        Policy.percent(1, 1, 120, 0, 0, 0, 0, 0)
    with pytest.raises(ValueError, match="shares must be 9 numbers, got 8"):
        Policy.from_shares(Batch(1, 1), np.zeros(8))
