import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import ExpertLayer, saturating_tokens, streamed_intensity

MIXTRAL = ExpertLayer(4096, 14336, 4, experts=8, active=2)


def matrices(layer):
    """Shapes of the matrices of a layer, and how many of them a token goes through."""
    narrow = layer.hidden // layer.group
    attention = [(layer.hidden, layer.hidden)] * 2 + [(layer.hidden, narrow)] * 2
    expert = [(layer.hidden, layer.expert_width)] * 2 + [(layer.expert_width, layer.hidden)]
    return attention + layer.experts * expert, attention + layer.active * expert


def layers():
    return st.builds(
        lambda group, width, expert, active, more: ExpertLayer(
            group * width, expert, group, active + more, active
        ),
        *(st.integers(1, 8) for _ in range(4)),
        st.integers(0, 30),
    )


@given(layers(), st.integers(1, 10**6))
def test_intensity_counts_the_matrices(layer, tokens):
    held, used = matrices(layer)
    flop = tokens * sum(2 * rows * columns for rows, columns in used)
    moved = sum(2 * rows * columns for rows, columns in held)
    assert streamed_intensity(layer, tokens) == pytest.approx(flop / moved)


@given(layers())
def test_a_token_is_worth_more_than_the_share_of_experts(layer):
    """Attention is used by every token, so that the estimate is too low, unless all are active."""
    exact, estimate = float(streamed_intensity(layer)), layer.active / layer.experts
    assert estimate * (1 - 1e-12) <= exact <= 1 + 1e-12
    if layer.active == layer.experts:
        assert exact == pytest.approx(1)


def test_hand_values():
    assert float(streamed_intensity(MIXTRAL)) == pytest.approx(0.27168, abs=5e-6)
    assert float(saturating_tokens(150e12, 32e9, 0.25)) == 18_750
    exact = saturating_tokens(150e12, 32e9, streamed_intensity(MIXTRAL))
    assert float(exact) == pytest.approx(17_254, abs=0.5)


@given(st.floats(1e9, 1e15), st.floats(1e6, 1e12))
def test_link_and_device_take_as_long_where_the_device_is_saturated(compute, link):
    tokens = saturating_tokens(compute, link, streamed_intensity(MIXTRAL))
    device = 2 * MIXTRAL.active_weights * tokens / compute
    assert device == pytest.approx(2 * MIXTRAL.weights / link)


def test_fewer_bytes_need_fewer_tokens():
    eight_bits, sixteen = (streamed_intensity(MIXTRAL, 10, width) for width in (1, 2))
    assert eight_bits == pytest.approx(2 * sixteen)
    assert (np.diff(saturating_tokens(1e14, [1e9, 2e9, 4e9], 0.25)) < 0).all()


def test_refuses():
    with pytest.raises(ValueError, match="active must be at most experts 8, got 9"):
        ExpertLayer(4096, 14336, 4, 8, 9)
    with pytest.raises(ValueError, match="group must divide hidden 10, got 4"):
        ExpertLayer(10, 8, 4, 8, 2)
