"""A layer's experts as jobs for CPU and GPU, and the rules that share them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from perfmodel.labs.offloading.hybrimoe.inputs import DEVICE, FETCH, MODELS, START_UP
from perfmodel.offloading import (
    HostDeviceJobs,
    HostDeviceSchedule,
    best_split,
    split_schedule,
    two_ended_list,
)
from perfmodel.validation import Floats, at_least, non_negative, whole, within

Rule = Callable[[HostDeviceJobs], HostDeviceSchedule]
LOADS = (1, 1, 4, 2, 1, 3)
"""Tokens of six experts of a layer, a made-up one; the first three are cached."""
CACHED = (True, True, True, False, False, False)
SHARES = (0.25, 0.5, 0.75)
"""Of a layer's experts that are cached."""


def expert_jobs(
    loads: ArrayLike, cached: ArrayLike, per_token: float, fetch: float = FETCH
) -> HostDeviceJobs:
    """Return a layer's experts as jobs, with the constants of the released code.

    The CPU takes `per_token` seconds for a token, the link `fetch` seconds for an expert.

    >>> 1e3 * expert_jobs([1, 4], [True, False], 0.2e-3).host
    array([0.2, 0.8])
    """
    tokens = at_least("loads", loads, 1)
    over_link = float(non_negative("fetch", fetch))
    return HostDeviceJobs(
        float(non_negative("per_token", per_token)) * tokens,
        np.asarray(DEVICE),
        np.where(np.asarray(cached, bool), 0.0, over_link),
        START_UP,
    )


def fixed_mapping(jobs: HostDeviceJobs) -> HostDeviceSchedule:
    """Return the schedule where the GPU does the cached of the `jobs` and the CPU the others."""
    return split_schedule(jobs, ~jobs.cached)


def all_fetched(jobs: HostDeviceJobs) -> HostDeviceSchedule:
    """Return the schedule where the GPU does all `jobs`."""
    return split_schedule(jobs, np.zeros(jobs.count, bool))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "fixed": fixed_mapping,
        "all fetched": all_fetched,
        "two ends": two_ended_list,
        "best": best_split,
    }
)


@cache
def layer_times(model: str, rule: str, fetch: float = FETCH) -> Floats:
    """Return the seconds of a layer's experts for one token, by how many of them are cached.

    >>> 1e3 * layer_times("Mixtral", "fixed")
    array([1.19, 0.99, 1.  ])
    """
    if model not in MODELS or rule not in RULES:
        raise ValueError(
            f"model and rule must be of {', '.join(MODELS)} and of {', '.join(RULES)}, "
            f"got {model!r} and {rule!r}"
        )
    shape = MODELS[model]
    times = []
    for count in range(shape.active + 1):
        here = np.arange(shape.active) < count
        jobs = expert_jobs(np.ones(shape.active), here, shape.per_token, fetch)
        times.append(RULES[rule](jobs).makespan)
    return np.array(times)


def mean_layer_time(
    model: str, rule: str, hits: ArrayLike, fetch: float = FETCH, whole_layers: bool = False
) -> Floats:
    """Return the mean seconds of a layer's experts for one token.

    A share `hits` of the experts is found in the cache, each independently of the others; or, with
    `whole_layers`, all experts of that share of the layers.

    >>> round(1e3 * float(mean_layer_time("Qwen2", "fixed", 0.25, whole_layers=True)), 3)
    6.393
    """
    share = within("hits", hits, 0, 1)
    times = layer_times(model, rule, fetch)
    if whole_layers:
        return np.asarray((1 - share) * times[0] + share * times[-1])
    counts = np.arange(times.size)
    return np.asarray(binom.pmf(counts, times.size - 1, share[..., None]) @ times)


def heavy_tail(cached: int = 12, tokens: int = 1000, per_token: float = 1e-5) -> HostDeviceJobs:
    """Return a layer that the two ends do badly: light experts cached, a heavy one that isn't.

    The heavy one is the list's tail, so that the CPU is never offered a light one.

    >>> jobs = heavy_tail()
    >>> 1e3 * np.round([two_ended_list(jobs).makespan, best_split(jobs).makespan], 6)
    array([6.5  , 0.918])
    """
    here = np.arange(whole("cached", cached, 1) + 1) < cached
    return expert_jobs(np.where(here, 1, whole("tokens", tokens, 1)), here, per_token)


def random_layer(
    rng: np.random.Generator, tokens: int, share: float, model: str = "Mixtral"
) -> HostDeviceJobs:
    """Return the jobs of one layer whose tokens choose experts at random, some more liked.

    Each takes as many different experts as the model says, expert i (from 1) with a weight of 1 /
    sqrt(i); a share of the layer's experts is cached, whichever.
    """
    shape = MODELS[model]
    weight = 1 / np.sqrt(np.arange(1, shape.experts + 1))
    keys = rng.exponential(size=(whole("tokens", tokens, 1), shape.experts)) / weight
    chosen = np.argsort(keys, axis=1)[:, : shape.active]
    loads = np.bincount(chosen.ravel(), minlength=shape.experts)
    here = rng.permutation(shape.experts) < round(float(within("share", share, 0, 1)) * weight.size)
    used = loads > 0
    return expert_jobs(loads[used], here[used], shape.per_token)


def over_best(tokens: int, share: float, layers: int = 1000, seed: int = 16) -> dict[str, Floats]:
    """Return the makespans of random layers by each rule, over the optimum of all placements."""
    rng = np.random.default_rng(seed)
    drawn = [random_layer(rng, tokens, share) for _ in range(whole("layers", layers, 1))]
    best = np.array([best_split(jobs).makespan for jobs in drawn])
    rules = {name: rule for name, rule in RULES.items() if name != "best"}
    return {
        name: np.array([rule(jobs).makespan for jobs in drawn]) / best
        for name, rule in rules.items()
    }
