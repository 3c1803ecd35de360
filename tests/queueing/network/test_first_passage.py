"""Times until a failure: closed forms, gambler's ruin, laws, two ways to solve, refusals."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.light_tail import Exponential
from perfmodel.queueing.network.markov_chain import (
    absorption,
    birth_death_chain,
    explore_chain,
    first_passage_distribution,
    first_passage_time,
    transient_state,
)
from perfmodel.queueing.network.solution import TooBigError
from perfmodel.queueing.station.mg1 import mg1_busy_period


def mirror(fail, repair):
    return explore_chain(2, {2: [(1, 2 * fail)], 1: [(2, repair), (0, fail)], 0: []}.get)


def random_chain(seed, size=12):
    rates = np.random.default_rng(seed).exponential(1, (size, size))
    return explore_chain(0, lambda i: [(j, rates[i, j]) for j in range(size)])


def climb(up, down):
    """Return the mean time from 0 to the top of a birth-death chain, by sums in sixty digits."""
    with localcontext(prec=60):
        total = step = Decimal(0)
        for rate, back in zip(up, [0.0, *down], strict=False):
            step = (1 + Decimal(back) * step) / Decimal(rate)
            total += step
        return float(total)


def grid(size, first):
    """Return two queues of fewer than `size` jobs each, side by side, numbered from `first`."""

    def moves(state):
        for one, other in ((0, 1), (1, 0)):
            for step, rate in ((1, 1.0), (-1, 3.0)):
                moved = (state[0] + step * one, state[1] + step * other)
                if min(moved) >= 0 and max(moved) < size:
                    yield moved, rate

    return explore_chain(first, moves)


class TestMean:
    @given(st.floats(1e-9, 1e3), st.floats(1e-3, 1e6))
    def test_mirrored_disks(self, fail, repair):
        times = first_passage_time(mirror(fail, repair), [0])
        whole = (3 * fail + repair) / (2 * fail**2)
        assert times == pytest.approx([whole, whole - 1 / (2 * fail), 0], rel=1e-12)

    def test_a_failure_in_a_billion_years_keeps_its_digits(self):
        """Six disks of which any three may fail: a product of six ratios, to the last digits."""
        fail, repair = 1e-7, 1.0
        chain = birth_death_chain([(6 - n) * fail for n in range(4)], [repair] * 4)
        exact = sum(
            math.prod(repair for _ in range(j - i))
            / math.prod((6 - n) * fail for n in range(i, j + 1))
            for j in range(4)
            for i in range(j + 1)
        )
        assert first_passage_time(chain, [4])[0] == pytest.approx(exact, rel=1e-13)

    def test_busy_period_of_a_queue_with_much_room(self):
        chain = birth_death_chain([0.5] * 200, [1.0] * 200)
        mean, spread = mg1_busy_period(0.5, Exponential(1.0))
        law = first_passage_distribution(chain, 1, [0])
        assert first_passage_time(chain, [0])[1] == pytest.approx(float(mean), rel=1e-9)
        assert law.moment(2) / law.moment(1) ** 2 - 1 == pytest.approx(float(spread), rel=1e-9)

    def test_many_states_by_the_other_way(self):
        chain = birth_death_chain([0.5] * 600, [1.0] * 600)
        assert first_passage_time(chain, [0])[1:8] == pytest.approx(2 * np.arange(1, 8), rel=1e-9)

    @given(st.integers(0, 10_000))
    def test_both_ways_agree(self, seed):
        chain = random_chain(seed)
        rates, exits = chain.rates[1:, 1:], chain.rates.toarray()[1:, 0]
        sparse = absorption._decomposed(rates, exits)
        assert first_passage_time(chain, [chain.states[0]])[1:] == pytest.approx(sparse, rel=1e-9)

    @pytest.mark.parametrize("states", [400, 401, 600, 2000])
    def test_rare_events_keep_their_digits_however_many_states(self, states):
        chain = birth_death_chain([1.0] * states, [1.1] * states)
        exact = climb([1.0] * states, [1.1] * states)
        assert first_passage_time(chain, [states])[0] == pytest.approx(exact, rel=1e-12)

    def test_machines_with_many_spares(self):
        """Down to the last of 40 machines with 400 spares: the truth has 150 digits."""
        up, down = [40 * 0.5] * 400 + [n * 0.5 for n in range(40, 0, -1)], [40.0] * 440
        time = first_passage_time(birth_death_chain(up, down), [440])[0]
        assert time == pytest.approx(climb(up, down), rel=1e-12)

    def test_a_grid_whose_corner_is_rarely_reached(self):
        """Two queues as one chain of 900 states: the numbering of its states changes nothing."""
        seen = [first_passage_time(grid(30, first), [(29, 29)])[0] for first in ((0, 0), (29, 0))]
        assert seen[0] > 1e20
        square = grid(30, (0, 0))
        turned = first_passage_time(square, [(29, 29)])
        one, other = square.states.index((3, 17)), square.states.index((17, 3))
        assert turned[one] == pytest.approx(turned[other], rel=1e-12)
        again = grid(30, (29, 0))
        assert first_passage_time(again, [(29, 29)])[again.states.index((0, 0))] == pytest.approx(
            seen[0], rel=1e-12
        )

    def test_a_decomposition_that_would_lose_digits_is_not_taken(self):
        chain = birth_death_chain([1.0] * 500, [1.1] * 500)
        rates = chain.rates[:500][:, :500]
        exits = np.append(np.zeros(499), 1.0)
        assert absorption._decomposed(rates, exits) is None
        assert absorption._decomposed(rates, np.ones(500)) is not None

    @given(st.integers(0, 10_000), st.integers(0, 11))
    def test_more_targets_are_reached_no_later(self, seed, more):
        chain = random_chain(seed)
        some, both = first_passage_time(chain, [0]), first_passage_time(chain, [0, more])
        assert (both <= some * (1 + 1e-12)).all()
        assert both[chain.states.index(more)] == 0

    def test_being_left_again_makes_no_difference(self):
        leaves = explore_chain(2, {2: [(1, 2.0)], 1: [(2, 5.0), (0, 1.0)], 0: [(2, 9.0)]}.get)
        assert (first_passage_time(leaves, [0]) == first_passage_time(mirror(1.0, 5.0), [0])).all()


class TestLaw:
    @given(st.integers(0, 10_000))
    def test_its_mean_is_the_mean(self, seed):
        chain = random_chain(seed)
        mean = first_passage_time(chain, [3, 5])[chain.states.index(0)]
        assert first_passage_distribution(chain, 0, [3, 5]).moment(1) == pytest.approx(
            mean, rel=1e-9
        )

    def test_its_tail_is_what_the_transient_leaves(self):
        chain, times = mirror(0.2, 1.0), np.array([0.5, 5.0, 50.0])
        left = 1 - transient_state(chain, [1, 0, 0], times)[:, 2]
        assert first_passage_distribution(chain, 2, [0]).tail(times) == pytest.approx(
            left, abs=1e-9
        )

    @pytest.mark.parametrize("states", [30, 500])
    def test_a_rare_event_has_moments_and_is_nearly_exponential(self, states):
        chain = birth_death_chain([1.0] * states, [2.0] * states)
        law = first_passage_distribution(chain, 0, [states])
        mean = climb([1.0] * states, [2.0] * states)
        assert law.moment(1) == pytest.approx(mean, rel=1e-12)
        assert law.moment(2) == pytest.approx(2 * mean**2, rel=1e-6)

    def test_an_exit_that_a_row_s_sum_would_lose(self):
        chain = explore_chain(0, {0: [(1, 1.0)], 1: [(0, 3.0), (2, 1e-17)], 2: []}.get)
        law = first_passage_distribution(chain, 0, [2])
        assert law.moment(1) == pytest.approx(4e17, rel=1e-12)
        with pytest.raises(ValueError, match="time must be at most 1e.07 moves"):
            law.quantile(0.5)


class TestRefusals:
    def test_a_target_that_is_no_state(self):
        with pytest.raises(ValueError, match="targets .* 3 states, got 7"):
            first_passage_time(mirror(1, 1), [0, 7])

    def test_no_target(self):
        with pytest.raises(ValueError, match=r"targets .* got \[\]"):
            first_passage_time(mirror(1, 1), [])

    def test_a_target_that_cannot_be_reached(self):
        with pytest.raises(ValueError, match="targets must be reached from every state.*from 0"):
            first_passage_time(mirror(1, 1), [2])

    @pytest.mark.parametrize("start", [0, 9])
    def test_a_start_that_is_a_target_or_no_state(self, start):
        with pytest.raises(ValueError, match=f"start must be .* got {start}"):
            first_passage_distribution(mirror(1, 1), start, [0])

    def test_a_time_beyond_all_numbers(self):
        chain = birth_death_chain([1.0] * 450, [10.0] * 450)
        with pytest.raises(ValueError, match=r"rates must give values below 1.8e308"):
            first_passage_time(chain, [450])

    def test_too_many_states_for_a_rare_event(self, monkeypatch):
        monkeypatch.setattr(absorption, "is_affordable", lambda rates: False)
        chain = birth_death_chain([1.0] * 500, [1.1] * 500)
        with pytest.raises(TooBigError, match="500 states are too many for elimination"):
            first_passage_time(chain, [500])

    def test_a_law_of_too_many_states(self):
        chain = birth_death_chain([1.0] * 1001, [1.0] * 1001)
        with pytest.raises(TooBigError, match="1000 states, got 1001"):
            first_passage_distribution(chain, 1, [0])
