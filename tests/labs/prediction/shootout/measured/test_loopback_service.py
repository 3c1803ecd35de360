"""A service behind the loopback interface: formulas, the server process, the recorded runs."""

import socket
import struct
import threading
import time

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout.measured import (
    loopback_service,
    service_load,
    service_process,
)
from perfmodel.labs.prediction.shootout.measured.loopback_service import (
    FULLEST,
    WithOverheads,
    response_time,
)
from perfmodel.queueing.station.markovian import mmc

PLAN = service_load.plan(84)


def one(**changes):
    run = {"rate": 500.0, "service": 1e-3, "servers": 1, "load": 0.5, "scv": 1.0}
    return pd.DataFrame([run | {"sharing": 0, "sleeping": 0} | changes])


def test_formulas_by_hand():
    assert response_time(one())[0] == pytest.approx(2e-3)
    assert response_time(one(scv=0.0))[0] == pytest.approx(1.5e-3)
    assert response_time(one(scv=0.0, sharing=1))[0] == pytest.approx(2e-3)
    assert response_time(one(scv=4.5, sharing=1))[0] == pytest.approx(2e-3)
    several = response_time(one(rate=1500.0, servers=4, sleeping=1))[0]
    assert several == pytest.approx(float(mmc(1500.0, 1000.0, 4).response_time))


def test_an_idle_server_takes_what_is_asked():
    np.testing.assert_allclose(response_time(one(rate=1e-6)), 1e-3, rtol=1e-6)
    with pytest.raises(ValueError, match="utilization"):
        response_time(one(rate=2000.0))


def test_overheads_are_found_where_there_are_some():
    model = WithOverheads()
    model.constants_ = np.array([3e-5, 9e-5, 6e-5])
    true = model.predict(PLAN)
    assert (true > response_time(PLAN)).all()
    fitted = WithOverheads().fit(PLAN, true)
    np.testing.assert_allclose(fitted.predict(PLAN), true, rtol=0.02)
    np.testing.assert_allclose(fitted.constants_, model.constants_, rtol=0.3)


def test_overhead_that_would_fill_the_server_stays_finite():
    model = WithOverheads()
    model.constants_ = np.array([5e-3, 5e-3, 0.0])
    found = model.predict(one())[0]
    kept = FULLEST / 500
    scv = (1e-3 / kept) ** 2
    expected = response_time(one(service=kept, scv=scv))[0] + 6e-3 - kept
    assert found == pytest.approx(expected)


def test_overheads_refuse_times_of_zero():
    with pytest.raises(ValueError, match="y must be above 0"):
        WithOverheads().fit(one(), [0.0])


@pytest.mark.parametrize("name", service_load.DISTRIBUTIONS)
def test_sizes_have_the_mean_and_variation_that_is_told(name):
    drawn = service_load.sizes(name, np.random.default_rng(1), 200_000)
    assert drawn.mean() == pytest.approx(1.0, rel=0.02)
    scv = service_load.DISTRIBUTIONS[name]
    assert drawn.var() == pytest.approx(scv, rel=0.05, abs=1e-9)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="distribution must be one of"):
        service_load.sizes("uniform", np.random.default_rng(1), 2)
    with pytest.raises(ValueError, match="server must be one of"):
        service_load.respond("oracle", 1, np.zeros(1), [0.0])


def test_runs_go_through_all_servers_and_stay_stable():
    assert (PLAN["load"] <= 0.8).all()
    np.testing.assert_allclose(PLAN["rate"] * PLAN["service"] / PLAN["servers"], PLAN["load"])
    assert len(PLAN.groupby(["distribution", "server"])) == 12
    assert set(PLAN.loc[PLAN["sleeping"] == 1, "servers"]) == set(service_load.WORKERS)


@pytest.mark.parametrize("server", service_load.SERVERS)
def test_a_server_answers_every_request_and_takes_at_least_what_is_asked(server):
    asked = [0.001, 0.002, 0.001]
    found = service_load.respond(server, 2, np.array([0.0, 0.0001, 0.02]), asked)
    assert (found >= np.array(asked) * 0.99).all()


def test_a_sitting_gives_a_mean_for_each_run():
    found = service_load.sitting(PLAN.head(2), 0, seconds=0.05)
    assert found.shape == (2,)
    assert (found > 0).all()


def test_a_server_that_ends_is_an_error(tmp_path, monkeypatch):
    program = tmp_path / "service_load.py"
    program.with_name("service_process.py").write_text(
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as listening:\n"
        "    print(listening.getsockname()[1], flush=True)\n"
        "    listening.accept()[0].close()\n"
    )
    monkeypatch.setattr(service_load, "__file__", str(program))
    with pytest.raises((RuntimeError, OSError)):
        service_load.respond("one worker", 1, np.array([0.0, 0.05]), [0.0, 0.0])


def _asked(serve, requests):
    """Return the numbers in the order in which `serve` answers them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for number, seconds in requests:
            ours.sendall(struct.pack("<Id", number, seconds))
        ours.shutdown(socket.SHUT_WR)
        thread = threading.Thread(target=serve, args=(service_process.Requests(theirs),))
        thread.start()
        answers = b""
        while len(answers) < 4 * len(requests):
            answers += ours.recv(1 << 10)
        thread.join()
    return [number for (number,) in struct.iter_unpack("<I", answers)]


def test_one_worker_keeps_the_order_and_slices_let_the_short_ones_out():
    requests = [(0, 0.004), (1, 0.001)]

    def whole(read):
        service_process.take_turns(read, float("inf"))

    def slices(read):
        service_process.take_turns(read, 0.0002)

    assert _asked(whole, requests) == [0, 1]
    assert _asked(slices, requests) == [1, 0]


def test_sleepers_sleep_side_by_side():
    began = time.perf_counter()
    found = _asked(lambda read: service_process.sleep(read, 2), [(0, 0.2), (1, 0.01)])
    assert found == [1, 0]
    assert time.perf_counter() - began >= 0.2


def test_requests_that_come_in_pieces_are_put_together():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        read, sent = service_process.Requests(theirs), struct.pack("<Id", 7, 0.5)
        assert list(read.read(wait=False)) == []
        ours.sendall(sent[:5])
        assert list(read.read(wait=True)) == []
        ours.sendall(sent[5:])
        assert list(read.read(wait=True)) == [(7, 0.5)]
        ours.close()
        assert list(read.read(wait=True)) == []
        assert not read.open


def test_recorded_runs():
    runs = loopback_service.dataset()
    assert len(runs) == 84
    assert runs.unit == "s"
    assert (runs.features[list(loopback_service.LOGGED)] > 0).all(axis=None)
    assert {*loopback_service.LOGGED, *loopback_service.PLAIN} == set(runs.features)
    assert set(runs.group("distribution")) == set(service_load.DISTRIBUTIONS)
    assert set(runs.group("server")) == set(service_load.SERVERS)
    assert runs.noise > 0
    np.testing.assert_array_equal(loopback_service.work(runs.features), runs.features["service"])
    for model in loopback_service.whiteboxes().values():
        assert (model.fit(runs.features, runs.target).predict(runs.features) > 0).all()
