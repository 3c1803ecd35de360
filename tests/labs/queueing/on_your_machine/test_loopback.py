"""The loopback server: a timetable on a fake clock, real requests, nothing left behind."""

import sys

import numpy as np
import pytest

from perfmodel.labs.queueing.on_your_machine import loopback
from perfmodel.labs.queueing.on_your_machine.loopback import (
    LoopbackUnavailableError,
    ServerDiedError,
    drive,
    offer,
    server,
)


class FakeTime:
    def __init__(self):
        self.now, self.slept = 100.0, []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def shop():
    try:
        with server() as running:
            yield running
    except LoopbackUnavailableError as problem:
        pytest.skip(str(problem))


def test_requests_go_out_at_their_time():
    fake, numbers = FakeTime(), []
    sent = offer(np.array([0.5, 2.0, 2.0, 7.0]), numbers.append, fake.clock, fake.sleep)
    assert numbers == [0, 1, 2, 3]
    np.testing.assert_allclose(sent, [0.5, 2, 2, 7])
    np.testing.assert_allclose(fake.slept, [0.5, 1.5, 5])


def test_a_slow_connection_makes_requests_late_but_moves_no_timetable():
    fake = FakeTime()

    def slow(number):
        fake.now += 3.0 if number == 0 else 0.0

    sent = offer(np.array([1.0, 2.0, 3.0, 6.0]), slow, fake.clock, fake.sleep)
    np.testing.assert_allclose(sent, [1, 4, 4, 6])


def test_real_requests_are_served_one_at_a_time_in_order(shop):
    seen = drive(shop, np.zeros(8), np.full(8, 0.001))
    assert (seen.finished > seen.started).all()
    assert (seen.started[1:] >= seen.finished[:-1]).all()
    assert (seen.sent >= seen.planned).all()
    assert (seen.answered >= seen.started).all()
    assert (seen.finished - seen.started >= 0.001).all()


def test_a_second_run_on_one_server_has_a_log_of_its_own(shop):
    first = drive(shop, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    second = drive(shop, [0.0, 0.0], [0.0, 0.0], kind="cpu")
    assert (first.started.size, second.started.size) == (3, 2)
    assert (second.started >= 0).all()


def test_the_process_is_gone_after_the_block():
    try:
        with server() as shop, pytest.raises(ZeroDivisionError):
            raise ZeroDivisionError
    except LoopbackUnavailableError as problem:
        pytest.skip(str(problem))
    assert shop.process.returncode == 0


def test_a_killed_server_is_noticed(shop):
    shop.process.kill()
    shop.process.wait()
    with pytest.raises(ServerDiedError, match="ended with code -?[0-9]+; requests without an"):
        drive(shop, [0.0, 0.0], [0.0, 0.0])


def test_a_server_killed_in_the_middle_is_noticed(shop):
    sizes = [0.0, 60.0, 0.0]
    planned = np.array([0.0, 0.01, 0.02])
    ticks = []

    def sleep(seconds):
        ticks.append(seconds)
        if len(ticks) == 2:
            shop.process.kill()
            shop.process.wait()

    with pytest.raises(ServerDiedError, match="requests without an answer: [123]"):
        drive(shop, planned, sizes, sleep=sleep)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('error Address family not supported')", "not supported"),
        ("pass", "its process ended at once"),
    ],
)
def test_no_loopback_is_said_clearly(script, message):
    told = pytest.raises(LoopbackUnavailableError, match=f"127.0.0.1 here .*{message}")
    with told, server([sys.executable, "-c", script]):
        pytest.fail("there is no server")


def test_a_program_that_cannot_start_is_said_clearly(tmp_path):
    told = pytest.raises(LoopbackUnavailableError, match="no server can be opened")
    with told, server([str(tmp_path / "nothing")]):
        pytest.fail("there is no server")


def test_a_server_that_ignores_its_end_is_killed(monkeypatch):
    monkeypatch.setattr(loopback, "GRACE", 0.05)
    stubborn = "import time; print('port 1', flush=True); time.sleep(60)"
    with server([sys.executable, "-c", stubborn]) as shop:
        assert shop.port == 1
    assert shop.process.returncode not in (None, 0)


@pytest.mark.parametrize(
    ("planned", "sizes", "kind", "message"),
    [
        ([0.0], [0.0, 1.0], "sleep", "sizes must have the shape"),
        ([1.0, 0.0], [0.0, 0.0], "sleep", "planned must not fall"),
        ([-1.0], [0.0], "sleep", "planned must not fall and must not be negative"),
        ([0.0], [-1.0], "sleep", "sizes must be 0 or more"),
        ([0.0], [0.0], "nap", "kind must be one of sleep, cpu, got 'nap'"),
    ],
)
def test_bad_input_is_refused(planned, sizes, kind, message):
    with pytest.raises(ValueError, match=message):
        drive(None, planned, sizes, kind)
