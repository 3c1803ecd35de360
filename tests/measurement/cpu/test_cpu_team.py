"""Pinned threads, counters of events and overheads of the operating system."""

import errno
import mmap
import os
import struct
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from perfmodel.measurement.cpu import counters, overheads, pinned_threads, pipes
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, static_chunks
from perfmodel.measurement.errors import Unavailable


def test_every_member_works_on_its_own_core():
    cores = pinned_threads.usable_threads()[:2]
    seen = {}

    def task(member):
        seen[member] = (threading.get_ident(), pinned_threads.usable_threads())

    with PinnedThreads(len(cores)) as members:
        assert members.run(task) > 0
        assert members.pinned == hasattr(os, "sched_setaffinity")
    assert sorted(seen) == list(range(len(cores)))
    assert len({thread for thread, _ in seen.values()}) == len(cores)
    if hasattr(os, "sched_setaffinity"):
        assert [seen[m][1] for m in range(len(cores))] == [[core] for core in cores]


def test_the_calling_thread_keeps_its_cores():
    before = pinned_threads.usable_threads()
    with PinnedThreads(1) as members:
        members.run(lambda member: None)
    assert pinned_threads.usable_threads() == before


def test_an_error_in_a_member_is_raised_and_the_team_goes_on():
    def task(member):
        raise ZeroDivisionError("mine")

    with PinnedThreads(1) as members:
        with pytest.raises(ZeroDivisionError, match="mine"):
            members.run(task)
        assert members.run(lambda member: None) > 0


def test_an_error_in_a_later_run_is_raised_and_the_team_goes_on():
    calls = []

    def task(member):
        calls.append(member)
        if len(calls) > 3:
            raise ZeroDivisionError("mine")

    with PinnedThreads(pinned_threads.usable_threads()[:2]) as members:
        with pytest.raises(ZeroDivisionError, match="mine"):
            members.in_a_row(task, 100)
        assert members.in_a_row(lambda member: None, 3).shape == (3,)


def test_runs_in_a_row_are_timed_one_by_one():
    lengths = iter([0.3, 0.1, 0.2])
    with PinnedThreads(1) as members:
        seconds = members.in_a_row(lambda member: time.sleep(next(lengths)), 3)
    assert list(np.argsort(seconds)) == [1, 2, 0]
    done = []
    with PinnedThreads(1) as members:
        count, result = members.short_runs(
            lambda member, n: done.append(n) or time.sleep(1e-5 * n), 1e-3, 4
        )
    assert result.size == 4
    assert done[-5:] == [count] * 5
    assert result.min() >= 0.25e-3


def test_threads_end_with_the_context():
    before = threading.active_count()
    with PinnedThreads(1):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_a_system_that_cannot_pin_is_labelled(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with PinnedThreads(1) as members:
        assert not members.pinned


def test_a_core_that_is_forbidden_is_labelled(monkeypatch):
    def refuse(thread, cores):
        raise OSError("no")

    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    assert not pinned_threads.pin(0)


def test_cores_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="cores must be at most"):
        PinnedThreads(10_000)
    with pytest.raises(ValueError, match="cores must be among"):
        PinnedThreads([10_000])
    with pytest.raises(ValueError, match="cores must be a whole number, 1 or more, got 0"):
        PinnedThreads(0)


@pytest.mark.parametrize(
    ("total", "members", "unit"), [(10, 3, 1), (64, 4, 8), (1, 2, 1), (7, 7, 2)]
)
def test_shares_cover_everything_once(total, members, unit):
    result = static_chunks(total, members, unit)
    assert len(result) == members
    assert [index for part in result for index in range(total)[part]] == list(range(total))
    assert all(part.start % unit == 0 for part in result if part.start < total)


def test_a_team_that_has_ended_says_so():
    team = PinnedThreads(1)
    with pytest.raises(RuntimeError, match="only within its `with` block"):
        team.run(lambda member: None)
    with team:
        team.run(lambda member: None)
    with pytest.raises(RuntimeError, match="only within its `with` block"):
        team.run(lambda member: None)


def fresh_memory():
    """Write to pages that the system has to map first; an allocator could hand out used ones."""
    with mmap.mmap(-1, 4 << 20) as pages:
        pages[::4096] = bytes(len(pages) // 4096)


def counted(events):
    """Count a function, or skip where this system refuses."""
    try:
        return counters.count_events(fresh_memory, events)
    except Unavailable as missing:
        pytest.skip(str(missing))


def test_page_faults_of_fresh_memory_are_counted():
    result = counted(["page_faults"])
    assert result.values["page_faults"] > 0
    assert result.running_fractions == {"page_faults": 1.0}


def test_a_loop_takes_at_least_an_instruction_a_turn():
    def loop():
        for _ in range(100_000):
            pass

    try:
        result = counters.count_events(loop, ["instructions"])
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert result.values["instructions"] > 100_000


def test_a_count_for_part_of_the_time_is_extrapolated():
    assert counters.scaled("cycles", struct.pack("QQQ", 300, 900, 300)) == (900.0, 1 / 3)


def test_a_count_that_never_ran_is_an_error():
    with pytest.raises(Unavailable, match="all counters were taken; count fewer events"):
        counters.scaled("cycles", struct.pack("QQQ", 0, 900, 0))


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.EACCES, "forbids it.*perf_event_paranoid"), (errno.EPERM, "forbids it.*PERFMON"),
     (errno.ENOENT, "no such counter.*not virtual"), (errno.EMFILE, "Too many open files")],
)  # fmt: skip
def test_refusals_say_why_and_what_to_do(code, words):
    assert isinstance(counters.refused("cycles", code), Unavailable)
    with pytest.raises(Unavailable, match=words):
        raise counters.refused("cycles", code)


def test_other_systems_have_no_counters(monkeypatch):
    monkeypatch.setattr(counters.platform, "system", lambda: "Darwin")
    with pytest.raises(Unavailable, match="no perf_event_open on Darwin"):
        counters.count_events(lambda: None)


def test_a_refused_system_call_is_an_error(monkeypatch):
    class Kernel:
        def syscall(self, *arguments):
            counters.ctypes.set_errno(errno.EACCES)
            return -1

    monkeypatch.setattr(counters.platform, "system", lambda: "Linux")
    monkeypatch.setattr(counters.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(counters.ctypes, "CDLL", lambda *names, **more: Kernel())
    result = counters.available(["cycles", "page_faults"])
    assert all("forbids it" in why for why in result.values())


def test_an_unknown_event_is_refused():
    with pytest.raises(ValueError, match="events must be among cycles.*got 'sighs'"):
        counters.count_events(lambda: None, ["sighs"])


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
    monkeypatch.setattr(pipes, "pipe_in_one_process", lambda measured: alone)
    result = overheads.context_switch(counting)
    assert result.seconds == pytest.approx(4e-6)
    assert (result.low, result.high) == (pytest.approx(3.2e-6), pytest.approx(5.2e-6))


def test_a_switch_that_drowns_in_the_pipes_is_not_stated(monkeypatch):
    same = SimpleNamespace(median=2e-6, interval=(1.9e-6, 2.1e-6), samples=np.ones(7))
    monkeypatch.setattr(pipes, "round_trip", lambda measured, core: same)
    monkeypatch.setattr(pipes, "pipe_in_one_process", lambda measured: same)
    with pytest.raises(Unavailable, match="two pipes alone took as long"):
        overheads.context_switch(counting)


def test_the_cores_are_given_back_after_a_switch():
    before = pinned_threads.usable_threads()
    pipes.round_trip(counting, before[0])
    assert pinned_threads.usable_threads() == before


def test_without_pinning_there_is_no_switch_to_measure(monkeypatch):
    monkeypatch.setattr(pipes, "pin", lambda core: False)
    with pytest.raises(Unavailable, match="can't be tied to a core"):
        overheads.context_switch(counting)


def test_missing_numba_fork_and_true_are_listed_not_raised(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
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
