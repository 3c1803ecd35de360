"""Search for FlexGen's policy with its cost model and without it.

A trial is a run of a policy. Only the first search knows the model's seconds. The bytes can be
taken away, too: a policy that doesn't fit then costs a trial and yields nothing.

The jobs run on machines that differ from the cost model's inputs.

The model's constants were fitted to one machine, and for published runs it is off by 3 % to a
factor of four. Here a job's machine is drawn first. Each of its true rates is the announced rate
times a random factor, and the resources overlap in one of the three ways of `flexgen.cost`. The
search sees the announced rates; a trial of a policy shows the true ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.offloading.flexgen.cost import Rates, Version, peak_needs, throughput
from perfmodel.labs.offloading.flexgen.inputs import GIB, RATES, with_disk
from perfmodel.labs.offloading.flexgen.policy import Batch, Job, OptShape, Policy
from perfmodel.labs.offloading.flexgen.policy_search import Limits, best_policy, search
from perfmodel.validation import Floats, non_negative, whole

OPT = {
    "13B": OptShape(40, 5120, 40),
    "30B": OptShape(48, 7168, 56),
    "66B": OptShape(64, 9216, 72),
    "175B": OptShape(96, 12288, 96),
}
"""Shapes of OPT, Zhang et al. (2022), Table 1."""
OFF = 0.3
"""Standard deviation of the logarithm of a true rate divided by the announced one."""
_ROUNDING = 1 + 1e-9
_VERSIONS: tuple[Version, ...] = ("released", "paper", "serial")


@dataclass(frozen=True)
class Site:
    """A job, the machine it runs on, the announced rates, and the true rates."""

    name: str
    job: Job
    limits: Limits
    announced: Rates
    actual: Rates
    overlap: Version
    """How resources truly overlap; the model is the released version."""

    def fits(self, policy: Policy) -> bool:
        """Tell whether a policy's bytes are below the machine's."""
        needed = peak_needs(self.job, policy)
        return (
            needed["GPU"] <= self.limits.gpu * _ROUNDING
            and needed["CPU"] <= self.limits.cpu * _ROUNDING
            and needed["disk"] <= self.limits.disk * _ROUNDING
        )

    def trial(self, policy: Policy) -> float:
        """Return the tokens/s that running a policy shows, 0 where it runs out of memory."""
        if not self.fits(policy):
            return 0.0
        return throughput(self.job, policy, self.actual, self.overlap)


def draw_site(seed: int, log_deviation: float = OFF) -> Site:
    """Draw a job and a machine from this lab's ranges, with true rates off by `log_deviation`.

    One of four sizes of OPT; prompts of 128 to 1,024 tokens, 32 to 128 generated; a GPU of 12 to 48
    GiB, 64 to 512 GiB of DRAM, a disk of 1.5 TiB that reads 0.5 to 3 GB/s. One of the three ways to
    overlap is true in turn. Job and machine are the same for any `log_deviation`.

    >>> draw_site(0).announced == draw_site(0, 1.0).announced
    True
    """
    rng = np.random.default_rng(whole("seed", seed))
    name = str(rng.choice(list(OPT)))
    prompt, generated = int(2 ** rng.uniform(7, 10)), int(2 ** rng.uniform(5, 7))
    gpu, cpu = 2 ** rng.uniform(np.log2(12), np.log2(48)), 2 ** rng.uniform(6, 9)
    announced = with_disk(10 ** rng.uniform(np.log10(0.5e9), np.log10(3e9)), RATES)
    width = float(non_negative("log_deviation", log_deviation))
    true = replace(
        announced,
        **{
            field.name: getattr(announced, field.name)
            * float(np.exp(width * rng.standard_normal()))
            for field in fields(announced)
            if field.name != "corrections"
        },
    )
    label = f"{name}, {prompt} + {generated} tokens, {gpu:.0f} GiB GPU, {cpu:.0f} GiB DRAM"
    return Site(
        label,
        Job(OPT[name], prompt, generated),
        Limits(gpu * GIB, cpu * GIB, 1500 * GIB),
        announced,
        true,
        _VERSIONS[seed % len(_VERSIONS)],
    )


POOL = 1500
"""Policies drawn for a site; random and learned searches choose from them."""
LEAST = 1e-3
"""Tokens/s of a search that found no policy that fits."""
_FIRST = 8
"""Trials before a learner begins, and between two fits of it."""
_SPARED = 0.9
"""Fraction of each capacity that the model may fill."""
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
    return site.trial(best_policy(site.job, site.announced, _limits(site)).policy)


def planned_and_tried(site: Site) -> tuple[float, int]:
    """Try the model's best policy of each GPU batch; return the best tokens/s, and the trials."""
    plans = search(site.job, site.announced, _limits(site))
    return max(site.trial(plan.policy) for plan in plans.values()), len(plans)


def oracle(site: Site) -> float:
    """Return the tokens/s that the true rates and the true overlap would have led to."""
    return site.trial(best_policy(site.job, site.actual, site.limits, site.overlap).policy)


def row_by_row(site: Site) -> float:
    """Return the tokens/s of the model's best policy with one GPU batch at a time: no block."""
    from perfmodel.labs.offloading.flexgen.policy_search import solve

    best = 0.0
    promised = 0.0
    for size in _SIZES:
        plan = solve(site.job, Batch(int(size), 1), site.announced, _limits(site))
        if plan is not None and plan.throughput > promised:
            best, promised = site.trial(plan.policy), plan.throughput
    return best


def fastest_first(site: Site, trials: int) -> float:
    """Fill the GPU, then DRAM, then disk, and double the block while a trial shows that it pays.

    Weights come first, then the cache, then activations; each as a whole where it fits, else its
    fraction in tenths. GPU batches hold 32 sequences, or the block if that is smaller.
    """
    best = 0.0
    for block in 2 ** np.arange(whole("trials", trials, 1)):
        policy = _filled(site, int(block))
        reached = 0.0 if policy is None else site.trial(policy)
        if reached <= best:
            break
        best = reached
    return best


@cache
def pool(seed: int, off: float) -> Pool:
    """Return the policies drawn for a site of `draw_site`, and what trials of them show."""
    site, rng = draw_site(seed, off), np.random.default_rng(70_000 + seed)
    drawn = [_any_policy(rng) for _ in range(POOL)]
    throughputs = np.array([site.trial(policy) for policy in drawn])
    return Pool(
        drawn, np.array([_numbers(policy) for policy in drawn]), throughputs > 0, throughputs
    )


def at_random(choices: Pool, trials: int, bytes_known: bool, seed: int) -> Floats:
    """Return the tokens/s of policies tried at random, in their order.

    Fewer trials are made where the pool has no more. With `bytes_known`, policies that don't fit
    are left out, by the model's bytes.
    """
    return choices.throughput[_order(choices, bytes_known, seed)[: whole("trials", trials, 1)]]


def by_trees(choices: Pool, trials: int, bytes_known: bool, seed: int) -> Floats:
    """Return the tokens/s of a search led by trees, which are fitted again every eight trials.

    The first eight are those of `at_random`. Then the eight with the highest forecast, each the
    mean of the trees and one standard deviation between them.
    """
    from sklearn.ensemble import ExtraTreesRegressor

    order = _order(choices, bytes_known, seed)
    tried = list(order[: min(_FIRST, trials)])
    while len(tried) < min(trials, order.size):
        known = np.log(np.maximum(choices.throughput[tried], LEAST))
        trees = ExtraTreesRegressor(20, random_state=seed).fit(choices.numbers[tried], known)
        remaining = np.setdiff1d(order, tried)
        predictions = np.array(
            [tree.predict(choices.numbers[remaining]) for tree in trees.estimators_]
        )
        promising = np.argsort(-(predictions.mean(axis=0) + predictions.std(axis=0)), kind="stable")
        tried += list(remaining[promising[: min(_FIRST, trials - len(tried))]])
    return choices.throughput[tried]


Search = Callable[[Pool, int, bool, int], Floats]
WAYS: dict[str, tuple[Search, bool]] = {
    "random, bytes known": (at_random, True),
    "random, nothing known": (at_random, False),
    "trees, bytes known": (by_trees, True),
    "trees, nothing known": (by_trees, False),
}


def best_within_budgets(
    way: str, choices: Pool, budgets: tuple[int, ...], seeds: int = 5
) -> Floats:
    """Return the best tokens/s that one of `WAYS` finds within each budget of trials.

    Geometric means over seeds, where a search that found nothing counts as `LEAST`.
    """
    search_with, bytes_known = WAYS[way]
    best = np.empty((whole("seeds", seeds, 1), len(budgets)))
    for seed in range(seeds):
        throughputs = search_with(choices, max(budgets), bytes_known, seed)
        best[seed] = [max(float(throughputs[:budget].max()), LEAST) for budget in budgets]
    return np.asarray(np.exp(np.log(best).mean(axis=0)))


def _limits(site: Site) -> Limits:
    return Limits(_SPARED * site.limits.gpu, _SPARED * site.limits.cpu, _SPARED * site.limits.disk)


def _order(choices: Pool, bytes_known: bool, seed: int) -> NDArray[np.int64]:
    order = np.random.default_rng(seed).permutation(len(choices.policies))
    return order[choices.fits[order]] if bytes_known else order


def _any_policy(rng: np.random.Generator) -> Policy:
    """Draw a policy: any GPU batch, 1 to 32 of them, shares in tenths, activations off the disk."""
    size, count = int(rng.choice(_SIZES)), int(2 ** rng.uniform(0, 5.01))
    tenths = [_tenths(rng, 3), _tenths(rng, 3), [*_tenths(rng, 2), 0.0]]
    return Policy(Batch(size, count), *(_triple(fractions) for fractions in tenths))


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
    for index in (0, 1, 2):
        options = list(_by_speed()) if index < 2 else [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
        for shares in options:
            tried = [*chosen[:index], shares, *chosen[index + 1 :]]
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
