"""The made-up router: its law, the score by hand, hits against chance and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.hybrimoe import router
from perfmodel.labs.offloading.hybrimoe.inputs import MODELS
from perfmodel.labs.offloading.hybrimoe.router import (
    POLICIES,
    RouterTrace,
    causes_summary,
    fitted_hits,
    fitted_trace,
    hit_ratio,
    recent_scores,
    router_trace,
)


def test_noise_keeps_what_it_should():
    trace = router_trace(4, 1, 0.7, tokens=20_000)
    logits = np.log(trace.scores)
    logits -= logits.mean(axis=1, keepdims=True)
    assert logits.std() == pytest.approx(np.sqrt(3 / 4), rel=0.03)
    assert np.corrcoef(logits[1:, 0], logits[:-1, 0])[0, 1] == pytest.approx(0.7, abs=0.02)


@given(st.integers(2, 12), st.floats(0, 0.9), st.floats(0, 2))
def test_the_highest_are_chosen(experts, persistence, spread):
    trace = router_trace(experts, 2, persistence, spread, tokens=20)
    assert trace.scores.sum(axis=1) == pytest.approx(1)
    worst = np.take_along_axis(trace.scores, trace.chosen, 1).min(axis=1)
    assert ((trace.scores > worst[:, None]).sum(axis=1) == 1).all()


def test_running_score_by_hand():
    scores = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]])
    trace = RouterTrace(scores, np.array([[0], [3]]))
    assert recent_scores(trace) == pytest.approx(
        np.array([[0.25, 0.15, 0, 0], [0.125, 0.075, 0.15, 0.2]])
    )
    assert recent_scores(trace, 1.0)[1] == pytest.approx([0, 0, 0.3, 0.4])


def test_without_memory_hits_are_the_cached_share():
    trace = router_trace(64, 6, 0.0, tokens=4000)
    assert hit_ratio(trace, 16, "LRU") == pytest.approx(0.22, abs=0.02)
    assert hit_ratio(trace, 64, "LRU") == pytest.approx(1, abs=0.01)


@settings(max_examples=20)
@given(st.integers(1, 8), st.floats(0, 0.95), st.floats(0, 2), st.integers(0, 99))
def test_nothing_beats_the_optimal(size, persistence, spread, seed):
    trace = router_trace(8, 2, persistence, spread, tokens=60, seed=seed)
    ratios = {policy: hit_ratio(trace, size, policy) for policy in POLICIES}
    assert max(ratios.values()) == ratios["optimal"]
    assert hit_ratio(trace, size, "LRU") <= hit_ratio(trace, min(size + 1, 8), "LRU")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("by", ["persistence", "spread"])
def test_fitted_to_the_printed_hits(model, by):
    shape = MODELS[model]
    trace = fitted_trace(model, by)
    assert hit_ratio(trace, shape.experts // 4, "LRU") == pytest.approx(shape.lru_hits, abs=2e-3)
    assert hit_ratio(trace, shape.experts // 4, "MRS") > shape.lru_hits + 0.01


@pytest.mark.parametrize("model", MODELS)
def test_where_liking_lasts_the_score_is_between_lru_and_lfu(model):
    """And where it moves it is the best of the three, as the text says."""
    shape = MODELS[model]
    lasting, moving = (
        {policy: fitted_hits(model, cause, policy).mean() for policy in ("LRU", "MRS", "LFU")}
        for cause in ("spread", "persistence")
    )
    assert lasting["LRU"] < lasting["MRS"] < lasting["LFU"]
    assert max(moving.values()) == moving["MRS"]
    half = (shape.mrs_share - shape.lru_hits) / 2
    assert lasting["MRS"] == pytest.approx(shape.mrs_share, abs=half)


def test_hits_by_share_are_those_of_each_seed():
    traces = [fitted_trace("Mixtral", "spread", seed) for seed in range(router.SEEDS)]
    by_hand = [hit_ratio(trace, 6, "MRS") for trace in traces]
    assert fitted_hits("Mixtral", "spread", "MRS", 0.75) == pytest.approx(by_hand)


def test_summary_of_causes(monkeypatch):
    said = causes_summary()
    assert all(name in said for name in MODELS)
    assert said.startswith("The printed hits of MRS lie ")
    low = {"persistence": np.array([0.1, 0.3]), "spread": np.array([0.2, 0.4])}
    monkeypatch.setattr(router, "fitted_hits", lambda _, by, __: low[by])
    said = causes_summary()
    assert said == (
        "The printed hits of MRS lie at their edge, nearer than another seed changes for Mixtral; "
        "outside both for DeepSeek and Qwen2."
    )


def test_bad_input():
    with pytest.raises(ValueError, match="share must be between 0 and 1, got 1.5"):
        fitted_hits("Mixtral", "spread", "MRS", 1.5)
    with pytest.raises(ValueError, match="policy must be one of MRS, LRU, LFU, optimal"):
        hit_ratio(router_trace(4, 1, 0.0, tokens=5), 2, "FIFO")
    with pytest.raises(ValueError, match="persistence must be between 0 and 1, got 1"):
        router_trace(4, 1, 1.0)
    with pytest.raises(ValueError, match="active must be 4 at most"):
        router_trace(4, 5, 0.0)
