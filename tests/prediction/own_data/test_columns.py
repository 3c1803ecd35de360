"""Columns that were chosen, not measured."""

import pandas as pd
import pytest

from perfmodel.prediction.own_data.columns import is_swept


@pytest.mark.parametrize(
    ("values", "swept"),
    [
        ([1, 2, 3, 4], True),
        ([8, 16, 24, 40], False),
        ([1, 4, 16, 64], True),
        ([0, 1, 4, 16], False),
        ([1, 2, 7, 40], False),
        ([0.5, 1.0, 1.5, 2.0], False),
        ([7, 7, 9], True),
    ],
)
def test_equal_distances_or_ratios_of_whole_numbers(values, swept):
    assert is_swept(pd.Series(values)) is swept
