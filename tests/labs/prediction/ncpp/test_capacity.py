"""Factors of components and machines are found, and what was not seen has the factor 1."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone

from perfmodel.labs.prediction.ncpp.capacity import Factors, capacity, entries

WORK = {"a": 2.0, "b": 3.0, "c": 5.0}
SPEED = {"x": 1.0, "y": 1.5}


def table(pairs):
    rows = pd.DataFrame(pairs, columns=["component", "machine"])
    new = rows["machine"] == "y"
    rows["cores"] = np.where(new, 48.0, 96.0)
    rows["all_core_clock"] = np.where(new, 3e9, 2e9)
    rows["base_clock"] = 2e9
    rows["memory_bandwidth"] = np.where(new, 6e11, 3e12)
    return rows


def product(rows):
    return rows["component"].map(WORK).to_numpy() * rows["machine"].map(SPEED).to_numpy()


EVERY = table([(c, m) for m in SPEED for c in WORK])


def test_capacity_by_hand():
    assert capacity(EVERY)[[0, 3]] == pytest.approx([192e9, 144e9])


def test_a_table_of_rank_one_is_completed_from_a_row_a_column():
    seen = table([("a", "x"), ("b", "x"), ("c", "x"), ("a", "y")])
    fitted = Factors(["component", "machine"]).fit(seen, product(seen))
    assert fitted.predict(EVERY) == pytest.approx(product(EVERY))


def test_scores_in_proportion_to_capacity_need_one_machine():
    target = capacity(EVERY) * EVERY["component"].map(WORK).to_numpy()
    fitted = Factors(["component"], capacity).fit(EVERY[:3], target[:3])
    assert fitted.predict(EVERY) == pytest.approx(target)


def test_an_unseen_machine_has_the_factor_one():
    fitted = Factors(["component", "machine"]).fit(EVERY[:3], product(EVERY[:3]))
    # The components explain what one machine leaves open.
    assert fitted.predict(EVERY[3:]) == pytest.approx(product(EVERY[:3]), rel=1e-3)


def test_rows_that_leave_a_choice_are_explained_by_the_columns_named_first():
    seen = table([("a", "x"), ("b", "x"), ("c", "y")])
    fitted = Factors(["component", "machine"]).fit(seen, product(seen))
    other = table([("c", "x"), ("a", "y")])
    expected = [WORK["c"] * SPEED["y"], WORK["a"]]
    assert fitted.predict(other) == pytest.approx(expected, rel=1e-3)


def test_an_unseen_component_has_the_geometric_mean():
    seen = EVERY[:2]
    fitted = Factors(["component"]).fit(seen, product(seen))
    assert fitted.predict(EVERY[2:3]) == pytest.approx([6**0.5])


@settings(max_examples=12)
@given(st.lists(st.floats(0.1, 10), min_size=6, max_size=6), st.floats(0.01, 100))
def test_a_score_in_another_unit_scales_the_prediction(target, unit):
    one = Factors(["component", "machine"], capacity)
    plain = clone(one).fit(EVERY, target).predict(EVERY)
    assert clone(one).fit(EVERY, np.multiply(unit, target)).predict(EVERY) == pytest.approx(
        unit * plain
    )


def test_target_must_be_positive():
    with pytest.raises(ValueError, match="y must be above 0"):
        Factors(["component"]).fit(EVERY, [1, 2, 3, 4, 5, 0])


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_learns_a_table_and_answers_for_a_new_component(entry):
    fitted = clone(entry.estimator).fit(EVERY, product(EVERY))
    answers = fitted.predict(table([("a", "x"), ("new", "y")]))
    assert answers.shape == (2,)
    assert (answers > 0).all()
