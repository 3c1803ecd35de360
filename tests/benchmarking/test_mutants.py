import numpy as np
import pytest

from perfmodel.benchmarking.mutants import Kills, mutate, run_mutants

OFFSET = 1


def shifted(values):
    total = 0
    at = 0
    while at < len(values):
        total += values[at] * 2
        at += OFFSET
    return total - 3 if total > 10 and at else total


def doubles(program):
    assert program([1, 2]) == 6


def known(program):
    return program([10, 20]) == 57


def empty(program):
    return program([]) == 0


PLANTED = {
    "no factor": sum,
    "no shift": lambda values: 2 * sum(values),
    "crashes": lambda values: values[0] * 2 + values[5],
}


def test_which_test_kills_which_planted_bug():
    kills = run_mutants({"doubles": doubles, "known": known, "empty": empty}, PLANTED, shifted)
    assert kills.killed.tolist() == [[True, False, True], [True, True, True], [False, False, True]]
    assert kills.score == 1
    assert kills.scores == {"doubles": pytest.approx(2 / 3), "known": 1, "empty": 1 / 3}
    assert kills.needed == ("known",)
    few = run_mutants({"doubles": doubles}, PLANTED, shifted)
    assert few.survivors == ("no shift",)


def test_more_tests_kill_no_less():
    tests = {"empty": empty, "doubles": doubles, "known": known}
    scores = [
        run_mutants(dict(list(tests.items())[:count]), PLANTED, shifted).score
        for count in (1, 2, 3)
    ]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]


def test_mutants_of_a_source_and_an_endless_one():
    mutants = mutate(shifted)
    assert sorted(mutants) == [
        "line 2: 0 to 1",
        "line 3: 0 to 1",
        "line 4: < to <=",
        "line 5: * to /",
        "line 5: + to -",
        "line 5: 2 to 3",
        "line 6: + to -",
        "line 7: - to +",
        "line 7: 10 to 11",
        "line 7: 3 to 4",
        "line 7: > to >=",
        "line 7: and to or",
    ]
    kills = run_mutants({"known": known, "empty": empty}, mutants, shifted, limit=2000)
    assert set(kills.survivors) == {"line 7: 10 to 11", "line 7: > to >=", "line 7: and to or"}


def test_a_mutant_differs_in_one_place():
    mutants = mutate(shifted)
    assert mutants["line 5: 2 to 3"]([1, 1]) == 6
    assert mutants["line 5: * to /"]([4, 4]) == 4


def test_same_names_get_numbers():
    def both(x):
        return x + 1 + 1

    names = list(mutate(both))
    assert "line 2: 1 to 2" in names
    assert "line 2: 1 to 2 (2)" in names
    assert len(names) == len(set(names)) == 4


def test_numpy_answers_and_false():
    kills = run_mutants(
        {"positive": lambda program: np.float64(program(1.0)) > 0}, {"sign": lambda x: -x}, abs
    )
    assert kills.score == 1


def test_nothing_to_kill_and_a_failing_reference_are_named():
    with pytest.raises(ValueError, match="reference must pass every test, got a failure of 'no'"):
        run_mutants({"no": lambda program: False}, PLANTED, shifted)
    with pytest.raises(ValueError, match="mutants must hold one or more"):
        run_mutants({"doubles": doubles}, {}, shifted)
    with pytest.raises(ValueError, match="function must have a source"):
        mutate(len)
    with pytest.raises(ValueError, match="function must"):
        mutate(lambda x: x + 1)


def test_interrupts_are_not_kills():
    def stop(program):
        if program is not abs:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_mutants({"stop": stop}, {"one": lambda x: x}, abs)


def test_needed_without_overlap():
    kills = Kills(("a", "b"), ("x", "y", "z"), np.array([[1, 1, 0], [0, 1, 0]], dtype=bool))
    assert kills.needed == ("a",)
    assert kills.survivors == ("z",)
