import builtins

import numpy as np
import pytest
from independent import ANSWERS, alone, copied, given, handed_in, prints_of

from perfcourse.gradebook.answers import by_answer
from perfcourse.gradebook.fingerprints import prints
from perfcourse.gradebook.similarity import EXPECTED, FEWEST, similar


def a_class(seed, count=40, habit=0.0):
    rng = np.random.default_rng(seed)
    return rng, {f"s{number:03}": alone(rng, habit) for number in range(count)}


def names(pairs):
    return [{pair.first, pair.second} for pair in pairs]


@pytest.mark.parametrize("habit", [0, 0.3])
def test_people_who_work_alone_show_no_pair(habit):
    for seed in range(3):
        _, people = a_class(seed, habit=habit)
        assert similar(prints_of(people)) == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_disguised_copy_is_listed_first(seed):
    rng, people = a_class(seed)
    people["copy"] = copied(people["s007"], rng)
    (pair, *more) = similar(prints_of(people))
    assert {pair.first, pair.second} == {"copy", "s007"}
    assert more == []
    assert pair.expected < EXPECTED
    assert len(pair.answers) >= 6
    assert set(pair.answers) <= set(ANSWERS)


def test_whole_notebooks_have_the_prints_of_their_answers():
    _, people = a_class(0, count=2)
    for who, answers in people.items():
        whole = prints(by_answer(handed_in(answers), ANSWERS), given())
        assert {k: v.whole for k, v in whole.items()} == {
            k: v.whole for k, v in prints_of(people)[who].items()
        }


def test_a_copy_in_one_cell_and_turned_round_is_found_too():
    rng, people = a_class(1)
    every = prints_of(people)
    code = copied(people["s007"], rng)
    cell = "\n".join(reversed(code.values()))
    every["copy"] = prints(by_answer([cell], ANSWERS), given())
    assert names(similar(every))[0] == {"copy", "s007"}


def test_three_who_copied_from_one_another_are_three_pairs():
    rng, people = a_class(2)
    for name in ("two", "three"):
        people[name] = copied(people["s007"], rng)
    assert {frozenset(pair) for pair in names(similar(prints_of(people)))} == {
        frozenset(pair) for pair in (("two", "s007"), ("three", "s007"), ("two", "three"))
    }


def test_what_everybody_has_is_no_sign():
    rng, people = a_class(0)
    same = alone(rng)
    assert similar(prints_of(dict.fromkeys(people, same))) == []


def test_two_alike_answers_are_not_enough():
    rng, people = a_class(0)
    people["copy"] = people["s007"] | dict(list(alone(rng).items())[2:])
    assert similar(prints_of(people)) == []


def program(seed):
    """Return a long function of steps drawn by chance."""
    rng = np.random.default_rng(seed)
    known = [name for name in dir(builtins) if name.islower()]
    steps = [f" {sign} {name}(x)" for sign in "+-*/" for name in known]
    lines = ("    y = s" + "".join(rng.choice(steps, 4)) for _ in range(60))
    return "def speedup(s, n):\n" + "\n".join(lines)


def test_long_code_for_one_answer_counts_piece_by_piece():
    every = {f"s{n:03}": prints(by_answer([program(n)], ANSWERS)) for n in range(40)}
    assert similar(every) == []
    every["copy"] = every["s007"]
    (pair,) = similar(every)
    assert {pair.first, pair.second} == {"copy", "s007"}
    assert pair.answers == ("speedup",)


def test_a_small_class_says_nothing():
    rng, people = a_class(0, count=FEWEST - 2)
    people["copy"] = copied(people["s001"], rng)
    assert similar(prints_of(people)) == []
    assert similar({}) == []
