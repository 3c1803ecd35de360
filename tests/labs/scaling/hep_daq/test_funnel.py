"""The drawing of the trigger in each design."""

from __future__ import annotations

import pytest

from perfmodel.labs.scaling.hep_daq.designs import DESIGNS
from perfmodel.labs.scaling.hep_daq.funnel import funnel


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_can_be_read(design: str) -> None:
    scene = funnel(design)
    assert scene.faults() == []
    assert scene.values["power (MW)"] == pytest.approx(DESIGNS[design].power() / 1e6)


def test_unknown_design_is_refused() -> None:
    with pytest.raises(ValueError, match="design must be one of as planned"):
        funnel("none")
