"""The recorder: commands are timed as often as asked for, and the kernels run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.resources import files
from itertools import count

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.benchmarking import (
    TimingRatio,
    beta_rates_through,
    noise_of_ratios,
    summarize_ratios,
    winners_curse,
)
from perfmodel.labs.benchmarking.pie.record import KINDS, mean_time, null_ratios, null_table
from perfmodel.labs.benchmarking.pie.scores import (
    CONDITIONED,
    PAIRS,
    SAMPLES,
    SELF_PLAY,
    THRESHOLD,
    edit_score,
    null_score,
    ratio_bars,
)
from perfmodel.labs.benchmarking.pie.twins import WAYS, time_twins


def test_first_and_mean_are_those_of_the_runs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    log = tmp_path / "log"
    command = [sys.executable, "-S", "-c", f"open({str(log)!r}, 'a').write('x')"]
    first, mean = mean_time(command, 3)
    assert log.read_text() == "xxx"
    assert 0 < mean < 30
    assert first <= 3 * mean


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_every_kernel_runs_and_knows_the_primes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = tmp_path / "kernels"
    source = files("perfmodel.labs.benchmarking.pie") / "kernels.c"
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    said = [
        subprocess.run([program, str(kind), "1000"], capture_output=True, text=True, check=True)
        for kind in range(KINDS)
    ]
    answers = [int(run.stdout) for run in said]
    assert len(set(answers)) == KINDS
    assert answers[3] == 168, "primes up to 1,000, and 500 is none"


# The paper's scores: invariants, a hand value, and the do-nothing model against the law.

times = st.floats(0.1, 10)
tables = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.tuples(times, *[st.tuples(times, st.booleans())] * 3), min_size=n, max_size=n
    )
)


@given(tables)
def test_score_is_the_rule_followed_program_by_program(rows: list[tuple[object, ...]]) -> None:
    ratios, any_right = [], []
    for old, *samples in rows:
        right = [new for new, passed in samples if passed]  # type: ignore[misc]
        ratios.append(old / min(right) if right else 0.0)
        any_right.append(bool(right))
    new = np.array([[sample[0] for sample in row[1:]] for row in rows])  # type: ignore[index]
    passed = np.array([[sample[1] for sample in row[1:]] for row in rows])  # type: ignore[index]
    score = edit_score([row[0] for row in rows], new, passed)  # type: ignore[arg-type]
    assert_allclose(score.optimized, np.mean(np.array(ratios) >= THRESHOLD))
    assert_allclose(score.speedup, np.mean(np.maximum(ratios, 1)))
    assert score.correct == np.mean(any_right)
    assert score.speedup >= 1


@given(tables)
def test_more_samples_never_score_less(rows: list[tuple[object, ...]]) -> None:
    old = [row[0] for row in rows]
    new = np.array([[sample[0] for sample in row[1:]] for row in rows])  # type: ignore[index]
    passed = np.array([[sample[1] for sample in row[1:]] for row in rows])  # type: ignore[index]
    few, more = (edit_score(old, new[:, :k], passed[:, :k]) for k in (1, 3))  # type: ignore[arg-type]
    assert few.optimized <= more.optimized
    assert few.speedup <= more.speedup
    assert few.correct <= more.correct


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.25])
def test_doing_nothing_scores_what_the_law_says(noise: float) -> None:
    score = null_score(200_000, 1, noise, np.random.default_rng(1))
    law = TimingRatio(noise)
    assert_allclose(score.speedup, law.mean_of_clamped(), rtol=4e-3)
    assert_allclose(score.optimized, law.probability_above(THRESHOLD), atol=5e-3)


def test_best_of_eight_that_do_nothing_is_the_winner_s_curse() -> None:
    rng = np.random.default_rng(2)
    new = np.exp(0.1 * rng.standard_normal((100_000, 8)))
    gain = -np.log(new.min(axis=1)).mean()
    assert_allclose(gain, winners_curse(8, 0.0, 0.1).measured, rtol=5e-3)
    assert null_score(100_000, 8, 0.1, rng).speedup > TimingRatio(0.1).mean_of_clamped() + 0.08


def test_samples_of_one_program_are_far_from_independent() -> None:
    """What the sheet of the lab works out: 97.97 % if independent, 70.96 % printed."""
    law = beta_rates_through(*CONDITIONED.correct, SAMPLES)
    assert_allclose(1 - (1 - CONDITIONED.correct[0]) ** SAMPLES, 0.9797, atol=5e-5)
    assert_allclose(law.a + law.b, 1.087, atol=1e-3)
    assert beta_rates_through(*SELF_PLAY.correct, SAMPLES).correlation < law.correlation


def test_edits_belong_to_programs_and_are_correct_or_not():
    with pytest.raises(ValueError, match="new must have a row for each of old"):
        edit_score([1.0], [1.0], [True])
    with pytest.raises(ValueError, match="correct must hold a truth value"):
        edit_score([1.0], [[1.0]], [[1]])


# Twins timed by a clock of our own, the recorded pairs, and the drawing of pairs.


def test_a_steady_clock_finds_no_difference_in_any_way() -> None:
    ticks = count()
    times = time_twins(3, clock=lambda: float(next(ticks)))
    for way in WAYS:
        assert times.ratios(way).tolist() == [1.0] * 3


def test_a_clock_that_slows_down_hurts_only_what_is_not_interleaved() -> None:
    """Later runs take longer: by how much each way blames the new copy."""
    state = {"now": 0.0, "step": 1.0}

    def clock() -> float:
        state["step"] *= 1.002
        state["now"] += state["step"]
        return state["now"]

    times = time_twins(2, clock)
    single, best, median = (float(times.ratios(way).mean()) for way in WAYS)
    assert best < 0.985
    assert abs(single - 1) < 0.01
    assert abs(median - 1) < 0.01


def test_recorded_pairs_are_500_different_programs() -> None:
    table = null_table()
    assert len(table.groupby(["kind", "size"])) == 500
    assert (table.filter(like="_s") > 0).all().all()
    assert null_ratios("first").std() > null_ratios("mean").std()


def test_what_is_recorded_says_that_nothing_changed_only_by_the_geometric_mean() -> None:
    report = summarize_ratios(null_ratios())
    assert report.geometric_mean.covers(1.0)
    assert report.mean.low > 1
    assert report.clamped_mean.low > 1.1


def test_log_normal_law_fitted_to_the_pairs_comes_near_their_clamped_mean() -> None:
    law = TimingRatio(noise_of_ratios(null_ratios()))
    report = summarize_ratios(null_ratios())
    assert report.clamped_mean.covers(law.mean_of_clamped())
    assert_allclose(law.quantile(0.95), report.percentile_95, rtol=0.03)


def test_drawing_counts_no_pair_below_one() -> None:
    for noise in (0.0, 0.05, 0.2, 0.3):
        for pairs in range(1, PAIRS + 1):
            scene = ratio_bars(pairs, noise)
            assert scene.faults() == []
            assert scene.values["mean counted"] >= max(1.0, scene.values["mean ratio"] - 1e-12)


def test_recorded_ratios_are_above_0() -> None:
    assert np.all(null_ratios() > 0)
