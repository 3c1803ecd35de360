"""FlexGen's policy, found with its cost model and without: a trial is a run of a policy.

Nobody but the first way is given the model's seconds. Its bytes can be taken away, too: then a
policy that doesn't fit costs a trial and brings nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.offloading.flexgen.policy import Batch, Policy
from perfmodel.labs.offloading.flexgen.policy_search import Limits, best_policy, search
from perfmodel.labs.prediction.models_in_schedulers.machines import Site, draw_site
from perfmodel.validation import Floats, whole

POOL = 1500
"""Policies drawn for a site, from which random and learned search take theirs."""
LEAST = 1e-3
"""Tokens/s that count for a search which found no policy that fits."""
_FIRST = 8
"""Trials before a learner begins, and between two fits of it."""
_SPARED = 0.9
"""Share of each capacity that the model may fill."""
_SIZES = np.array([1, 2, 3, 4, 8, 16, 32, 64, 128])


class Pool(NamedTuple):
    """Policies drawn for a site, with what a trial of each shows."""

    policies: list[Policy]
    numbers: Floats
    """What a learner sees of each, shape (policies, 8)."""
    fits: NDArray[np.bool_]
    throughput: Floats
    """Tokens/s, 0 where a policy doesn't fit."""


def planned(site: Site) -> float:
    """Return the tokens/s of the policy that the model chooses; no trial."""
    return site.trial(best_policy(site.job, site.told, _limits(site)).policy)


def planned_and_tried(site: Site) -> tuple[float, int]:
    """Try the model's best policy of each GPU batch; return the best tokens/s, and the trials."""
    found = search(site.job, site.told, _limits(site))
    return max(site.trial(one.policy) for one in found.values()), len(found)


def knowing_all(site: Site) -> float:
    """Return the tokens/s that the true rates and the true overlap would have led to."""
    return site.trial(best_policy(site.job, site.true, site.limits, site.overlap).policy)


def row_by_row(site: Site) -> float:
    """Return the tokens/s of the model's best policy with one GPU batch at a time: no block."""
    from perfmodel.labs.offloading.flexgen.policy_search import solve

    best = 0.0
    promised = 0.0
    for size in _SIZES:
        found = solve(site.job, Batch(int(size), 1), site.told, _limits(site))
        if found is not None and found.throughput > promised:
            best, promised = site.trial(found.policy), found.throughput
    return best


def fastest_first(site: Site, trials: int) -> float:
    """Fill the GPU, then DRAM, then disk, and double the block while a trial shows that it pays.

    Weights come first, then the cache, then activations; each as a whole where it fits, else its
    share in tenths. GPU batches hold 32 sequences, or the block if that is smaller.

    Parameters
    ----------
    site : Site
    trials : int
        1 or more.
    """
    best = 0.0
    for block in 2 ** np.arange(whole("trials", trials, 1)):
        policy = _filled(site, int(block))
        got = 0.0 if policy is None else site.trial(policy)
        if got <= best:
            break
        best = got
    return best


@cache
def pool(seed: int, off: float) -> Pool:
    """Return the policies drawn for a site of `draw_site`, and what trials of them show."""
    site, rng = draw_site(seed, off), np.random.default_rng(70_000 + seed)
    drawn = [_any_policy(rng) for _ in range(POOL)]
    got = np.array([site.trial(policy) for policy in drawn])
    return Pool(drawn, np.array([_numbers(policy) for policy in drawn]), got > 0, got)


def at_random(some: Pool, trials: int, bytes_known: bool, seed: int) -> Floats:
    """Return the tokens/s of policies tried at random, in their order.

    Parameters
    ----------
    some : Pool
    trials : int
        1 or more; fewer are made where the pool has no more.
    bytes_known : bool
        Whether policies that don't fit are left out, by the model's bytes.
    seed : int
        Of the order.
    """
    return some.throughput[_order(some, bytes_known, seed)[: whole("trials", trials, 1)]]


def by_trees(some: Pool, trials: int, bytes_known: bool, seed: int) -> Floats:
    """Return the tokens/s of a search led by trees, which are fitted anew every eight trials.

    The first eight are those of `at_random`. Then the eight with the highest forecast, each the
    mean of the trees and one standard deviation between them.

    Parameters are those of `at_random`.
    """
    from sklearn.ensemble import ExtraTreesRegressor

    order = _order(some, bytes_known, seed)
    tried = list(order[: min(_FIRST, trials)])
    while len(tried) < min(trials, order.size):
        known = np.log(np.maximum(some.throughput[tried], LEAST))
        trees = ExtraTreesRegressor(20, random_state=seed).fit(some.numbers[tried], known)
        left = np.setdiff1d(order, tried)
        every = np.array([tree.predict(some.numbers[left]) for tree in trees.estimators_])
        promising = np.argsort(-(every.mean(axis=0) + every.std(axis=0)), kind="stable")
        tried += list(left[promising[: min(_FIRST, trials - len(tried))]])
    return some.throughput[tried]


Search = Callable[[Pool, int, bool, int], Floats]
WAYS: dict[str, tuple[Search, bool]] = {
    "random, bytes known": (at_random, True),
    "random, nothing known": (at_random, False),
    "trees, bytes known": (by_trees, True),
    "trees, nothing known": (by_trees, False),
}


def found_by(way: str, some: Pool, budgets: tuple[int, ...], seeds: int = 5) -> Floats:
    """Return the best tokens/s that one of `WAYS` finds within each budget of trials.

    Geometric means over seeds, where a search that found nothing counts as `LEAST`.

    Parameters
    ----------
    way : str
        One of `WAYS`.
    some : Pool
    budgets : tuple of int
        Trials, 1 or more each.
    seeds : int
        Searches, 1 or more.
    """
    search_with, bytes_known = WAYS[way]
    found = np.empty((whole("seeds", seeds, 1), len(budgets)))
    for seed in range(seeds):
        got = search_with(some, max(budgets), bytes_known, seed)
        found[seed] = [max(float(got[:budget].max()), LEAST) for budget in budgets]
    return np.asarray(np.exp(np.log(found).mean(axis=0)))


def _limits(site: Site) -> Limits:
    return Limits(_SPARED * site.limits.gpu, _SPARED * site.limits.cpu, _SPARED * site.limits.disk)


def _order(some: Pool, bytes_known: bool, seed: int) -> NDArray[np.int64]:
    order = np.random.default_rng(seed).permutation(len(some.policies))
    return order[some.fits[order]] if bytes_known else order


def _any_policy(rng: np.random.Generator) -> Policy:
    """Draw a policy: any GPU batch, 1 to 32 of them, shares in tenths, activations off the disk."""
    size, count = int(rng.choice(_SIZES)), int(2 ** rng.uniform(0, 5.01))
    tenths = [_tenths(rng, 3), _tenths(rng, 3), [*_tenths(rng, 2), 0.0]]
    return Policy(Batch(size, count), *(_triple(each) for each in tenths))


def _tenths(rng: np.random.Generator, parts: int) -> list[float]:
    shares = rng.multinomial(10, rng.dirichlet(np.full(parts, 0.5)))
    return [float(share) / 10 for share in shares]


def _triple(shares: list[float]) -> tuple[float, float, float]:
    gpu, cpu, disk = shares
    return gpu, cpu, disk


def _numbers(policy: Policy) -> list[float]:
    w, c, h = policy.weights, policy.cache, policy.hidden
    return [np.log2(policy.batch.size), np.log2(policy.batch.count), *w[:2], *c[:2], *h[:2]]


def _filled(site: Site, block: int) -> Policy | None:
    size = min(block, 32)
    batch, chosen = Batch(size, -(-block // size)), [(0.0, 0.0, 1.0)] * 3
    chosen[2] = (0.0, 1.0, 0.0)
    for place in (0, 1, 2):
        options = list(_by_speed()) if place < 2 else [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
        for shares in options:
            tried = [*chosen[:place], shares, *chosen[place + 1 :]]
            if site.fits(Policy(batch, *tried)):
                chosen = tried
                break
        else:
            return None
    return Policy(batch, *chosen)


def _by_speed() -> Iterator[tuple[float, float, float]]:
    """Yield shares in tenths: as much as possible on the GPU, of the rest as much in DRAM."""
    for gpu in range(10, -1, -1):
        for cpu in range(10 - gpu, -1, -1):
            yield gpu / 10, cpu / 10, (10 - gpu - cpu) / 10
