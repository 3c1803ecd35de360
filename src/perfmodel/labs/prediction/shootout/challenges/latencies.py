"""Latencies of neural networks on devices of HELP: cells of NAS-Bench-201, chains of FBNet.

Of FBNet's devices the two were chosen before any contest was run: a small computer, one of the
three that HELP is tested on, and a graphics card. The other two of those three are sums of a
table, not timings (`perfmodel.labs.prediction.help.audit`), which a line would find exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from perfmodel.labs.prediction.help.few_shot import coded
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, TESTED, Rounds
from perfmodel.labs.prediction.shootout.mobile_blocks import network_work
from perfmodel.labs.prediction.shootout.past_devices import (
    meta_learner,
    predicted_elsewhere,
    told_learner,
)
from perfmodel.prediction.architectures.device_latency import HalfTheFastest, latencies, pool_rows
from perfmodel.prediction.architectures.search_space import SPACES, counts, used_counts
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.mixtures import Bounded
from perfmodel.prediction.arena.splits import Split

DEVICES = {
    "nb201": ("titan_rtx_256", "gold_6226", "pixel2"),
    "fbnet": ("raspi4", "titan_rtx_64"),
}
"""Devices that are new, by space."""
CALLED = {"nb201": "HELP", "fbnet": "FBNet"}
BUDGETS = (10, 30, 100)
SPLIT = "random within the device"
WRITTEN = {
    "nb201": "Both were settled by their lab with the tables of all devices in view.",
    "fbnet": "The work was counted from the printed description of the space; its author had seen "
    "means and extremes of latencies, not which network has which, and changed nothing "
    "afterwards. The counts of kinds are those of the lab on HELP, which had reported that they do "
    "badly here.",
}


def dataset(space: str, device: str) -> Dataset:
    """Return the networks of a space (`nb201` or `fbnet`), pool and tested, on one device.

    Features: how often each operation occurs, the one-hot code, and the columns of
    `past_devices.predicted_elsewhere`, which only the learner of past devices sees. Runs were not
    repeated, so there is no noise floor. Group `device`.
    """
    table = latencies(space)
    rows = table.space.pool + table.space.tested
    past, hot = predicted_elsewhere(space)[:rows], coded(space)[:rows]
    numbers = {name: count for name, count in counts(hot).items() if name != "base"}
    features = hot.assign(**numbers).join(past)
    units = {name: "s" if name in past else "1" for name in features.columns}
    return Dataset(
        name=f"{CALLED[space]} {device}",
        features=features,
        units=units,
        target=table.on(device)[:rows],
        quantity="latency of a network",
        unit="s",
        provenance="latencies of network architectures, https://github.com/HayeonLee/HELP; "
        f"device {device}, the first {rows:,} networks of {space}",
        licence="MIT",
        groups={"device": [device] * rows},
    )


def device_rounds(data: Dataset, space: str, seeds: Sequence[int]) -> Rounds:
    """Return rounds that learn from a few networks timed on the device, and ask for others.

    Training rows come from the pool of HELP's protocol, tested ones from the thousand after it,
    all of which may be drawn: the protocol leaves out the slowest and the fastest tenth.
    """
    rounds = []
    for budget in BUDGETS:
        for seed in seeds:
            random = np.random.default_rng(seed)
            tested = random.permutation(np.arange(pool_rows(space).size, len(data)))[:TESTED]
            train = random.permutation(pool_rows(space))[:budget]
            rounds.append((budget, seed, Split(SPLIT, train, {"inside": tested})))
    return rounds


def _device(space: str, device: str, seeds: Sequence[int] = SEEDS) -> Challenge:
    data = dataset(space, device)
    plain = [column for column, unit in data.units.items() if unit == "1"]
    whiteboxes = _whiteboxes(space)
    return Challenge(
        data,
        device_rounds(data, space, seeds),
        logged=(),
        plain=plain,
        whiteboxes=whiteboxes,
        written=WRITTEN[space],
        more=[meta_learner(space, plain), told_learner(space, plain, whiteboxes)],
    )


def _whiteboxes(space: str) -> dict[str, Any]:
    if space == "fbnet":
        chosen: dict[str, Any] = {"work of the blocks": network_work, "blocks by kind": kind_counts}
    else:
        chosen = {"operation counts": kind_counts, "operations that are used": used_counts}
    return {name: Bounded(Priced(counted), HalfTheFastest()) for name, counted in chosen.items()}


def kind_counts(features: Any) -> dict[str, Any]:
    """Count how often each operation occurs, from the one-hot columns alone."""
    hot = [column for space in SPACES.values() for column in space.features if column in features]
    return counts(features[hot])


CHALLENGES: dict[str, Callable[..., Challenge]] = {
    f"{CALLED[space].lower()}-{device}": partial(_device, space, device)
    for space, devices in DEVICES.items()
    for device in devices
}
"""By name; each takes seeds, one a drawing."""
