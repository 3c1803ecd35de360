"""Training on AMD GPUs: groups, their links, and products."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import rail_network, simulate_flows
from perfmodel.labs.communication.zaya_amd.all_gather import (
    KINDS,
    flat_time,
    gather_by_flows,
    gather_time,
    rail_time,
)
from perfmodel.labs.communication.zaya_amd.links_chart import SIZES, group_links
from perfmodel.labs.communication.zaya_amd.mixture import (
    GPUS,
    LATENCY,
    LINK,
    RAIL,
    ZAYA,
    MixtureShape,
    active_weights,
    attention_weights,
    expert_weights,
    layer_rest,
    router_weights,
    total_weights,
)
from perfmodel.labs.communication.zaya_amd.products import least_time, sweep_products


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(KINDS), st.integers(2, 8), st.floats(1e3, 1e10))
def test_formula_equals_flows_over_the_links(kind, gpus, size):
    formula = float(gather_time(kind, gpus, size, latency=0))
    assert gather_by_flows(kind, gpus, size) == pytest.approx(formula)


def test_mesh_and_switch_agree_for_a_whole_node_and_rank_groups_differently():
    assert gather_time("mesh", 8, 1e9) == pytest.approx(float(gather_time("switch", 8, 1e9)))
    mesh, switch = ([float(gather_time(kind, n, 1e9, 0)) for n in range(2, 9)] for kind in KINDS)
    assert mesh == sorted(mesh, reverse=True)
    assert switch == sorted(switch)
    assert mesh[0] / mesh[-1] == pytest.approx(4)


def test_seven_times_the_bandwidth_is_four_times_as_soon():
    """A GPU among eight has 7 links and misses 7/8; one of two has a link and misses 1/2."""
    two, eight = (float(gather_time("mesh", n, 1e9, 0)) for n in (2, 8))
    assert two / eight == pytest.approx(7 / (7 / 8 / (1 / 2)))


def test_half_of_the_bandwidth_needs_more_of_large_groups_on_a_mesh_alone():
    halves = {}
    for kind, factor in (("mesh", lambda n: n), ("switch", lambda n: (GPUS - 1) * n / (n - 1))):
        halves[kind] = [LATENCY * LINK * factor(n) for n in (2, 8)]
        for n, half in zip((2, 8), halves[kind], strict=True):
            assert float(gather_time(kind, n, half)) == pytest.approx(2 * LATENCY)
    assert halves["mesh"] == sorted(halves["mesh"])
    assert halves["switch"] != sorted(halves["switch"])


def test_all_reduce_of_a_model_by_hand():
    """8.84e9 weights of two bytes over 50 GB/s: 0.707 s in a long ring, 1/8 of it on rails."""
    size, many = 17.68e9, 8 * 4096
    assert flat_time(many, size) - 2 * (many - 1) * LATENCY == pytest.approx(0.7072, abs=1e-4)
    inside = 2 * (LATENCY + size / (GPUS * LINK))
    rounds = 2 * (many // GPUS - 1) * LATENCY
    assert rail_time(many, size) - inside - rounds == pytest.approx(0.0884, abs=1e-4)


def test_a_round_of_the_flat_ring_is_as_slow_as_one_rail():
    """All steps to the next GPU at once, as flows; those between nodes go by a rail and a hop."""
    rails = rail_network(4, GPUS, LINK, RAIL)
    gpus = np.arange(rails.hosts)
    result = simulate_flows(rails.routes(gpus, (gpus + 1) % rails.hosts), rails.capacities, 1e9)
    assert result.makespan == pytest.approx(1e9 / RAIL)


def test_a_round_on_all_rails_is_no_slower():
    rails = rail_network(4, GPUS, LINK, RAIL)
    gpus = np.arange(rails.hosts)
    result = simulate_flows(rails.routes(gpus, (gpus + GPUS) % rails.hosts), rails.capacities, 1e9)
    assert result.ends == pytest.approx(1e9 / RAIL)


def test_a_node_sends_over_all_its_rails():
    """By the largest flow, 3.2 Tb/s; links inside don't limit it."""
    rails = rail_network(4, GPUS, LINK, RAIL)
    sent = rails.bandwidth_between(range(GPUS), range(GPUS, rails.hosts))
    assert sent == pytest.approx(GPUS * RAIL) == 3.2e12 / 8


def test_weights_by_hand():
    """Counted from the layers: projections, a convolution alone and one by heads, a scale."""
    assert expert_weights(ZAYA) == 12_582_912
    assert attention_weights(ZAYA) == 5_242_880 + 3840 + 328_960 + 2
    assert router_weights(ZAYA) == 524_544 + 131_584 + 512 + 4352
    assert layer_rest(ZAYA) == attention_weights(ZAYA) + router_weights(ZAYA) + 20_480
    assert total_weights(ZAYA) - active_weights(ZAYA) == 40 * 15 * 12_582_912


@given(st.integers(1, 64), st.integers(1, 8))
def test_a_token_uses_all_only_if_it_uses_all_experts(experts, used):
    shape = MixtureShape(3, 64, 4, 2, 8, experts, min(used, experts), 32, 16, 2)
    assert active_weights(shape) <= total_weights(shape)
    assert (active_weights(shape) == total_weights(shape)) == (used >= experts)


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_can_be_read(kind):
    scenes = [group_links(kind, gpus) for gpus in SIZES]
    assert [scene.faults() for scene in scenes] == [[]] * 3
    used = [scene.values["links used"] for scene in scenes]
    assert used == ([1, 6, 28] if kind == "mesh" else [2, 4, 8])
    assert ["links. " in scene.says for scene in scenes] == [kind == "switch", True, True]


class Planted:
    """A clock on which a product of n x n takes 2 us and then 1 s for 1e11 operations."""

    def __init__(self, sides, spread: float = 0.0) -> None:
        self._sides, self._now, self._calls = sides, 0.0, 0
        self._rng, self._spread = np.random.default_rng(0), spread

    def __call__(self) -> float:
        if self._calls % 2:
            side = self._sides[self._calls // 4 % len(self._sides)]
            exact = 2e-6 + 2 * side**3 / 1e11
            self._now += exact * (1 + self._spread * self._rng.random())
        self._calls += 1
        return self._now


SIDES = (8, 16, 32, 64, 96)


def test_a_planted_line_is_found():
    sweep = sweep_products(SIDES, 2, Planted(SIDES))
    half, low, high = sweep.half
    assert sweep.peak == pytest.approx(1e11, rel=1e-6)
    assert half == pytest.approx(2e5, rel=1e-6)
    assert low <= half * (1 + 1e-9)
    assert high >= half * (1 - 1e-9)
    assert sweep.efficiency(np.array([2e5, 3.8e6])) == pytest.approx([0.5, 0.95])
    assert 2 * sweep.side(0.95) ** 3 == pytest.approx(3.8e6)


def test_noise_widens_what_is_said():
    sweep = sweep_products(SIDES, 3, Planted(SIDES, 0.2))
    _, low, high = sweep.half
    assert low < high
    early, late = sweep.forecast(256)
    assert early < 2e-6 + 2 * 256**3 / 1e11 * 1.2 < late * 1.3


def test_the_least_counts_and_the_first_product_does_not():
    """A clock on which four products take 1, 2, 5 and 7 seconds."""
    readings = iter([0.0, 1.0, 1.0, 3.0, 3.0, 8.0, 8.0, 15.0])
    assert least_time(4, 3, lambda: next(readings)) == 2


def test_a_real_product_takes_time():
    assert least_time(16, 2) > 0
