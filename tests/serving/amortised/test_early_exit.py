import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving.amortised.early_exit import (
    device_layers,
    exit_probabilities,
    ideal_exit_speedup,
    latest_exit,
    mean_exit_layer,
    survival_probabilities,
    two_device_time,
)

histograms = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any)


def test_ideal_speedup_by_hand():
    """SpecEE, section 4: 32/(23 + 1); Table 4: MMLU on 7B."""
    assert ideal_exit_speedup(32, [23, 23.16]) == pytest.approx([1.3333, 1.3245], abs=1e-4)
    assert ideal_exit_speedup(32, 32, 1) < 1 == ideal_exit_speedup(32, 32, 0)


@given(histograms)
def test_shares_agree_with_the_tokens_themselves(counts):
    tokens = np.repeat(np.arange(1, len(counts) + 1), counts)
    shares = exit_probabilities(tokens, len(counts))
    assert shares.sum() == pytest.approx(1)
    assert mean_exit_layer(shares) == pytest.approx(tokens.mean())
    assert mean_exit_layer(counts) == pytest.approx(tokens.mean())
    for layer in range(1, len(counts) + 1):
        assert survival_probabilities(counts)[layer - 1] == pytest.approx((tokens >= layer).mean())
    for on_first in range(len(counts) + 1):
        here, there = device_layers(counts, on_first)
        assert here == pytest.approx(np.minimum(tokens, on_first).mean())
        assert there == pytest.approx(np.maximum(tokens - on_first, 0).mean())


@given(histograms, st.floats(1e-4, 1), st.floats(1e-4, 1))
def test_two_devices_lie_between_one_of_each(counts, first, second):
    layers = len(counts)
    alone = [mean_exit_layer(counts) * seconds for seconds in (first, second)]
    times = [two_device_time(counts, g, first, second) for g in range(layers + 1)]
    assert times[0] == pytest.approx(alone[1])
    assert times[-1] == pytest.approx(alone[0])
    assert (np.diff(times) * np.sign(first - second) >= -1e-12).all()


def test_skipping_the_slow_late_layers_gains_more_than_layers_say():
    """All tokens skip half of four layers, and these are the slow ones: the gain is near 1/0."""
    shares = [0, 1, 0, 0]
    full = two_device_time([0, 0, 0, 1], 2, 1e-3, 1.0)
    assert full / two_device_time(shares, 2, 1e-3, 1.0) == pytest.approx(1001)
    assert full / two_device_time(shares, 2, 1.0, 1e-3) == pytest.approx(1.001)


@pytest.mark.parametrize("batch", [1, 2, 7])
def test_latest_of_a_batch_against_simulation(batch):
    shares = np.array([0.1, 0.3, 0.2, 0.0, 0.4])
    rng = np.random.default_rng(1)
    tokens = rng.choice(np.arange(1, 6), size=(40_000, batch), p=shares).max(axis=1)
    error = tokens.std() / 200
    assert latest_exit(shares, batch) == pytest.approx(tokens.mean(), abs=4 * error)


@given(histograms)
def test_larger_batches_run_more_layers(counts):
    layers = latest_exit(counts, [1, 2, 4, 10_000])
    assert layers[0] == pytest.approx(mean_exit_layer(counts))
    assert (np.diff(layers) >= -1e-12).all()
    assert layers[-1] == pytest.approx(np.flatnonzero(counts)[-1] + 1)


def test_refuses():
    with pytest.raises(ValueError, match="mean_exit must be at most layers 32, got 33"):
        ideal_exit_speedup(32, 33)
    with pytest.raises(ValueError, match="exits must be at most 4"):
        exit_probabilities([1, 5], 4)
    with pytest.raises(ValueError, match="exit_probabilities must have an element above 0"):
        survival_probabilities([0, 0])
    with pytest.raises(ValueError, match="on_first must be at most the 2 layers, got 3"):
        device_layers([1, 1], 3)
