"""Overheads: the events really happen, and what a system lacks is an error with a remedy."""

import builtins
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from perfmodel.measurement.cpu import overheads, pipes, team
from perfmodel.measurement.errors import Unavailable


def counting(function, times=5):
    """Call a function a few times; a measurement of one microsecond, times as many as its calls."""
    for _ in range(times):
        function()
    return SimpleNamespace(median=1e-6, interval=(0.9e-6, 1.2e-6), samples=np.full(times, 1e-6))


@pytest.mark.parametrize(
    "event",
    [
        overheads.function_call,
        overheads.lock,
        overheads.queue_round_trip,
        overheads.barrier,
        overheads.thread_start,
        overheads.pipe_round_trip,
        overheads.fork,
        overheads.program_start,
        overheads.python_start,
    ],
)
def test_every_event_can_be_repeated(event):
    result = event(counting)
    assert (result.seconds, result.low, result.high, result.samples) == (1e-6, 0.9e-6, 1.2e-6, 5)


def test_no_thread_is_left_behind():
    before = overheads.threading.active_count()
    overheads.queue_round_trip(counting)
    overheads.barrier(counting)
    assert overheads.threading.active_count() == before


def test_a_switch_is_half_of_the_round_trip_without_the_pipes(monkeypatch):
    both = SimpleNamespace(median=10e-6, interval=(9e-6, 12e-6), samples=np.ones(7))
    alone = SimpleNamespace(median=1e-6, interval=(0.8e-6, 1.3e-6), samples=np.ones(7))
    monkeypatch.setattr(pipes, "round_trip", lambda measured, core: both)
    monkeypatch.setattr(pipes, "alone", lambda measured: alone)
    result = overheads.context_switch(counting)
    assert result.seconds == pytest.approx(4e-6)
    assert (result.low, result.high) == (pytest.approx(3.2e-6), pytest.approx(5.2e-6))


def test_a_switch_that_drowns_in_the_pipes_is_not_stated(monkeypatch):
    same = SimpleNamespace(median=2e-6, interval=(1.9e-6, 2.1e-6), samples=np.ones(7))
    monkeypatch.setattr(pipes, "round_trip", lambda measured, core: same)
    monkeypatch.setattr(pipes, "alone", lambda measured: same)
    with pytest.raises(Unavailable, match="two pipes alone took as long"):
        overheads.context_switch(counting)


def test_the_cores_are_given_back_after_a_switch():
    before = team.usable()
    pipes.round_trip(counting, before[0])
    assert team.usable() == before


def test_without_pinning_there_is_no_switch_to_measure(monkeypatch):
    monkeypatch.setattr(pipes, "pin", lambda core: False)
    with pytest.raises(Unavailable, match="can't be tied to a core"):
        overheads.context_switch(counting)


def test_missing_numba_fork_and_true_are_listed_not_raised(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "numba":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(overheads.shutil, "which", lambda name: None)
    result = overheads.measure_overheads(counting)
    said = "\n".join(str(item) for item in result if isinstance(item, Unavailable))
    assert said.count("unavailable") == 5
    for words in ("pip install numba", "no fork", "no `true`"):
        assert words in said
    assert {item.name for item in result if not isinstance(item, Unavailable)} >= {
        "lock",
        "barrier",
    }


def test_python_starts_this_python():
    seen = []
    overheads.python_start(lambda event: counting(lambda: seen.append(event().args[0]), 1))
    assert seen == [sys.executable]
