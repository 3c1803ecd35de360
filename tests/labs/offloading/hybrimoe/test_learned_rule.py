"""The learned rule: what it looks at, and that it is judged on layers that it hasn't seen."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.hybrimoe.layers import expert_jobs
from perfmodel.labs.offloading.hybrimoe.learned_rule import features, race


def test_features_by_hand():
    table = features(expert_jobs([1, 4, 2], [True, False, True], 1e-3))
    assert table[:, 1].tolist() == [1, 0, 1]
    assert table[:, 2].tolist() == [2, -1, 1]
    assert table[:, 3].tolist() == [-1, 0, -1]
    assert table[0, 4:] == pytest.approx([3, 2, 7e-3])


def test_race():
    result = race(60)
    assert len(result.learned) == len(result.two_ends) == len(result.regression) == 60
    assert (result.learned >= 1 - 1e-12).all()
    assert result.two_ends.mean() < result.learned.mean() < 1.5
    assert np.abs(result.regression).mean() < 0.05


def test_bad_input():
    with pytest.raises(ValueError, match="layers must be a whole number, 2 or more, got 1"):
        race(1)
