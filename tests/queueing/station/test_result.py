"""The result of a station and the inversion of tails."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.queueing.station.result import from_waiting, invert_tail, stable, whole_numbers


@given(st.floats(1e-3, 0.9999), st.floats(1e-6, 1e6))
def test_inverts_an_exponential_tail(p, mean):
    found = invert_tail(lambda t: np.exp(-t / mean), p)
    assert found == pytest.approx(-np.log1p(-p) * mean, rel=1e-9, abs=1e-12)


def test_mass_at_zero_gives_zero():
    found = invert_tail(lambda t: 0.3 * np.exp(-t), [0.1, 0.7, 0.85])
    assert found == pytest.approx([0, 0, np.log(2)])


def test_little_everywhere():
    found = from_waiting(np.array([0.5, 2.0]), 1.5, np.array([1.0, 4.0]), "made up", servers=4)
    assert found.response_time.tolist() == [2.5, 5.5]
    assert found.queue_length.tolist() == [1.25, 11]
    assert found.waiting_length.tolist() == [0.5, 8]
    assert found.utilization.tolist() == [0.1875, 0.75]
    assert found.loss_probability == 0


def test_bad_input():
    with pytest.raises(ValueError, match="utilization must be below 1 .*, got 1"):
        stable([0.5, 1.0])
    with pytest.raises(ValueError, match="utilization must be below 1 .*, got nan"):
        stable(np.nan)
    with pytest.raises(ValueError, match="servers must be whole and 1 or more, got inf"):
        whole_numbers("servers", np.inf, 1)
    with pytest.raises(ValueError, match="servers must be whole and 1 or more, got True"):
        whole_numbers("servers", True, 1)
