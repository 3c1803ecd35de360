"""One server: exact waits, formulas and simulation, logs, and the contest of families."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.five_questions.contest import (
    FAMILIES,
    Standing,
    fitting_pays,
    outcome,
    standings,
)
from perfmodel.labs.queueing.five_questions.experiment import (
    closed_response,
    closed_response_of_mixture,
    closed_server,
    open_server,
    sizes,
    think_time_for,
)
from perfmodel.labs.queueing.five_questions.server_logs import (
    ARRIVALS,
    BURST_SCV,
    SERVICE_SCV,
    ServerLog,
    arrival_process,
    exact_waiting,
    server_log,
)
from perfmodel.queueing.distributions.service import Deterministic, scv
from perfmodel.queueing.station.ggc import kingman_bound
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc

LOADS, ASKED = np.linspace(0.1, 0.6, 11), np.array([0.7, 0.8, 0.9])


def exact_log(waiting, gap_scv=1.0):
    one = np.ones(LOADS.size)
    return ServerLog(LOADS, waiting, one, 4 * one, gap_scv * one)


@pytest.mark.parametrize(
    "name", ["Pollaczek-Khinchine", "Kingman", "calibrated", "smoother with pole"]
)
def test_what_knows_of_the_pole_is_exact_for_exact_logs_at_random(name):
    log = exact_log(exact_waiting("at random", LOADS))
    assert FAMILIES[name](log, ASKED) == pytest.approx(exact_waiting("at random", ASKED))


def test_a_parabola_recovers_one():
    log = exact_log(np.exp(0.3 + 2 * LOADS - LOADS**2))
    assert FAMILIES["parabola"](log, ASKED) == pytest.approx(np.exp(0.3 + 2 * ASKED - ASKED**2))


def test_a_smoother_is_good_inside_and_gives_a_level_back():
    inside = np.array([0.33, 0.48])
    log = exact_log(exact_waiting("at random", LOADS))
    assert FAMILIES["smoother"](log, inside) == pytest.approx(
        exact_waiting("at random", inside), rel=0.01
    )
    assert FAMILIES["smoother"](exact_log(np.full(LOADS.size, 3.0)), ASKED) == pytest.approx(3.0)


def test_formulas_do_not_look_at_the_waits():
    right, wrong = exact_log(LOADS + 1, 9.0), exact_log(7 * LOADS + 2, 9.0)
    for name in ("Pollaczek-Khinchine", "Kingman"):
        assert FAMILIES[name](right, ASKED) == pytest.approx(FAMILIES[name](wrong, ASKED))


def test_kingman_is_near_for_independent_bursts_and_far_off_for_lasting_ones():
    """Two variabilities say all that matters of the first and not of the second."""
    errors = {}
    for kind in ARRIVALS:
        logs = [server_log(kind, LOADS, seed, jobs=10_000) for seed in range(5)]
        scores = standings(logs, ASKED, exact_waiting(kind, ASKED))
        errors[kind] = scores["Kingman"].median
    assert errors["at random"] < 10
    assert errors["bursts"] < 10
    assert errors["lasting bursts"] > 35


def test_scores_count_who_was_nearest_and_by_how_much():
    truth = exact_waiting("at random", ASKED)
    scores = standings([exact_log(exact_waiting("at random", LOADS), 3.0)] * 4, ASKED, truth)
    assert sum(score.nearest for score in scores.values()) == 4
    assert scores["Kingman"].median == pytest.approx(100 * (7 / 5 - 1))
    assert scores["Kingman"].nearest == 0
    assert scores["Kingman"].errors.shape == (4,)


def test_bad_scores():
    with pytest.raises(ValueError, match=r"logs must be one or more.* got 0"):
        standings([], ASKED, ASKED)
    with pytest.raises(ValueError, match=r"truth of the shape \(3,\) of loads, got 1 and \(2,\)"):
        standings([exact_log(LOADS)], ASKED, [1.0, 2.0])


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (
            Standing(np.array([5.0, 9.0]), 1),
            "A has the smallest median error, 2 %. It had the smallest error in 1 of 2 logs.",
        ),
        (Standing(np.array([3.0, 3.0]), 3), "in 1 of 4 logs. B had it more often, in 3 logs."),
    ],
)
def test_outcome(second, said):
    scores = {"A": Standing(np.array([1.0, 3.0]), 1), "B": second}
    message = outcome("in bursts", scores)
    assert message.startswith("Arrivals in bursts: A has")
    assert message.endswith(said)


@pytest.mark.parametrize(
    ("fitted", "said"),
    [
        ((1, 1), "lowers the median error for all arrivals."),
        ((1, 9), "lowers the median error for arrivals at random. "),
        ((9, 9), "never lowers the median error."),
    ],
)
def test_whether_fitting_pays_is_read_from_the_errors(fitted, said):
    board = {
        kind: {
            "Kingman": Standing(np.array([5.0]), 0),
            "calibrated": Standing(np.array([float(error)]), 1),
        }
        for kind, error in zip(("at random", "bursts"), fitted, strict=True)
    }
    assert said in fitting_pays(board)


@pytest.mark.parametrize("spread", [0, 1, 4, 50])
def test_sizes_have_the_variability_asked_for(spread):
    assert sizes(spread, 2.0).moment(1) == pytest.approx(2)
    assert scv(sizes(spread, 2.0)) == pytest.approx(spread, abs=1e-12)


@pytest.mark.parametrize(("load", "spread"), [(0.3, 0), (0.6, 1), (0.5, 4)])
def test_open_server_agrees_with_pollaczek_and_khinchine(load, spread):
    result = open_server(load, sizes(spread)).waiting_time.value.item()
    assert result == pytest.approx(
        float(mg1(arrival_rate=load, mean_service=1.0, scv=spread).waiting_time), rel=0.05
    )


def test_open_servers_agree_with_erlang():
    result = open_server(0.8, sizes(1), servers=4).response_time.value.item()
    assert result == pytest.approx(float(mmc(3.2, 1.0, 4).response_time), rel=0.05)


def test_sharing_does_not_feel_the_sizes_and_bursts_are_felt():
    shared = open_server(0.5, sizes(10), "PS").response_time.value.item()
    assert shared == pytest.approx(2, rel=0.05)
    bursty = open_server(0.5, sizes(1), arrival_scv=8).waiting_time.value.item()
    assert bursty > 2 * open_server(0.5, sizes(1)).waiting_time.value.item()


def test_closed_server_agrees_with_mean_value_analysis():
    think = think_time_for(0.8, 10)
    result = closed_server(10, think, sizes(1))
    assert result.response_time.value.item() == pytest.approx(closed_response(10, think), rel=0.03)
    assert result.throughput.value.item() == pytest.approx(0.8, rel=0.02)


def test_the_chain_of_a_mixture_ends_in_mean_value_analysis():
    exact = closed_response(10, 9.685)
    assert closed_response_of_mixture(10, 9.685, 1 + 1e-9) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("users", "spread"), [(10, 20), (30, 5)])
def test_the_chain_of_a_mixture_agrees_with_simulation(users, spread):
    think = think_time_for(0.8, users)
    result = closed_server(users, think, sizes(spread), customers=400_000).response_time
    exact = closed_response_of_mixture(users, think, spread)
    half = (result.high - result.low).item() / 2
    assert abs(result.value.item() - exact) < 2 * half < 0.2 * exact


def test_with_many_users_a_mixture_comes_near_the_open_world():
    think = think_time_for(0.5, 3000)
    exact = closed_response_of_mixture(3000, think, 4)
    assert exact == pytest.approx(
        float(mg1(arrival_rate=0.5, mean_service=1.0, scv=4.0).response_time), rel=0.01
    )


@pytest.mark.parametrize("spread", [1.0, 0.5, 0.0])
def test_a_mixture_is_more_variable_than_an_exponential(spread):
    with pytest.raises(ValueError, match="scv - 1 must be"):
        closed_response_of_mixture(10, 9.0, spread)


def test_a_closed_server_hardly_feels_variability():
    # Simulated for the talk's slide 21: 4.8 s at scv 20, where an open server takes 24.4 s.
    result = closed_server(10, think_time_for(0.8, 10), sizes(20), customers=200_000)
    assert result.response_time.value.item() == pytest.approx(4.8, rel=0.1)


def test_one_job_never_waits():
    alone = closed_server(1, 3.0, Deterministic(2.0), customers=500)
    assert alone.response_time.value == pytest.approx(2)


@given(st.floats(0.05, 0.95), st.integers(1, 60), st.floats(0.1, 10))
@settings(max_examples=25)
def test_the_think_time_gives_the_load(load, population, mean):
    think = think_time_for(load, population, mean)
    rate = population / (think + closed_response(population, think, mean))
    assert rate * mean == pytest.approx(load, rel=1e-6)


def test_an_unstable_open_server_says_its_utilization():
    with pytest.raises(ValueError, match="utilization below 1 to be stable, got 1.2"):
        open_server(1.2, sizes(1))


@pytest.mark.parametrize(
    ("kind", "spread"), [("at random", 1.0), *((k, 9.0) for k in ARRIVALS[1:])]
)
def test_gaps_have_the_mean_and_variability_asked_for(kind, spread):
    arrivals = arrival_process(kind, 0.7)
    assert arrivals.rate == pytest.approx(0.7)
    assert arrivals.scv == pytest.approx(spread)
    assert (arrivals.correlation(1) > 0.1) == (kind == "lasting bursts")


@given(st.floats(0.05, 0.97))
@settings(max_examples=20, deadline=None)
def test_exact_waits_at_random_are_pollaczek_and_khinchine(load):
    exact = float(mg1(arrival_rate=load, mean_service=1.0, scv=SERVICE_SCV).waiting_time)
    assert exact_waiting("at random", [load]) == pytest.approx([exact])


@given(st.floats(0.05, 0.97))
@settings(max_examples=20, deadline=None)
def test_independent_bursts_wait_no_longer_than_the_bound_and_lasting_ones_longer(load):
    random, bursts, lasting = (exact_waiting(kind, [load])[0] for kind in ARRIVALS)
    bound = float(kingman_bound(load, 1.0, BURST_SCV, SERVICE_SCV).waiting_time)
    assert random < bursts < bound
    assert bursts < lasting


@pytest.mark.parametrize("kind", ARRIVALS)
def test_logs_agree_with_the_exact_wait(kind):
    waits = [server_log(kind, [0.5], seed, jobs=20_000).waiting[0] for seed in range(30)]
    error = np.std(waits, ddof=1) / np.sqrt(len(waits))
    assert abs(np.mean(waits) - exact_waiting(kind, [0.5])[0]) < 4 * error
    assert error < 0.06 * np.mean(waits)


@pytest.mark.parametrize("kind", ARRIVALS)
def test_a_log_shows_what_came_and_was_asked_for(kind):
    log = server_log(kind, [0.3, 0.6, 0.9], seed=2, jobs=100_000)
    assert log.mean_size == pytest.approx(1, abs=0.02)
    assert log.size_scv == pytest.approx(SERVICE_SCV, rel=0.05)
    assert log.gap_scv == pytest.approx(1 if kind == "at random" else BURST_SCV, rel=0.1)


def test_a_seed_gives_the_same_log_and_another_another():
    first, again, other = (server_log("bursts", [0.5], seed, 500).waiting for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_only_logs_up_to_a_load_are_seen():
    log = server_log("at random", np.linspace(0.1, 0.8, 8), seed=1, jobs=200)
    low = log.up_to(0.4)
    assert low.loads == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert low.mean_size == pytest.approx(log.mean_sizes[:4].mean())
    with pytest.raises(ValueError, match=r"load must leave three logs or more .* got 0\.2"):
        log.up_to(0.2)


def test_an_unstable_server_has_no_exact_wait():
    with pytest.raises(ValueError, match="utilization must be below 1"):
        exact_waiting("bursts", [1.2])
