"""Stores of disks: closed forms, limits, the papers' formula where repairs are short, refusals."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.markov_chains.disk_arrays import (
    HOUR,
    YEAR,
    DiskGroup,
    chance_of_loss,
    rare_failure_time,
    staged_repair_chain,
    time_to_loss,
)
from perfmodel.labs.queueing.markov_chains.inputs import PARITY_OF_TEN, SURVEY_TWO_CHECKS
from perfmodel.queueing import first_passage_law, first_passage_time

lives = st.floats(1e3, 1e7).map(lambda hours: hours * HOUR)
repairs = st.floats(0.01, 1e3).map(lambda hours: hours * HOUR)


@given(st.integers(2, 40), lives, repairs)
def test_one_failure_survived_has_a_closed_form(disks, life, repair):
    """Greenan, Plank and Wylie (2010) print it: ((2n - 1) f + r) / (n (n - 1) f^2)."""
    f, r = 1 / life, 1 / repair
    exact = ((2 * disks - 1) * f + r) / (disks * (disks - 1) * f**2)
    assert time_to_loss(DiskGroup(disks, (life, life), repair)) == pytest.approx(exact, rel=1e-12)


@given(st.integers(3, 40), lives, st.integers(1, 3))
def test_the_formula_is_the_limit_of_short_repairs(disks, life, survived):
    group = DiskGroup(disks, (life,) * min(survived + 1, disks), 1e-7 * life / disks)
    assert rare_failure_time(group) == pytest.approx(time_to_loss(group), rel=1e-5)


@given(st.integers(2, 30), lives, repairs, st.floats(1.1, 10))
def test_slower_repairs_lose_data_sooner_but_no_sooner_than_the_second_failure(
    disks, life, repair, slower
):
    soon = time_to_loss(DiskGroup(disks, (life, life), slower * repair))
    late = time_to_loss(DiskGroup(disks, (life, life), repair))
    never_repaired = life / disks + life / (disks - 1)
    assert never_repaired < soon < late


def test_groups_share_the_time():
    group, groups = PARITY_OF_TEN
    assert time_to_loss(group, groups) == pytest.approx(time_to_loss(group) / groups)


def test_the_time_to_loss_is_nearly_exponential():
    group, _ = PARITY_OF_TEN
    law = first_passage_law(group.chain(), 0, [2])
    assert law.moment(2) / law.moment(1) ** 2 == pytest.approx(2, rel=2e-3)


def test_chance_of_loss_is_nearly_an_exponential_law_s():
    group, groups = SURVEY_TWO_CHECKS
    mean = time_to_loss(group, groups)
    chance = chance_of_loss(group, groups, 10 * YEAR)
    assert chance == pytest.approx(-np.expm1(-10 * YEAR / mean), rel=1e-3)
    with pytest.raises(ValueError, match="time .*-1"):
        chance_of_loss(group, groups, -1.0)


class TestStagedRepair:
    @given(lives, repairs)
    def test_one_stage_is_the_exponential_repair(self, life, repair):
        group = DiskGroup(11, (life, life), repair)
        times = first_passage_time(staged_repair_chain(group, 1), [(2, 0)])
        assert times[0] == pytest.approx(time_to_loss(group), rel=1e-12)

    @pytest.mark.parametrize("stages", [2, 5, 30])
    def test_a_race_of_one_failure_against_all_stages(self, stages):
        life, repair, disks = 100 * HOUR, 40 * HOUR, 3
        group = DiskGroup(disks, (life, life), repair)
        second = (disks - 1) / life
        survives = (1 + second * repair / stages) ** -stages
        exact = (life / disks + (1 - survives) / second) / (1 - survives)
        times = first_passage_time(staged_repair_chain(group, stages), [(2, 0)])
        assert times[0] == pytest.approx(exact, rel=1e-12)

    def test_refusals(self):
        group = DiskGroup(4, (HOUR,) * 3, HOUR)
        with pytest.raises(ValueError, match="lives must be 2 times .* got 3"):
            staged_repair_chain(group, 2)
        with pytest.raises(ValueError, match="stages .* got 0"):
            staged_repair_chain(DiskGroup(4, (HOUR,) * 2, HOUR), 0)


@pytest.mark.parametrize(
    ("group", "name", "got"),
    [
        ((1, (HOUR,), HOUR), "disks", "1"),
        ((2, (HOUR, -1.0), HOUR), "lives", "-1"),
        ((2, (HOUR,) * 3, HOUR), "lives", "3"),
        ((2, (), HOUR), "lives", "0"),
        ((2, (HOUR,) * 2, 0.0), "repair_time", "0"),
    ],
)
def test_impossible_groups_are_refused(group, name, got):
    with pytest.raises(ValueError, match=f"{name} .*{got}"):
        DiskGroup(*group)


def test_no_groups_are_refused():
    with pytest.raises(ValueError, match="groups .*0"):
        time_to_loss(DiskGroup(2, (HOUR,) * 2, HOUR), 0)
