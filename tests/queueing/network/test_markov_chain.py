"""Chains from descriptions: closed forms, two ways to the steady state, transients, refusals."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import expm

from perfmodel.queueing.network import markov_chain
from perfmodel.queueing.network.markov_chain import balance
from perfmodel.queueing.network.solution import TooBigError


def mm1(load, room):
    return markov_chain.birth_death_chain([load] * room, [1.0] * room)


def generator(chain):
    rates = chain.rates.toarray()
    return rates - np.diag(rates.sum(axis=1))


def random_chain(seed, size=12):
    rates = np.random.default_rng(seed).exponential(1, (size, size))
    return markov_chain.explore_chain(0, lambda i: [(j, rates[i, j]) for j in range(size)])


class TestSteadyState:
    def test_mm1_with_a_room_of_five(self):
        chance = markov_chain.steady_state(mm1(0.5, 5))
        assert chance == pytest.approx(0.5 ** np.arange(6) / (2 - 0.5**5))

    def test_tiny_probabilities_keep_their_digits(self):
        chance = markov_chain.steady_state(mm1(0.01, 40))
        assert chance[40] == pytest.approx(0.99 * 1e-80, rel=1e-12)

    @pytest.mark.parametrize("seed", range(5))
    def test_it_balances(self, seed):
        chain = random_chain(seed)
        chance = markov_chain.steady_state(chain)
        assert chance.sum() == pytest.approx(1)
        assert chance @ generator(chain) == pytest.approx(np.zeros(12), abs=1e-12)

    def test_large_chains_are_factorised(self):
        chance = markov_chain.steady_state(mm1(0.98, 1500))
        n = np.arange(1501)
        assert chance == pytest.approx(0.98**n * 0.02 / (1 - 0.98**1501), rel=1e-8, abs=0)

    def test_an_error_bound_is_above_the_error(self):
        """Measured by a likely state or by an unlikely one, which makes the bound larger."""
        exact = 0.98 ** np.arange(701) * 0.02 / (1 - 0.98**701)
        bounds = []
        for base in (0, 400):
            chance, bound = balance._decomposed(mm1(0.98, 700).rates, base)
            assert np.max(np.abs(chance / exact - 1)) <= bound < 1e-6
            bounds.append(bound)
        assert bounds[0] < 1e-9

    def test_a_first_state_that_is_hardly_ever_there(self, monkeypatch):
        """Too many states for elimination: measured by the likeliest after all."""
        monkeypatch.setattr(balance, "is_affordable", lambda rates: False)
        chance = markov_chain.steady_state(mm1(1.1, 500))
        exact = 1.1 ** np.arange(501) * 0.1 / (1.1**501 - 1)
        assert chance == pytest.approx(exact, rel=1e-8, abs=0)

    @pytest.mark.parametrize("link", [1e-3, 1e-15, 1e-30])
    def test_rings_that_are_rarely_left(self, link):
        """Two rings of 300 states each, of which the first is entered three times as often."""

        def moves(state):
            ring, at = state
            yield (ring, (at + 1) % 300), 1.0
            if at == 0:
                yield (1 - ring, 0), link * (1 + 2 * ring)

        chain = markov_chain.explore_chain((0, 0), moves)
        chance = markov_chain.steady_state(chain)
        first = chain.mean(chance, lambda state: state[0] == 0)
        assert first == pytest.approx(0.75, rel=1e-12)

    def test_states_that_no_number_can_hold_the_ratio_of(self):
        """Down a valley of 1e-400 and up again: what is beyond has its probability all the same."""
        up, down = [1e-4] * 100 + [1.0] * 100, [1.0] * 100 + [1e-4] * 100
        chance = markov_chain.steady_state(markov_chain.birth_death_chain(up, down))
        assert chance[[0, 200]] == pytest.approx([0.49995, 0.49995], rel=1e-9)
        assert chance[200] / chance[199] == pytest.approx(1e4, rel=1e-12)

    def test_too_many_states_to_be_sure_of(self, monkeypatch):
        monkeypatch.setattr(balance, "is_affordable", lambda rates: False)
        up, down = [1.0] * 500 + [1e-15] + [1.0] * 99, [1.0] * 500 + [3e-15] + [1.0] * 99
        with pytest.raises(TooBigError, match="its 601 are too many for elimination"):
            markov_chain.steady_state(markov_chain.birth_death_chain(up, down))

    def test_tandem_with_blocking_after_service(self):
        """M/M/1 feeding M/1/3: state is (jobs at 1, jobs at 2, is 1 blocked)."""

        def moves(state):
            first, second, blocked = state
            if first < 120:
                yield (first + 1, second, blocked), 0.6
            if first and not blocked:
                full = second == 3
                yield (first - (not full), second + (not full), full), 1.0
            if second:
                yield (first - blocked, second - (not blocked), False), 1.0

        chain = markov_chain.explore_chain((0, 0, False), moves)
        chance = markov_chain.steady_state(chain)
        assert chain.mean(chance, lambda s: s[0]) == pytest.approx(2.2079236451)
        assert chain.mean(chance, lambda s: s[1]) == pytest.approx(1.13686241771)
        assert chain.mean(chance, lambda s: s[2]) == pytest.approx(0.0791547223833)


class TestTransient:
    def test_mm1_started_empty(self):
        chain = mm1(0.8, 200)
        chance = markov_chain.transient_state(chain, markov_chain.state_at(chain, 0), 10.0)
        assert chance[0] == pytest.approx(0.286422593285)
        assert chain.mean(chance, lambda n: n) == pytest.approx(2.03028156358)

    @pytest.mark.parametrize("seed", range(5))
    def test_matrix_exponential(self, seed):
        chain = random_chain(seed)
        start = np.full(12, 1 / 12)
        times = [3.0, 0.0, 0.2]
        expected = [start @ expm(generator(chain) * t) for t in times]
        assert markov_chain.transient_state(chain, start, times) == pytest.approx(
            np.array(expected), abs=1e-12
        )

    def test_long_after_it_is_the_steady_state(self):
        chain = mm1(0.5, 20)
        late = markov_chain.transient_state(chain, markov_chain.state_at(chain, 20), 5000.0)
        assert late == pytest.approx(markov_chain.steady_state(chain), abs=1e-12)

    @given(st.floats(0, 50))
    def test_always_a_distribution(self, time):
        chain = mm1(0.7, 8)
        chance = markov_chain.transient_state(chain, markov_chain.state_at(chain, 3), time)
        assert chance.sum() == pytest.approx(1)
        assert (chance >= 0).all()


class TestRefusals:
    def test_absorbing_state(self):
        chain = markov_chain.explore_chain("up", lambda s: [("broken", 1.0)] if s == "up" else [])
        with pytest.raises(ValueError, match="every state must be left again, got state 'broken'"):
            markov_chain.steady_state(chain)

    def test_an_absorbing_state_is_fine_in_a_transient(self):
        chain = markov_chain.explore_chain("up", lambda s: [("broken", 1.0)] if s == "up" else [])
        left = markov_chain.transient_state(chain, markov_chain.state_at(chain, "up"), 2.0)[0]
        assert left == pytest.approx(math.exp(-2))

    def test_unbounded_queue(self):
        with pytest.raises(TooBigError, match="more than 500 states"):
            markov_chain.explore_chain(0, lambda n: [(n + 1, 1.0)], max_states=500)

    @pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf])
    def test_bad_rate(self, rate):
        with pytest.raises(ValueError, match=f"rate from 0 to 1 must be 0 or more, got {rate}"):
            markov_chain.explore_chain(0, lambda n: [(1 - n, rate)])

    def test_start_that_is_no_distribution(self):
        with pytest.raises(ValueError, match=r"start must be 3 probabilities that sum to 1"):
            markov_chain.transient_state(mm1(0.5, 2), [1, 1, 0], 1.0)

    def test_unknown_state(self):
        with pytest.raises(ValueError, match="state must be one of the chain's 3, got 7"):
            markov_chain.state_at(mm1(0.5, 2), 7)

    def test_birth_death_of_unequal_lengths(self):
        with pytest.raises(ValueError, match="death_rates must be 1, as many"):
            markov_chain.birth_death_chain([1.0], [1.0, 2.0])
