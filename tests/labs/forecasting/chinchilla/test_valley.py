"""The drawing of one budget: its states can be read, and its dashed line is the best size."""

import numpy as np
import pytest

from perfmodel.labs.forecasting.chinchilla.valley import CONSTANTS, SIZES, loss_terms


@pytest.mark.parametrize("constants", CONSTANTS)
@pytest.mark.parametrize("share", SIZES)
def test_every_state_can_be_read(share, constants):
    assert not loss_terms(share, constants).faults()


def test_the_least_loss_is_where_the_line_stands():
    losses = [loss_terms(share).values["loss"] for share in SIZES]
    assert SIZES[int(np.argmin(losses))] == 1
    printed = [loss_terms(share, "first, before rounding").values["loss"] for share in SIZES]
    assert SIZES[int(np.argmin(printed))] < 1
