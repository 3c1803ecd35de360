"""Admission: simulation agrees with theory, rules see what they say, records are theirs."""

from functools import partial

import numpy as np
import pytest

from perfmodel.labs.prediction.models_in_schedulers import (
    admission_contest as contest,
    admission_rules as rules,
)
from perfmodel.labs.prediction.models_in_schedulers.node_trial import (
    alone_time,
    leave_in_turn,
    simulate,
)
from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU
from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, Application, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.measurement.provenance import recorded_table
from perfmodel.queueing.operational_analysis.sample_path import departures

ONE = Application(EDGE_TPU["inception_v3"], 8.0, 1.0)


def test_leaving_in_turn_is_first_come_first_served():
    rng = np.random.default_rng(0)
    arrivals, services = rng.exponential(1, 300).cumsum(), rng.exponential(0.9, 300)
    assert leave_in_turn(arrivals, services) == pytest.approx(departures(arrivals, services))


def test_one_application_takes_what_theory_says():
    """Without reloads the accelerator is M/D/1, and the core before it M/M/1."""
    got = simulate([ONE], requests=200_000).response_time[0]
    assert got == pytest.approx(admission(TPU_NODE, [ONE]).response_time[0], rel=0.03)


def test_bursts_have_the_same_rate_and_longer_waits():
    single, bursts = simulate([ONE]), simulate([ONE], "bursts")
    assert bursts.response_time[0] > 1.5 * single.response_time[0]


def test_an_idle_node_lets_nobody_down():
    assert simulate([]).late == 0
    slow = Application(EDGE_TPU["mobilenet_v1"], 0.01, 10.0)
    assert simulate([slow], requests=1000).in_time == 1
    assert alone_time(slow) == pytest.approx(0.00455 + 0.020 + 0.010)


def test_bad_arrivals_are_named():
    with pytest.raises(ValueError, match="arrivals"):
        simulate([ONE], "none")


def test_rules_on_a_full_and_an_empty_node():
    full = [Application(EDGE_TPU["inception_v4"], 9.0, 0.2)]
    easy = [Application(EDGE_TPU["mobilenet_v1"], 1.0, 1.0)]
    for rule in (rules.by_formula, rules.by_times, partial(rules.by_utilization, 0.8)):
        assert rule([full, easy]) == [False, True]


def test_a_threshold_doesn_t_see_limits():
    tight = [Application(EDGE_TPU["inception_v4"], 3.0, 0.16)]
    assert rules.by_utilization(0.8, [tight]) == [True]
    assert rules.by_times([tight]) == [False]


def test_admitting_asks_in_turn():
    held = rules.admit([[ONE] * 4, [ONE]], lambda sets: [len(some) <= 2 for some in sets])
    assert [len(some) for some in held] == [2, 1]


def test_a_longer_past_begins_with_the_shorter():
    short, long = rules.past(3), rules.past(5)
    assert long.sets[:3] == short.sets
    assert all(
        np.array_equal(a, b) for a, b in zip(short.response_time, long.response_time, strict=False)
    )


def test_features_have_a_row_for_each_application():
    sets = [demand(3, 1), demand(2, 2)]
    plain, more = rules.features(sets), rules.features(sets, with_formula=True)
    assert plain.shape == (5, 12)
    assert more.shape == (5, 14)
    assert np.array_equal(more[:, :12], plain)


def test_a_learner_is_right_on_what_it_knows():
    known = rules.past(30)
    learned = rules.learn(known)
    alone = np.array([alone_time(app) for some in known.sets for app in some])
    told = alone * np.exp(learned.model.predict(rules.features(known.sets)))
    assert told == pytest.approx(np.concatenate(known.response_time), rel=1e-6)


def test_the_record_is_what_a_block_gives():
    scenario = contest.SCENARIOS[1]
    table = recorded_table(contest._PACKAGE, "admission_contest.csv")
    mine = table.query("arrivals == @scenario.arrivals and patience == @scenario.patience")
    kept = mine[mine["block"] == 0].set_index("rule")
    rule = {contest.FORMULA: rules.by_formula, contest.FIXED: partial(rules.by_utilization, 0.8)}
    asked = [demand(rules.ASKING, i, scenario.patience) for i in range(contest.DEMANDS)]
    for name, one in rule.items():
        got = rules.outcomes(one, asked, scenario.arrivals, 0)
        assert np.mean([each.in_time for each in got]) == pytest.approx(kept.loc[name, "in_time"])
        assert np.mean([each.late for each in got]) == pytest.approx(kept.loc[name, "late"])


def test_losses_are_of_paired_blocks():
    scenario = contest.SCENARIOS[0]
    found = contest.scores(scenario)
    assert set(found) == set(contest.RULES)
    assert all(part.shape == (contest.BLOCKS,) for part in found.values())
    nothing = contest.loss(scenario, contest.FORMULA)
    assert (nothing.value, nothing.verdict) == (0, "no difference shown")
