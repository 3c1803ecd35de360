"""FlexGen's policy: what is told, what is true, and searches that count trials alike."""

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.policy import Policy
from perfmodel.labs.prediction.models_in_schedulers import (
    policy_contest as contest,
    policy_search as ways,
)
from perfmodel.labs.prediction.models_in_schedulers.machines import draw_site
from perfmodel.prediction.arena.paired_losses import share_lost


def some_pool() -> ways.Pool:
    throughput = np.array([0.0, 1.0, 4.0, 0.0, 2.0, 3.0] * 10)
    numbers = np.tile(np.arange(6.0)[:, None], (10, 8))
    policy = Policy.percent(1, 1, 0, 100, 0, 100, 0, 100)
    return ways.Pool([policy] * 60, numbers, throughput > 0, throughput)


def test_a_site_is_the_same_however_far_it_is_off():
    near, far = draw_site(3, 0.0), draw_site(3, 0.6)
    assert (near.job, near.limits, near.told) == (far.job, far.limits, far.told)
    assert near.true == near.told
    assert far.true != far.told


def test_a_policy_that_doesn_t_fit_brings_nothing():
    site = draw_site(0)
    assert site.trial(Policy.percent(128, 32, 100, 0, 100, 0, 100, 0)) == 0
    assert site.trial(Policy.percent(1, 1, 0, 0, 0, 100, 0, 100)) > 0


def test_all_known_is_best_where_the_model_is_true():
    site = draw_site(0, 0.0)
    assert site.overlap == "released"
    assert ways.planned(site) <= ways.knowing_all(site) * (1 + 1e-9)
    assert ways.planned(site) > 0.8 * ways.knowing_all(site)


def test_more_trials_never_find_less():
    pool = some_pool()
    for way, known in ways.WAYS.values():
        assert way in (ways.at_random, ways.by_trees)
        short, long = way(pool, 12, known, 1), way(pool, 30, known, 1)
        assert np.array_equal(long[:12], short)
        assert long.max() == 4.0
    found = ways.found_by("random, nothing known", pool, (1, 8, 30))
    assert list(found) == sorted(found)


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
    found = contest.throughputs()
    site = draw_site(0)
    assert ways.planned(site) == pytest.approx(found[contest.PLANNED][0], rel=1e-4)
    assert ways.fastest_first(site, max(contest.TRIALS)) == pytest.approx(
        found[contest.THUMB][0], rel=1e-4
    )
    assert all(part.shape == (contest.SITES,) for part in found.values())


@pytest.mark.parametrize("floor", [1e-5, 0.1])
def test_that_something_is_lost_does_not_hang_on_the_floor(monkeypatch, floor):
    """The page says so of a random search that knows nothing: how much is lost does."""
    monkeypatch.setattr(ways, "LEAST", floor)
    found = [
        ways.found_by("random, nothing known", ways.pool(site, contest.OFFS[1]), (32,))[0]
        for site in range(contest.SITES)
    ]
    lost = share_lost(contest.throughputs()[contest.PLANNED], found)
    assert lost.verdict == "loses"
    recorded = contest.loss(contest.way_with("random, nothing known", 32))
    assert (lost.value > recorded.value) == (floor < 1e-3)


def test_an_unknown_error_is_named():
    with pytest.raises(ValueError, match="off"):
        contest.throughputs(0.1)
