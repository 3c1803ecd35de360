"""The contest: each family against what it must recover, scores, and the sentence on them."""

import numpy as np
import pytest

from perfmodel.labs.queueing.five_questions.contest import (
    FAMILIES,
    Standing,
    fitting_pays,
    outcome,
    standings,
)
from perfmodel.labs.queueing.five_questions.server_logs import (
    ARRIVALS,
    ServerLog,
    exact_waiting,
    server_log,
)

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
    told = outcome("in bursts", scores)
    assert told.startswith("Arrivals in bursts: A has")
    assert told.endswith(said)


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
