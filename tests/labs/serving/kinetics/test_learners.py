import numpy as np
import pytest

from perfmodel.labs.serving.kinetics.alone import FORMS
from perfmodel.labs.serving.kinetics.inputs import WRITTEN, model, runs
from perfmodel.labs.serving.kinetics.learners import LEARNERS, contest, learned, learner


def test_plane_is_least_squares_without_the_held_out_model():
    measured = runs()
    size = np.array([model(name).parameters for name in measured.name])
    table = np.column_stack([np.ones(size.size), np.log(size), np.log(measured.prompt + WRITTEN)])
    out = np.array(measured.name) == "4B"
    found, *_ = np.linalg.lstsq(table[~out], np.log(measured.seconds[~out]), rcond=None)
    assert learned(LEARNERS[0])[1][out] == pytest.approx(np.exp(table[out] @ found))


def test_all_models_are_compared_on_the_same_runs():
    rows = contest()
    assert [name for name, *_ in rows] == [*FORMS, *LEARNERS]
    for _, constants, inside, outside, worst in rows:
        assert 2 <= constants <= 6
        assert 0 < inside < outside <= worst


def test_refuses():
    with pytest.raises(ValueError, match="name must be one of"):
        learner("oracle")
