import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.forms import FORMS
from perfmodel.labs.offloading.fuyou.inputs import measured
from perfmodel.labs.offloading.fuyou.learners import LEARNERS, contest, learned, learner


def test_plane_is_least_squares_of_logarithms():
    steps = measured()
    rows = np.column_stack([np.ones(20), np.log(steps.batch), np.log(steps.drives)])
    weights = np.linalg.lstsq(rows, np.log(steps.rate), rcond=None)[0]
    assert learned(LEARNERS[0])[0] == pytest.approx(np.exp(rows @ weights))


def test_held_out_rows_come_from_other_counts():
    steps = measured()
    out = steps.drives == 3
    rows = np.column_stack([np.ones(20), np.log(steps.batch), np.log(steps.drives)])
    weights = np.linalg.lstsq(rows[~out], np.log(steps.rate[~out]), rcond=None)[0]
    assert learned(LEARNERS[0])[1][out] == pytest.approx(np.exp(rows[out] @ weights))


def test_contest_names_all_and_held_out_is_harder():
    rows = contest()
    assert [row[0] for row in rows] == [*FORMS, *LEARNERS]
    for _, _, inside, outside, worst in rows:
        assert 0 < inside < outside < worst


def test_numbers_are_those_that_fitting_finds():
    """Two slopes and a constant; two squares and a product more; a scale, two widths, a noise."""
    assert [learned(name).numbers for name in LEARNERS] == [3, 6, 4]
    numbers = {name: found for name, found, *_ in contest()}
    assert [numbers[form] for form in FORMS] == [3, 3, 3, 4, 3]


def test_refuses_an_unknown_learner():
    with pytest.raises(ValueError, match="name must be one of plane of logarithms"):
        learner("oracle")
