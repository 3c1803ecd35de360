"""Both ways to score located calls, against a hand case, brute force and their invariants."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.benchmarking.mpirigen.calls import Call, read_calls, split_arguments
from perfmodel.labs.benchmarking.mpirigen.scoring import (
    lenient_score,
    match_calls,
    matched_score,
    near,
)

CALL = st.builds(
    Call,
    st.integers(1, 12),
    st.integers(1, 2),
    st.sampled_from("abc"),
    st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
)
FEW = st.lists(CALL, min_size=1, max_size=5, unique_by=lambda call: call[:2])
SOME = st.lists(CALL, max_size=5, unique_by=lambda call: call[:2])
REACH = st.integers(0, 3)


def most_pairs(labels, guesses, tolerance):
    """Return how many pairs are possible at most, by trying all."""
    small, large = sorted([list(range(len(labels))), list(range(len(guesses)))], key=len)
    swap = len(labels) > len(guesses)

    def close(a, b):
        i, j = (b, a) if swap else (a, b)
        return near(labels[i], guesses[j], tolerance)

    for size in range(len(small), 0, -1):
        for chosen in combinations(small, size):
            for order in permutations(large, size):
                if all(close(a, b) for a, b in zip(chosen, order, strict=True)):
                    return size
    return 0


@given(labels=FEW, guesses=SOME, tolerance=REACH)
def test_the_matching_has_as_many_pairs_as_possible(labels, guesses, tolerance):
    pairs = match_calls(labels, guesses, tolerance)
    assert len(pairs) == most_pairs(labels, guesses, tolerance)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(near(labels[i], guesses[j], tolerance) for i, j in pairs)


@given(labels=FEW, guesses=FEW, tolerance=REACH, extra=CALL)
def test_what_each_score_does_and_does_not_notice(labels, guesses, tolerance, extra):
    loose, strict = (score(labels, guesses, tolerance) for score in (lenient_score, matched_score))
    assert strict.whole <= strict.named <= strict.recall <= loose.location
    turned = matched_score(guesses, labels, tolerance)
    assert (turned.precision, turned.recall) == pytest.approx((strict.recall, strict.precision))
    wider = lenient_score(labels, guesses, tolerance + 1)
    assert wider.location >= loose.location
    assert matched_score(labels, guesses, tolerance + 1).recall >= strict.recall
    assert lenient_score(labels, [*guesses, extra], tolerance).location >= loose.location
    shuffled = lenient_score(labels[::-1], guesses, tolerance)
    assert shuffled == pytest.approx(loose, nan_ok=True)


@given(labels=FEW, tolerance=REACH)
def test_a_perfect_prediction_is_perfect_under_both(labels, tolerance):
    assert matched_score(labels, labels[::-1], tolerance)[:2] == (1, 1)
    assert matched_score(labels, labels, 0) == (1, 1, 1, 1)
    assert lenient_score(labels, labels, 0) == (1, 1, 1)


def test_among_equal_numbers_of_pairs_names_decide():
    labels = [Call(5, 1, "a", ()), Call(6, 1, "b", ())]
    guesses = [Call(5, 1, "b", ()), Call(6, 1, "a", ())]
    assert match_calls(labels, guesses, 1) == [(0, 1), (1, 0)]
    assert match_calls(labels, guesses, 0) == [(0, 0), (1, 1)]


def test_no_name_outweighs_a_pair():
    labels = [Call(5, 1, "a", ()), Call(6, 1, "b", ())]
    guesses = [Call(6, 1, "b", ()), Call(7, 1, "x", ())]
    assert match_calls(labels, guesses, 1) == [(0, 0), (1, 1)]


def test_off_in_line_or_in_order_and_not_in_both():
    label = Call(5, 2, "a", ())
    offs = [(2, 0), (0, 2), (3, 0), (0, 3), (1, 1)]
    near_enough = [near(label, Call(5 + x, 2 + y, "a", ()), 2) for x, y in offs]
    assert near_enough == [True, True, False, False, False]


def test_nothing_found_leaves_nothing_to_judge():
    score = lenient_score([Call(1, 1, "a", ())], [Call(9, 1, "a", ())], 2)
    assert score.location == 0
    assert np.isnan(score[1:]).all()
    assert matched_score([Call(1, 1, "a", ())], [], 2) == (0, 0, 0, 0)


def test_calls_are_read_from_the_authors_text():
    calls = read_calls(
        "3 1, MPI_Init(0, 0);) (9 2,   MPI_Send(f(a, b), 1);) (9 2, MPI_Recv(b);) x;"
    )
    assert calls == [
        Call(3, 1, "MPI_Init", ("0", "0")),
        Call(9, 2, "MPI_Recv", ("b",)),
    ]
    assert read_calls("(4 1, garbled; nothing") == []
    assert split_arguments("") == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lenient_score([], [], 1), "labels must be one or more"),
        (lambda: matched_score([], [], 1), "labels must be one or more"),
        (lambda: match_calls([], [], -1), "tolerance must be a whole number"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
