"""Response times of neural networks that share an Edge TPU.

Three mixtures of networks, each at five arrival rates, measured by the authors of Ibis (Liang et
al., ACM TAAS 18(1), 2023). Here the whitebox model has no constant to fit: service times and
reloads were measured one network at a time, and queueing theory does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.data import DATASETS
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, unseen
from perfmodel.labs.queueing.edge_cluster.inputs import MIXTURES, Mixture
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import fcfs_with_switching
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Formula

if TYPE_CHECKING:
    import pandas as pd

SEEN = (
    "service",
    "reload",
    "own_rate",
    "other_rate",
    "busy",
    "other_service",
    "other_reload",
    "squares",
)
"""Columns that learners see. The last three contain all that the formula uses of the others."""


def dataset() -> Dataset:
    """Return the 35 measured mean response times.

    Features: `service` and `reload` (seconds, of the network alone), `own_rate` and `other_rate`
    (requests/s), `busy` (fraction of time that inferences alone would take), `other_service` and
    `other_reload` (seconds, means over requests of the other networks), `squares` (seconds, sum of
    rate times squared service: twice the work that an arrival finds in service) and `modelled`, the
    response time by Pollaczek and Khinchine with reloads. Group `mixture`.

    >>> times = dataset()
    >>> len(times), sorted(set(times.group("mixture")))
    (35, ['A', 'B', 'C'])
    """
    import pandas as pd

    rows = [row for name, mixture in MIXTURES.items() for row in _rows(name, mixture)]
    measured = pd.DataFrame(rows)
    published = DATASETS["edge-queue"]
    units = {"service": "s", "reload": "s", "own_rate": "1/s", "other_rate": "1/s", "busy": "1"}
    seconds = ("other_service", "other_reload", "squares", "modelled")
    return Dataset(
        name="edge queue",
        features=measured[[*SEEN, "modelled"]],
        units={**units, **dict.fromkeys(seconds, "s")},
        target=measured["seconds"].to_numpy(),
        quantity="mean response time of a network",
        unit="s",
        provenance=published.provenance,
        licence=published.licence,
        groups={"mixture": measured["mixture"].tolist()},
    )


def _rows(name: str, mixture: Mixture) -> Iterator[dict[str, float | str]]:
    service, reload = mixture.service_time, mixture.switch_overhead
    modelled = fcfs_with_switching(mixture.arrival_rate, service, reload).response_time
    for rates, answers, seconds in zip(
        mixture.arrival_rate, modelled, mixture.response_time, strict=True
    ):
        for index in range(service.size):
            others = np.delete(rates, index) / (rates.sum() - rates[index])
            yield {
                "service": service[index],
                "reload": reload[index],
                "own_rate": rates[index],
                "other_rate": rates.sum() - rates[index],
                "busy": float(rates @ service),
                "other_service": float(others @ np.delete(service, index)),
                "other_reload": float(others @ np.delete(reload, index)),
                "squares": float(rates @ service**2),
                "modelled": answers[index],
                "seconds": seconds[index],
                "mixture": name,
            }


def queue_with_reloads(features: pd.DataFrame) -> ArrayLike:
    """Return the response times by Pollaczek and Khinchine with reloads, shape (n,).

    `dataset` computes them from all networks of a mixture together, as `modelled`.
    """
    return np.asarray(features["modelled"], dtype=float)


def plain_queue(features: pd.DataFrame) -> ArrayLike:
    """Return the response times of one queue of exponential services without reloads, shape (n,).

    The network's own service, and the wait behind services as long as the mixture's mean:
    R = s + rho s' / (1 - rho), with s' = rho over the rate of all arrivals.
    """
    service, own, other, busy = (
        features[name].to_numpy(dtype=float)
        for name in ("service", "own_rate", "other_rate", "busy")
    )
    return np.asarray(service + busy * (busy / (own + other)) / (1 - busy))


WRITTEN = (
    "The formula with reloads is that of the authors, who measured these times and printed both. "
    "The other is a textbook's. The two have no constant to fit."
)


def shared_accelerator(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return response times: at random, and of a mixture of networks that is new to the TPU.

    Seeds take the three mixtures in turn.
    """
    data = dataset()
    return Challenge(
        data,
        at_random(data, (10, 20), seeds) + unseen(data, "mixture", (15,), seeds),
        logged=SEEN,
        whiteboxes={
            "queue with reloads, nothing fitted": Formula(queue_with_reloads),
            "queue without reloads, nothing fitted": Formula(plain_queue),
        },
        written=WRITTEN,
        unit="mixture",
    )
