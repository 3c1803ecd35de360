"""Loop and tree by the model, drawn, and between processes."""

import numpy as np
import pytest

from perfmodel.communication import collective_schedule, message_time
from perfmodel.labs.benchmarking.mpirigen.matching import LABELS, RULES, matching
from perfmodel.labs.benchmarking.mpirigen.pipes import (
    WAYS,
    BroadcastRuns,
    broadcast_verdict,
    measure_broadcast,
)
from perfmodel.labs.benchmarking.mpirigen.tree import PROCESSES, ROUNDS, spreading


def test_sixty_four_processes_and_a_megabyte_by_hand():
    message = float(message_time(1e6, 2e-6, 1e10))
    rounds = [len(collective_schedule("broadcast", way, 64).rounds) for way in WAYS.values()]
    assert [1e6 * message * count for count in rounds] == pytest.approx([6426, 612])


@pytest.mark.parametrize("scheme", WAYS)
@pytest.mark.parametrize("rounds", range(ROUNDS + 1))
def test_every_step_can_be_read(scheme, rounds):
    scene = spreading(scheme, rounds)
    assert scene.faults() == []
    reached = min(2**rounds, PROCESSES) if scheme == "tree" else rounds + 1
    assert scene.values["have it"] == reached


@pytest.mark.parametrize("rule", RULES.values())
@pytest.mark.parametrize("tolerance", range(4))
def test_every_matching_can_be_read(rule, tolerance):
    scene = matching(rule, tolerance)
    assert scene.faults() == []
    assert 0 < scene.values["labels matched"] <= len(LABELS)


def test_a_planted_latency_is_found_between_processes():
    runs = measure_broadcast(processes=4, size=100, wait=0.05, runs=2)
    assert runs.loop.shape == runs.tree.shape == (2,)
    assert runs.loop.min() > 3 * 0.05
    assert runs.tree.min() > 2 * 0.05
    assert runs.predicted == 1.5


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ([7.0, 7.2, 6.8], "holds the model's ratio"),
        ([5.0, 5.1, 4.9], "by another factor"),
        ([2.0, 2.1, 1.9], "loses"),
        ([1.0, 9.0, 3.0], "can't tell"),
    ],
)
def test_the_verdict_follows_the_runs(loop, said):
    runs = BroadcastRuns(8, np.array(loop), np.array([3.0, 3.05, 2.95]))
    assert said in broadcast_verdict(runs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spreading("star", 1), "scheme must be one of loop, tree"),
        (lambda: matching("some", 1), "rule must be 'any' or 'one'"),
        (lambda: measure_broadcast(2), "processes must be a whole number, 3 or more"),
        (lambda: measure_broadcast(4, wait=-1), "wait must be 0 or more"),
        (lambda: measure_broadcast(4, runs=1), "runs must be a whole number, 2 or more"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
