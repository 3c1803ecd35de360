"""Runs to a given precision: reached, foretold as out of reach, and the same for one seed."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import BoundedPareto
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import driver
from perfmodel.queueing.simulation.replications import replicate
from perfmodel.queueing.simulation.run_length.precision import relative_width
from perfmodel.queueing.simulation.simulate import simulate

WEB = Network([Station("web")], [JobClass("users", 0.5)], [1.0])
BUSY = Network([Station("web")], [JobClass("users", 0.9)], [1.0])


def test_goes_on_until_narrow_enough_and_no_further_than_it_takes():
    run = simulate(WEB, 1000, 1, until=0.04, progress=False)
    assert 0.02 < relative_width(run) <= 0.04
    assert run.warning == ""
    assert run.customers > 1000


def test_the_run_is_that_of_its_length():
    run = simulate(WEB, 1000, 1, until=0.04, progress=False)
    again = simulate(WEB, run.customers, 1, progress=False)
    assert again.response_time.low == run.response_time.low


def test_long_enough_already():
    run = simulate(WEB, 20_000, 1, until=0.5, progress=False)
    assert run.customers == 20_000


def test_most_intervals_hold_at_the_end(monkeypatch):
    """A rule that stops when it looks narrow stops early on the calm runs; few of these are."""
    monkeypatch.setattr(driver, "WORTH_COMPILING", 0)
    runs = [simulate(WEB, 1000, s, until=0.1, progress=False) for s in range(50)]
    assert np.mean([run.response_time.covers(2.0) for run in runs]) >= 0.89


def test_a_limit_is_told():
    run = simulate(WEB, 1000, 1, until=0.001, limit=5000, progress=False)
    assert run.customers == 5000
    assert run.warning.startswith("until=0.001 was asked for, 0.")
    assert "are needed where the limit is 5,000" in run.warning


def test_what_the_laws_put_out_of_reach_is_not_tried():
    heavy = BoundedPareto(1.5, 1.0, 1e6)
    network = Network([Station("s")], [JobClass("c", 0.5 / heavy.moment(1))], [[heavy]])
    run = simulate(network, 1000, 1, until=0.1, progress=False)
    assert run.customers == 1000
    assert "there is no interval, and about 2,800,000,000 are needed" in run.warning


def test_repetitions_are_added():
    run = replicate(WEB, 2000, 4, 1, until=0.03, progress=False)
    count = run.customers // 2000
    assert count > 4
    assert relative_width(run) <= 0.03
    again = replicate(WEB, 2000, count, 1, progress=False, workers=1)
    assert again.response_time.high == run.response_time.high


def test_repetitions_that_are_too_short_one_by_one():
    run = replicate(BUSY, 1000, 4, 1, until=0.05, limit=100, progress=False)
    assert run.response_time.too_short.all()
    assert run.customers < 100_000
    assert "there is no interval" in run.warning
    assert "response_time (about 6" in run.warning or "response_time," in run.warning


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"until": 0}, "until must be between 0.0001 and 1, got 0"),
        ({"until": [0.1, 0.2]}, "until must be one number"),
        ({"until": 0.1, "limit": 10}, "limit must be a whole number, .* got 10"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        simulate(WEB, 1000, **options)
