"""What fits, which channel is the slowest, where to put it: against brute force and programs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import PlacementProblem, best_placement, placement_advice, tier_problem
from tests.solutions.offloading.exercise import BANK, GIB, STUDENTS, drawn, reference, wrong


def test_a_model_fits_to_the_last_byte_and_no_further():
    need = (2e9 + 4 * 10 * 100 * 50 * 7) / GIB
    for memory, said in [(need, "fits"), (need * (1 - 1e-12), "too large")]:
        assert reference("fits", 1.0, 10, 100, 50, 7, memory) == (said, pytest.approx(need))


def test_directions_of_a_link_are_channels_of_their_own():
    step = (1.0, 1.0, 3.0, 2.0, 1.0, 4.0, 1.0)
    assert reference("busiest", *step) == ("GPU", 4.0)
    assert wrong("busiest", "one direction counted twice")(*step) == ("link", 5.0)


@given(
    st.lists(st.floats(0.1, 9), min_size=1, max_size=4).map(np.array), st.integers(1, 20)
)  # fmt: skip
@settings(max_examples=40)
def test_chunks_take_the_step_once_and_then_its_slowest_channel(times, chunks):
    by_formula = (times.sum() + (chunks - 1) * times.max()) / chunks
    assert reference("chunks", times, chunks) == pytest.approx(by_formula)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 20)), min_size=1, max_size=7))
@settings(max_examples=40)
def test_packings_are_those_of_all_choices_tried(items):
    size, saves = np.array(items).T
    room = int(size.sum() // 2)
    table = reference("packed", size, saves, room)
    choices = np.array(list(product([0, 1], repeat=size.size)))
    best = (choices @ saves)[choices @ size <= room].max()
    assert table["best"] == pytest.approx(best)
    assert table["greedy"] <= best + 1e-9 <= table["bound"] + 2e-9
    assert table["bound"] - table["greedy"] <= saves.max() + 1e-9


@pytest.mark.parametrize("student", STUDENTS[:4])
def test_bend_and_price_are_those_of_the_linear_program(student):
    given = drawn("bend", student)
    exact = BANK.question("bend").reference(**given)
    worth = {shift: _worth_of_host(given, exact["bend"] * (1 + shift)) for shift in (-0.01, 0.01)}
    assert _worth_of_host(given, given["host"]) == pytest.approx(exact["price"], rel=1e-6)
    assert worth == {-0.01: pytest.approx(exact["price"], rel=1e-6), 0.01: 0}


def _worth_of_host(given, host):
    """Return the seconds that a GB more than `host` bytes in the host saves, by its dual value."""
    data = given["data"]
    problem = PlacementProblem(
        size=np.array([data]),
        capacity=np.array([given["gpu"], host, np.inf]),
        work=np.array([[[0.0, 0.0, data]], [[0.0, data, data]]]),
        rate=np.array([given["drive"], given["link"]]),
        tiers=("GPU", "host", "drive"),
    )
    advice = placement_advice(problem, best_placement(problem))
    return sum(each.gain for each in advice if each.resource == "host")


def test_share_of_the_slow_memory_is_that_of_the_linear_program():
    problem = tier_problem([90.0], [90.0], [0.0], [100.0, 100.0], [20.0, 10.0], [1.0, 1.0])
    best = best_placement(problem)
    table = reference("woven", 90.0, 20.0, 10.0)
    assert table["share"] == pytest.approx(best.fractions[0, 1])
    assert table["time"] == pytest.approx(best.time)


def test_dual_value_of_a_program_is_what_the_price_question_takes():
    problem = tier_problem([90.0], [90.0], [0.0], [20.0, 100.0], [1e6, 10.0], [1.0, 1.0])
    best = best_placement(problem)
    price = next(a.gain for a in placement_advice(problem, best) if a.kind == "capacity") / 1e9
    assert price == pytest.approx(0.1)
    grown = tier_problem([90.0], [90.0], [0.0], [25.0, 100.0], [1e6, 10.0], [1.0, 1.0])
    more = 64 / best_placement(grown).time - 64 / best.time
    assert reference("price", best.time, 64, price, 5 / GIB) == pytest.approx(more)


def test_own_measurements_are_judged_by_their_median():
    copy, compute = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 2.5, 2.0, 6.0, 4.0])
    share = np.array([0.5, 0.9, -0.2, 0.6, 0.7])
    both = copy + compute - share * np.minimum(copy, compute)
    assert float(reference("own_overlap", copy, compute, both)) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"both": np.zeros(5)}, "above 0"),
        ({"both": np.full(5, 0.5)}, "before the longer"),
        ({"both": np.full(5, 100.0)}, "three times"),
        ({"copy": np.ones(5), "compute": np.ones(5)}, "same"),
    ],
)
def test_what_cannot_be_measured_is_told_so(change, complaint):
    copy = np.linspace(1, 2, 5)
    said = BANK.question("own_overlap").plausible(
        **{"copy": copy, "compute": np.full(5, 2.0), "both": np.full(5, 2.5), **change}
    )
    assert (complaint in said) if complaint else said == ""
