"""The result of a station, and what it refuses."""

import numpy as np
import pytest

from perfmodel.queueing.station.mmc import mm1
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import whole_numbers


def test_little_everywhere():
    result = StationResult.from_waiting(
        np.array([0.5, 2.0]), 1.5, np.array([1.0, 4.0]), "made up", servers=4
    )
    assert result.response_time.tolist() == [2.5, 5.5]
    assert result.queue_length.tolist() == [1.25, 11]
    assert result.waiting_length.tolist() == [0.5, 8]
    assert result.utilization.tolist() == [0.1875, 0.75]
    assert result.loss_probability == 0


def test_bad_input():
    with pytest.raises(ValueError, match="servers must be whole and 1 or more, got inf"):
        whole_numbers("servers", np.inf, 1)
    with pytest.raises(ValueError, match="servers must be whole and 1 or more, got True"):
        whole_numbers("servers", True, 1)


def test_printed_with_units():
    shown = repr(mm1(0.5, 1.0)).splitlines()
    assert shown[0] == "M/M/1 (exact)"
    assert "response time (s)      2" in shown
    assert mm1(0.5, 1.0)._repr_html_().startswith("<table><caption>M/M/1 (exact)</caption>")


def test_arrays_are_printed_side_by_side_and_cut():
    shown = repr(mm1(np.linspace(0.1, 0.8, 8), 1.0)).splitlines()
    assert len(shown[1].split()) == 3 + 6
    assert shown[-1] == "the first 6 of 8 points"
    one_off = StationResult.from_waiting(1.0, 0.5, 1.0, "guess", exact=False, warning="beware")
    assert repr(one_off).splitlines()[0] == "guess (not exact)"
    assert repr(one_off).endswith("\nbeware")
