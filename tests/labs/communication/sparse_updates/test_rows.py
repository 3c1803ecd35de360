"""The drawing of travelling rows in each state of the page."""

from __future__ import annotations

import pytest

from perfmodel.labs.communication.sparse_updates.rows import travelling_rows
from perfmodel.labs.communication.sparse_updates.traffic import METHODS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.5, 1.0])
def test_every_state_can_be_read(method: str, share: float) -> None:
    scene = travelling_rows(method, share)
    assert scene.faults() == []
    if share == 1.0 and method != "gather":
        assert scene.values["rows received, mean"] == 24


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="method must be one of"):
        travelling_rows("magic", 0.1)
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        travelling_rows("gather", 2)
