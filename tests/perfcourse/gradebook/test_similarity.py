import builtins
import functools
import itertools
import math
import tracemalloc

import numpy as np
import pytest
from independent import ANSWERS, alone, copied, given, handed_in, prints_of

from perfcourse.gradebook.answers import by_answer
from perfcourse.gradebook.fingerprints import Print, prints
from perfcourse.gradebook.similarity import EXPECTED, FEWEST, SHARED, similar


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


def by_hand(every):
    """Return what pairs of submissions share, by counting: who, which answers, how many expected.

    For each pair, in both directions, each piece of an answer that the other has too counts with
    the logarithm of one over the share of the others who have it.
    """
    people = [name for name, answers in every.items() if answers]

    @functools.cache
    def holding(first, label):
        """Return of each piece of an answer the others who have it, and how surprising that is."""
        others = [name for name in people if name != first and label in every[name]]
        held = [
            {
                name
                for name in others
                if len(piece & every[name][label].whole) >= SHARED * len(piece)
            }
            for piece in every[first][label].pieces
        ]
        return [(names, math.log(len(others) / len(names))) for names in held if names]

    def surprise(first, second, label):
        pieces = holding(first, label) if label in every[first] else []
        return sum(value for names, value in pieces if second in names)

    labels = sorted({label for name in people for label in every[name]})
    found = {}
    for first, second in itertools.permutations(people, 2):
        parts = {label: surprise(first, second, label) for label in labels}
        total = sum(parts.values())
        key = frozenset((first, second))
        if total > found.get(key, (0.0,))[0]:
            found[key] = total, {label for label, part in parts.items() if part > 0}
    count = len(people) * (len(people) - 1)
    return {
        key: (labels, count * math.exp(-total))
        for key, (total, labels) in found.items()
        if count * math.exp(-total) < EXPECTED
    }


@pytest.mark.parametrize(
    ("seed", "count", "copies", "habit"),
    [(0, 8, 1, 0), (1, 24, 2, 0.3), (2, 40, 4, 0), (3, 130, 2, 0.6)],
)
def test_pairs_are_those_that_counting_finds(seed, count, copies, habit):
    rng, people = a_class(seed, count, habit)
    for number in range(copies):
        people[f"copy{number}"] = copied(people[f"s{number:03}"], rng, 1 - 0.1 * number)
    every = prints_of(people)
    every["nothing"] = {}
    every["s001"].pop("speedup", None)
    known = by_hand(every)
    pairs = similar(every)
    assert {frozenset((pair.first, pair.second)) for pair in pairs} == set(known)
    for pair in pairs:
        labels, expected = known[frozenset((pair.first, pair.second))]
        assert set(pair.answers) == labels
        assert pair.expected == pytest.approx(expected, rel=1e-9)


def test_blocks_make_no_difference(monkeypatch):
    rng, people = a_class(5, 50)
    people["copy"] = copied(people["s007"], rng)
    every = prints_of(people)
    whole = similar(every)
    assert len(whole) == 1
    monkeypatch.setattr("perfcourse.gradebook.similarity.ROWS", 7)
    assert similar(every) == whole


def one_answer(number, length=20):
    """Return the fingerprints of code that nobody else has but for a half of it."""
    marks = frozenset(range(length // 2)) | frozenset(
        range(1000 + length * number, 1000 + length * number + length // 2)
    )
    return {f"q{question}": Print((marks,), 0) for question in range(6)}


def pieces(number, count=8):
    """Return the fingerprints of answers in many pieces, a half of each of which all have."""
    own = 10**6 + 1000 * number
    marks = [{*range(5 * k, 5 * k + 5), *range(own + 5 * k, own + 5 * k + 5)} for k in range(count)]
    return {f"q{question}": Print(tuple(map(frozenset, marks)), 0) for question in range(4)}


CLASSES = {
    "half of it the same": one_answer,
    "all the same": lambda number: one_answer(0),
    "every second one the same": lambda number: one_answer(number * (number % 2)),
    "long answers": lambda number: one_answer(number, 80),
    "in many pieces": pieces,
}


def held(count, of_each=one_answer):
    """Return the bytes that comparing a class of this size takes at most, beside its prints."""
    every = {f"s{number}": of_each(number) for number in range(count)}
    tracemalloc.start()
    try:
        assert similar(every) == []
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_the_class_and_not_with_its_square():
    """A table of all pairs of 1,200 has 11 MB for each answer, and there are six."""
    small, large = held(300), held(1200)
    assert large < 6 * small
    assert large < 12e6


@pytest.mark.parametrize("of_each", CLASSES.values(), ids=CLASSES)
def test_memory_grows_with_a_class_of_any_kind(of_each):
    """The square of it would be 16 times as much."""
    assert held(600, of_each) < 7 * held(150, of_each)
