"""Models in schedulers: searches and admission count alike; sentences follow the outcome."""

from functools import partial

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.policy import Policy
from perfmodel.labs.prediction.models_in_schedulers import (
    admission_contest,
    admission_rules as rules,
    conclusions,
    policy_contest,
    policy_search as ways,
)
from perfmodel.labs.prediction.models_in_schedulers.admission_contest import node_with_rule
from perfmodel.labs.prediction.models_in_schedulers.admission_rules import (
    alone_time,
    fcfs_departures,
    simulate,
)
from perfmodel.labs.prediction.models_in_schedulers.policy_search import draw_site
from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU
from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, Application, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.measurement.provenance import recorded_table
from perfmodel.prediction.arena.paired_losses import Loss, fraction_lost
from perfmodel.queueing.operational_analysis.sample_path import departures

ONE = Application(EDGE_TPU["inception_v3"], 8.0, 1.0)


def test_leaving_in_turn_is_first_come_first_served():
    rng = np.random.default_rng(0)
    arrivals, services = rng.exponential(1, 300).cumsum(), rng.exponential(0.9, 300)
    assert fcfs_departures(arrivals, services) == pytest.approx(departures(arrivals, services))


def test_one_application_takes_what_theory_says():
    """Without reloads the accelerator is M/D/1, and the core before it M/M/1."""
    measured = simulate([ONE], requests=200_000).response_time[0]
    assert measured == pytest.approx(admission(TPU_NODE, [ONE]).response_time[0], rel=0.03)


def test_bursts_have_the_same_rate_and_longer_waits():
    single, bursts = simulate([ONE]), simulate([ONE], "bursts")
    assert bursts.response_time[0] > 1.5 * single.response_time[0]


def test_an_idle_node_lets_nobody_down():
    assert simulate([]).late == 0
    slow = Application(EDGE_TPU["mobilenet_v1"], 0.01, 10.0)
    assert simulate([slow], requests=1000).in_time == 1
    assert alone_time(slow) == pytest.approx(0.00455 + 0.020 + 0.010)


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
    admitted = rules.admit([[ONE] * 4, [ONE]], lambda sets: [len(apps) <= 2 for apps in sets])
    assert [len(apps) for apps in admitted] == [2, 1]


def test_a_longer_past_begins_with_the_shorter():
    short, long = rules.history(3), rules.history(5)
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
    known = rules.history(30)
    learned = rules.learned_rule(known)
    alone = np.array([alone_time(app) for apps in known.sets for app in apps])
    predicted = alone * np.exp(learned.model.predict(rules.features(known.sets)))
    assert predicted == pytest.approx(np.concatenate(known.response_time), rel=1e-6)


def test_the_record_is_what_a_block_gives():
    scenario = admission_contest.SCENARIOS[1]
    table = recorded_table(admission_contest._PACKAGE, "admission_contest.csv")
    rows = table.query("arrivals == @scenario.arrivals and patience == @scenario.patience")
    recorded = rows[rows["block"] == 0].set_index("rule")
    rule = {
        admission_contest.FORMULA: rules.by_formula,
        admission_contest.FIXED: partial(rules.by_utilization, 0.8),
    }
    asked = [demand(rules.ASKING, i, scenario.patience) for i in range(admission_contest.DEMANDS)]
    for name, decide in rule.items():
        judged = rules.outcomes(decide, asked, scenario.arrivals, 0)
        assert np.mean([outcome.in_time for outcome in judged]) == pytest.approx(
            recorded.loc[name, "in_time"]
        )
        assert np.mean([outcome.late for outcome in judged]) == pytest.approx(
            recorded.loc[name, "late"]
        )


def test_losses_are_of_paired_blocks():
    scenario = admission_contest.SCENARIOS[0]
    by_rule = admission_contest.scores(scenario)
    assert set(by_rule) == set(admission_contest.RULES)
    assert all(part.shape == (admission_contest.BLOCKS,) for part in by_rule.values())
    nothing = admission_contest.loss(scenario, admission_contest.FORMULA)
    assert (nothing.value, nothing.conclusion) == (0, "no difference shown")


def some_pool() -> ways.Pool:
    throughput = np.array([0.0, 1.0, 4.0, 0.0, 2.0, 3.0] * 10)
    numbers = np.tile(np.arange(6.0)[:, None], (10, 8))
    policy = Policy.percent(1, 1, 0, 100, 0, 100, 0, 100)
    return ways.Pool([policy] * 60, numbers, throughput > 0, throughput)


def test_a_site_is_the_same_however_far_it_is_off():
    near, far = draw_site(3, 0.0), draw_site(3, 0.6)
    assert (near.job, near.limits, near.announced) == (far.job, far.limits, far.announced)
    assert near.actual == near.announced
    assert far.actual != far.announced


def test_a_policy_that_doesn_t_fit_brings_nothing():
    site = draw_site(0)
    assert site.trial(Policy.percent(128, 32, 100, 0, 100, 0, 100, 0)) == 0
    assert site.trial(Policy.percent(1, 1, 0, 0, 0, 100, 0, 100)) > 0


def test_all_known_is_best_where_the_model_is_true():
    site = draw_site(0, 0.0)
    assert site.overlap == "released"
    assert ways.planned(site) <= ways.oracle(site) * (1 + 1e-9)
    assert ways.planned(site) > 0.8 * ways.oracle(site)


def test_more_trials_never_find_less():
    pool = some_pool()
    for way, known in ways.WAYS.values():
        assert way in (ways.at_random, ways.by_trees)
        short, long = way(pool, 12, known, 1), way(pool, 30, known, 1)
        assert np.array_equal(long[:12], short)
        assert long.max() == 4.0
    best = ways.best_within_budgets("random, nothing known", pool, (1, 8, 30))
    assert list(best) == sorted(best)


def test_bytes_known_never_wastes_a_trial():
    assert all(ways.at_random(some_pool(), 1, True, seed)[0] > 0 for seed in range(20))
    assert any(ways.at_random(some_pool(), 1, False, seed)[0] == 0 for seed in range(20))


def test_filling_the_fastest_first_fits():
    site = draw_site(1)
    policy = ways._filled(site, 4)
    assert policy is not None
    assert site.fits(policy)
    assert ways.fastest_first(site, 3) > 0


def test_the_record_is_what_a_site_gives():
    by_way = policy_contest.throughputs()
    site = draw_site(0)
    assert ways.planned(site) == pytest.approx(by_way[policy_contest.PLANNED][0], rel=1e-4)
    assert ways.fastest_first(site, max(policy_contest.TRIALS)) == pytest.approx(
        by_way[policy_contest.THUMB][0], rel=1e-4
    )
    assert all(part.shape == (policy_contest.SITES,) for part in by_way.values())


@pytest.mark.parametrize("floor", [1e-5, 0.1])
def test_that_something_is_lost_does_not_hang_on_the_floor(monkeypatch, floor):
    """The page says so of a random search that knows nothing: how much is lost does."""
    monkeypatch.setattr(ways, "LEAST", floor)
    searched = [
        ways.best_within_budgets(
            "random, nothing known", ways.pool(site, policy_contest.OFFS[1]), (32,)
        )[0]
        for site in range(policy_contest.SITES)
    ]
    lost = fraction_lost(policy_contest.throughputs()[policy_contest.PLANNED], searched)
    assert lost.conclusion == "loses"
    recorded = policy_contest.loss(policy_contest.way_with("random, nothing known", 32))
    assert (lost.value > recorded.value) == (floor < 1e-3)


LOSES, GAINS, NEITHER = Loss(0.2, 0.1, 0.3), Loss(-0.2, -0.3, -0.1), Loss(0.0, -0.1, 0.1)


def test_the_better_rule_is_named():
    assert conclusions.named_rule(LOSES) == conclusions.THE_FORMULA
    assert conclusions.named_rule(GAINS) == conclusions.THE_THRESHOLD
    assert conclusions.named_rule(NEITHER) == conclusions.NO_DIFFERENCE


def test_changes_in_words():
    assert conclusions.change(LOSES, "% of it", 100) == "loses 20 % of it (10 to 30)"
    assert conclusions.change(GAINS, "% of it", 100) == "gains 20 % of it (10 to 30)"
    assert conclusions.change(NEITHER, "% of it", 100) == "shows no difference (-10 to 10 % of it)"


def test_reasons_differ_by_outcome():
    reasons = {conclusions.why_of_rules(loss) for loss in (LOSES, GAINS, NEITHER)}
    assert len(reasons) == 3


def test_the_sentences_name_what_was_tried():
    tuned = (
        "A tuned threshold scores lower than the formula in 2 of 4 cases, and higher with bursts"
    )
    assert tuned in conclusions.of_admission()
    assert conclusions.brief(GAINS) == "gains 20 % of the tokens/s"
    assert conclusions.brief(NEITHER) == "shows no difference"
    assert "rule of thumb" in conclusions.of_policies()
    assert "ms" in conclusions.cost_of_a_decision(1)


def test_what_the_lessons_say_of_the_record():
    """A broken assumption makes the formula lose; elsewhere it wins or makes no difference."""
    verdicts = {
        str(scenario): admission_contest.loss(scenario, admission_contest.TUNED).conclusion
        for scenario in admission_contest.SCENARIOS
    }
    assert verdicts[str(admission_contest.SCENARIOS[-1])] == "gains"
    assert {"loses", "no difference shown"} <= set(verdicts.values())


def test_the_drawing_tells_both_rules():
    scenes = [node_with_rule(count) for count in (0, 2, 8)]
    assert len({scene.height for scene in scenes}) == 1
    assert all("formula" in scene.says and "threshold" in scene.says for scene in scenes)
