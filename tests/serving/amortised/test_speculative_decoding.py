import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline import LLAMA_2_7B, decode_step_time, saturation_batch
from perfmodel.serving.amortised.speculative_decoding import (
    acceptance_rate,
    best_draft_length,
    extra_operations,
    speculation_speedup,
    tokens_per_round,
    verification_cost,
)

rates = st.floats(0, 1)
lengths = st.integers(0, 20)


@pytest.mark.parametrize(
    ("acceptance", "length", "operations", "speedup"),
    [
        (0.6, 2, 1.53, 1.96),
        (0.7, 3, 1.58, 2.53),
        (0.8, 2, 1.23, 2.44),
        (0.8, 5, 1.63, 3.69),
        (0.9, 2, 1.11, 2.71),
        (0.9, 10, 1.60, 6.86),
    ],
)
def test_published_table(acceptance, length, operations, speedup):
    """Leviathan and others, Table 1: a draft that costs nothing."""
    assert speculation_speedup(acceptance, length) == pytest.approx(speedup, abs=0.005)
    assert extra_operations(acceptance, length) == pytest.approx(operations, abs=0.005)


@given(rates, lengths)
def test_tokens_are_the_sum_of_chances(acceptance, length):
    """One token in any case, and the k-th draft counts if it and all before are accepted."""
    summed = sum(acceptance**k for k in range(length + 1))
    assert tokens_per_round(acceptance, length) == pytest.approx(summed)


@pytest.mark.parametrize(("acceptance", "length"), [(0.3, 1), (0.8, 4), (0.95, 10), (1.0, 3)])
def test_tokens_against_rounds_played(acceptance, length):
    rng = np.random.default_rng(2)
    refused = rng.random((20_000, length)) >= acceptance
    tokens = 1 + np.where(refused.any(axis=1), refused.argmax(axis=1), length)
    error = 4 * tokens.std() / np.sqrt(tokens.size)
    assert tokens_per_round(acceptance, length) == pytest.approx(tokens.mean(), abs=error + 1e-12)


def test_acceptance_against_rejection_sampling():
    """Drafted words are kept with chance min(1, p/q), else redrawn from (p - q)+: p comes out."""
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.25, 0.25, 0.4, 0.1])
    rng, count = np.random.default_rng(3), 100_000
    words = rng.choice(4, size=count, p=q)
    kept = rng.random(count) < np.minimum(1, p / q)[words]
    rest = np.maximum(p - q, 0)
    words[~kept] = rng.choice(4, size=int((~kept).sum()), p=rest / rest.sum())
    assert acceptance_rate(p, q) == pytest.approx(kept.mean(), abs=0.007)
    assert np.bincount(words) / count == pytest.approx(p, abs=0.007)
    assert acceptance_rate(p, q) == pytest.approx(1 - np.abs(p - q).sum() / 2)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.9), st.integers(1, 256))
def test_best_length_against_all(acceptance, cost, batch):
    speedups = [
        tokens_per_round(acceptance, g) / (g * cost + verification_cost(batch, g, 100.0))
        for g in range(65)
    ]
    length, speedup = best_draft_length(acceptance, cost, batch=batch, saturation=100.0)
    assert speedup == pytest.approx(max(speedups))
    assert speedups[length] == pytest.approx(speedup)
    assert speedup >= 1


@given(st.floats(0.01, 0.99))
def test_drafting_pays_if_accepted_more_often_than_it_costs(acceptance):
    """Corollary 3.9: there is a gain if alpha is above c, of (1 + alpha)/(1 + c) at least."""
    length, speedup = best_draft_length(acceptance, 0.9 * acceptance)
    assert length >= 1
    assert speedup >= (1 + acceptance) / (1 + 0.9 * acceptance) - 1e-12
    assert best_draft_length(acceptance, 1.1 * acceptance)[0] == 0


@given(st.integers(1, 300), st.integers(0, 8))
def test_verification_is_a_step_of_the_roofline(batch, length):
    bandwidth, peak = 2e12, 3e14
    saturation = float(saturation_batch(bandwidth, peak, 2))
    one, many = (
        decode_step_time(LLAMA_2_7B, tokens, bandwidth, peak, 2)
        for tokens in (batch, batch * (length + 1))
    )
    assert verification_cost(batch, length, saturation) == pytest.approx(many / one)


def test_large_batches_leave_nothing_to_gain():
    gains = [best_draft_length(0.8, 0.05, batch=b, saturation=150.0)[1] for b in (1, 32, 64, 150)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 3
    assert gains[-1] == 1


def test_refuses():
    with pytest.raises(ValueError, match="target must sum to 1"):
        acceptance_rate([0.5, 0.2], [0.5, 0.5])
