"""Two ways to train a controller: down the gradient that a model's signal gives, or by trying out.

The first is the authors' (analytic deterministic policy gradient): the reward is minus the square
of a signal that falls when a flow slows down, so that the direction of a better action is known.
The second knows no model. It is told the aim, a number for a whole run, and varies the weights.

A small learned controller of a flow's rate, and the fluid link on which many copies of it meet.

The network is that of github.com/NVlabs/RLCC: four inputs, twice twelve rectified units without
biases, and a hyperbolic tangent. Many controllers, one a group, are run at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from perfmodel.communication import jain_index
from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED
from perfmodel.validation import Floats, positive, whole

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
        """Return weights drawn again, a group for each seed."""
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


class Observations:
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


class LinkOutcome(NamedTuple):
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
) -> LinkOutcome:
    """Let flows that all run a trained controller share a link, from uneven rates that fill it.

    The exponents of the signal have shape (groups,). A group's index is added to the seed of the
    starts, so that runs of other controllers are paired.
    """
    groups = len(weights.first)
    link = Link.drawn([seed + index for index in range(groups)], whole("flows", flows, 1))
    link.fill()
    senses, last = Observations(sees, exponents), whole("steps", steps, 10) // 10
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
    return LinkOutcome(
        fair, used, delay, flows * rates.min(axis=1) / np.maximum(rates.sum(axis=1), 1)
    )


FLOWS = (4, 8, 32)
"""Flows of the training runs, in turn: the authors' many-to-one scenarios."""
ROLLOUT = 15
"""Steps of a training run with the signal, as the authors have it."""
UPDATES = 600
RATE, CLIP = 0.01, 0.5
TRIAL, PAIRS, SPREAD = 60, 8, 0.1
"""Steps of a run by trying out, pairs of variants, and how far each weight is varied."""
DELAY_PRICE = 0.1
"""What a base round trip of queueing costs in the aim."""


class Adam:
    """Adam's steps for a list of arrays."""

    def __init__(self, rate: float) -> None:
        """Step at this learning rate."""
        self._rate, self._time = rate, 0
        self._mean: list[Floats] = []
        self._square: list[Floats] = []

    def step(self, parts: list[Floats], slopes: list[Floats]) -> None:
        """Change the arrays in place, against their slopes."""
        if not self._mean:
            self._mean = [np.zeros_like(part) for part in parts]
            self._square = [np.zeros_like(part) for part in parts]
        self._time += 1
        rate = self._rate * np.sqrt(1 - 0.999**self._time) / (1 - 0.9**self._time)
        for part, slope, mean, square in zip(parts, slopes, self._mean, self._square, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            part -= rate * mean / (np.sqrt(square) + 1e-8)


def policy_gradient(exponents: Floats, seeds: list[int], updates: int = UPDATES) -> Weights:
    """Train controllers with the authors' gradient, each group with a signal of its own.

    `exponents` are those of the rate in the signal, shape (groups,): 1/2 is the authors' model, 0
    takes it out. Groups of one seed have the same start and the same links. Each update follows a
    run of `ROLLOUT` steps.
    """
    weights, adam = Weights.drawn(seeds), Adam(RATE)
    for update in range(whole("updates", updates, 1)):
        flows = FLOWS[update % len(FLOWS)]
        link = Link.drawn([1000 * (seed + 1) + update for seed in seeds], flows)
        rng = np.random.default_rng(update)
        link.rates *= 2 ** rng.uniform(-np.log2(flows), 0)
        link.inflation += rng.uniform(0, 2)
        senses = Observations("signal", exponents)
        inputs, actions, signals = [], [], []
        for _ in range(ROLLOUT):
            inputs.append(senses.inputs(link))
            actions.append(weights.actions(inputs[-1]))
            senses.note(actions[-1])
            link.step(actions[-1])
            signals.append(np.clip(link.signal(exponents), -5, 5))
        slope = _slope(np.stack(actions, axis=1), np.stack(signals, axis=1))
        adam.step(weights.parts, _backward(weights, np.stack(inputs, axis=1), slope))
    return weights


def evolution_strategy(seeds: list[int], generations: int) -> Weights:
    """Train controllers by an evolution strategy on the aim itself; they see rate and delay.

    The aim of a run is the mean logarithm of the flows' rates over an even share, less
    `DELAY_PRICE` times the queueing delay, over its last half. It knows all flows, as only a
    simulation does. A generation has `PAIRS` pairs of runs of `TRIAL` steps.
    """
    centre = Weights.drawn(seeds).rows
    adam, many = Adam(0.03), 2 * PAIRS
    rngs = [np.random.default_rng(500 + seed) for seed in seeds]
    for generation in range(whole("generations", generations, 1)):
        half = np.stack([rng.standard_normal((PAIRS, centre.shape[1])) for rng in rngs])
        noise = np.concatenate([half, -half], axis=1)
        rows = (centre[:, None] + SPREAD * noise).reshape(-1, centre.shape[1])
        flows = FLOWS[generation % len(FLOWS)]
        starts = [1000 * (seed + 1) + generation for seed in seeds for _ in range(many)]
        aims = objective(Weights.from_rows(rows), starts, flows).reshape(len(seeds), many)
        ranks = np.argsort(np.argsort(aims, axis=1), axis=1) / (many - 1) - 0.5
        adam.step([centre], [-(ranks[..., None] * noise).mean(axis=1)])
    return Weights.from_rows(centre)


def objective(weights: Weights, seeds: list[int], flows: int) -> Floats:
    """Return the aim of a run for each group, shape (groups,)."""
    link = Link.drawn(seeds, flows)
    senses, total = Observations("rate and delay", np.zeros(len(seeds))), np.zeros(len(seeds))
    for step in range(TRIAL):
        action = weights.actions(senses.inputs(link))
        senses.note(action)
        link.step(action)
        if step >= TRIAL // 2:
            served = link.rates / np.maximum(link.rates.sum(axis=1, keepdims=True), 1)
            share = np.log(positive("rates", served) * flows).mean(axis=1)
            total += share - DELAY_PRICE * (link.inflation - 1)
    return total / (TRIAL - TRIAL // 2)


def generations_for(updates: int = UPDATES) -> int:
    """Return the generations that simulate as many steps of a link as this many updates."""
    return max(1, round(updates * ROLLOUT / (2 * PAIRS * TRIAL)))


def _slope(actions: Floats, signals: Floats) -> Floats:
    """Return the slope of the loss by each action: signals to come, and smoothness."""
    steps = actions.shape[1]
    remaining = np.arange(steps, 0, -1)[:, None]
    ahead = np.cumsum(signals[:, ::-1], axis=1)[:, ::-1] / remaining
    jump = np.diff(actions, axis=1)
    slope = ahead.copy()
    slope[:, 1:] += jump
    slope[:, :-1] -= jump
    return np.asarray(slope / (steps * actions.shape[2]))


def _backward(weights: Weights, inputs: Floats, slope: Floats) -> list[Floats]:
    """Return the slopes of the weights, with each group's length cut to `CLIP`."""
    groups = len(inputs)
    x, down = inputs.reshape(groups, -1, inputs.shape[-1]), slope.reshape(groups, -1, 1)
    low = x @ weights.first
    high = np.maximum(low, 0) @ weights.second
    out = np.tanh(np.maximum(high, 0) @ weights.last)
    down = down * (1 - out**2)
    last = np.maximum(high, 0).transpose(0, 2, 1) @ down
    down = (down @ weights.last.transpose(0, 2, 1)) * (high > 0)
    second = np.maximum(low, 0).transpose(0, 2, 1) @ down
    down = (down @ weights.second.transpose(0, 2, 1)) * (low > 0)
    first = x.transpose(0, 2, 1) @ down
    length = np.sqrt(sum((part**2).sum(axis=(1, 2)) for part in (first, second, last)))
    cut = np.minimum(1, CLIP / np.maximum(length, 1e-12))[:, None, None]
    return [part * cut for part in (first, second, last)]
