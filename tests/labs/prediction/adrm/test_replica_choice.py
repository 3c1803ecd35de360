"""Choosing a replica: what an error of prediction costs, and when it costs nothing."""

import numpy as np
import pytest

from perfmodel.labs.prediction.adrm.replica_choice import choose, replicas

ALIKE, CROSSING, LATE = [(0.6, 0.6)] * 3, [(1, 0.6), (0.8, 0.8), (0.6, 1)], [(0.8, 0.8), (0.3, 1)]


def test_a_bias_that_all_share_is_no_loss():
    traces = replicas(0, ALIKE)
    bare, learned = choose(traces, learn=0), choose(traces)
    assert bare.error > 0.4 > 0.1 > learned.error
    assert bare.lost == pytest.approx(learned.lost, abs=0.01)


def test_when_the_best_replica_changes_only_adapting_follows():
    traces = replicas(0, CROSSING)
    bare, frozen, adapting = choose(traces, learn=0), choose(traces, 1.0, learn=30), choose(traces)
    assert adapting.lost < bare.lost / 2 < frozen.lost
    assert adapting.best > bare.best


def test_who_never_looks_never_learns():
    traces = replicas(1, LATE)
    sure, curious = choose(traces), choose(traces, explore=0.02)
    assert sure.error < curious.error
    assert curious.lost < sure.lost / 2


def test_one_replica_leaves_no_choice():
    found = choose(replicas(0, [(1.0, 0.6)]))
    assert (found.lost, found.best) == (0.0, 1.0)


def test_replicas_hold_the_same_files():
    one, two = replicas(4, [(1.0,), (0.5,)])
    assert (one.size == two.size).all()
    assert (one.bandwidth != two.bandwidth)[1:].all()
    assert set(np.unique(two.gain)) == {0.5}


def test_bad_input():
    with pytest.raises(ValueError, match="explore must be between 0 and 1, got 2"):
        choose(replicas(0, ALIKE), explore=2)
