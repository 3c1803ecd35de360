"""The exam case: published inputs, its limits, a Markov chain and a simulation beside MVA."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.bottleneck import exam_case
from perfmodel.queueing.network import bounds, mva, state_space
from perfmodel.queueing.simulation.simulate import simulate


# Worked out by an independent calculation from the demands on Krishnamurthy's slide 17.
@pytest.mark.parametrize(
    ("seconds", "changed"),
    [
        (2.1998, {"batch": 0}),
        (4.0227, {}),
        (1.1150, {"batch": 0, "link_order": "delay"}),
        (2.7445, {"link_order": "delay"}),
        (2.4867, {"link_speed": 2.0}),
        (3.6157, {"cpu_speed": 2.0}),
    ],
)
def test_response_of_a_clip(seconds, changed):
    response = exam_case.clip_response(exam_case.shared_server(**changed))
    assert response == pytest.approx(seconds, abs=5e-5)


def test_batch_cycles_and_the_processor_of_the_shared_server():
    shared = mva.exact_mva(exam_case.shared_server())
    assert shared.throughput[1] == pytest.approx(0.9118, abs=5e-5)
    assert shared.utilization[:, 0].sum() == pytest.approx(1.000, abs=5e-4)


def test_one_user_alone_waits_for_nobody():
    assert exam_case.clip_response(exam_case.shared_server(0, users=1)) == pytest.approx(
        0.15 + 0.95
    )


def test_the_balance_equations_agree_on_a_small_case():
    small = exam_case.shared_server(batch=2, users=3)
    exact = state_space.global_balance(small).response_time
    assert mva.exact_mva(small).response_time == pytest.approx(exact, rel=1e-9)


def test_a_simulation_agrees_with_mean_value_analysis():
    case = exam_case.shared_server()
    result = simulate(case, 40_000, seed=3, progress=False).response_time
    assert result.value == pytest.approx(mva.exact_mva(case).response_time, rel=0.05)


def test_clips_that_go_first_hardly_feel_the_batch():
    first = exam_case.shared_server(cpu_order="preemptive")
    result = simulate(first, 40_000, seed=3, progress=False).response_time.value[0]
    alone = exam_case.clip_response(exam_case.shared_server(batch=0))
    assert alone < result < 1.2 * alone


@given(st.integers(0, 12), st.floats(0.5, 4), st.floats(0.5, 4))
def test_more_batch_never_helps_and_demand_is_the_least(batch, cpu, link):
    here = exam_case.clip_response(exam_case.shared_server(batch, cpu, link))
    assert exam_case.clip_response(exam_case.shared_server(batch + 1, cpu, link)) >= here - 1e-9
    assert here >= 0.15 / cpu + 0.95 / link - 1e-9


def test_a_much_faster_processor_lets_the_batch_flood_the_link():
    alone = [exam_case.clip_response(exam_case.shared_server(0, speed)) for speed in (1, 2, 10)]
    assert alone == sorted(alone, reverse=True)
    assert exam_case.clip_response(exam_case.shared_server(cpu_speed=10)) > 3 * (
        exam_case.clip_response(exam_case.shared_server())
    )


def test_the_limit_is_missed_and_the_link_helps_more_than_the_saturated_processor():
    shared = [exam_case.shared_server(link_order=order) for order in ("PS", "delay")]
    assert min(map(exam_case.clip_response, shared)) > exam_case.RESPONSE_LIMIT
    link, cpu = (
        exam_case.clip_response(exam_case.shared_server(**{part: 2}))
        for part in ("link_speed", "cpu_speed")
    )
    assert exam_case.RESPONSE_LIMIT < link < cpu


def test_alone_it_stays_within_its_bounds():
    limits = bounds.balanced_job_bounds(exam_case.CLIP_DEMAND, 20, 30.0)
    alone = exam_case.clip_response(exam_case.shared_server(batch=0))
    assert limits.response_low <= alone <= limits.response_high
