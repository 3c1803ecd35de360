"""The searches on the recorded table, the orthogonal array, and the corners of the design."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from perfmodel.benchmarking import (
    factorial_effects,
    full_factorial,
    product_settings,
    random_runs,
    recorded_products,
)
from perfmodel.labs.benchmarking.few_runs import contest, factorial_designs, record, tasks
from perfmodel.labs.benchmarking.few_runs.factorial_designs import design_cube


def test_every_pair_of_levels_stands_equally_often_in_the_array():
    levels = recorded_products().levels[contest.orthogonal_array()]
    for first, second in combinations(levels.T, 2):
        _, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
        assert counts.tolist() == [3] * 9


def test_the_process_beats_random_draws_on_the_real_system():
    good = int(contest.near_best(contest.GOAL).sum())
    first = contest.runs_needed(contest.search_orders("Gaussian process", 12))
    _, low, _ = contest.fewer_runs(first, random_runs(729, good).mean)
    assert low > 2


@pytest.mark.parametrize("name", contest.SEARCHES)
def test_a_search_ends_with_its_first_good_setting(name):
    for order in contest.search_orders(name, 3):
        assert len(set(order.tolist())) == order.size
        assert np.flatnonzero(contest.near_best(contest.GOAL)[order]).tolist() == [order.size - 1]
    assert (
        contest.runs_needed(contest.search_orders(name, 3), 0.2)
        <= contest.runs_needed(contest.search_orders(name, 3))
    ).all()


def test_searches_that_never_find_one_wait_for_ever():
    bad = np.flatnonzero(~contest.near_best(0.2))[:4]
    assert np.isinf(contest.runs_needed([bad], 0.2)).all()


def test_the_ratio_of_means_and_its_interval():
    runs_needed = np.array([20.0, 30, 40, 50, 60])
    ratio, low, high = contest.fewer_runs(runs_needed, 200)
    assert ratio == pytest.approx(5)
    assert low < ratio < high


def test_the_recorded_effects_are_those_of_group_means():
    design = full_factorial(4)
    times = factorial_designs.best_times(design, recorded_products())
    found = factorial_effects(design, np.log(times)).coefficients
    settings = factorial_designs.corner_settings(design)
    four = np.array([one.rows == 4 for one in settings])
    assert found["B"] == pytest.approx(
        (np.log(times[four]).mean() - np.log(times[~four]).mean()) / 2
    )
    places = {one: place for place, one in enumerate(product_settings())}
    assert times[5] == recorded_products().best[places[settings[5]]]


@pytest.mark.parametrize("effect", ["A", "B", "C", "AB", "AC", "BC", "ABC"])
@pytest.mark.parametrize("generator", [0, 1])
def test_every_cube_can_be_read(effect, generator):
    scene = design_cube(effect, generator)
    assert scene.faults() == []
    assert len(scene.says) <= 160
    assert sum(scene.values.values()) == 8 / (1 + generator)


def test_a_record_says_what_it_is_of(tmp_path):
    record.write(recorded_products(), tmp_path, rounds=31)
    lines = (tmp_path / "product_times.csv").read_text("utf-8").splitlines()
    assert len(lines) == 730
    assert lines[1].startswith("8,8,1,ijk,rows-rows,exact,")
    assert '"rounds": 31' in (tmp_path / "product_times.json").read_text("utf-8")


# What is said to half-right aliases.


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda effect, word: "".join(sorted(set(word) - set(effect))), "lacks"),
        (lambda effect, word: "".join(set(effect) ^ set(word)), "alphabetical"),
        (
            lambda effect, word: "".join(
                [x for x in effect if x not in word] + [x for x in word if x not in effect]
            ),
            "alphabetical",
        ),
    ],
)
def test_a_half_right_alias_is_told_what_it_misses(answer, said):
    outcome = tasks.alias.judge(answer)
    assert outcome.state == "wrong"
    assert said in outcome.said


def test_the_right_alias_passes_however_it_is_sorted():
    letters = "ABCDEFG"
    right = lambda effect, word: "".join(x for x in letters if (x in effect) != (x in word))  # noqa: E731
    assert tasks.alias.judge(right).state == "right"
