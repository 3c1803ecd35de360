"""Max-min fair rates against a linear program, the condition that defines them, and hand values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from perfmodel.communication import Routes, max_min_rates

CASES = 500


def random_network(seed: int) -> tuple[list[list[int]], np.ndarray]:
    """Return routes of 2 to 8 flows over 2 to 6 links, and the links' capacities."""
    rng = np.random.default_rng(seed)
    links, flows = rng.integers(2, 7), rng.integers(2, 9)
    routes = [
        rng.choice(links, rng.integers(1, min(links, 4) + 1), replace=False).tolist()
        for _ in range(flows)
    ]
    return routes, rng.integers(1, 20, links).astype(float)


def by_linear_programs(routes: list[list[int]], capacities: np.ndarray) -> np.ndarray:
    """Return the lexicographic maximum: raise the least rate, fix who can't rise, and repeat.

    A flow whose bound on the common level has a price above 0 has that level in every optimum.
    """
    flows = len(routes)
    uses = np.zeros((len(capacities), flows + 1))
    for flow, route in enumerate(routes):
        uses[route, flow] = 1
    fixed: dict[int, float] = {}
    while len(fixed) < flows:
        free = [flow for flow in range(flows) if flow not in fixed]
        above = np.zeros((len(free), flows + 1))
        above[np.arange(len(free)), free] = -1
        above[:, -1] = 1
        bounds = [(fixed.get(f, 0), fixed.get(f)) for f in range(flows)] + [(0, None)]
        found = linprog(
            [*np.zeros(flows), -1],
            A_ub=np.vstack([uses, above]),
            b_ub=np.concatenate([capacities * (1 + 1e-9), np.zeros(len(free))]),
            bounds=bounds,
            method="highs-ds",
        )
        prices = -found.ineqlin.marginals[len(capacities) :]
        assert found.status == 0
        assert prices.sum() == pytest.approx(1)
        fixed |= {flow: -found.fun for flow, price in zip(free, prices, strict=True) if price > 0}
    return np.array([fixed[flow] for flow in range(flows)])


def test_rates_equal_a_linear_program_on_500_random_networks() -> None:
    for seed in range(CASES):
        routes, capacities = random_network(seed)
        expected = by_linear_programs(routes, capacities)
        assert max_min_rates(routes, capacities) == pytest.approx(expected, rel=1e-6), seed


def is_max_min(routes: list[list[int]], capacities: np.ndarray, rates: np.ndarray) -> bool:
    """Tell whether every flow has a full link on which none is faster, and no link is too full."""
    loads = Routes.of(routes).loads(rates, len(capacities))
    full = np.isclose(loads, capacities)
    fastest = [max((r for r, p in zip(rates, routes, strict=True) if link in p), default=0)
               for link in range(len(capacities))]  # fmt: skip
    held = [
        any(full[link] and rate >= fastest[link] * (1 - 1e-9) for link in route)
        for rate, route in zip(rates, routes, strict=True)
    ]
    return bool((loads <= capacities * (1 + 1e-9)).all() and all(held))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_every_flow_has_a_bottleneck(seed: int) -> None:
    routes, capacities = random_network(seed)
    rates = max_min_rates(routes, capacities)
    assert is_max_min(routes, capacities, rates)
    assert not is_max_min(routes, capacities, rates * 0.99)


@given(st.integers(0, 10**6), st.floats(0.1, 1e9))
def test_rates_grow_with_all_capacities(seed: int, factor: float) -> None:
    routes, capacities = random_network(seed)
    grown = max_min_rates(routes, capacities * factor)
    assert grown == pytest.approx(factor * max_min_rates(routes, capacities))


def test_textbook_chain() -> None:
    """Bertsekas and Gallager's kind: one long flow over links that others use alone."""
    assert max_min_rates([[0, 1, 2], [0], [1], [2]], [1, 1, 1]) == pytest.approx([0.5] * 4)
    uneven = max_min_rates([[0, 1, 2], [0], [1], [1], [2]], [1, 1, 1])
    assert uneven == pytest.approx([1 / 3, 2 / 3, 1 / 3, 1 / 3, 2 / 3])


def test_one_link_is_shared_evenly() -> None:
    assert max_min_rates([[0]] * 7, [21.0]).tolist() == [3.0] * 7


def test_loads_of_routes() -> None:
    routes = Routes.of([[0, 1], [1], [2]])
    assert routes.loads([1.0, 2.0, 4.0], 4).tolist() == [1, 3, 4, 0]
    assert routes.owners.tolist() == [0, 0, 1, 2]
    assert routes.starts.tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize(
    ("routes", "capacities", "message"),
    [
        ([], [1.0], "routes must hold one flow or more"),
        ([[0], []], [1.0], "routes must hold one flow or more, each with one link or more"),
        ([[0, 2]], [1.0, 1.0], "routes must use links from 0 to 1"),
        ([[0, 1, 0]], [1.0, 1.0], "routes must cross no link twice"),
        ([[0.7], [0]], [1.0], r"routes must hold numbers of links, which are whole, got \[0.7 0"),
    ],
)
def test_bad_input(routes, capacities, message) -> None:
    with pytest.raises(ValueError, match=message):
        max_min_rates(routes, capacities)
