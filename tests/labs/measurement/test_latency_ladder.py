"""A fit finds what made a ladder, and predicts what it has not seen; its rivals do so less well."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.measurement.latency_ladder import fitting, tasks
from perfmodel.labs.measurement.latency_ladder.ladder import (
    MADE_UP,
    MIB,
    MISS_MODELS,
    MOST,
    PAGE,
    ROOM,
    TURNS,
    WAYS,
    Ladder,
    LadderStep,
    loads_in_flight,
    miss_ratio,
    simulated_miss_ratio,
)
from perfmodel.live.drawing import Box

STEPS = (
    LadderStep("L1", 32 << 10, 4e-9),
    LadderStep("TLB", 256 << 10, 3e-9, translates=True),
    LadderStep("L2", 1 << 20, 16e-9),
    LadderStep("L3", 16 << 20, 70e-9),
)
SIZES = 2.0 ** np.arange(13, 28, 0.5)


@pytest.mark.parametrize("model", MISS_MODELS)
def test_a_fit_finds_the_latencies_that_made_the_ladder(model):
    made = Ladder(1e-9, STEPS, model)
    blank = Ladder(
        1.0, tuple(LadderStep(s.name, s.capacity, 0, s.translates) for s in STEPS), model
    )
    found = fitting.fit(SIZES, made.latency(SIZES), blank)
    assert found.base == pytest.approx(1e-9)
    np.testing.assert_allclose([s.penalty for s in found.steps], [s.penalty for s in STEPS])


def test_a_fit_to_noise_predicts_sizes_that_it_has_not_seen():
    made = Ladder(1e-9, STEPS)
    noise = np.exp(0.05 * np.random.default_rng(3).standard_normal(SIZES.size))
    found = fitting.fit(SIZES[::2], (made.latency(SIZES) * noise)[::2], made)
    assert fitting.typical_error(found.latency(SIZES[1::2]), made.latency(SIZES[1::2])) < 0.05


def test_of_several_candidates_the_one_that_made_the_ladder_fits_best():
    smaller = (*STEPS[:3], LadderStep("L3", 4 << 20, 70e-9))
    measured = Ladder(1e-9, smaller, "picks").latency(SIZES)
    every = fitting.candidates(STEPS, last=(1.0, 0.5, 0.25, 0.01))
    assert len(every) == 3 * len(MISS_MODELS), "an L3 smaller than L2 is no candidate"
    best = fitting.best_fit(SIZES, measured, every)
    assert (best.model, best.steps[3].capacity) == ("picks", 4 << 20)


def test_beyond_its_range_a_polynomial_runs_away_and_a_tree_stands_still():
    measured = Ladder(1e-9, STEPS).latency(SIZES)
    seen = SIZES <= 1 << 24
    found = fitting.rivals(SIZES[seen], measured[seen])
    errors = [fitting.typical_error(f(SIZES[~seen]), measured[~seen]) for f in found.values()]
    inside = [fitting.typical_error(f(SIZES[seen]), measured[seen]) for f in found.values()]
    assert min(errors) > 1
    assert max(inside) < 0.5
    flat = found["regression tree"](SIZES[~seen])
    assert np.ptp(flat) == 0


def test_a_fit_needs_more_sizes_than_steps():
    with pytest.raises(ValueError, match="sample of 5 or more"):
        fitting.fit([1, 2, 3], [1, 2, 3], Ladder(1, STEPS))
    with pytest.raises(ValueError, match="one value a size"):
        fitting.fit(SIZES, SIZES[1:], Ladder(1, STEPS))
    with pytest.raises(ValueError, match="candidates must have at least one"):
        fitting.best_fit(SIZES, SIZES, [])


# The drawing of loads on their way: readable in every state, and true to equation (3).

SCENES = {count: loads_in_flight(count) for count in range(1, MOST + 1)}


@pytest.mark.parametrize("count", SCENES)
def test_every_state_can_be_read_on_a_sheet_of_one_size(count):
    assert SCENES[count].faults() == []
    assert SCENES[count].height == SCENES[1].height


@pytest.mark.parametrize("count", SCENES)
def test_as_many_loads_are_drawn_as_there_is_room_for(count):
    boxes = [shape for shape in SCENES[count].shapes if isinstance(shape, Box)]
    assert len(boxes) == TURNS * min(count, ROOM) == SCENES[count].values["lines in 600 ns"]
    starts = [(box.x, box.y) for box in boxes]
    assert len(set(starts)) == len(starts)


def test_bandwidth_is_lines_over_time():
    for scene in SCENES.values():
        lines = scene.values["lines in 600 ns"]
        assert scene.values["bandwidth (GB/s)"] == pytest.approx(64 * lines / 600)


# The ladder's laws against a simulated cache, its limits, and what it says of a step.


@pytest.mark.parametrize("model", ["picks", "lru", "random"])
@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.2, 1.5, 2.0, 3.0])
def test_a_simulated_cache_misses_as_the_law_says(model, ratio):
    lines = int(100 * ratio)
    seen = simulated_miss_ratio(lines, 100, model, turns=30)
    # The first visits warm the cache, so what fits never misses again.
    assert seen == pytest.approx(float(miss_ratio(lines, 100, model)), abs=0.02)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.5, 2.0])
def test_scattered_pages_miss_as_a_simulated_cache_with_sets_does(ratio):
    cache_lines = 32 * WAYS
    pages = int(cache_lines * ratio)
    seen = [simulated_miss_ratio(pages, cache_lines, "scattered", 4, seed) for seed in range(12)]
    assert np.mean(seen) == pytest.approx(
        float(miss_ratio(pages * PAGE, cache_lines * PAGE, "scattered")), abs=0.04
    )


@given(st.sampled_from(sorted(MISS_MODELS)), st.floats(10, 30), st.floats(0.01, 4))
@settings(max_examples=40, deadline=None)
def test_misses_grow_with_the_working_set_and_shrink_with_the_cache(model, log_size, more):
    size, cache = 2.0**log_size, 2.0**20
    share = float(miss_ratio(size, cache, model))
    assert 0 <= share <= 1
    assert miss_ratio(size * (1 + more), cache, model) >= share - 1e-12
    assert miss_ratio(size, cache * (1 + more), model) <= share + 1e-12


def test_a_cycle_misses_more_than_independent_picks_and_lru_most():
    shares = [float(miss_ratio(1.5, 1, model)) for model in ("picks", "random", "lru")]
    assert shares == sorted(shares)
    assert len(set(shares)) == 3


@pytest.mark.parametrize("model", MISS_MODELS)
def test_the_sum_of_penalties_is_the_weighted_mean_of_the_levels(model):
    caches = Ladder(1e-9, tuple(s for s in STEPS if not s.translates), model)
    shares = caches.shares(SIZES)
    np.testing.assert_allclose(shares.sum(axis=-1), 1)
    assert (shares >= -1e-12).all()
    np.testing.assert_allclose(caches.latency(SIZES), shares @ caches.level_latencies())
    np.testing.assert_allclose(caches.level_latencies(), [1e-9, 5e-9, 21e-9, 91e-9])


def test_a_ladder_begins_at_the_first_level_and_ends_at_memory_with_translation():
    whole = Ladder(1e-9, STEPS)
    assert whole.latency(8 << 10) == pytest.approx(1e-9)
    assert whole.latency(1 << 34) == pytest.approx(94e-9, rel=1e-6)
    assert Ladder(1e-9, ()).latency([64, 1 << 40]).tolist() == [1e-9, 1e-9]


def test_steps_must_grow():
    with pytest.raises(ValueError, match="steps must grow in capacity"):
        Ladder(1e-9, (LadderStep("L2", 2), LadderStep("L1", 1)))


def test_a_changed_step_leaves_the_others_as_they_are():
    made = Ladder(1e-9, STEPS)
    larger = made.changed("L2", capacity=2 << 20).changed("L3", penalty=1e-9)
    assert [s.capacity for s in larger.steps] == [32 << 10, 256 << 10, 2 << 20, 16 << 20]
    assert [s.penalty for s in larger.steps] == [4e-9, 3e-9, 16e-9, 1e-9]


# The walk that turns round is what a simulated cache makes of it.


@pytest.mark.parametrize("lines", [50, 100, 125, 400])
def test_a_turning_walk_hits_what_the_cache_holds(lines):
    misses = simulated_miss_ratio(lines, 100, "lru", back_and_forth=True)
    assert 1 - misses == pytest.approx(tasks.turning_hits.reference(lines, 100))


def test_a_mean_load_is_what_the_ladder_says():
    caches = MADE_UP.changed("TLB", penalty=0)
    size = 24 * MIB
    mean = tasks.mean_load.reference(caches.misses(size)[:3], MADE_UP.level_latencies())
    assert mean == pytest.approx(float(caches.latency(size)))


def test_three_sizes_have_three_best_changes():
    assert set(tasks.best_of_three().values()) == {"cache", "pages", "memory"}
