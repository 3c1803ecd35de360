"""Which device holds which expert: copies of the popular ones, and packs of equal load.

The two steps are those of DeepSeek's EPLB: the expert with the most load per copy gets the next
copy, and the heaviest copy goes to the lightest device that has a slot free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, non_negative, positive, sample, whole

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ExpertPlacement:
    """Experts in the slots of devices, and the load that follows."""

    expert: Ints
    """Which expert each slot holds, shape (devices, slots of a device)."""
    load: Floats
    """Load of each device, in the unit of the experts' loads, shape (devices,)."""

    @property
    def imbalance(self) -> float:
        """The largest load of a device over the mean one."""
        return float(self.load.max() / self.load.mean())


def place_experts(
    load: ArrayLike, devices: int, slots: int, nodes: int = 1, groups: int = 1
) -> ExpertPlacement:
    """Copy popular experts into spare slots and pack all copies on devices.

    Parameters
    ----------
    load : array_like, shape (experts,)
        Tokens of each expert, or their shares, 0 or more and not all 0. Copies share it equally.
    devices : int
        A multiple of `nodes`.
    slots : int
        Of all devices together: a multiple of `devices`, at least one for each expert.
    nodes : int
        With more than one, groups of experts are packed on nodes first and copied inside them.
    groups : int
        Neighbouring experts that stay on one node: a multiple of `nodes` that divides the experts.

    Raises
    ------
    ValueError
        If a count is out of range or doesn't divide another one.

    Examples
    --------
    >>> placed = place_experts([6, 1, 1, 2], devices=2, slots=6)
    >>> placed.expert.tolist(), placed.load.tolist()
    ([[0, 0, 1], [3, 0, 2]], [5.0, 5.0])
    """
    weights = non_negative("load", sample("load", load))
    positive("the sum of load", weights.sum())
    count = whole("devices", devices, 1)
    machines = whole("nodes", nodes, 1)
    _divides("nodes", machines, "devices", count)
    _divides("nodes", machines, "groups", whole("groups", groups, 1))
    _divides("groups", groups, "experts", weights.size)
    _divides("devices", count, "slots", whole("slots", slots, weights.size))
    by_group = weights.reshape(groups, -1)
    homes = _packed(by_group.sum(axis=1), machines)
    members = np.arange(weights.size).reshape(groups, -1)
    rows, loads = [], []
    for home in homes:
        experts = members[home].ravel()
        copies = _copied(weights[experts], slots // machines)
        each = weights[experts] / np.bincount(copies, minlength=experts.size)
        packs = _packed(each[copies], count // machines)
        rows.append(experts[copies[packs]])
        loads.append(each[copies[packs]].sum(axis=1))
    return ExpertPlacement(np.concatenate(rows), np.concatenate(loads))


def _divides(name: str, value: int, of: str, whole_: int) -> None:
    if whole_ % value:
        raise ValueError(f"{of} must be a multiple of {name} = {value}, got {whole_}")


def _copied(weights: Floats, slots: int) -> Ints:
    """Return the expert of each copy: each once, then the one with most load a copy."""
    number = np.ones(weights.size)
    chosen = [*range(weights.size)]
    while len(chosen) < slots:
        next_ = int(np.argmax(weights / number))
        number[next_] += 1
        chosen.append(next_)
    return np.array(chosen, np.int64)


def _packed(weights: Floats, packs: int) -> Ints:
    """Return what each pack holds, equally many, the heaviest first into the lightest pack."""
    most = weights.size // packs
    held: list[list[int]] = [[] for _ in range(packs)]
    total = np.zeros(packs)
    for item in np.argsort(-weights, kind="stable"):
        open_ = [p for p in range(packs) if len(held[p]) < most]
        lightest = min(open_, key=total.__getitem__)
        held[lightest].append(int(item))
        total[lightest] += weights[item]
    return np.array(held, np.int64)
