"""Memory, operations and communication of training."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline import training
from perfmodel.roofline.decoder import LLAMA_2_7B
from perfmodel.roofline.transformer import Decoder

MODEL = Decoder.uniform(3, 8, 16, 2, 2, 10, head_dim=4)


@given(n=st.integers(1, 512), p=st.floats(1e6, 1e12))
def test_states_follow_the_formulas_of_zero(n, p):
    held = [training.state_bytes(p, gpus=n, stage=s) for s in range(4)]
    expected = [16 * p, 4 * p + 12 * p / n, 2 * p + 14 * p / n, 16 * p / n]
    assert held == pytest.approx(expected)
    assert held == sorted(held, reverse=True)


@given(n=st.integers(1, 64))
def test_offloading_leaves_the_weights_and_then_nothing(n):
    assert training.state_bytes(1e9, gpus=n, stage=2, offload_optimizer=True) == 2e9
    resting = training.state_bytes(1e9, gpus=n, stage=3, offload_optimizer=True)
    assert resting == pytest.approx(2e9 / n)
    everything = {"offload_optimizer": True, "offload_weights": True}
    assert training.state_bytes(1e9, gpus=n, stage=3, **everything) == 0


@given(p=st.floats(1e8, 1e12), memory=st.floats(1e9, 1e11))
def test_fewest_gpus_fit_and_one_less_does_not(p, memory):
    n = training.fewest_gpus(p, memory)
    assert training.state_bytes(p, gpus=n, stage=3) <= memory * (1 + 1e-9)
    if n > 1:
        assert training.state_bytes(p, gpus=n - 1, stage=3) > memory * (1 - 1e-9)


def test_activations_by_hand():
    """One sequence of 4 tokens, h = 8, 2 heads: 4·8·34 plus 5·2·16 bytes a layer."""
    assert training.layer_activation_bytes(MODEL, 1, 4) == 1088 + 160
    assert training.layer_activation_bytes(MODEL, 1, 4, flash=True) == 1088
    assert training.activation_bytes(MODEL, 1, 4) == 3 * 1248
    assert training.activation_bytes(MODEL, 1, 4, recompute=True) == 3 * 64 + 1248


def test_operations_by_hand():
    assert training.training_operations_per_token(MODEL) == 6 * MODEL.parameters
    assert training.training_operations_per_token(MODEL, recompute=True) == 8 * MODEL.parameters
    attention = training.training_operations_per_token(
        MODEL, 5
    ) - training.training_operations_per_token(MODEL)
    assert attention == 12 * 3 * 8 * 5


@given(n=st.integers(1, 64), share=st.floats(0.01, 1))
def test_speed_times_operations_is_the_share_of_the_peak(n, share):
    rate = training.training_tokens_per_second(
        LLAMA_2_7B, n, 1e14, share, sequence=7, recompute=True
    )
    operations = training.training_operations_per_token(LLAMA_2_7B, 7, recompute=True)
    assert rate * operations == pytest.approx(n * 1e14 * share)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: training.state_bytes(1, stage=4), "stage must be 0, 1, 2 or 3, got 4"),
        (
            lambda: training.state_bytes(1, stage=2, offload_weights=True),
            "offload_weights needs stage 3, got stage 2",
        ),
        (lambda: training.fewest_gpus(1, 0), "memory must be above 0"),
        (lambda: training.fewest_gpus(7e10, 1e-300), "memory must be larger compared with the"),
        (
            lambda: training.training_tokens_per_second(MODEL, 1, 1, 1.5),
            "utilization must be between",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
