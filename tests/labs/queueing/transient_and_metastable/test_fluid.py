"""The fluid of a retry storm: hand values, conservation, thresholds, and agreement with events."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.transient_and_metastable.fluid import (
    critical_outage,
    critical_relief,
    follow_fluid,
)
from perfmodel.labs.queueing.transient_and_metastable.simulated import share_up
from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    storm_load,
    with_load,
)

SHOP = Service(workers=4, mean_service=0.01)


class TestPath:
    def test_without_retries_the_backlog_drains_at_what_the_load_leaves_over(self):
        """0.5 s of arrivals at 60 % are 0.3 s of work, gone after 0.3 / 0.4 s more."""
        path = follow_fluid(SHOP, with_load(SHOP, 0.6, 0.1, retries=0), Incident(0.2, 0.5, 2.0))
        at = np.interp([0.2, 0.45, 0.7, 1.0, 1.45, 1.6], path.times, path.queue) / SHOP.capacity
        np.testing.assert_allclose(at, [0, 0.15, 0.3, 0.18, 0, 0], atol=2e-3)

    def test_who_comes_in_the_outage_waits_for_its_rest_and_the_queue(self):
        path = follow_fluid(SHOP, with_load(SHOP, 0.6, 0.1, retries=0), Incident(0.2, 0.5, 2.0))
        seen = np.interp([0.1, 0.3, 0.6, 0.8], path.times, path.response)
        np.testing.assert_allclose(
            seen, [0.01, 0.4 + 0.06 + 0.01, 0.1 + 0.24 + 0.01, 0.26 + 0.01], atol=3e-3
        )

    def test_a_storm_grows_at_the_storms_load(self):
        clients = with_load(SHOP, 0.8, 0.1, retries=2)
        path = follow_fluid(SHOP, clients, Incident(0.1, 0.4, 4.0))
        late = path.times > 3.0
        slope = np.polyfit(path.times[late], path.queue[late], 1)[0]
        assert slope == pytest.approx((storm_load(SHOP, clients) - 1) * SHOP.capacity, rel=0.01)
        assert path.attempts[-1] == pytest.approx(3 * clients.arrival_rate)
        assert not path.up
        assert path.goodput[-1] == 0

    def test_nothing_happens_without_an_outage(self):
        path = follow_fluid(SHOP, with_load(SHOP, 0.9, 0.1), Incident(0.1, 0.0, 1.0))
        assert path.queue.max() < 2 * 0.1 / 200 * SHOP.capacity
        assert path.final_goodput == pytest.approx(1.0)

    def test_a_queue_that_is_short_enough_keeps_every_answer_in_time(self):
        bounded = replace(SHOP, queue_limit=SHOP.capacity * 0.08)
        path = follow_fluid(bounded, with_load(SHOP, 0.95, 0.1), Incident(0.1, 1.0, 1.0))
        assert path.queue.max() <= bounded.queue_limit
        assert path.up
        assert path.goodput.max() <= path.attempts.max()

    @settings(max_examples=25, deadline=None)
    @given(
        load=st.floats(0.1, 0.95),
        outage=st.floats(0.0, 0.5),
        retries=st.integers(0, 3),
        backoff=st.floats(0.0, 0.2),
        budget=st.floats(0.0, 2.0),
    )
    def test_attempts_stay_within_what_clients_may_do(self, load, outage, retries, backoff, budget):
        clients = Clients(load * SHOP.capacity, 0.1, retries, backoff, budget)
        path = follow_fluid(SHOP, clients, Incident(0.1, outage, 1.0), steps=50)
        assert (path.queue >= 0).all()
        assert (path.attempts >= clients.arrival_rate * (1 - 1e-12)).all()
        assert (path.attempts <= clients.arrival_rate * clients.attempts * (1 + 1e-12)).all()
        assert (path.goodput <= path.attempts * (1 + 1e-12)).all()


class TestThreshold:
    def test_just_below_full_load_an_outage_of_the_patience_left_is_enough(self):
        """Who comes first waits the whole outage, and at full load nobody after waits less."""
        near = critical_outage(SHOP, with_load(SHOP, 0.99, 0.1), after=4.0)
        assert near == pytest.approx(0.1 - 0.01, abs=0.002)

    def test_it_falls_with_the_load_and_rises_with_patience(self):
        loads = [
            critical_outage(SHOP, with_load(SHOP, load, 0.1), 2.0)
            for load in (0.55, 0.65, 0.75, 0.85, 0.95)
        ]
        assert (np.diff(loads) < 0).all()
        patient = critical_outage(SHOP, with_load(SHOP, 0.75, 0.2), 4.0)
        assert patient > 1.8 * loads[2]

    def test_below_the_hidden_capacity_it_comes_back_in_the_end(self):
        assert critical_outage(SHOP, with_load(SHOP, 0.45, 0.1), 24.0) == np.inf
        assert critical_outage(SHOP, with_load(SHOP, 0.52, 0.1), 12.0) < 0.2
        assert critical_outage(SHOP, with_load(SHOP, 0.35, 0.1, retries=2), 12.0) < 0.3

    def test_without_retries_it_always_comes_back(self):
        assert critical_outage(SHOP, with_load(SHOP, 0.9, 0.1, retries=0), 20.0) == np.inf

    def test_backoff_gains_time_and_a_budget_ends_storms(self):
        clients = with_load(SHOP, 0.6, 0.1)
        plain = critical_outage(SHOP, clients, 5.0)
        assert critical_outage(SHOP, replace(clients, backoff=0.4), 5.0) > 2 * plain
        assert critical_outage(SHOP, replace(clients, budget=0.2), 5.0) == np.inf

    def test_relief_must_last_until_the_queue_is_short(self):
        """The backlog is what came less what was served; retries of the last second still come."""
        clients = with_load(SHOP, 0.7, 0.1)
        storm = Incident(0.1, 0.3, 1.0, relief_at=0.5)
        enough = critical_relief(SHOP, clients, storm)
        for share, up in ((0.9, False), (1.1, True)):
            incident = replace(storm, relief=share * enough, after=3.0)
            assert follow_fluid(SHOP, clients, incident).up is up
        assert critical_relief(SHOP, clients, storm, longest=0.1) == np.inf

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: critical_outage(SHOP, Clients(480, 0.1), 2.0), "arrival_rate must be one"),
            (lambda: critical_outage(SHOP, Clients(100, 0.1), 0.0), "after must be above 0"),
            (lambda: critical_outage(SHOP, Clients(100, 0.1), 1.0, -1.0), "longest must be"),
            (lambda: follow_fluid(SHOP, Clients(9, 0.1), Incident(0, 0, 1), 5), "steps must be"),
            (lambda: follow_fluid(SHOP, Clients(9, 0.01), Incident(0, 0, 1)), "timeout must be"),
        ],
    )
    def test_refusals(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("load", [0.6, 0.8])
def test_simulated_runs_part_near_the_fluids_threshold(load):
    clients = with_load(SHOP, load, 0.1)
    threshold = critical_outage(SHOP, clients, 1.2)
    assert share_up(SHOP, clients, Incident(0.3, threshold / 1.5, 1.2), 10) == 1
    assert share_up(SHOP, clients, Incident(0.3, threshold * 1.5, 1.2), 10) <= 0.1


def test_more_and_smaller_requests_come_closer_to_the_fluid():
    fine = Service(workers=40, mean_service=0.01)
    clients = with_load(fine, 0.7, 0.1)
    threshold = critical_outage(fine, clients, 1.2)
    for share, up in ((0.9, 1.0), (1.15, 0.0)):
        assert share_up(fine, clients, Incident(0.3, threshold * share, 1.2), 6) == up
