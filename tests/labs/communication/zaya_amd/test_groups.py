"""Formulas of groups against flows over the links, hand values, weights, and the drawing."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import rail_network, simulate_flows
from perfmodel.labs.communication.zaya_amd.group_links import SIZES, group_links
from perfmodel.labs.communication.zaya_amd.groups import (
    KINDS,
    flat_time,
    gather_by_flows,
    gather_time,
    rail_time,
)
from perfmodel.labs.communication.zaya_amd.inputs import GPUS, LATENCY, LINK, RAIL, ZAYA
from perfmodel.labs.communication.zaya_amd.mixture import (
    MixtureShape,
    active_weights,
    attention_weights,
    expert_weights,
    layer_rest,
    router_weights,
    total_weights,
)


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
    found = simulate_flows(rails.routes(gpus, (gpus + 1) % rails.hosts), rails.capacities, 1e9)
    assert found.makespan == pytest.approx(1e9 / RAIL)


def test_a_round_on_all_rails_is_no_slower():
    rails = rail_network(4, GPUS, LINK, RAIL)
    gpus = np.arange(rails.hosts)
    found = simulate_flows(rails.routes(gpus, (gpus + GPUS) % rails.hosts), rails.capacities, 1e9)
    assert found.ends == pytest.approx(1e9 / RAIL)


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
    assert ["links;" in scene.says for scene in scenes] == [kind == "switch", True, True]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gather_time("ring", 2, 1.0), "kind must be one of mesh, switch, got 'ring'"),
        (lambda: gather_time("mesh", 9, 1.0), "gpus must be between 2 and 8, got 9"),
        (lambda: gather_time("mesh", 2, -1.0), "size must be 0 or more"),
        (lambda: group_links("mesh", 3), "gpus must be one of"),
        (lambda: group_links("ring", 2), "kind must be one of mesh, switch"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
