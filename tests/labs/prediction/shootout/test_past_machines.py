import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout.past_machines import PastMachines, meta_learner


def runs(scores):
    rows = pd.DataFrame(scores, columns=["machine", "component", "cores", "score"])
    return rows.drop(columns="score"), rows["score"]


TWO = [("a", "x", 8.0, 10.0), ("a", "y", 8.0, 20.0), ("b", "x", 64.0, 40.0), ("b", "y", 64.0, 80.0)]


def test_a_new_machine_scores_like_the_one_it_is_like():
    model = PastMachines(["cores"], 0.1, shifted=False).fit(*runs(TWO))
    new, _ = runs([("c", "x", 9.0, 0), ("c", "y", 60.0, 0)])
    assert model.predict(new) == pytest.approx([10, 80], rel=1e-3)


def test_few_scores_of_the_new_machine_move_all_of_it():
    model = PastMachines(["cores"], 0.1).fit(*runs([*TWO, ("c", "x", 8.0, 15.0)]))
    new, _ = runs([("c", "y", 8.0, 0)])
    assert model.predict(new) == pytest.approx([30], rel=1e-3)


def test_a_component_that_none_has_is_the_mean_of_all():
    model = PastMachines(["cores"], 0.1, shifted=False).fit(*runs(TWO))
    new, _ = runs([("c", "z", 8.0, 0)])
    assert model.predict(new) == pytest.approx([200**0.5], rel=1e-3)


def test_one_machine_alone_is_predicted_from_its_own_rows():
    model = PastMachines(["cores"]).fit(*runs(TWO[:2]))
    assert model.predict(runs(TWO[:2])[0]) == pytest.approx([10, 20], rel=1e-3)


def test_four_settings():
    assert len(meta_learner(["cores"]).estimator.settings) == 4
