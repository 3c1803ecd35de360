"""Which networks have a product form, and what is said of those that have none."""

import pytest

from perfmodel.queueing.distributions.service import Deterministic, Exponential
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.product_form import check_unlimited, product_form_violations

A, B = JobClass("a", population=1), JobClass("b", population=2)


@pytest.mark.parametrize("discipline", ["PS", "LCFS-PR", "delay"])
def test_any_law_and_any_means_where_service_starts_at_once(discipline):
    station = Station("x", discipline=discipline)
    assert product_form_violations(Network([station], [A, B], [[Deterministic(2.0)], [1.0]])) == ()


def test_fcfs_with_one_exponential_law():
    assert (
        product_form_violations(Network([Station("x")], [A, B], [[Exponential(2.0)], [2.0]])) == ()
    )


def test_a_class_that_never_comes_does_not_count():
    net = Network([Station("x"), Station("y")], [A, B], [[1, 3], [2, 3]], visits=[[1, 1], [0, 1]])
    assert product_form_violations(net) == ()


@pytest.mark.parametrize(
    ("station", "service", "message"),
    [
        (Station("x"), [[1.0], [2.0]], "means that differ by class, 1 and 2 s"),
        (Station("x"), [[Deterministic(1.0)], [1.0]], "service of scv 0, not 1"),
        (Station("x", discipline="SRPT"), [[1.0], [1.0]], "is SRPT, which has no product form"),
        (Station("x", discipline="priority"), [[1.0], [1.0]], "is priority, which has no product"),
    ],
)
def test_departures_are_named(station, service, message):
    (reason,) = product_form_violations(Network([station], [A, B], service))
    assert reason.startswith("station 'x'")
    assert message in reason


def test_finite_capacity_is_refused():
    with pytest.raises(ValueError, match="station 'x' must have unlimited capacity.*got 3"):
        check_unlimited(Network([Station("x", capacity=3)], [A], [1.0]))
