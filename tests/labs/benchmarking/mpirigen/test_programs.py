"""Made-up programs, the spammer, and the file that an instructor may supply."""

import json

import numpy as np
import pytest

from perfmodel.labs.benchmarking.mpirigen.calls import Call
from perfmodel.labs.benchmarking.mpirigen.programs import (
    LINES,
    Predictor,
    draw_programs,
    spam,
)
from perfmodel.labs.benchmarking.mpirigen.released import (
    VARIABLE,
    mean_lenient,
    pooled_matched,
    read_programs,
    released_verdict,
    wholly_right,
)


def test_labels_do_not_depend_on_the_predictor():
    one, other = (draw_programs(5, predictor, 3) for predictor in (Predictor(), Predictor(0.1)))
    assert [p.labels for p in one] == [p.labels for p in other]
    assert all(len({c.line for c in p.labels}) == len(p.labels) for p in one)


def test_a_predictor_without_faults_and_one_that_finds_nothing():
    perfect = draw_programs(20, Predictor(1, 0, 0, 0))
    assert wholly_right(perfect, 0) == 1
    assert pooled_matched(perfect, 0) == (1, 1, 1, 1)
    nothing = draw_programs(20, Predictor(found=0))
    assert pooled_matched(nothing, 2) == (0, 0, 0, 0)


def test_the_planted_shares_are_found_again():
    programs = draw_programs(400, Predictor(found=0.6, shift=0, misnamed=0.25, garbled=0.1))
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
    far = draw_programs(30, Predictor(found=0.05), 1)
    assert np.isfinite(mean_lenient(far, 0).location)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Predictor(found=1.2), "found must be between 0 and 1"),
        (lambda: Predictor(shift=-1), "shift must be 0 or more"),
        (lambda: Predictor(extra=-1), "extra must be a whole number"),
        (lambda: draw_programs(0, Predictor()), "count must be a whole number, 1 or more"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text("[1, 2]\n", "utf-8")
    with pytest.raises(ValueError, match="path must hold texts label and pred"):
        read_programs(path)
