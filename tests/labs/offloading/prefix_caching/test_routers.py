"""Routers: an independent simulation with ordered dictionaries, and the sheet of results."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from perfmodel.labs.offloading.prefix_caching.prefill import LINEAR, SQUARE
from perfmodel.labs.offloading.prefix_caching.routers import RATE, RULES, route
from perfmodel.labs.offloading.prefix_caching.traces import Requests, mooncake

WHOLE = mooncake("conversation")
PART = Requests(
    WHOLE.arrival[:900] / 3,
    WHOLE.prompt[:900],
    WHOLE.output[:900],
    WHOLE.blocks[: WHOLE.start[900]],
    WHOLE.start[:901],
)


def played(requests, rule, weight, nodes, capacity, shared):
    """Return node and time to the first token of each request."""
    caches = [OrderedDict() for _ in range(1 if shared else nodes)]
    room = capacity * nodes if shared else capacity
    free = [0.0] * nodes
    results = []
    for r, (now, n) in enumerate(zip(requests.arrival, requests.prompt, strict=True)):
        path = requests.blocks[requests.start[r] : requests.start[r + 1]].tolist()

        def reused(node, path=path, n=n):
            cache, count = caches[0 if shared else node], 0
            while count < len(path) and path[count] in cache:
                count += 1
            return min(512 * count, int(n))

        def seconds(node, n=n, reused=reused):
            p = reused(node)
            return (LINEAR * (n - p) + SQUARE * (float(n) ** 2 - float(p) ** 2)) / RATE

        waits = [max(f - now, 0.0) for f in free]
        if rule == "in turn":
            node = r % nodes
        elif rule == "sticky":
            node = path[min(1, len(path) - 1)] % nodes
        elif rule == "weighted":
            node = min(range(nodes), key=lambda j: waits[j] + weight * seconds(j))
        else:
            node = min(range(nodes), key=lambda j: (-reused(j), waits[j]))
        took = waits[node] + seconds(node)
        free[node] = now + took
        results.append((node, took))
        cache = caches[0 if shared else node]
        for block in reversed(path):
            cache[block] = True
            cache.move_to_end(block)
        while len(cache) > room:
            cache.popitem(last=False)
    return results


@pytest.mark.parametrize(
    ("rule", "weight", "shared"),
    [*((rule, 1.0, False) for rule in RULES), ("weighted", 0.0, True), ("weighted", 10.0, False)],
)
def test_against_ordered_dictionaries(rule: str, weight: float, shared: bool) -> None:
    run = route(PART, rule, weight, nodes=4, capacity=800, shared=shared)
    expected = played(PART, rule, weight, 4, 800, shared)
    same = np.array([node for node, _ in expected]) == run.node
    assert same.mean() > 0.99
    assert run.first_token.mean() == pytest.approx(np.mean([t for _, t in expected]), rel=0.01)


def test_one_node_is_a_queue_of_lindley() -> None:
    run = route(PART, "weighted", 0.0, nodes=1)
    work, last = 0.0, PART.arrival[0]
    for now, service, wait in zip(PART.arrival, run.service, run.wait, strict=True):
        work = max(work - (now - last), 0.0)
        assert wait == pytest.approx(work, abs=1e-6)
        work, last = work + service, now


def test_sticky_hits_as_a_shared_cache_and_waits_four_times_as_long() -> None:
    sticky, shared = route(WHOLE, "sticky"), route(WHOLE, "weighted", 0.0, shared=True)
    assert sticky.hit_ratio == pytest.approx(shared.hit_ratio, abs=0.005)
    assert 3.5 < sticky.first_token.mean() / shared.first_token.mean() < 5.5


def test_longest_prefix_sends_all_to_one_node() -> None:
    run = route(WHOLE, "longest prefix")
    assert run.busiest > 0.999
    assert run.first_token.mean() > 5000
    other = route(mooncake("synthetic"), "longest prefix")
    assert other.busiest < 0.3


def test_the_best_weight_grows_with_the_load() -> None:
    means = {
        (weight, speed): route(WHOLE, "weighted", weight, speed=speed).first_token.mean()
        for weight in (1.0, 10.0)
        for speed in (1.0, 2.0)
    }
    assert means[1.0, 1.0] < means[10.0, 1.0]
    assert means[10.0, 2.0] < means[1.0, 2.0] / 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rule": "random"}, "rule must be one of in turn"),
        ({"weight": -1.0}, "weight must be 0 or more"),
        ({"nodes": 0}, "nodes must be a whole number, 1 or more"),
        ({"capacity": 0}, "capacity must be a whole number, 1 or more"),
        ({"speed": 0.0}, "speed must be above 0"),
    ],
)
def test_bad_input(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        route(PART, **({"rule": "weighted"} | arguments))
