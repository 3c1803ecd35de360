"""The interval of one more value: how often it holds it, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement.statistics.further import further_interval


@pytest.mark.parametrize(("count", "level"), [(3, 0.95), (5, 0.95), (5, 0.8), (30, 0.95)])
def test_it_holds_the_next_value_as_often_as_it_says(count, level):
    random = np.random.default_rng(1)
    draws, held = 2000, 0
    for _ in range(draws):
        *seen, following = np.exp(random.normal(3, 0.1, count + 1))
        low, high = further_interval(seen, level)
        held += low <= following <= high
    assert abs(held / draws - level) < 4 * np.sqrt(level * (1 - level) / draws)


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=20), st.floats(0.1, 10))
def test_units_do_not_matter(values, scale):
    low, high = further_interval(values)
    assert low <= high
    scaled = further_interval(np.array(values) * scale)
    assert scaled == pytest.approx((scale * low, scale * high), rel=1e-6)
