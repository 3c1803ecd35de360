"""Stores of disks and the loop of two stations: closed forms, limits, other chains, drawings."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.markov_chains.disk_arrays import (
    HOUR,
    PARITY_OF_TEN,
    SURVEY_TWO_CHECKS,
    YEAR,
    DiskGroup,
    loss_probability,
    rare_failure_time,
    staged_repair_chain,
    time_to_loss,
)
from perfmodel.labs.queueing.markov_chains.state_diagram import (
    Move,
    group_states,
    loop_states,
    state_diagram,
)
from perfmodel.labs.queueing.markov_chains.two_stations import (
    Loop,
    finished_rate,
    jobs_at_processor,
    loop_chain,
)
from perfmodel.live.drawing import Line
from perfmodel.queueing import (
    Hyperexponential,
    PhaseType,
    birth_death_probabilities,
    exact_mva,
    first_passage_distribution,
    first_passage_time,
    global_balance,
    simulate,
)

lives = st.floats(1e3, 1e7).map(lambda hours: hours * HOUR)
repairs = st.floats(0.01, 1e3).map(lambda hours: hours * HOUR)


@given(st.integers(2, 40), lives, repairs)
def test_one_failure_survived_has_a_closed_form(disks, life, repair):
    """Greenan, Plank and Wylie (2010) print it: ((2n - 1) f + r) / (n (n - 1) f^2)."""
    f, r = 1 / life, 1 / repair
    exact = ((2 * disks - 1) * f + r) / (disks * (disks - 1) * f**2)
    assert time_to_loss(DiskGroup(disks, (life, life), repair)) == pytest.approx(exact, rel=1e-12)


@given(st.integers(3, 40), lives, st.integers(1, 3))
def test_the_formula_is_the_limit_of_short_repairs(disks, life, survived):
    group = DiskGroup(disks, (life,) * min(survived + 1, disks), 1e-7 * life / disks)
    assert rare_failure_time(group) == pytest.approx(time_to_loss(group), rel=1e-5)


@given(st.integers(2, 30), lives, repairs, st.floats(1.1, 10))
def test_slower_repairs_lose_data_sooner_but_no_sooner_than_the_second_failure(
    disks, life, repair, slower
):
    soon = time_to_loss(DiskGroup(disks, (life, life), slower * repair))
    late = time_to_loss(DiskGroup(disks, (life, life), repair))
    never_repaired = life / disks + life / (disks - 1)
    assert never_repaired < soon < late


def test_groups_share_the_time():
    group, groups = PARITY_OF_TEN
    assert time_to_loss(group, groups) == pytest.approx(time_to_loss(group) / groups)


def test_the_time_to_loss_is_nearly_exponential():
    group, _ = PARITY_OF_TEN
    distribution = first_passage_distribution(group.chain(), 0, [2])
    assert distribution.moment(2) / distribution.moment(1) ** 2 == pytest.approx(2, rel=2e-3)


def test_loss_probability_is_nearly_that_of_an_exponential_time():
    group, groups = SURVEY_TWO_CHECKS
    mean = time_to_loss(group, groups)
    probability = loss_probability(group, groups, 10 * YEAR)
    assert probability == pytest.approx(-np.expm1(-10 * YEAR / mean), rel=1e-3)


class TestStagedRepair:
    @given(lives, repairs)
    def test_one_stage_is_the_exponential_repair(self, life, repair):
        group = DiskGroup(11, (life, life), repair)
        times = first_passage_time(staged_repair_chain(group, 1), [(2, 0)])
        assert times[0] == pytest.approx(time_to_loss(group), rel=1e-12)

    @pytest.mark.parametrize("stages", [2, 5, 30])
    def test_a_race_of_one_failure_against_all_stages(self, stages):
        life, repair, disks = 100 * HOUR, 40 * HOUR, 3
        group = DiskGroup(disks, (life, life), repair)
        second = (disks - 1) / life
        survives = (1 + second * repair / stages) ** -stages
        exact = (life / disks + (1 - survives) / second) / (1 - survives)
        times = first_passage_time(staged_repair_chain(group, stages), [(2, 0)])
        assert times[0] == pytest.approx(exact, rel=1e-12)

    def test_a_group_that_survives_two_failures_is_refused(self):
        with pytest.raises(ValueError, match="lives must be 2 times .* got 3"):
            staged_repair_chain(DiskGroup(4, (HOUR,) * 3, HOUR), 2)


@pytest.mark.parametrize("lives", [3, 0])
def test_groups_survive_at_least_none_and_at_most_all_failures(lives):
    with pytest.raises(ValueError, match=f"lives .*{lives}"):
        DiskGroup(2, (HOUR,) * lives, HOUR)


@pytest.mark.parametrize("disks", [2, 6, 11, 26])
@pytest.mark.parametrize("hours", [0.1, 1, 24, 168, 1000])
def test_groups_can_be_read_and_say_their_time(hours, disks):
    scene = group_states(hours, disks)
    assert scene.faults() == []
    exact = time_to_loss(DiskGroup(disks, (30_000 * HOUR,) * 2, hours * HOUR)) / YEAR
    assert scene.values["time to loss (years)"] == pytest.approx(exact)


@pytest.mark.parametrize("disk_time", [0.01, 0.02, 0.04, 0.05, 0.0625, 0.1, 0.2])
def test_loops_can_be_read_and_say_their_shares(disk_time):
    scene = loop_states(disk_time)
    assert scene.faults() == []
    idle = jobs_at_processor(Loop(4, 0.05, disk_time, 0.2))[0]
    assert scene.values["processor idle (%)"] == pytest.approx(100 * idle)


def test_arrows_to_and_fro_keep_apart_and_one_alone_runs_in_the_middle():
    places = {"a": (40, 50), "b": (200, 50)}
    names = {"a": "a", "b": "b"}
    alone = state_diagram(places, names, [Move("a", "b", "x")], {})
    both = state_diagram(places, names, [Move("a", "b", "x"), Move("b", "a", "y")], {})
    heights = [shape.points[0][1] for shape in both if isinstance(shape, Line)]
    assert [shape.points[0][1] for shape in alone if isinstance(shape, Line)] == [50]
    assert heights[0] < 50 < heights[1]


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
