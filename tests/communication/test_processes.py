"""A group of processes: orders, answers, pipes between them, and an end."""

from __future__ import annotations

import pytest

from perfmodel.communication import processes
from perfmodel.communication.processes import Pipes, ProcessGroup


def relay(orders, sources: Pipes, sinks: Pipes, added: int) -> None:
    """Add a number to what comes from the process before, and pass it on or answer."""
    while True:
        try:
            start = orders.recv()
        except EOFError:
            return
        value = added + (start if not sources else sources[min(sources)].recv())
        for sink in sinks.values():
            sink.send(value)
        orders.send(value)


def silent(orders, sources: Pipes, sinks: Pipes) -> None:
    """Take orders and say nothing."""
    orders.recv()
    orders.recv()


def test_what_is_sent_along_pipes_arrives_and_is_answered():
    group = ProcessGroup(relay, {(0, 1), (1, 2)}, [(1,), (10,), (100,)])
    try:
        assert len(group) == 3
        for start in (5, 7):
            for rank in range(3):
                group.order(rank, start)
            assert [group.answer(rank) for rank in range(3)] == [start + k for k in (1, 11, 111)]
    finally:
        group.stop()
    assert not any(worker.is_alive() for worker in group._processes)


def test_silence_is_an_error_that_names_the_process(monkeypatch):
    monkeypatch.setattr(processes, "_PATIENCE", 0.1)
    group = ProcessGroup(silent, set(), [()])
    try:
        group.order(0, "speak")
        with pytest.raises(TimeoutError, match="process 0 was silent"):
            group.answer(0)
    finally:
        group.stop()
