"""A layer's experts as jobs for CPU and GPU, the rules that share them out, and a learned rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from perfmodel.labs.offloading.hybrimoe.inputs import (
    DECODE,
    DEVICE,
    FETCH,
    MODELS,
    QUARTER,
    START_UP,
)
from perfmodel.offloading import (
    HostDeviceJobs,
    HostDeviceSchedule,
    best_split,
    split_schedule,
    two_ended_list,
)
from perfmodel.validation import Floats, at_least, non_negative, one_of, whole, within

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
    one_of("rule", rule, RULES)
    shape = MODELS[one_of("model", model, MODELS)]
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
    rng: np.random.Generator, tokens: int, cached_fraction: float, model: str = "Mixtral"
) -> HostDeviceJobs:
    """Return the jobs of one layer whose tokens choose experts at random, some more liked.

    Each takes as many different experts as the model says, expert i (from 1) with a weight of 1 /
    sqrt(i); a `cached_fraction` of the layer's experts is cached, whichever.
    """
    shape = MODELS[model]
    weight = 1 / np.sqrt(np.arange(1, shape.experts + 1))
    keys = rng.exponential(size=(whole("tokens", tokens, 1), shape.experts)) / weight
    chosen = np.argsort(keys, axis=1)[:, : shape.active]
    loads = np.bincount(chosen.ravel(), minlength=shape.experts)
    here = rng.permutation(shape.experts) < round(
        float(within("cached_fraction", cached_fraction, 0, 1)) * weight.size
    )
    used = loads > 0
    return expert_jobs(loads[used], here[used], shape.per_token)


def ratios_to_optimum(
    tokens: int, cached_fraction: float, layers: int = 1000, seed: int = 16
) -> dict[str, Floats]:
    """Return the makespans of random layers by each rule, over the optimum of all placements."""
    rng = np.random.default_rng(seed)
    drawn = [random_layer(rng, tokens, cached_fraction) for _ in range(whole("layers", layers, 1))]
    best = np.array([best_split(jobs).makespan for jobs in drawn])
    rules = {name: rule for name, rule in RULES.items() if name != "best"}
    return {
        name: np.array([rule(jobs).makespan for jobs in drawn]) / best
        for name, rule in rules.items()
    }


class CacheReading(NamedTuple):
    """What the GPU held of Qwen2's experts before the paper's cache was added."""

    hits: float
    """Share of a token's experts that it had."""
    whole_layers: bool = False
    """Whether it had all experts of this many layers, and none of the others."""


class DecodeSpeedups(NamedTuple):
    """How many times as fast a token is decoded when a part is added to the fixed mapping."""

    before: float
    """Seconds of a layer's experts by the fixed mapping, the mean of all layers."""
    schedule: float
    """The list from two ends, hits as before."""
    cache: float
    """The printed hits of MRS, the mapping as before."""
    both: float


READINGS: Mapping[str, CacheReading] = MappingProxyType(
    {
        "a quarter of each layer's, fixed": CacheReading(QUARTER),
        "by LRU, at its printed hits": CacheReading(MODELS["Qwen2"].lru_hits),
        "a quarter of the layers, whole": CacheReading(QUARTER, whole_layers=True),
    }
)
"""Fixed, by LRU, or as in a file of rules that the released code has for Qwen2 and a quarter: the
experts of 7 of 28 layers on the GPU, all others on the CPU."""


def decode_speedups(before: CacheReading, model: str = "Qwen2") -> DecodeSpeedups:
    """Return the speedups if the layers' experts take less time and all else stays as it was.

    >>> [round(s, 2) for s in decode_speedups(CacheReading(0.25))[1:]]
    [1.52, 1.27, 1.53]
    """
    shape = MODELS[model]
    hits, whole_layers = before

    def speedup(after: float) -> float:
        return DECODE / (DECODE - shape.layers * (old - after))

    old = float(mean_layer_time(model, "fixed", hits, whole_layers=whole_layers))
    scheduled = mean_layer_time(model, "two ends", hits, whole_layers=whole_layers)
    cached, both = (mean_layer_time(model, rule, shape.mrs_share) for rule in ("fixed", "two ends"))
    return DecodeSpeedups(old, *(speedup(float(t)) for t in (scheduled, cached, both)))


MOST_TOKENS = 32


@dataclass(frozen=True, eq=False)
class LearnedRule:
    """Makespans over the optimum of layers that the forest and the line never saw."""

    learned: Floats
    """Experts placed as the forest says."""
    two_ends: Floats
    """By the list's two ends."""
    regression: Floats
    """Relative errors of a linear regression that predicts the optimum from sums over a layer."""
    mean: Floats
    """The same of the mean of the layers learned from, whatever the layer."""

    def says(self) -> str:
        """Return in words what was learned."""
        line, mean = (100 * float(np.abs(e).mean()) for e in (self.regression, self.mean))
        gaps = [100 * (float(r.mean()) - 1) for r in (self.learned, self.two_ends)]
        comparison = (
            "so it has learned what makes a layer long"
            if line < mean / 1.5
            else "so it has learned nothing that a mean doesn't know"
        )
        better = "worse than" if gaps[0] > gaps[1] else "no worse than"
        return (
            "A guess that is always the mean of the layers learned from is "
            f"{mean:.0f} % off the optimum on average. The **regression** is {line:.1f} % off, "
            f"{comparison}. Placed by the **forest**, layers take {gaps[0]:.1f} % longer than the "
            f"best on average, {better} the list's {gaps[1]:.1f} %."
        )


def features(jobs: HostDeviceJobs) -> Floats:
    """Return what a rule may look at, shape (jobs, 7): an expert itself, and sums over the layer.

    Seconds on the CPU, cached or not, its rank by seconds among the cached and among the others,
    experts, cached ones, and seconds of all on the CPU.
    """
    rank = np.argsort(np.argsort(-jobs.host, kind="stable"))
    whole_layer = [jobs.count, jobs.cached.sum(), jobs.host.sum()]
    return np.column_stack(
        [
            jobs.host,
            jobs.cached,
            np.where(jobs.cached, rank, -1),
            np.where(jobs.cached, -1, rank),
            np.tile(whole_layer, (jobs.count, 1)),
        ]
    )


def race(layers: int = 400, seed: int = 16) -> LearnedRule:
    """Return how a learned rule does on layers that it hasn't seen, beside the list's.

    Layers are of Mixtral's shape, with 1 to 32 tokens and a share of `SHARES` cached, at random; as
    many are tested on as are learned from.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LinearRegression

    count = whole("layers", layers, 2)
    rng = np.random.default_rng(seed)
    drawn = [
        random_layer(rng, int(rng.integers(1, MOST_TOKENS + 1)), float(rng.choice(SHARES)))
        for _ in range(2 * count)
    ]
    best = [best_split(jobs) for jobs in drawn]
    training, test = drawn[:count], drawn[count:]
    forest = RandomForestClassifier(50, random_state=0)
    forest.fit(
        np.concatenate([features(jobs) for jobs in training]),
        np.concatenate([schedule.on_host for schedule in best[:count]]),
    )
    sums = np.array([features(jobs)[0, 4:] for jobs in drawn])
    least = np.array([schedule.makespan for schedule in best])
    line = LinearRegression().fit(sums[:count], least[:count])
    predicted = forest.predict(np.concatenate([features(jobs) for jobs in test])).astype(bool)
    says = np.split(predicted, np.cumsum([jobs.count for jobs in test])[:-1])
    optimum = least[count:]
    return LearnedRule(
        np.array(
            [split_schedule(jobs, where).makespan for jobs, where in zip(test, says, strict=True)]
        )
        / optimum,
        np.array([two_ended_list(jobs).makespan for jobs in test]) / optimum,
        np.asarray(line.predict(sums[count:]) / optimum - 1),
        np.asarray(least[:count].mean() / optimum - 1),
    )
