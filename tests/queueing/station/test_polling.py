"""Polling: closed forms, a conservation law, vacations, other methods, chains, a simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import Deterministic, Exponential
from perfmodel.queueing.network.markov_chain import explore_chain, steady_state
from perfmodel.queueing.station.mg1 import mg1, mg1_vacations
from perfmodel.queueing.station.polling import polling, pseudo_conserved_wait

KINDS = ("exhaustive", "gated")


def close(expected):
    return pytest.approx(expected, rel=1e-9)


@st.composite
def rings(draw, kinds=KINDS):
    """Draw the arguments of a polling system with a total utilization below 1."""
    number = draw(st.integers(1, 5))

    def each(low, high):
        return np.array(draw(st.lists(st.floats(low, high), min_size=number, max_size=number)))

    services, load = each(0.1, 5), draw(st.floats(0.05, 0.95))
    shares = each(0.05, 1)
    disciplines = draw(st.lists(st.sampled_from(kinds), min_size=number, max_size=number))
    arguments = (load * shares / shares.sum() / services, services, each(0.01, 3), disciplines)
    return arguments, {"scvs": each(0, 4), "switchover_scvs": each(0, 4)}


def takagi_symmetric(kind, queues, rate, second, switchover, variance, load):
    """Return the wait at each of several queues that are alike (Takagi 1986)."""
    extra = {"exhaustive": -load, "gated": load, "1-limited": load}[kind]
    work, walk = queues * rate * second, switchover * (queues + extra)
    spare = 1 - load
    if kind == "1-limited":
        work, spare = work + queues * rate * variance, spare - queues * rate * switchover
    return variance / (2 * switchover) + (work + walk) / (2 * spare)


class TestClosedForms:
    @given(
        st.integers(1, 12),
        st.floats(0.05, 0.95),
        st.floats(0, 4),
        st.floats(0.001, 5),
        st.floats(0, 4),
        st.sampled_from((*KINDS, "1-limited")),
    )
    def test_queues_that_are_alike(self, queues, load, scv, switchover, spread, kind):
        if kind == "1-limited":
            switchover = min(switchover, 0.9 * (1 - load) / load)
        rate, moments = load / queues, (1 + scv, spread * switchover**2)
        expected = takagi_symmetric(kind, queues, rate, moments[0], switchover, moments[1], load)
        arguments = ([rate] * queues, 1.0, switchover, kind)
        law = pseudo_conserved_wait(*arguments, scvs=scv, switchover_scvs=spread)
        assert law == close(expected)
        if kind in KINDS:
            result = polling(*arguments, scvs=scv, switchover_scvs=spread)
            assert result.waiting_time == close(expected)

    @given(rings())
    def test_pseudo_conservation(self, ring):
        arguments, spreads = ring
        result = polling(*arguments, **spreads)
        shares = result.utilization / result.utilization.sum()
        law = pseudo_conserved_wait(*arguments, **spreads)
        assert shares @ result.waiting_time == close(law)

    @pytest.mark.parametrize("vacation", [Deterministic(2.0), Exponential(2.0)])
    def test_one_queue_is_a_server_with_vacations(self, vacation):
        spread = vacation.moment(2) / 4 - 1
        alone = polling([0.5], 1.0, 2.0, switchover_scvs=spread)
        expected = mg1_vacations(0.5, Exponential(1.0), vacation).waiting_time
        assert alone.waiting_time == close(expected)
        gated = polling([0.5], 1.0, 2.0, "gated", switchover_scvs=spread)
        assert gated.waiting_time == close(expected + 0.5 * 2.0 / (1 - 0.5))

    def test_one_queue_without_switching_is_pollaczek_khinchine(self):
        for kind in KINDS:
            expected = mg1(arrival_rate=0.8, mean_service=1.0, scv=3.0).waiting_time
            assert polling([0.8], 1.0, 0.0, kind, scvs=3.0).waiting_time == close(expected)

    def test_a_round(self):
        result = polling([0.2, 0.4], [1.0, 0.5], [1.0, 2.0])
        assert result.cycle_time == close(3 / 0.6)
        assert result.visit_time == close([1.0, 1.0])


def round_of_counts(rates, services, switchovers, disciplines, scvs, switchover_scvs, moments):
    """Return the factorial moments of the numbers in queue after a round (buffer occupancy)."""
    n = rates.size
    mean, second = moments[:n], moments[n:].reshape(n, n)
    for i in range(n):
        own = disciplines[i] == "exhaustive"
        rest = 1 - rates[i] * services[i] if own else 1.0
        others = rates * (np.arange(n) != i) if own else rates
        square = services[i] ** 2 * (1 + scvs[i]) / rest**3
        offspring = np.eye(n)
        offspring[i] = others * services[i] / rest
        second = offspring.T @ second @ offspring + mean[i] * square * np.outer(others, others)
        mean = offspring.T @ mean
        cross = switchovers[i] * np.outer(mean, rates)
        walk = switchovers[i] ** 2 * (1 + switchover_scvs[i])
        second = second + cross + cross.T + walk * np.outer(rates, rates)
        mean = mean + rates * switchovers[i]
    return np.concatenate([mean, second.ravel()])


def first_wait_by_counts(rates, services, switchovers, disciplines, scvs, switchover_scvs):
    """Return the first queue's wait from one linear system for all moments of the numbers."""
    ring = (rates, services, switchovers, disciplines, scvs, switchover_scvs)
    n = rates.size
    constant = round_of_counts(*ring, np.zeros(n + n * n))
    slope = np.array([round_of_counts(*ring, row) - constant for row in np.eye(n + n * n)]).T
    moments = np.linalg.solve(np.eye(n + n * n) - slope, constant)
    residual = moments[n] / (2 * rates[0] * moments[0])
    load = rates[0] * services[0]
    if disciplines[0] == "gated":
        return residual * (1 + load)
    return residual + rates[0] * services[0] ** 2 * (1 + scvs[0]) / 2 / (1 - load)


class TestOtherMethods:
    @given(rings())
    def test_numbers_in_queue_in_place_of_ages(self, ring):
        (rates, services, switchovers, kinds), spreads = ring
        expected = first_wait_by_counts(rates, services, switchovers, kinds, *spreads.values())
        result = polling(rates, services, switchovers, kinds, **spreads)
        assert result.waiting_time[0] == pytest.approx(expected, rel=1e-8)

    @given(rings(), st.integers(0, 4))
    def test_it_does_not_matter_where_a_round_begins(self, ring, turn):
        arguments, spreads = ring
        result = polling(*arguments, **spreads).waiting_time
        turned = [np.roll(values, turn).tolist() for values in arguments]
        spreads = {name: np.roll(values, turn) for name, values in spreads.items()}
        assert polling(*turned, **spreads).waiting_time == close(np.roll(result, turn))

    @pytest.mark.parametrize(
        "kinds", [("exhaustive",) * 2, ("gated",) * 2, ("gated", "exhaustive")]
    )
    def test_a_markov_chain_of_two_queues(self, kinds):
        rates, services, walks, room = (0.15, 0.1), (1.0, 0.8), (0.3, 0.6), 22

        def moves(state):
            at, left, *queue = state
            for i in (0, 1):
                if sum(queue) < room:
                    joins = left + (i == at and left > 0 and kinds[i] == "exhaustive")
                    yield (at, joins, queue[0] + (i == 0), queue[1] + (i == 1)), rates[i]
            if left:
                queue[at] -= 1
                yield (at, left - 1, *queue), 1 / services[at]
            else:
                yield (1 - at, queue[1 - at], *queue), 1 / walks[at]

        chain = explore_chain((0, 0, 0, 0), moves)
        chance = steady_state(chain)
        exact = polling(rates, services, walks, kinds, switchover_scvs=1.0)
        assert exact.queue_length == close(chance @ np.array(chain.states)[:, 2:])

    def test_without_switching_against_a_chain(self):
        """The server stays where it is while nobody is there."""
        rates, services, room = (0.2, 0.1), (1.0, 1.5), 40

        def moves(state):
            at, *queue = state
            for i in (0, 1):
                if sum(queue) < room:
                    here = at if sum(queue) else i
                    yield (here, queue[0] + (i == 0), queue[1] + (i == 1)), rates[i]
            if queue[at]:
                queue[at] -= 1
                stays = queue[at] > 0 or not sum(queue)
                yield (at if stays else 1 - at, *queue), 1 / services[at]

        chain = explore_chain((0, 0, 0), moves)
        chance = steady_state(chain)
        exact = polling(rates, services, 0.0)
        assert exact.queue_length == close(chance @ np.array(chain.states)[:, 1:])


def played(rng, jobs, rates, services, switchovers, disciplines, shapes):
    """Return the mean waits of a run that starts empty, its first fifth left out."""
    arrivals = [np.cumsum(rng.exponential(1 / rate, int(jobs * rate))) for rate in rates]
    end = min(times[-1] for times in arrivals)
    served, waits, now, at = [0] * len(rates), [[] for _ in rates], 0.0, 0
    while now < end:
        times = arrivals[at]
        gate = now if disciplines[at] == "gated" else math.inf
        while served[at] < len(times) and times[served[at]] <= min(now, gate):
            waits[at].append(now - times[served[at]])
            now += rng.gamma(shapes[at], services[at] / shapes[at])
            served[at] += 1
        now += rng.uniform(0, 2 * switchovers[at])
        at = (at + 1) % len(rates)
    return [np.mean(wait[len(wait) // 5 :]) for wait in waits]


def test_simulation_within_its_interval():
    """Services of gamma laws, switchovers uniform from 0: scvs 1 / shape and 1 / 3."""
    ring = ([0.3, 0.1, 0.15], [1.0, 2.0, 1.5], [0.5, 0.2, 1.0], ["gated", "exhaustive", "gated"])
    shapes = np.array([0.5, 4.0, 1.0])
    rng = np.random.default_rng(7)
    runs = np.array([played(rng, 12_000, *ring, shapes) for _ in range(24)])
    exact = polling(*ring, scvs=1 / shapes, switchover_scvs=1 / 3).waiting_time
    error = runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    assert (np.abs(runs.mean(axis=0) - exact) < 3.8 * error).all()
    assert (error < 0.03 * exact).all()


class TestProperties:
    @given(rings(kinds=("exhaustive",)))
    def test_gates_let_the_load_wait_longer(self, ring):
        (rates, services, switchovers, kinds), spreads = ring
        gated = pseudo_conserved_wait(rates, services, switchovers, "gated", **spreads)
        assert gated >= pseudo_conserved_wait(rates, services, switchovers, kinds, **spreads)

    def test_a_queue_to_which_nobody_comes_waits_as_one_to_which_hardly_anyone_does(self):
        for kind in KINDS:
            never = polling([0.0, 0.5], 1.0, 0.7, kind).waiting_time
            hardly = polling([1e-9, 0.5], 1.0, 0.7, kind).waiting_time
            assert never == pytest.approx(hardly, rel=1e-7)

    def test_switching_that_vanishes_leads_to_none(self):
        ring = ([0.3, 0.2], [1.0, 1.5])
        for kinds in (*KINDS, ["gated", "exhaustive"]):
            none = polling(*ring, 0.0, kinds).waiting_time
            assert polling(*ring, [1e-9, 2e-9], kinds).waiting_time == pytest.approx(none, rel=1e-7)

    def test_close_to_full_load_the_law_still_holds(self):
        ring = ([0.2, 0.1, 0.15], [1.0, 4.0, 2.66666])
        result = polling(*ring, 0.5, "gated")
        assert result.utilization.sum() > 0.99999
        law = pseudo_conserved_wait(*ring, 0.5, "gated")
        shares = result.utilization / result.utilization.sum()
        assert shares @ result.waiting_time == close(law)

    def test_it_prints_as_a_table(self):
        text = str(polling([0.3, 0.3], 1.0, 0.5))
        assert text.startswith("Polling, exhaustive (exact)\n")
        assert "waiting time (s)       2.375   2.375" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: polling([], 1.0, 1.0), "arrival_rates must be a one-dimensional sample of 1"),
        (lambda: polling([0.1], 1.0, 1.0, scvs=[1, 2]), "scvs must be 1 values, one a queue"),
        (lambda: polling([0.1], 1.0, 1e300), "mean_switchovers must be at most 1e\\+50"),
        (lambda: polling([0.1], 1.0, 1.0, 3), "discipline must be one of exhaustive, gated, or"),
        (lambda: polling([0.1], 1.0, 1.0, ["gated", "gated"]), "one for each of 1 queues"),
        (lambda: polling([0.1], 1.0, 1.0, [["gated"]]), "discipline must be one of"),
        (lambda: pseudo_conserved_wait([0, 0], 1.0, 1.0), "arrival_rates must not all be 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
