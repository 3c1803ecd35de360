"""The three orders of work give the same weights, and cost the loads that are counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.zo2.zeroth_order import (
    deferred_steps,
    paired_steps,
    plain_steps,
    restoring_error,
    small_net,
    three_classes,
)


def flat(blocks):
    return np.concatenate([matrix.ravel() for block in blocks for matrix in block])


def loss_at(blocks, task):
    """Return the mean cross-entropy, written anew."""
    passed = task.points @ blocks[0][0]
    for up, down in blocks[1:-1]:
        passed = passed + np.tanh(passed @ up) @ down
    logits = passed @ blocks[-1][0]
    chance = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -np.log(chance[np.arange(len(chance)), task.classes]).mean()


@settings(deadline=None, max_examples=20)
@given(st.integers(3, 6), st.integers(0, 4), st.integers(0, 2**20), st.floats(1e-4, 1e-2))
def test_the_order_of_work_changes_no_bit(blocks, steps, seed, rate):
    net, task = small_net(blocks, 4, 5, seed), three_classes(20, 4)
    seeds = range(seed, seed + steps)
    plain, paired, deferred = (
        train(net, task, seeds, rate=rate) for train in (plain_steps, paired_steps, deferred_steps)
    )
    for other in (paired, deferred):
        assert np.array_equal(flat(other.blocks), flat(plain.blocks))
        assert np.array_equal(other.losses, plain.losses)
        assert np.array_equal(other.slopes, plain.slopes)
    assert plain.loads == 3 * blocks * steps
    assert paired.loads == 2 * blocks * steps
    assert deferred.loads == blocks * (steps + 1) * (steps > 0)


def test_a_step_by_hand():
    net, task, eps, rate = small_net(4), three_classes(), 1e-3, 5e-3
    noise = np.random.default_rng(7)
    z = [[noise.normal(size=m.shape) for m in block] for block in net]
    moved = [
        [
            [m + sign * eps * d for m, d in zip(*pair, strict=True)]
            for pair in zip(net, z, strict=True)
        ]
        for sign in (1, -1)
    ]
    above, below = (loss_at(blocks, task) for blocks in moved)
    slope = (above - below) / (2 * eps)
    after = plain_steps(net, task, [7], eps, rate)
    assert after.slopes[0] == pytest.approx(slope, rel=1e-8)
    assert after.losses[0] == pytest.approx((above + below) / 2)
    assert flat(after.blocks) == pytest.approx(flat(net) - rate * slope * flat(z), abs=1e-9)


def test_the_start_stays_as_it_is():
    net, task = small_net(), three_classes()
    before = flat(net).copy()
    for train in (plain_steps, paired_steps, deferred_steps):
        train(net, task, range(3))
    assert np.array_equal(flat(net), before)


def test_the_loss_falls():
    losses = deferred_steps(small_net(), three_classes(), range(400)).losses
    assert losses[-20:].mean() < 0.3 < 1 < losses[0]


def test_without_the_last_sweep_an_update_is_missing():
    """The weights that the deferred order leaves in memory lag by one step."""
    net, task = small_net(), three_classes()
    all_steps = deferred_steps(net, task, range(4)).blocks
    one_less = deferred_steps(net, task, range(3)).blocks
    assert not np.array_equal(flat(all_steps), flat(one_less))


def test_moving_to_and_fro_leaves_rounding():
    wide, single, half = map(restoring_error, (np.float64, np.float32, np.float16))
    assert 0 < wide < 1e-13 < single < 1e-4 < half < 0.1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: small_net(2), "blocks must be a whole number, 3 or more, got 2"),
        (lambda: three_classes(2), "points must be a whole number, 3 or more"),
        (lambda: plain_steps(small_net(), three_classes(), [1], eps=0), "eps must be above 0"),
        (lambda: deferred_steps(small_net(), three_classes(), [1], eps=0), "eps must be above 0"),
        (lambda: restoring_error(np.float32, eps=0), "eps must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
