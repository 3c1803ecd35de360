"""Rates of this machine, with a clock that says what each call took."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.linalg as sparse_linalg
from hypothesis import given, settings, strategies as st

from perfmodel.benchmarking import count_operations, run_mutants
from perfmodel.labs.benchmarking.codex_hpc import kernel_times
from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import (
    aliased_gradient,
    conjugate_gradient,
    laplacian,
    names_and_arrays,
    right_hand_side,
)
from perfmodel.labs.benchmarking.codex_hpc.kernel_times import SIZES, grid_matrix, kernel, prepared
from perfmodel.labs.benchmarking.codex_hpc.kernels import (
    PLANTED,
    REFERENCES,
    TESTS,
    axpy,
    gemm,
    gemv,
    jacobi,
    spmv,
)
from perfmodel.labs.benchmarking.codex_hpc.proficiency import (
    PROFICIENCY,
    Suggestion,
    grade_probabilities,
)

suggestions = st.lists(
    st.builds(Suggestion, st.booleans(), st.sampled_from(["requested", "other", "none"])),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize(
    ("given", "grade"),
    [
        ([(False, "requested")], "none"),
        ([(False, "other"), (False, "none")], "none"),
        ([(True, "requested")], "expert"),
        ([(True, "other")], "novice"),
        ([(True, "requested")] * 2, "proficient"),
        ([(True, "requested"), (False, "requested")], "learner"),
        ([(True, "requested"), (False, "none")], "learner"),
        ([(True, "requested")] * 6 + [(False, "requested")] * 2 + [(True, "other")] * 2, "novice"),
    ],
)
def test_eight_lists(given, grade):
    assert PROFICIENCY.grade([Suggestion(*one) for one in given]) == grade


@given(suggestions, st.randoms())
def test_the_order_of_suggestions_does_not_matter(given_list, random):
    mixed = list(given_list)
    random.shuffle(mixed)
    assert PROFICIENCY.grade(mixed) == PROFICIENCY.grade(given_list)


@given(suggestions, st.sampled_from(["requested", "other", "none"]))
def test_a_wrong_suggestion_more_never_raises_the_grade(given_list, model):
    before, after = (
        PROFICIENCY.rank(PROFICIENCY.grade(one))
        for one in (given_list, [*given_list, Suggestion(False, model)])
    )
    assert after <= before


@given(st.floats(0, 1), st.integers(2, 12))
def test_chances_add_up(rate, count):
    assert sum(grade_probabilities(rate, count).values()) == pytest.approx(1)


def test_chances_by_drawing():
    rng = np.random.default_rng(4)
    drawn = [
        PROFICIENCY.grade([Suggestion(bool(one)) for one in rng.random(4) < 0.7])
        for _ in range(4000)
    ]
    for grade, chance in grade_probabilities(0.7, 4).items():
        assert drawn.count(grade) / 4000 == pytest.approx(chance, abs=0.03)


def test_kernels_against_numpy_and_scipy():
    rng = np.random.default_rng(1)
    dense = rng.random((5, 5)) * (rng.random((5, 5)) < 0.4)
    x = rng.random(5)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(6))
    assert spmv(dense[rows, columns], columns, starts, x) == pytest.approx(dense @ x)
    grid = rng.random((4, 4, 4))
    around = grid[0, 1, 1] + grid[2, 1, 1] + grid[1, 0, 1] + grid[1, 2, 1]
    around += grid[1, 1, 0] + grid[1, 1, 2]
    assert jacobi(grid)[1, 1, 1] == pytest.approx(around / 6)
    assert (jacobi(grid)[0] == grid[0]).all()


@settings(max_examples=25)
@given(st.integers(1, 25), st.integers(0, 1000))
def test_conjugate_gradient_is_done_in_n(n, seed):
    spectrum = np.random.default_rng(seed).uniform(1, 10, n)
    basis = np.linalg.qr(np.random.default_rng(seed + 1).standard_normal((n, n)))[0]
    a, b = basis * spectrum @ basis.T, right_hand_side(n, seed)
    found = conjugate_gradient(a, b, 1e-7)
    assert found.iterations <= n
    assert found.x == pytest.approx(np.linalg.solve(a, b), abs=1e-5)


def test_as_many_iterations_as_scipy():
    a, b = grid_matrix(8), right_hand_side(512)
    seen = []
    sparse_linalg.cg(a, b, rtol=1e-8, atol=0, callback=seen.append)
    assert conjugate_gradient(a, b).iterations == len(seen)


@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_aliased_one_is_right_and_late(n, seed):
    a, b = laplacian(n), right_hand_side(n, seed)
    right, late = conjugate_gradient(a, b), aliased_gradient(a, b)
    assert right.iterations == n
    assert late.iterations > 2 * n
    assert np.linalg.norm(b - a @ late.x) < 1e-7 * np.linalg.norm(b)


def test_which_bugs_live():
    kills = {name: run_mutants(TESTS[name], PLANTED[name], REFERENCES[name]) for name in PLANTED}
    alive = {name: found.survivors for name, found in kills.items() if found.survivors}
    assert alive == {"CG": ("stops at 0.1 %",)}
    assert kills["CG"].scores["small residual"] == 0
    assert kills["Jacobi"].scores["constant kept"] == pytest.approx(0.2)
    assert kills["GEMM"].needed == ("not square",)


@pytest.mark.parametrize(
    ("name", "bug", "told_by"),
    [
        ("AXPY", "minus for plus", "example"),
        ("AXPY", "writes over x", "arguments kept"),
        ("GEMV", "magnitudes", "linear in x"),
        ("SpMV", "empty rows get a neighbour's", "an empty row"),
        ("Jacobi", "third direction left out", "a point spreads"),
        ("Jacobi", "wraps around the edge", "linear field kept"),
        ("CG", "one array, two names", "n iterations"),
        ("CG", "absolute tolerance", "tolerance asked for"),
    ],
)
def test_a_bug_in_one_respect_is_right_in_all_others(name, bug, told_by):
    failed = [told for told, holds in TESTS[name].items() if not holds(PLANTED[name][bug])]
    assert failed == [told_by]


def test_a_gentler_matrix_kills_the_one_that_lives():
    def gentle(solve):
        a, b = np.diag(np.linspace(1, 10, 50)), np.ones(50)
        return np.linalg.norm(b - a @ solve(a, b).x) < 1e-6 * np.linalg.norm(b)

    tests = {**TESTS["CG"], "gentle matrix": gentle}
    assert run_mutants(tests, PLANTED["CG"], REFERENCES["CG"]).score == 1


def test_work_counted_and_by_formula():
    n = 6
    x, a = np.ones(n), np.ones((n, n))
    assert count_operations(axpy, 2.0, x, x).flops == kernel("AXPY", n).flops
    assert count_operations(gemv, a, x).flops == kernel("GEMV", n).flops - n
    assert count_operations(gemm, a, a).flops == kernel("GEMM", n).flops - n**2
    assert count_operations(jacobi, np.ones((n + 2,) * 3)).flops == kernel("Jacobi", n).flops


@pytest.mark.parametrize(
    ("name", "intensity"),
    [("AXPY", 1 / 12), ("SpMV", 14 / 104), ("Jacobi", 0.375), ("CG", 0.12), ("GEMM", 37.5)],
)
def test_intensities(name, intensity):
    assert kernel(name, 600).intensity == pytest.approx(intensity)


def test_what_is_measured_is_what_is_predicted():
    ready = prepared()
    assert list(ready) == list(SIZES)
    assert ready["SpMV"][1]().shape == (round(SIZES["SpMV"] ** (1 / 3)) ** 3,)
    assert ready["AXPY"][0].bytes == 24 * SIZES["AXPY"]


@pytest.mark.parametrize("copies", [True, False])
def test_drawing_tells_one_array_from_two(copies):
    scenes = [names_and_arrays(copies, step) for step in (1, 2, 3, 4)]
    assert [scene.values["arrays"] for scene in scenes] == [1, 2, 2, 2] if copies else [1, 1, 1, 2]
    assert not any(scene.faults() for scene in scenes)
    assert ("is conjugate" in scenes[-1].says) == copies


def test_rates_are_work_over_the_shortest_time(monkeypatch):
    monkeypatch.setattr(kernel_times, "seconds", lambda call, runs: np.array([0.75, 0.5, 2.0]))
    flops, size = 2 * 1000**3, 8_000_000 * 3 * 8
    assert kernel_times.machine_rates() == pytest.approx((flops / 0.5, size / 0.5))
