import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.claims import SHEET, predicted, predicted_large
from perfmodel.labs.offloading.fuyou.forms import NORM, fitted, held_out
from perfmodel.labs.offloading.fuyou.inputs import GPT_175B, measured


def test_predictions_are_those_held_out():
    steps = measured()
    ours = [predicted(int(b), int(n)) for b, n in zip(steps.batch, steps.drives, strict=True)]
    assert np.array(ours) == pytest.approx(held_out(NORM))


def test_large_model_is_the_small_ones_at_the_same_batch():
    """Work and times grow alike, so that the rate stays."""
    assert predicted_large(16) == pytest.approx(float(fitted(NORM).rate(16, 12)))


def test_what_is_fixed_would_have_to_grow_tenfold():
    model, growth = fitted(NORM), 13.824
    seconds = 8 * GPT_175B.work / 52.6e12
    gpu = 8 * model.sample * growth
    fixed = (seconds**model.power - gpu**model.power) ** (1 / model.power) - (
        model.drive * growth / 12
    )
    assert fixed / model.fixed == pytest.approx(10, abs=0.5)


def test_one_row_is_missed_and_says_why():
    missed = [claim.quantity for claim in SHEET.claims if not claim.check().met]
    assert missed == ["175B, batch 8, 12 SSDs, from 13B"]
    assert len(SHEET.claims) == 22
