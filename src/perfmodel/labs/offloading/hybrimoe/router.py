"""A made-up router: which experts tokens choose one after the other, and which a cache then holds.

No decisions of a real router are published with the paper. Here an expert's logit is the sum of how
much it is liked, drawn once, and of noise that the next token partly keeps, an autoregression of
order one. Both make the past tell about the future, in different ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import softmax

from perfmodel.labs.offloading.hybrimoe.inputs import MODELS, QUARTER, RECENT
from perfmodel.offloading import simulate_cache
from perfmodel.validation import Floats, non_negative, one_of, whole, within

TOKENS = 2000
POLICIES = ("MRS", "LRU", "LFU", "optimal")
CAUSES = ("persistence", "spread")
SEEDS = 5


@dataclass(frozen=True, eq=False)
class RouterTrace:
    """A router's scores, shape (tokens, experts), and each token's experts, highest first."""

    scores: Floats
    chosen: np.ndarray


def router_trace(
    experts: int,
    active: int,
    persistence: float,
    deviation: float = 0.0,
    tokens: int = TOKENS,
    seed: int = 0,
) -> RouterTrace:
    """Return the scores and choices for tokens that follow one another.

    A logit's noise has a standard deviation of 1 and the correlation `persistence`, below 1, from
    token to token; `deviation` is the standard deviation of how much experts are liked.

    >>> trace = router_trace(8, 2, 0.5, tokens=100)
    >>> trace.chosen.shape, float(trace.scores.sum().round(6))
    ((100, 2), 100.0)
    """
    keep = float(within("persistence", persistence, 0, 1 - 1e-9))
    many = whole("experts", experts, 1)
    few = whole("active", active, 1, many)
    rng = np.random.default_rng(seed)
    liked = float(non_negative("deviation", deviation)) * rng.standard_normal(many)
    fresh = rng.standard_normal((whole("tokens", tokens, 1), many))
    fresh[1:] *= np.sqrt(1 - keep**2)
    noise = lfilter([1.0], [1.0, -keep], fresh, axis=0)
    scores = softmax(liked + noise, axis=1)
    return RouterTrace(scores, np.argsort(-scores, axis=1, kind="stable")[:, :few])


def recent_scores(trace: RouterTrace, recent: float = RECENT) -> Floats:
    """Return the score that MRS evicts by, after each token; `recent` is the weight of the newest.

    The running mean of the router's scores, those outside a token's highest ones counted as 0; the
    highest are twice as many as a token uses (Zhong et al. 2025).
    """
    weight = float(within("recent", recent, 1e-9, 1))
    count = min(2 * trace.chosen.shape[1], trace.scores.shape[1])
    least = np.sort(trace.scores, axis=1)[:, -count][:, None]
    top = np.where(trace.scores >= least, trace.scores, 0.0)
    return np.asarray(lfilter([weight], [1.0, weight - 1], top, axis=0))


def hit_ratio(trace: RouterTrace, size: int, policy: str) -> float:
    """Return the fraction of chosen experts that a cache of `size` has when they are chosen.

    Every expert that was missing comes in.

    >>> trace = router_trace(8, 2, 0.3)
    >>> hit_ratio(trace, 2, "LRU") < hit_ratio(trace, 2, "MRS") < hit_ratio(trace, 2, "optimal")
    True
    """
    one_of("policy", policy, POLICIES)
    uses = trace.chosen.ravel()
    if policy != "MRS":
        return simulate_cache(uses, size, policy).hit_ratio
    steps = np.repeat(np.arange(len(trace.chosen)), trace.chosen.shape[1])
    return simulate_cache(uses, size, "score", scores=recent_scores(trace), steps=steps).hit_ratio


@cache
def fitted_trace(model: str, by: str = "persistence", seed: int = 0) -> RouterTrace:
    """Return the trace on which LRU has the printed hits with a quarter of the experts cached.

    `by` is what is fitted; the other is 0.
    """
    shape = MODELS[model]
    size = round(QUARTER * shape.experts)

    def trace(value: float) -> RouterTrace:
        keep, spread = (value, 0.0) if by == "persistence" else (0.0, value)
        return router_trace(shape.experts, shape.active, keep, spread, seed=seed)

    high = 0.95 if by == "persistence" else 3.0
    value = brentq(lambda v: hit_ratio(trace(v), size, "LRU") - shape.lru_hits, 0, high, xtol=1e-3)
    return trace(float(value))


def fitted_hits(model: str, by: str, policy: str, cached_fraction: float = QUARTER) -> Floats:
    """Return the hits with a share of the experts cached on fitted traces, one for each seed."""
    size = round(float(within("cached_fraction", cached_fraction, 0, 1)) * MODELS[model].experts)
    return np.array([hit_ratio(fitted_trace(model, by, s), size, policy) for s in range(SEEDS)])


def causes_summary() -> str:
    """Return in words where the printed hits of MRS lie among those of the two causes."""
    groups: dict[str, list[str]] = {"between": [], "edge": [], "outside": []}
    for name, shape in MODELS.items():
        hits = [fitted_hits(name, by, "MRS") for by in CAUSES]
        means = [float(h.mean()) for h in hits]
        if min(means) <= shape.mrs_share <= max(means):
            groups["between"].append(name)
        elif np.min(hits) <= shape.mrs_share <= np.max(hits):
            groups["edge"].append(name)
        else:
            groups["outside"].append(name)
    words = {
        "between": "between the means of the two causes",
        "edge": "at their edge, nearer than another seed changes",
        "outside": "outside both",
    }
    said = [f"{words[group]} for {' and '.join(names)}" for group, names in groups.items() if names]
    return f"The printed hits of MRS lie {'; '.join(said)}."
