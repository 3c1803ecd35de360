"""The exam case: published inputs, its limits, a Markov chain and a simulation beside MVA."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.queueing import bounds, mva, network_chain, teapacs
from perfmodel.queueing.simulation.simulate import simulate


@pytest.mark.parametrize("claim", teapacs.claims(), ids=lambda claim: claim.quantity)
def test_claim(claim):
    assert claim.check().met


def test_one_user_alone_waits_for_nobody():
    assert teapacs.clip_response(teapacs.shared_server(0, users=1)) == pytest.approx(0.15 + 0.95)


def test_the_balance_equations_agree_on_a_small_case():
    small = teapacs.shared_server(batch=2, users=3)
    exact = network_chain.solve(small).response_time
    assert mva.solve(small).response_time == pytest.approx(exact, rel=1e-9)


def test_a_simulation_agrees_with_mean_value_analysis():
    case = teapacs.shared_server()
    found = simulate(case, 40_000, seed=3, progress=False).response_time
    assert found.value == pytest.approx(mva.solve(case).response_time, rel=0.05)


def test_clips_that_go_first_hardly_feel_the_batch():
    first = teapacs.shared_server(cpu_order="preemptive")
    found = simulate(first, 40_000, seed=3, progress=False).response_time.value[0]
    alone = teapacs.clip_response(teapacs.shared_server(batch=0))
    assert alone < found < 1.2 * alone


@given(st.integers(0, 12), st.floats(0.5, 4), st.floats(0.5, 4))
def test_more_batch_never_helps_and_demand_is_the_least(batch, cpu, link):
    here = teapacs.clip_response(teapacs.shared_server(batch, cpu, link))
    assert teapacs.clip_response(teapacs.shared_server(batch + 1, cpu, link)) >= here - 1e-9
    assert here >= 0.15 / cpu + 0.95 / link - 1e-9


def test_a_much_faster_processor_lets_the_batch_flood_the_link():
    alone = [teapacs.clip_response(teapacs.shared_server(0, speed)) for speed in (1, 2, 10)]
    assert alone == sorted(alone, reverse=True)
    assert teapacs.clip_response(teapacs.shared_server(cpu_speed=10)) > 3 * (
        teapacs.clip_response(teapacs.shared_server())
    )


def test_the_limit_is_missed_and_the_link_helps_more_than_the_saturated_processor():
    shared = [teapacs.shared_server(link_order=order) for order in ("PS", "delay")]
    assert min(map(teapacs.clip_response, shared)) > teapacs.RESPONSE_LIMIT
    link, cpu = (
        teapacs.clip_response(teapacs.shared_server(**{part: 2}))
        for part in ("link_speed", "cpu_speed")
    )
    assert teapacs.RESPONSE_LIMIT < link < cpu


def test_alone_it_stays_within_its_bounds():
    limits = bounds.balanced_job_bounds(teapacs.CLIP_DEMAND, 20, 30.0)
    alone = teapacs.clip_response(teapacs.shared_server(batch=0))
    assert limits.response_low <= alone <= limits.response_high


def test_bad_input():
    with pytest.raises(ValueError, match="cpu_speed must be above 0, got 0"):
        teapacs.shared_server(cpu_speed=0)
    with pytest.raises(ValueError, match="batch must be a whole number, 0 or more, got -1"):
        teapacs.shared_server(batch=-1)
    with pytest.raises(ValueError, match="discipline of station 'cpu' must be one of"):
        teapacs.shared_server(cpu_order="fair")
