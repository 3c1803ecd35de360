"""Models in learners: the controllers' link, tile searches and the reader's own tiles."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import simulate_rate_control
from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED
from perfmodel.labs.prediction.models_in_learners import tile_search, training
from perfmodel.labs.prediction.models_in_learners.tile_search import WAYS, OwnSearch
from perfmodel.labs.prediction.models_in_learners.tiled_product import (
    SHAPES,
    XEON,
    Core,
    Shape,
    TileTimes,
    product,
    recorded,
    sizes,
    tile_cost,
    tiles,
)
from perfmodel.labs.prediction.models_in_learners.training import (
    Link,
    Observations,
    Weights,
    deploy,
)


def test_the_link_is_that_of_the_hand_written_law():
    start = np.array([0.9, 0.3, 0.5])
    hand_written = simulate_rate_control(PUBLISHED, start, 41)
    link = Link(start[None], hand_written.inflation[1:2])
    for step in range(40):
        seen = np.maximum(link.inflation - PUBLISHED.base, 0)[:, None] * link.rates**0.5
        link.step(np.tanh(PUBLISHED.steepness * (PUBLISHED.target - seen)))
        assert link.rates[0] == pytest.approx(hand_written.rates[step + 1], rel=1e-9)
        assert link.inflation[0] == pytest.approx(hand_written.inflation[step + 2], rel=1e-9)


def test_the_signal_is_zero_at_an_even_share():
    flows = 16
    link = Link(np.full((3, flows), 1 / flows), np.array([1.0, 1.0, 1.0]))
    exponents = np.array([0.0, 0.5, 1.0])
    link.inflation = PUBLISHED.base + PUBLISHED.target * flows**exponents
    assert link.signal(exponents) == pytest.approx(0, abs=1e-12)


def test_without_the_rate_all_shares_have_one_signal():
    link = Link(np.array([[0.9, 0.1]]), np.array([2.0]))
    even, uneven = link.signal(np.array([0.0]))[0], link.signal(np.array([0.5]))[0]
    assert even[0] == even[1]
    assert uneven[0] > uneven[1]


def test_the_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(3)
    weights = Weights.drawn([5])
    weights.last *= 10
    inputs, slope = rng.normal(size=(1, 4, 3, 4)), 1e-3 * rng.normal(size=(1, 4, 3))
    gradients = training._backward(weights, inputs, slope)
    for part, gradient in zip(weights.parts, gradients, strict=True):
        position = np.unravel_index(int(np.argmax(np.abs(gradient))), gradient.shape)
        ends = []
        for shift in (1e-5, -2e-5):
            part[position] += shift
            ends.append((slope[0] * weights.actions(inputs[0])).sum())
        part[position] += 1e-5
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(gradient[position], rel=1e-3)


def test_the_slope_of_an_action_is_what_comes_after_and_smoothness():
    actions, signals = np.array([[[0.0], [1.0]]]), np.array([[[2.0], [4.0]]])
    assert training._slope(actions, signals)[0, :, 0] == pytest.approx([(3 - 1) / 2, (4 + 1) / 2])


def test_rows_and_weights_are_the_same_numbers():
    weights = Weights.drawn([1, 2])
    again = Weights.from_rows(weights.rows)
    assert all(np.array_equal(a, b) for a, b in zip(weights.parts, again.parts, strict=True))
    assert weights.rows.shape == (2, 204)


def test_groups_of_one_seed_begin_alike():
    first, second = Weights.drawn([4, 4]).rows
    assert np.array_equal(first, second)


def test_a_short_training_makes_flows_fairer():
    exponents = np.array([0.5])
    trained = training.policy_gradient(exponents, [0], updates=150)
    before = deploy(Weights.drawn([0]), "signal", exponents, 4, steps=1000)
    after = deploy(trained, "signal", exponents, 4, steps=1000)
    assert after.fairness[0] > before.fairness[0]
    assert after.utilization[0] > 0.8


def test_the_aim_of_rates_that_never_move_by_hand():
    """In its last 30 of 60 steps a queue that grows steadily is as long as after 45.5."""
    still = Weights.from_rows(np.zeros((1, 204)))
    link = Link.drawn([3], 4)
    rates, total = link.rates[0], float(link.rates.sum())
    assert total > 1
    queueing = 45.5 * PUBLISHED.drain * (total - 1)
    wanted = np.log(rates / (total / 4)).mean() - training.DELAY_PRICE * queueing
    assert training.objective(still, [3], 4) == pytest.approx([wanted])


def test_trying_out_improves_the_aim():
    trained = training.evolution_strategy([0], 30)
    starts = list(range(40, 60))

    def mean(weights: Weights) -> float:
        rows = np.repeat(weights.rows, len(starts), axis=0)
        return float(training.objective(Weights.from_rows(rows), starts, 4).mean())

    assert mean(trained) > mean(Weights.drawn([0]))


def test_equal_steps():
    generations = training.generations_for(640)
    assert generations * 2 * training.PAIRS * training.TRIAL == 640 * training.ROLLOUT


def test_senses_remember_two_signals():
    senses, link = Observations("signal", np.array([0.5])), Link(np.array([[0.5]]), np.array([2.0]))
    first = senses.inputs(link)
    senses.note(np.array([[0.3]]))
    second = senses.inputs(link)
    assert first[0, 0, :2].tolist() == [0, 0]
    assert second[0, 0, :2].tolist() == first[0, 0, 2:].tolist()
    assert second[0, 0, 2] == 0.3


TINY = Shape(32, 32, 32)


def timed(noise: float) -> TileTimes:
    all_tiles = tiles(TINY)
    seconds = np.linspace(1e-3, 2e-3, len(all_tiles))
    return TileTimes(TINY, all_tiles, seconds, seconds * (1 + noise))


def test_verdicts_on_this_machine():
    quick = {"model's order": 2.0, "by chance": 9.0}
    slow = {"model's order": 9.0, "by chance": 2.0}
    assert "quiet" in tile_search.own_machine_conclusion(OwnSearch(timed(0.2), quick))
    assert "chance on average at 9" in tile_search.own_machine_conclusion(
        OwnSearch(timed(0.01), quick)
    )
    assert "no earlier" in tile_search.own_machine_conclusion(OwnSearch(timed(0.01), slow))


def test_what_is_told_has_three_outcomes():
    by_way = {way: np.array([2.0, 2.0, 2.1]) for way in WAYS}
    by_way["by chance"] = np.array([20.0, 22.0, 21.0])
    by_way["learner"] = np.array([1.0, 1.1, 1.0])
    by_way["trees taught by the other shapes"] = np.array([1.0, 9.0, 2.0])
    said = tile_search.search_conclusion(by_way)
    assert "A random search needs 10 times" in said
    assert "needs only 0.5" in said
    assert "no difference shown" in said


def test_a_small_shape_is_timed_and_searched():
    search = tile_search.search_here(TINY)
    assert min(search.counts.values()) >= 1
    assert (search.times.seconds > 0).all()


SMALL = Shape(64, 64, 64)


def made_up(seed: int = 0) -> TileTimes:
    all_tiles = tiles(SMALL)
    noise = np.random.default_rng(seed).lognormal(0, 0.3, len(all_tiles))
    seconds = tile_cost(SMALL, all_tiles) * noise
    return TileTimes(SMALL, all_tiles, seconds, seconds * 1.01)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 9),
    st.integers(1, 12), st.integers(1, 12), st.integers(1, 12),
)  # fmt: skip
def test_tiles_don_t_change_the_product(m, k, n, ti, tj, tk):
    rng = np.random.default_rng(m)
    a, b = rng.random((m, k)), rng.random((k, n))
    assert product(a, b, ti, tj, tk) == pytest.approx(a @ b)


def test_a_product_refuses_matrices_that_don_t_fit():
    with pytest.raises(ValueError, match="right"):
        product(np.ones((2, 3)), np.ones((2, 3)), 1, 1, 1)


def test_sizes_end_with_the_side():
    assert sizes(64) == [8, 16, 32, 64]
    assert sizes(100) == [8, 16, 32, 64, 100]


def test_cost_of_a_single_level_is_bytes_over_its_bandwidth():
    flat = Core((1e12, 1e13), (1e9, 1e9, 1e9), 1e-30)
    m, k, n = SMALL
    ti, tj, tk = 16, 32, 8
    touched = m * k * n * (8 + 16 + 8 / ti + 16 / tk + 8 / tj)
    assert float(tile_cost(SMALL, (ti, tj, tk), flat)) == pytest.approx(touched / 1e9)


def test_faster_caches_never_cost_more():
    faster = Core(XEON.capacities, (670e9, 370e9, 57e9), XEON.loop_start / 2)
    larger = Core((2 * XEON.capacities[0], 2 * XEON.capacities[1]), XEON.bandwidths, 4e-9)
    for shape in SHAPES:
        all_tiles = tiles(shape)
        now = tile_cost(shape, all_tiles)
        assert tile_cost(shape, all_tiles, faster) == pytest.approx(now / 2, rel=0.02)
        assert (tile_cost(shape, all_tiles, larger) <= now * (1 + 1e-12)).all()


def test_the_record_has_every_tile_of_every_shape():
    for shape, times in zip(SHAPES, recorded(), strict=True):
        assert times.shape == shape
        assert sorted(map(tuple, times.tiles)) == sorted(map(tuple, tiles(shape)))
        assert (times.seconds <= times.second).all()
        assert times.good.any()


def test_chance_is_the_mean_over_random_orders():
    times, rng = made_up(), np.random.default_rng(1)
    counts = [
        tile_search.evaluations(times, rng.permutation(len(times.tiles))) for _ in range(4000)
    ]
    assert np.mean(counts) == pytest.approx(tile_search.by_chance(times), rel=0.05)


def test_a_true_model_needs_one_evaluation():
    all_tiles = tiles(SMALL)
    seconds = tile_cost(SMALL, all_tiles)
    exact = TileTimes(SMALL, all_tiles, seconds, seconds)
    assert tile_search.evaluations(exact, tile_search.by_model(exact)) == 1
    assert len(tile_search.by_learner(exact, 0, with_model=True)) == 1


@pytest.mark.parametrize("with_model", [True, False])
def test_a_learner_tries_no_tile_twice_and_stops_at_a_good_one(with_model):
    times = made_up(3)
    tried = tile_search.by_learner(times, 2, with_model)
    assert len(set(tried.tolist())) == len(tried)
    assert times.good[tried].any()
    assert with_model or not times.good[tried[tile_search.FIRST : -1]].any()


def test_the_process_goes_through_what_it_saw():
    positions = np.arange(6.0)[:, None]
    apart = (positions - positions.T) ** 2
    seen = np.array([0.0, 1.0, 0.5])
    tried = np.array([0, 2, 5])
    mean, deviation = tile_search.posterior(apart, seen, tried)
    assert mean[tried] == pytest.approx(seen, abs=0.01)
    assert (deviation[tried] < deviation[3]).all()


def test_an_order_without_a_good_tile_is_refused():
    times = made_up()
    bad = np.flatnonzero(~times.good)[:3]
    with pytest.raises(ValueError, match="order"):
        tile_search.evaluations(times, bad)
