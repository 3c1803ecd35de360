"""Latencies of neural networks on devices of HELP: cells of NAS-Bench-201, chains of FBNet.

Of FBNet's devices the two were chosen before any contest was run: a small computer, one of the
three that HELP is tested on, and a graphics card. The other two of those three are sums of a
table, not timings (`audit` in `perfmodel.labs.prediction.help.few_shot`): a line would be exact.

What a network of FBNet's space computes and moves, block by block: a whitebox of its latency.

From the description of the space alone: Tables 1 and 2 of B. Wu et al., "FBNet: Hardware-aware
efficient ConvNet design via differentiable neural architecture search", CVPR 2019. A block of
expansion e widens its c channels to e c by a 1x1 convolution, filters each of them by k x k, and
narrows them to the next width by another 1x1 convolution.

A meta-learner of latencies: models of nine past devices, and a few runs of a new device.

HELP (Lee et al., NeurIPS 2021) learns from past devices how latencies depend on a network, and fits
itself to a new device with a few timings. Here each past device has a model of its own, which
learned from the pool's networks only; what these nine models predict for a network is what the new
device's learner sees. No tested network was timed on any past device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from perfmodel.labs.prediction.help.few_shot import FBNET_KNOWN, one_hot_networks
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, TESTED, Rounds
from perfmodel.prediction.architectures.device_latency import (
    TRAINED,
    HalfTheFastest,
    latencies,
    pool_rows,
)
from perfmodel.prediction.architectures.search_space import SPACES, counts, used_counts
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import LogFeatures, Priced
from perfmodel.prediction.arena.gaussian import GaussianProcess
from perfmodel.prediction.arena.mixtures import Bounded, WithModel
from perfmodel.prediction.arena.splits import Split
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

STAGES = (
    (16, 1, 1),
    (24, 4, 2),
    (32, 4, 2),
    (64, 4, 2),
    (112, 4, 1),
    (184, 4, 2),
    (352, 1, 1),
)
"""Channels, blocks and stride of the first block of each stage, Table 1."""
CHANNELS, SIDE = 16, 112
"""Of the images that the first block takes."""
KINDS = {
    "k3e1": (3, 1, 1),
    "k3e1g2": (3, 1, 2),
    "k3e3": (3, 3, 1),
    "k3e6": (3, 6, 1),
    "k5e1": (5, 1, 1),
    "k5e1g2": (5, 1, 2),
    "k5e3": (5, 3, 1),
    "k5e6": (5, 6, 1),
}
"""Width of the filter, expansion, and groups of the 1x1 convolutions, Table 2."""


class Layer(NamedTuple):
    """Where a block stands: its channels in and out, the side of its images, its stride."""

    into: int
    out: int
    side: int
    stride: int

    @property
    def after(self) -> int:
        """Side of the images that leave."""
        return self.side // self.stride


def layers() -> list[Layer]:
    """Return the 22 places of the chain, first to last.

    >>> layers()[1]
    Layer(into=16, out=24, side=112, stride=2)
    >>> layers()[-1].after
    7
    """
    chain, channels, side = [], CHANNELS, SIDE
    for width, blocks, first in STAGES:
        for stride in (first, *[1] * (blocks - 1)):
            chain.append(Layer(channels, width, side, stride))
            channels, side = width, side // stride
    return chain


def block_work(place: Layer, kind: str) -> Floats:
    """Return what a block does, shape (4,): the counts of `network_work` without its base.

    Where a skipped block (kind `skip`) would change the images' shape, a 1x1 convolution stands in.
    """
    before, after = place.side**2, place.after**2
    if kind == "skip":
        if (place.into, place.stride) == (place.out, 1):
            return np.zeros(4)
        moved = place.into * after + place.out * after
        return np.array([place.into * place.out * after, 0, moved, 1], dtype=float)
    width, expansion, groups = KINDS[kind]
    inside = place.into * expansion
    dense = inside * (place.into * before + place.out * after) / groups
    moved = (place.into + 2 * inside) * before + (2 * inside + place.out) * after
    return np.array([dense, width**2 * inside * after, moved, 1], dtype=float)


def network_work(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what networks of `fbnet` do: the counts of five prices, each of shape (n,).

    `base`: 1, what all networks share. `dense multiply-adds`: of the 1x1 convolutions. `depthwise
    multiply-adds`: of the filters. `elements moved`: read and written by each convolution.
    `blocks`: that are not skipped.
    """
    space = SPACES["fbnet"]
    hot = features[space.features].to_numpy(dtype=float)
    kinds = [kind for kind in space.operations if kind != "skip"]
    at = layers()
    skipped = np.array([block_work(place, "skip") for place in at])
    extra = np.concatenate(
        [
            [block_work(place, kind) - left for kind in kinds]
            for place, left in zip(at, skipped, strict=True)
        ]
    )
    counted = skipped.sum(axis=0) + hot @ extra
    names = ("dense multiply-adds", "depthwise multiply-adds", "elements moved", "blocks")
    return {"base": np.ones(len(hot)), **dict(zip(names, counted.T, strict=True))}


PAST = {"nb201": tuple(TRAINED), "fbnet": tuple(FBNET_KNOWN)}
"""Devices whose timings of the pool are known, by space."""
FOLDS = 5
"""Parts of the pool: a network's prediction comes from models that did not learn from it."""


def past_columns(space: str) -> list[str]:
    """Return the names of the columns of `predicted_elsewhere`."""
    return [f"{device}, predicted" for device in PAST[space]]


def predicted_elsewhere(space: str) -> pd.DataFrame:
    """Return the seconds that a model of each of `PAST` predicts for a space's networks.

    Networks of the pool are predicted by models of the other four fifths of it, all others by
    models of the whole pool.

    >>> predicted_elsewhere("nb201").shape
    (4006, 9)
    """
    import pandas as pd

    return pd.DataFrame(_predicted(space).copy(), columns=past_columns(space))


@cache
def _predicted(space: str) -> Floats:
    seconds = np.log(latencies(space).seconds[list(PAST[space])].to_numpy())
    hot, pool, model = (
        one_hot_networks(space).to_numpy(dtype=float),
        pool_rows(space),
        _device_model(space),
    )
    predicted = model.fit(hot[pool], seconds[pool]).predict(hot)
    folds = KFold(FOLDS, shuffle=True, random_state=0)
    predicted[pool] = cross_val_predict(model, hot[pool], seconds[pool], cv=folds)
    return np.asarray(np.exp(predicted))


def _device_model(space: str) -> Any:
    if space == "fbnet":
        return Ridge(1.0)
    # A cell is a graph: what an edge costs depends on others.
    return make_pipeline(PolynomialFeatures(2, interaction_only=True), Ridge(1.0))


def meta_learner(space: str, plain: Sequence[str]) -> Contestant:
    """Return the entry that learns a new device from past devices' predictions.

    One of the four settings also sees the columns `plain`, which say what a network is.
    """
    past = past_columns(space)
    settings = {
        "ridge 0.1": LogFeatures(_line(0.1), past),
        "ridge 10": LogFeatures(_line(10.0), past),
        "Gaussian process": LogFeatures(_gaussian(), past),
        "Gaussian process that sees the network": LogFeatures(_gaussian(), past, plain=plain),
    }
    return Contestant("learner of past devices", "ml", Tuned(settings))


def informed_learner(space: str, plain: Sequence[str], whiteboxes: Mapping[str, Any]) -> Contestant:
    """Return the same learner, told also what a whitebox that is fitted to the device says.

    Each of two whiteboxes by name is told to two learners.
    """
    past = past_columns(space)
    settings: dict[str, Any] = {}
    for name, model in whiteboxes.items():
        settings[f"{name}, ridge 0.1"] = WithModel(model, _line(0.1), past)
        settings[f"{name}, Gaussian process"] = WithModel(model, _gaussian(), past, plain)
    return Contestant("learner of past devices, told the model", "graybox", Tuned(settings))


def _line(alpha: float) -> Any:
    return make_pipeline(StandardScaler(), Ridge(alpha))


def _gaussian() -> Any:
    return make_pipeline(StandardScaler(), GaussianProcess("smooth", line=True))


DEVICES = {
    "nb201": ("titan_rtx_256", "gold_6226", "pixel2"),
    "fbnet": ("raspi4", "titan_rtx_64"),
}
"""Devices that are new, by space."""
CALLED = {"nb201": "HELP", "fbnet": "FBNet"}
BUDGETS = (10, 30, 100)
SPLIT = "random within the device"
WRITTEN = {
    "nb201": "Their lab designed both with the tables of all devices known.",
    "fbnet": "The work was counted from the printed description of the space; its author had seen "
    "means and extremes of latencies, not which network has which, and changed nothing "
    "afterwards. The counts of kinds are those of the lab on HELP, which had reported that they do "
    "badly here.",
}


def dataset(space: str, device: str) -> Dataset:
    """Return the networks of a space (`nb201` or `fbnet`), pool and tested, on one device.

    Features: how often each operation occurs, the one-hot code, and the columns of
    `predicted_elsewhere`, which only the learner of past devices sees. Runs were not
    repeated, so there is no noise floor. Group `device`.
    """
    table = latencies(space)
    rows = table.space.pool + table.space.tested
    past, hot = predicted_elsewhere(space)[:rows], one_hot_networks(space)[:rows]
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
        more=[meta_learner(space, plain), informed_learner(space, plain, whiteboxes)],
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
