"""The walk that turns round is what a simulated cache makes of it."""

from __future__ import annotations

import pytest

from perfmodel.labs.measurement.latency_ladder import tasks
from perfmodel.labs.measurement.latency_ladder.inputs import MADE_UP, MIB
from perfmodel.labs.measurement.latency_ladder.simulated_cache import simulated_misses


@pytest.mark.parametrize("lines", [50, 100, 125, 400])
def test_a_turning_walk_hits_what_the_cache_holds(lines):
    misses = simulated_misses(lines, 100, "lru", back_and_forth=True)
    assert 1 - misses == pytest.approx(tasks.turning_hits.reference(lines, 100))


def test_a_mean_load_is_what_the_ladder_says():
    caches = MADE_UP.changed("TLB", penalty=0)
    size = 24 * MIB
    mean = tasks.mean_load.reference(caches.misses(size)[:3], MADE_UP.level_latencies())
    assert mean == pytest.approx(float(caches.latency(size)))


def test_three_sizes_have_three_best_changes():
    assert set(tasks.best_of_three().values()) == {"cache", "pages", "memory"}
