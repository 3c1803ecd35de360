"""The rules on held-out workloads, and what the published table does when somebody leaves."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.benchmarking import Reversal, removal_reversals
from perfmodel.labs.benchmarking.algoperf.competition import (
    BASE_OF,
    POINTS,
    competition,
    counted_seconds,
)

EXTERNAL = competition("external")


@pytest.mark.parametrize(("ruleset", "rows"), [("external", 11), ("self_tuning", 6)])
def test_the_tables_hold_eight_base_workloads_and_six_variants(ruleset, rows):
    table = competition(ruleset)
    assert table.seconds.shape == (rows, 14)
    assert len(table.base) == 8
    assert {*table.workloads} == {*table.base, *BASE_OF}
    assert {*BASE_OF.values()} < {*table.base}


def test_the_rules_one_after_another_by_hand():
    # Columns: base, its variant, a base without variant.
    times = [
        [10.0, 5.0, 1.0],
        [np.inf, 4.0, 3.0],  # base lost, so its variant doesn't set the least time
        [8.0, 19.0, 4.0],  # 19 is within 4 * 5, but not within 4 * 4
        [9.0, 21.0, 5.0],  # variant beyond 4 * 5, so the base is lost
    ]
    counted = counted_seconds(times, {1: 0})
    assert counted.tolist() == [[10.0, 1.0], [np.inf, 3.0], [8.0, 4.0], [np.inf, np.inf]]


@given(arrays(float, (5, 4), elements=st.floats(1, 100) | st.just(np.inf)))
def test_the_rules_only_ever_take_away(times):
    counted = counted_seconds(times, {3: 1})
    assert ((counted == times[:, :3]) | np.isinf(counted)).all()
    alone = counted_seconds(times[:, :3], {})
    assert (np.isinf(counted) | (counted == alone)).all()


def test_trapezoids_and_area_rank_alike_and_differ_little():
    for ruleset in ("external", "self_tuning"):
        table = competition(ruleset)
        published, exact = table.scores(POINTS), table.scores()
        assert table.ranking(published) == table.ranking(exact)
        assert np.abs(published - exact).max() < 0.002


def test_the_winner_changes_when_the_eighth_leaves():
    eighth = EXTERNAL.submissions[7]
    assert eighth == "caspr_adaptive"
    left = EXTERNAL.without(eighth)
    scores = dict(zip(left.submissions, left.scores(), strict=True))
    assert EXTERNAL.ranking(EXTERNAL.scores())[0] == "shampoo_submission"
    assert left.ranking(left.scores())[0] == "schedule_free_adamw"
    assert scores["schedule_free_adamw"] == pytest.approx(0.8091, abs=5e-5)
    assert scores["shampoo_submission"] == pytest.approx(0.8026, abs=5e-5)


def test_the_same_reversal_is_found_by_removing_each():
    found = removal_reversals(EXTERNAL.seconds, EXTERNAL.rescored)
    assert Reversal(third=7, ahead=0, behind=1) in found
    assert [r for r in found if {r.ahead, r.behind} == {0, 1}] == [Reversal(7, 0, 1)]


def test_who_is_never_fastest_leaves_without_a_trace():
    for name in ("baseline", "lawa_ema", "schedule_free_prodigy"):
        place = EXTERNAL.submissions.index(name)
        kept = np.delete(EXTERNAL.scores(), place)
        assert EXTERNAL.without(name).scores() == pytest.approx(kept)


def test_leaving_out_a_workload_takes_its_variant_along():
    left = EXTERNAL.without("ogbg")
    assert len(left.base) == 7
    assert "ogbg_model_size" not in left.workloads
    assert left.ranking(left.scores())[0] == "schedule_free_adamw"


def test_without_held_out_workloads_more_counts():
    plain = EXTERNAL.without_held_out()
    assert (np.isfinite(plain.counted) >= np.isfinite(EXTERNAL.counted)).all()
    scores = dict(zip(plain.submissions, plain.scores(POINTS).round(4), strict=True))
    assert scores["schedule_free_adamw"] == 0.7740
    assert scores["caspr_adaptive"] == 0.5549


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="names must be submissions or base workloads, got 'sgd'"):
        EXTERNAL.without("sgd")
    with pytest.raises(ValueError, match="limit must be above 0, got 0"):
        counted_seconds([[1.0]], {}, limit=0)
