"""The ladder's laws against a simulated cache, its limits, and what it says of a step."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.measurement.latency_ladder.ladder import (
    LAWS,
    PAGE,
    WAYS,
    Ladder,
    LadderStep,
    miss_share,
)
from perfmodel.labs.measurement.latency_ladder.simulated_cache import simulated_misses

STEPS = (
    LadderStep("L1", 32 << 10, 4e-9),
    LadderStep("TLB", 256 << 10, 3e-9, translates=True),
    LadderStep("L2", 1 << 20, 16e-9),
    LadderStep("L3", 16 << 20, 70e-9),
)
SIZES = 2.0 ** np.arange(13, 28, 0.5)


@pytest.mark.parametrize("law", ["picks", "lru", "random"])
@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.2, 1.5, 2.0, 3.0])
def test_a_simulated_cache_misses_as_the_law_says(law, ratio):
    lines = int(100 * ratio)
    seen = simulated_misses(lines, 100, law, turns=30)
    # The first visits warm the cache, so what fits never misses again.
    assert seen == pytest.approx(float(miss_share(lines, 100, law)), abs=0.02)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.5, 2.0])
def test_scattered_pages_miss_as_a_simulated_cache_with_sets_does(ratio):
    room = 32 * WAYS
    pages = int(room * ratio)
    seen = [simulated_misses(pages, room, "scattered", 4, seed) for seed in range(12)]
    assert np.mean(seen) == pytest.approx(
        float(miss_share(pages * PAGE, room * PAGE, "scattered")), abs=0.04
    )


@given(st.sampled_from(sorted(LAWS)), st.floats(10, 30), st.floats(0.01, 4))
@settings(max_examples=40, deadline=None)
def test_misses_grow_with_the_working_set_and_shrink_with_the_cache(law, log_size, more):
    size, cache = 2.0**log_size, 2.0**20
    share = float(miss_share(size, cache, law))
    assert 0 <= share <= 1
    assert miss_share(size * (1 + more), cache, law) >= share - 1e-12
    assert miss_share(size, cache * (1 + more), law) <= share + 1e-12


def test_a_cycle_misses_more_than_independent_picks_and_lru_most():
    shares = [float(miss_share(1.5, 1, law)) for law in ("picks", "random", "lru")]
    assert shares == sorted(shares)
    assert len(set(shares)) == 3


@pytest.mark.parametrize("law", LAWS)
def test_the_sum_of_penalties_is_the_weighted_mean_of_the_levels(law):
    caches = Ladder(1e-9, tuple(s for s in STEPS if not s.translates), law)
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: miss_share(0, 1), "size must be above 0"),
        (lambda: miss_share(1, 1, "fifo"), "law must be one of picks, lru, random, scattered"),
        (lambda: LadderStep("L1", 0), "capacity must be above 0"),
        (lambda: LadderStep("L1", 1, -1e-9), "penalty must be 0 or more"),
        (
            lambda: Ladder(1e-9, (LadderStep("L2", 2), LadderStep("L1", 1))),
            "steps must grow in capacity",
        ),
        (lambda: Ladder(1e-9, STEPS).changed("L4", capacity=1), "name must be one of L1, TLB, L2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_changed_step_leaves_the_others_as_they_are():
    made = Ladder(1e-9, STEPS)
    larger = made.changed("L2", capacity=2 << 20).changed("L3", penalty=1e-9)
    assert [s.capacity for s in larger.steps] == [32 << 10, 256 << 10, 2 << 20, 16 << 20]
    assert [s.penalty for s in larger.steps] == [4e-9, 3e-9, 16e-9, 1e-9]
