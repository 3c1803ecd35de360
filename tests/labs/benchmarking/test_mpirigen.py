"""Loop and tree by the model, drawn, and between processes."""

from __future__ import annotations

import json
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.communication import collective_schedule, message_time
from perfmodel.labs.benchmarking.mpirigen.broadcast import (
    PROCESSES,
    ROUNDS,
    WAYS,
    BroadcastRuns,
    broadcast_verdict,
    measure_broadcast,
    spreading,
)
from perfmodel.labs.benchmarking.mpirigen.programs import (
    LINES,
    VARIABLE,
    Predictor,
    draw_programs,
    mean_lenient,
    pooled_matched,
    read_programs,
    released_verdict,
    spam,
    wholly_right,
)
from perfmodel.labs.benchmarking.mpirigen.scoring import (
    LABELS,
    RULES,
    Call,
    lenient_score,
    match_calls,
    matched_score,
    matching,
    near,
    read_calls,
    split_arguments,
)


def test_sixty_four_processes_and_a_megabyte_by_hand():
    message = float(message_time(1e6, 2e-6, 1e10))
    rounds = [len(collective_schedule("broadcast", way, 64).rounds) for way in WAYS.values()]
    assert [1e6 * message * count for count in rounds] == pytest.approx([6426, 612])


@pytest.mark.parametrize("scheme", WAYS)
@pytest.mark.parametrize("rounds", range(ROUNDS + 1))
def test_every_step_can_be_read(scheme, rounds):
    scene = spreading(scheme, rounds)
    assert scene.faults() == []
    reached = min(2**rounds, PROCESSES) if scheme == "tree" else rounds + 1
    assert scene.values["have it"] == reached


@pytest.mark.parametrize("rule", RULES.values())
@pytest.mark.parametrize("tolerance", range(4))
def test_every_matching_can_be_read(rule, tolerance):
    scene = matching(rule, tolerance)
    assert scene.faults() == []
    assert 0 < scene.values["labels matched"] <= len(LABELS)


def test_a_planted_latency_is_found_between_processes():
    runs = measure_broadcast(processes=4, size=100, wait=0.05, runs=2)
    assert runs.loop.shape == runs.tree.shape == (2,)
    assert runs.loop.min() > 3 * 0.05
    assert runs.tree.min() > 2 * 0.05
    assert runs.predicted == 1.5


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ([7.0, 7.2, 6.8], "includes the model's ratio"),
        ([5.0, 5.1, 4.9], "not by the model's factor"),
        ([2.0, 2.1, 1.9], "loses"),
        ([1.0, 9.0, 3.0], "can't show"),
    ],
)
def test_the_verdict_follows_the_runs(loop, said):
    runs = BroadcastRuns(8, np.array(loop), np.array([3.0, 3.05, 2.95]))
    assert said in broadcast_verdict(runs)


# Made-up programs, the spammer, and the file that an instructor may supply.


def test_labels_do_not_depend_on_the_predictor():
    one, other = (draw_programs(5, predictor, 3) for predictor in (Predictor(), Predictor(0.1)))
    assert [p.labels for p in one] == [p.labels for p in other]
    assert all(len({c.line for c in p.labels}) == len(p.labels) for p in one)


def test_a_predictor_without_faults_and_one_that_finds_nothing():
    perfect = draw_programs(20, Predictor(1, 0, 0, 0))
    assert wholly_right(perfect, 0) == 1
    assert pooled_matched(perfect, 0) == (1, 1, 1, 1)
    nothing = draw_programs(20, Predictor(recall=0))
    assert pooled_matched(nothing, 2) == (0, 0, 0, 0)


def test_the_planted_shares_are_found_again():
    programs = draw_programs(400, Predictor(recall=0.6, shift=0, misnamed=0.25, garbled=0.1))
    score = pooled_matched(programs, 0)
    assert score.precision == 1
    assert score.recall == pytest.approx(0.6, abs=0.02)
    assert score.named == pytest.approx(0.6 * 0.75, abs=0.02)
    assert score.whole == pytest.approx(0.6 * 0.75 * 0.9**3, abs=0.03)


def test_the_spammer_finds_every_place_and_pays_in_precision():
    programs = [spam(p) for p in draw_programs(50, Predictor())]
    calls = sum(len(p.labels) for p in programs)
    assert mean_lenient(programs, 0).location == 1
    score = pooled_matched(programs, 0)
    assert score.recall == 1
    assert score.precision == pytest.approx(calls / (LINES * len(programs)))


def test_a_supplied_file_is_scored(tmp_path, monkeypatch):
    path = tmp_path / "predictions.jsonl"
    right = "(2 1, MPI_Init(0, 0);) (9 1, MPI_Finalize();)"
    wrong = "(2 1, MPI_Init(0, 0);) (9 1, MPI_Barrier(w);)"
    lines = [{"label": right, "pred": right}, {"label": right, "pred": wrong}]
    lines.append({"label": "unreadable", "pred": right})
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    programs = read_programs(path)
    assert len(programs) == 2
    assert programs[1].predictions[1] == Call(9, 1, "MPI_Barrier", ("w",))
    assert mean_lenient(programs, 0) == pytest.approx((1, 0.75, 1))
    assert wholly_right(programs, 0) == 0.5
    monkeypatch.delenv(VARIABLE, raising=False)
    assert "No file" in released_verdict()
    monkeypatch.setenv(VARIABLE, str(path))
    assert "2 programs of at most 20 calls" in released_verdict()
    assert "75 % of the calls" in released_verdict()


def test_programs_with_nothing_found_leave_the_mean():
    far = draw_programs(30, Predictor(recall=0.05), 1)
    assert np.isfinite(mean_lenient(far, 0).location)


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text("[1, 2]\n", "utf-8")
    with pytest.raises(ValueError, match="path must hold texts label and pred"):
        read_programs(path)


# Both ways to score located calls, against a hand case, brute force and their invariants.

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


def test_a_program_without_labels_has_no_score():
    with pytest.raises(ValueError, match="labels must be one or more"):
        lenient_score([], [], 1)
    with pytest.raises(ValueError, match="labels must be one or more"):
        matched_score([], [], 1)
