"""Jobs on machines that aren't quite as a cost model has them: what FlexGen's search is tried on.

The model's constants were fitted to one machine, and printed runs show it off by 3 % to a factor of
four. Here a job's machine is drawn, then its true rates: those that the model is told, each times a
random factor, and put together in one of the three ways of `flexgen.cost`. The search sees the
former; a trial of a policy shows the latter.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from perfmodel.labs.offloading.flexgen.cost import Rates, Version, peak_needs, throughput
from perfmodel.labs.offloading.flexgen.inputs import GIB, RATES, with_disk
from perfmodel.labs.offloading.flexgen.policy import Job, OptShape, Policy
from perfmodel.labs.offloading.flexgen.policy_search import Limits
from perfmodel.validation import non_negative, whole

OPT = {
    "13B": OptShape(40, 5120, 40),
    "30B": OptShape(48, 7168, 56),
    "66B": OptShape(64, 9216, 72),
    "175B": OptShape(96, 12288, 96),
}
"""Shapes of OPT, Zhang et al. (2022), Table 1."""
OFF = 0.3
"""Standard deviation of the logarithm of a true rate over the one the model is told."""
_ROUNDING = 1 + 1e-9
_VERSIONS: tuple[Version, ...] = ("released", "paper", "serial")


@dataclass(frozen=True)
class Site:
    """A job, the machine it runs on, what the model is told of it, and what is true."""

    name: str
    job: Job
    limits: Limits
    told: Rates
    true: Rates
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
        return throughput(self.job, policy, self.true, self.overlap)


def draw_site(seed: int, off: float = OFF) -> Site:
    """Draw a job and a machine, by ranges of ours.

    Parameters
    ----------
    seed : int
        0 or more. The same job and machine for any `off`.
    off : float
        How far true rates are from those told, 0 or more.

    Returns
    -------
    Site
        One of four sizes of OPT; prompts of 128 to 1,024 tokens, 32 to 128 generated; a GPU of 12
        to 48 GiB, 64 to 512 GiB of DRAM, a disk of 1.5 TiB that reads 0.5 to 3 GB/s. One of the
        three ways to overlap is true in turn.

    Examples
    --------
    >>> draw_site(0).told == draw_site(0, 1.0).told
    True
    """
    rng = np.random.default_rng(whole("seed", seed))
    name = str(rng.choice(list(OPT)))
    prompt, generated = int(2 ** rng.uniform(7, 10)), int(2 ** rng.uniform(5, 7))
    gpu, cpu = 2 ** rng.uniform(np.log2(12), np.log2(48)), 2 ** rng.uniform(6, 9)
    told = with_disk(10 ** rng.uniform(np.log10(0.5e9), np.log10(3e9)), RATES)
    width = float(non_negative("off", off))
    true = replace(
        told,
        **{
            field.name: getattr(told, field.name) * float(np.exp(width * rng.standard_normal()))
            for field in fields(told)
            if field.name != "corrections"
        },
    )
    label = f"{name}, {prompt} + {generated} tokens, {gpu:.0f} GiB GPU, {cpu:.0f} GiB DRAM"
    return Site(
        label,
        Job(OPT[name], prompt, generated),
        Limits(gpu * GIB, cpu * GIB, 1500 * GIB),
        told,
        true,
        _VERSIONS[seed % len(_VERSIONS)],
    )
