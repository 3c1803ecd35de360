"""Samples on their way to a net: what is refused, and columns that don't vary."""

import numpy as np
import pytest

from perfmodel.prediction.nets import arrays


@pytest.mark.parametrize("bad", [[], [1.5], [-1], [2, -1], [[1]]])
def test_a_text_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match="whole numbers, 0 or more, got .* as sample 1"):
        arrays.texts([[1, 2], bad])


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_column_that_does_not_vary_stays_in_its_unit(unit):
    """The standard deviation of three times 0.1 is rounding, not 0."""
    values = unit * np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]])
    mean, spread = arrays.scale(values)
    assert spread == pytest.approx([1.0, unit * np.sqrt(2 / 3)])
    assert (values - mean) / spread == pytest.approx(
        np.array([[0, -np.sqrt(1.5)], [0, 0], [0, np.sqrt(1.5)]]), abs=1e-6
    )
