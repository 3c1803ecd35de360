"""The count of operations, the searches on the recorded table, and the loop with its check."""

import numpy as np
import pytest

from perfmodel.benchmarking import ProductSettings, random_runs, recorded_products
from perfmodel.labs.benchmarking.cuda_llm import contest
from perfmodel.labs.benchmarking.cuda_llm.candidates import SIZE, candidate_space, tried
from perfmodel.labs.benchmarking.cuda_llm.counts import ACCESSES, LATENCY, TRIPS, counted_cycles

ONE = ProductSettings(240, 240, 1, "ikj", "rows-rows", "exact")


def test_the_count_by_hand():
    updates = (3 / 4 + 1 / 240) / ACCESSES + 2 * TRIPS / 240
    sums = LATENCY / 2 + 2 * TRIPS / (240 * 2)
    assert counted_cycles([ONE, ONE._replace(order="ijk", rows=2)]) == pytest.approx(
        [updates, sums]
    )


def test_more_rows_and_larger_blocks_never_count_more():
    times = recorded_products()
    cycles = counted_cycles(times.settings).reshape((3,) * 6)
    for axis in (0, 1, 2):
        assert (np.diff(cycles, axis=axis) <= 1e-12).all()
    assert np.corrcoef(np.log(cycles.ravel()), np.log(times.best))[0, 1] > 0


@pytest.mark.parametrize("name", contest.ORDERS)
def test_every_search_meets_every_candidate_once(name):
    assert sorted(contest.ORDERS[name](3).tolist()) == list(range(729))


def test_random_searches_wait_as_long_as_counting_says():
    best = recorded_products().best
    good = int((best <= 1.2 * best.min()).sum())
    waits = contest.waits("random", 300, 0.2)
    assert waits.mean() == pytest.approx(random_runs(729, good).mean, rel=0.15)


def test_weaker_aims_are_reached_no_later():
    for name in ("mutation", "ranked by count"):
        assert (contest.waits(name, 5, 0.3) <= contest.waits(name, 5, 0.05)).all()


def test_the_check_finds_rows_left_out():
    valid = ONE._replace(rows=2)
    found = tried([valid, valid._replace(rows=7)], rounds=1)
    assert [one.valid for one in found] == [True, False]
    assert 0 < found[0].seconds < found[1].seconds == np.inf


def test_the_space_holds_candidates_that_fail():
    rows = {one.rows for one in candidate_space()}
    assert [n for n in sorted(rows) if SIZE % n] == [7]
