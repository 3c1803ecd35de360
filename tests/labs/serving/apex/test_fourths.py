import numpy as np
import pytest

from perfmodel.labs.serving.apex.fourths import candidates, recorded, with_fourth
from perfmodel.labs.serving.apex.replay import FITTED_TO, fitted, slopes
from perfmodel.labs.serving.apex.served import find


def test_what_was_recorded_comes_out_again():
    """Writing on four GPUs, printed with chat, as the fourth run."""
    run = find("creation_05", 4)
    again = with_fourth(run)
    kept = next(one for one in recorded() if one.run == run)
    assert tuple(again)[1:] == pytest.approx(tuple(kept)[1:], rel=0.02)


def test_every_other_run_was_the_fourth_once():
    assert [one.run for one in recorded()] == list(candidates())
    ours = next(one for one in recorded() if (one.run.trace, one.run.tensor) == FITTED_TO[3])
    assert tuple(ours)[1:4] == pytest.approx(fitted()[:3], rel=0.01)


def test_slopes_have_the_signs_of_their_constants():
    """More of the bandwidth is faster, more beside is slower; writing has the larger batches."""
    slope = slopes(tuple(find(*key) for key in FITTED_TO), fitted())
    assert (slope[:, 0] < 0).all()
    assert (slope[:, 1:] > 0).all()
    assert slope[3, 2] > 2 * np.max(slope[:3, 2])
