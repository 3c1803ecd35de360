"""A small learned controller of a flow's rate, and the fluid link on which many copies of it meet.

The network is that of github.com/NVlabs/RLCC: four inputs, twice twelve rectified units without
biases, and a hyperbolic tangent. Many controllers, one a group, are run at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from perfmodel.communication import jain_index
from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED
from perfmodel.validation import Floats, whole

WIDTH, INPUTS = 12, 4
SCALE = 12.5
"""By which the authors multiply the signal."""
LEAST = 1e-4
"""Rate below which no flow goes, as a share of the line's."""
Sees = Literal["signal", "rate and delay"]


@dataclass(eq=False)
class Weights:
    """The weights of controllers, one a group."""

    first: Floats
    """Shape (groups, 4, 12)."""
    second: Floats
    """Shape (groups, 12, 12)."""
    last: Floats
    """Shape (groups, 12, 1)."""

    @classmethod
    def drawn(cls, seeds: list[int]) -> Weights:
        """Return weights drawn anew, a group for each seed."""
        shapes = ((INPUTS, WIDTH), (WIDTH, WIDTH), (WIDTH, 1))
        rngs = [np.random.default_rng(seed) for seed in seeds]
        parts = [
            np.stack([rng.normal(0, np.sqrt(2 / shape[0]), shape) for rng in rngs])
            for shape in shapes
        ]
        parts[2] *= 0.1
        return cls(*parts)

    @classmethod
    def from_rows(cls, rows: Floats) -> Weights:
        """Return the weights whose numbers stand in rows, shape (groups, 204)."""
        first, second = INPUTS * WIDTH, INPUTS * WIDTH + WIDTH**2
        return cls(
            rows[:, :first].reshape(-1, INPUTS, WIDTH),
            rows[:, first:second].reshape(-1, WIDTH, WIDTH),
            rows[:, second:].reshape(-1, WIDTH, 1),
        )

    @property
    def parts(self) -> list[Floats]:
        """The three arrays."""
        return [self.first, self.second, self.last]

    @property
    def rows(self) -> Floats:
        """All numbers of each group, shape (groups, 204)."""
        return np.concatenate([part.reshape(len(part), -1) for part in self.parts], axis=1)

    def actions(self, inputs: Floats) -> Floats:
        """Return actions in [-1, 1], shape (groups, flows), for (groups, flows, 4) inputs."""
        low = np.maximum(inputs @ self.first, 0)
        return np.tanh((np.maximum(low @ self.second, 0) @ self.last)[..., 0])


@dataclass(eq=False)
class Link:
    """Links that flows of several groups share, each group its own."""

    rates: Floats
    """Share of the line rate, shape (groups, flows)."""
    inflation: Floats
    """Round-trip time over that of an empty link, shape (groups,)."""

    @classmethod
    def drawn(cls, seeds: list[int], flows: int) -> Link:
        """Return empty links with rates drawn evenly up to the line's, a group for each seed."""
        rates = [np.random.default_rng(seed).uniform(0.01, 1, flows) for seed in seeds]
        return cls(np.stack(rates), np.ones(len(seeds)))

    def fill(self) -> None:
        """Scale the rates of each group so that together they fill the line."""
        self.rates = self.rates / self.rates.sum(axis=1, keepdims=True)

    def step(self, actions: Floats) -> None:
        """Change the rates by actions, and the queue by the rates."""
        gain = PUBLISHED.gain * np.abs(actions)
        factor = np.where(actions < 0, 1 / (1 + gain), 1 + gain)
        self.rates = np.clip(self.rates * factor, LEAST, 1.0)
        above = self.rates.sum(axis=1) - 1
        self.inflation = np.maximum(1.0, self.inflation + PUBLISHED.drain * above)

    def signal(self, exponents: Floats) -> Floats:
        """Return (inflation less base) rate^p less target, scaled, shape (groups, flows).

        `exponents` holds p for each group: 1/2 is the authors', 0 takes the rate out.
        """
        over = np.maximum(self.inflation - PUBLISHED.base, 0)[:, None]
        return np.asarray(SCALE * (over * self.rates ** exponents[:, None] - PUBLISHED.target))


class Senses:
    """What controllers are told at each step: of the signal, or of rate and delay themselves."""

    def __init__(self, sees: Sees, exponents: Floats) -> None:
        """Tell of the signal with these exponents, one a group, or of rate and delay."""
        self.sees, self._exponents = sees, exponents
        self._action: Floats | None = None
        self._before: Floats | None = None

    def inputs(self, link: Link) -> Floats:
        """Return the inputs at this step, shape (groups, flows, 4)."""
        zero = np.zeros_like(link.rates)
        action = zero if self._action is None else self._action
        if self.sees == "rate and delay":
            delay = np.broadcast_to(np.minimum(link.inflation - 1, 5)[:, None], zero.shape)
            return np.stack([delay, np.log(link.rates) / 4, action, zero + 1], axis=-1)
        signal = np.clip(link.signal(self._exponents), -5, 5)
        before = np.stack([zero, zero], axis=-1) if self._before is None else self._before
        self._before = np.stack([action, signal], axis=-1)
        return np.concatenate([before, self._before], axis=-1)

    def note(self, action: Floats) -> None:
        """Remember what was done."""
        self._action = action


class Ended(NamedTuple):
    """How flows shared the link over the last tenth of a run, an entry for each group."""

    fairness: Floats
    """Jain's index of the mean rates."""
    utilization: Floats
    """Share of the line that was used."""
    inflation: Floats
    """Mean round-trip time over that of an empty link."""
    worst: Floats
    """Rate of the slowest flow over an even share."""


def deploy(
    weights: Weights, sees: Sees, exponents: Floats, flows: int, steps: int = 2000, seed: int = 0
) -> Ended:
    """Let flows that all run a trained controller share a link, from uneven rates that fill it.

    Parameters
    ----------
    weights : Weights
    sees : {'signal', 'rate and delay'}
    exponents : ndarray, shape (groups,)
        Of the signal.
    flows : int
        1 or more.
    steps : int
        10 or more.
    seed : int
        Of the starts; a group's place is added to it, so that runs of other controllers are
        paired.
    """
    groups = len(weights.first)
    link = Link.drawn([seed + place for place in range(groups)], whole("flows", flows, 1))
    link.fill()
    senses, last = Senses(sees, exponents), whole("steps", steps, 10) // 10
    rates, used, delay = np.zeros((groups, flows)), np.zeros(groups), np.zeros(groups)
    for step in range(steps):
        action = weights.actions(senses.inputs(link))
        senses.note(action)
        link.step(action)
        if step >= steps - last:
            rates += link.rates / last
            used += np.minimum(link.rates.sum(axis=1), 1) / last
            delay += link.inflation / last
    fair = np.array([float(jain_index(group)) for group in rates])
    return Ended(fair, used, delay, flows * rates.min(axis=1) / np.maximum(rates.sum(axis=1), 1))
