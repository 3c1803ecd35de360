"""The loop of processor and disk: chain against product form, MVA, another chain and simulation."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.markov_chains.two_stations import (
    Loop,
    finished_rate,
    jobs_at_processor,
    loop_chain,
)
from perfmodel.queueing import (
    Hyperexponential,
    PhaseType,
    birth_death_probabilities,
    exact_mva,
    global_balance,
    simulate,
)

loops = st.builds(
    Loop, st.integers(1, 8), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.05, 0.95)
)


@given(loops)
def test_balance_product_form_and_mva_agree(loop):
    up = [1 / loop.disk_time] * loop.jobs
    down = [(1 - loop.finish) / loop.cpu_time] * loop.jobs
    assert jobs_at_processor(loop) == pytest.approx(birth_death_probabilities(up, down), rel=1e-9)
    assert finished_rate(loop) == pytest.approx(exact_mva(loop.network()).throughput[0], rel=1e-9)


@settings(max_examples=15)
@given(loops)
def test_the_package_s_own_chain_agrees(loop):
    other = global_balance(loop.network()).throughput[0]
    assert finished_rate(loop) == pytest.approx(other, rel=1e-9)


@given(loops)
def test_a_phase_type_turn_of_scv_one_is_exponential(loop):
    turn = PhaseType.hyperexponential(loop.cpu_time, 1.0)
    assert finished_rate(loop, turn) == pytest.approx(finished_rate(loop), rel=1e-9)


@given(loops.filter(lambda loop: loop.jobs > 1))
def test_variable_turns_finish_less(loop):
    regular, varying = (
        finished_rate(loop, PhaseType.of_two_moments(loop.cpu_time, scv)) for scv in (0.25, 9.0)
    )
    assert varying < finished_rate(loop) < regular <= loop.finish / loop.cpu_time


def test_one_job_does_not_feel_the_law():
    loop = Loop(1, 0.05, 0.04, 0.2)
    turn = PhaseType.hyperexponential(0.05, 16.0)
    assert finished_rate(loop, turn) == pytest.approx(finished_rate(loop), rel=1e-12)
    assert finished_rate(loop) == pytest.approx(0.2 / (0.05 + 0.8 * 0.04), rel=1e-12)


def test_simulation_of_variable_turns_covers_the_chain():
    loop, scv = Loop(4, 0.05, 0.04, 0.2), 16.0
    run = simulate(
        loop.network(Hyperexponential.balanced(0.05, scv)), 60_000, seed=3, progress=False
    )
    exact = finished_rate(loop, PhaseType.hyperexponential(0.05, scv))
    assert run.throughput.covers([exact]).all()
    assert not run.throughput.covers([finished_rate(loop)]).any()


def test_states_of_two_phases():
    chain = loop_chain(Loop(3, 0.05, 0.04, 0.2), PhaseType.hyperexponential(0.05, 4.0))
    assert len(chain.states) == 3 * 2 + 1


@pytest.mark.parametrize(
    ("name", "value"), [("jobs", 0), ("cpu_time", 0.0), ("disk_time", -1.0), ("finish", 1.5)]
)
def test_impossible_loops_are_refused(name, value):
    numbers = {"jobs": 3, "cpu_time": 0.05, "disk_time": 0.04, "finish": 0.2} | {name: value}
    with pytest.raises(ValueError, match=f"{name} .*{value}"):
        Loop(**numbers)
