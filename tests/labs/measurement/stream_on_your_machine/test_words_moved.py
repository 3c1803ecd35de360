"""The drawing of what a loop moves: it agrees with the count, and can be read in every state."""

from __future__ import annotations

from itertools import product

import pytest

from perfmodel.labs.measurement.stream_on_your_machine.traffic import NUMPY_TRIAD, STREAM, WORD
from perfmodel.labs.measurement.stream_on_your_machine.words_moved import (
    LOOPS,
    moves_of,
    words_moved,
)

SCENES = [words_moved(loop, step) for loop, step in product(LOOPS, range(7))]


@pytest.mark.parametrize(
    ("loop", "streams"),
    [("copy", STREAM["copy"]), ("triad", STREAM["triad"]), ("triad, NumPy", NUMPY_TRIAD)],
)
def test_the_moves_are_the_bytes_of_the_model(loop, streams):
    moves = moves_of(loop)
    assert WORD * len(moves) == streams.moved
    assert WORD * sum(move.kind != "fetch" for move in moves) == streams.counted
    assert words_moved(loop, 99).values["bytes moved"] == streams.moved


def test_every_state_can_be_read_on_a_sheet_of_one_size():
    assert [scene.faults() for scene in SCENES if scene.faults()] == []
    assert len({scene.height for scene in SCENES}) == 1


def test_an_array_that_the_pass_reads_is_not_fetched_for_its_store():
    assert [move.kind for move in moves_of("triad, NumPy") if move.array == "a"] == [
        "fetch",
        "write",
        "read",
        "write",
    ]


def test_an_unknown_loop_is_refused():
    with pytest.raises(ValueError, match="loop must be one of copy, triad"):
        moves_of("quad")
