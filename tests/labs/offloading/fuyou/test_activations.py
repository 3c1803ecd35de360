from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from perfmodel.labs.offloading.fuyou.activations import (
    PRODUCTS,
    Server,
    best_swap,
    kept_bytes,
    phase_times,
    regime,
    saved_work,
    swappable_bytes,
)
from perfmodel.labs.offloading.fuyou.inputs import GPT_13B, GPT_175B, LINK, Shape
from perfmodel.labs.offloading.fuyou.swap_rules import paper_server
from perfmodel.offloading import step_time

SERVERS = st.builds(
    Server,
    compute=st.floats(20e12, 400e12),
    link=st.floats(4e9, 64e9),
    drive=st.floats(1e9, 14e9),
    drives=st.integers(1, 16).map(float),
    fixed=st.floats(0.1, 20),
    memory=st.floats(0, 1e12),
)
BATCHES = st.integers(1, 200)


def test_products_do_the_work_of_a_layer():
    """A layer has 12 h^2 parameters, and a token 2 FLOP for each forward."""
    assert sum(flop for _, flop in PRODUCTS.values()) == 2 * 12
    batch, most = 16, swappable_bytes(GPT_13B, 16)
    assert saved_work(GPT_13B, batch, most) == pytest.approx(batch * GPT_13B.work / 3)


def test_bytes_by_hand():
    tokens = 32 * 1024
    assert swappable_bytes(GPT_13B, 32) == 2 * 9 * 5120 * 40 * tokens
    assert kept_bytes(GPT_13B, 32) == 2 * 2 * 5120 * 40 * tokens


@given(BATCHES)
def test_savings_rise_ever_less(batch):
    amounts = np.linspace(0, swappable_bytes(GPT_13B, batch), 50)
    gain = np.diff(saved_work(GPT_13B, batch, amounts))
    assert (gain > 0).all()
    assert (np.diff(gain) <= 1e-9 * gain[0]).all()


def test_phases_by_hand():
    """One layer, h = 10, one sequence of 10 tokens: P = 1200, W = 72,000 FLOP, K = 400 bytes."""
    server = Server(compute=100.0, link=10.0, drive=5.0, drives=2.0, fixed=0.0, memory=300.0)
    forward, backward = phase_times(Shape(1, 10, 10), server, 1, 200.0)
    assert forward == pytest.approx([240, 240, 60, 2700 / 10])
    saved = 8 * 10 * 100
    assert backward == pytest.approx([720 - saved / 100, 300, 240, (28 * 1200 + 300) / 10])


@given(SERVERS, BATCHES, st.floats(0, 1), st.floats(0, 1))
def test_times_are_convex_in_what_is_swapped(server, batch, one, two):
    most = swappable_bytes(GPT_13B, batch)
    ends = phase_times(GPT_13B, server, batch, most * np.array([one, two])).seconds
    middle = phase_times(GPT_13B, server, batch, most * (one + two) / 2).seconds
    assert middle <= ends.mean() * (1 + 1e-9)


@given(SERVERS, BATCHES)
def test_best_swap_is_that_of_a_linear_program(server, batch):
    """Minimize both phases' times under a bound by each channel, with the products' parts free."""
    items = list(PRODUCTS.values())
    unit = batch * 1024 * GPT_13B.layers * GPT_13B.hidden
    sizes = [2.0 * wide * unit for wide, _ in items]
    savings = [flop * unit * GPT_13B.hidden for _, flop in items]
    zero = phase_times(GPT_13B, server, batch, 0.0)
    kept, ssds = kept_bytes(GPT_13B, batch), server.drive * server.drives
    dry = phase_times(GPT_13B, replace(server, memory=1e18), batch, 0.0)

    def row(phase, per_byte, spill, base):
        return [*(per_byte * np.array(sizes)), spill, -(phase == 0), -(phase == 1)], -base

    rows = [row(0, 0, 0, zero.forward[0]), row(0, 0, 0, zero.forward[1])]
    rows += [row(0, 1 / server.link, 0, zero.forward[2])]
    rows += [row(0, 0, 1 / ssds, dry.forward[3]), row(1, 1 / server.link, 0, zero.backward[1])]
    rows += [row(1, 0, 0, zero.backward[2]), row(1, 0, 1 / ssds, dry.backward[3])]
    rows += [([*(-np.array(savings) / server.compute), 0, 0, -1], -zero.backward[0])]
    rows += [([*sizes, -1, 0, 0], server.memory - kept)]
    left, right = zip(*rows, strict=True)
    scale = np.array([1, 1, 1, 1, 1e9, 1, 1])
    answer = linprog(
        [0, 0, 0, 0, 0, 1, 1],
        np.array(left) * scale,
        right,
        bounds=[(0, 1)] * 4 + [(0, None)] * 3,
    )
    assert answer.status == 0
    seconds = best_swap(GPT_13B, server, batch)[1]
    assert answer.fun * (1 - 1e-6) <= seconds <= answer.fun * 1.003


@given(SERVERS, BATCHES)
def test_a_choice_beats_both_extremes(server, batch):
    most = swappable_bytes(GPT_13B, batch)
    seconds = best_swap(GPT_13B, server, batch)[1]
    ends = phase_times(GPT_13B, server, batch, [0.0, most]).seconds
    assert (seconds <= ends * (1 + 1e-9)).all()
    faster = replace(server, drives=2 * server.drives)
    assert best_swap(GPT_13B, faster, batch)[1] <= seconds * (1 + 1e-9)


def test_where_ssds_bind_computing_again_is_free():
    amount, seconds = best_swap(GPT_13B, paper_server(1), 32)
    assert amount == 0
    assert seconds == pytest.approx(
        step_time(phase_times(GPT_13B, paper_server(1), 32, 0.0)[1])
        + 32 * GPT_13B.work / 3 / paper_server(1).compute
    )
    assert regime(GPT_13B, paper_server(1), 32) == "SSDs"
    assert regime(GPT_13B, paper_server(12), 128) == "GPU"


def test_a_slow_link_binds():
    slow = replace(paper_server(12), link=2e9)
    assert regime(GPT_13B, slow, 64) == "link in"


def test_a_little_memory_sends_activations_to_ssds():
    times = [
        phase_times(GPT_13B, replace(paper_server(2), memory=memory), 64, 1e11).forward[3]
        for memory in (0.0, 500e9)
    ]
    moved = 1e11 + kept_bytes(GPT_13B, 64)
    assert times[0] - times[1] == pytest.approx(moved / (2 * paper_server(2).drive))


def test_beyond_the_forward_pass_a_byte_costs_more_than_it_saves():
    """The link takes 47 ps for a byte; the GPU saves 31, of the first ninth four times that."""
    server = paper_server(12)
    assert 1 / server.link == pytest.approx(47e-12, rel=0.02)
    assert GPT_13B.hidden / server.compute == pytest.approx(31e-12, rel=0.02)
    amount = best_swap(GPT_13B, server, 128)[0]
    hidden = LINK * 128 * GPT_13B.work / 3 / server.compute - kept_bytes(GPT_13B, 128)
    assert amount == pytest.approx(hidden, rel=0.002)


def test_between_the_two_gpu_and_ssds_are_equal():
    server = paper_server(3)
    amount = best_swap(GPT_13B, server, 64)[0]
    backward = phase_times(GPT_13B, server, 64, amount).backward
    assert regime(GPT_13B, server, 64) == "GPU = SSDs"
    assert backward[0] == pytest.approx(backward[3], rel=0.005)


def test_all_times_grow_with_the_model():
    small = phase_times(GPT_13B, paper_server(12), 8, 0.0)
    large = phase_times(GPT_175B, paper_server(12), 8, 0.0)
    growth = GPT_175B.parameters / GPT_13B.parameters
    assert large.backward[[0, 2, 3]] == pytest.approx(growth * small.backward[[0, 2, 3]])


def test_refuses():
    with pytest.raises(ValueError, match="swapped must be between 0 and"):
        saved_work(GPT_13B, 8, 1e15)
    with pytest.raises(ValueError, match="batch must be above 0"):
        best_swap(Shape(2, 64), paper_server(), 0)
