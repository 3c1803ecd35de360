"""Threads that start together, stay on their cores and pass errors on."""

import os
import threading
import time

import numpy as np
import pytest

from perfmodel.measurement.cpu import team
from perfmodel.measurement.cpu.team import Team, shares


def test_every_member_works_on_its_own_core():
    cores = team.usable()[:2]
    seen = {}

    def task(member):
        seen[member] = (threading.get_ident(), team.usable())

    with Team(len(cores)) as members:
        assert members.run(task) > 0
        assert members.pinned == hasattr(os, "sched_setaffinity")
    assert sorted(seen) == list(range(len(cores)))
    assert len({thread for thread, _ in seen.values()}) == len(cores)
    if hasattr(os, "sched_setaffinity"):
        assert [seen[m][1] for m in range(len(cores))] == [[core] for core in cores]


def test_the_calling_thread_keeps_its_cores():
    before = team.usable()
    with Team(1) as members:
        members.run(lambda member: None)
    assert team.usable() == before


def test_an_error_in_a_member_is_raised_and_the_team_goes_on():
    def task(member):
        raise ZeroDivisionError("mine")

    with Team(1) as members:
        with pytest.raises(ZeroDivisionError, match="mine"):
            members.run(task)
        assert members.run(lambda member: None) > 0


def test_an_error_in_a_later_run_is_raised_and_the_team_goes_on():
    calls = []

    def task(member):
        calls.append(member)
        if len(calls) > 3:
            raise ZeroDivisionError("mine")

    with Team(team.usable()[:2]) as members:
        with pytest.raises(ZeroDivisionError, match="mine"):
            members.in_a_row(task, 100)
        assert members.in_a_row(lambda member: None, 3).shape == (3,)


def test_runs_in_a_row_are_timed_one_by_one():
    lengths = iter([0.3, 0.1, 0.2])
    with Team(1) as members:
        seconds = members.in_a_row(lambda member: time.sleep(next(lengths)), 3)
    assert list(np.argsort(seconds)) == [1, 2, 0]
    done = []
    with Team(1) as members:
        count, result = members.short_runs(
            lambda member, n: done.append(n) or time.sleep(1e-5 * n), 1e-3, 4
        )
    assert result.size == 4
    assert done[-5:] == [count] * 5
    assert result.min() >= 0.25e-3


def test_threads_end_with_the_context():
    before = threading.active_count()
    with Team(1):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_a_system_that_cannot_pin_is_labelled(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with Team(1) as members:
        assert not members.pinned


def test_a_core_that_is_forbidden_is_labelled(monkeypatch):
    def refuse(thread, cores):
        raise OSError("no")

    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    assert not team.pin(0)


def test_cores_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="cores must be at most"):
        Team(10_000)
    with pytest.raises(ValueError, match="cores must be among"):
        Team([10_000])
    with pytest.raises(ValueError, match="cores must be a whole number, 1 or more, got 0"):
        Team(0)


@pytest.mark.parametrize(
    ("total", "members", "unit"), [(10, 3, 1), (64, 4, 8), (1, 2, 1), (7, 7, 2)]
)
def test_shares_cover_everything_once(total, members, unit):
    result = shares(total, members, unit)
    assert len(result) == members
    assert [index for part in result for index in range(total)[part]] == list(range(total))
    assert all(part.start % unit == 0 for part in result if part.start < total)


def test_a_team_that_has_ended_says_so():
    team = Team(1)
    with pytest.raises(RuntimeError, match="only within its `with` block"):
        team.run(lambda member: None)
    with team:
        team.run(lambda member: None)
    with pytest.raises(RuntimeError, match="only within its `with` block"):
        team.run(lambda member: None)
