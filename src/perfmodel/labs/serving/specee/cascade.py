"""A small net on your machine that leaves early: written digits, six layers, a check after each.

The net is trained in seconds. A check is a linear classifier on a layer's outputs; if it is sure,
its answer counts and the rest isn't run. One picture at a time, as one token in decoding. What a
layer, a check and both ends take is measured apart, and forecasts what the whole takes. Times are
those of the core that works, on one thread: where others use the machine, waiting isn't counted.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from perfmodel.measurement import median_interval
from perfmodel.serving import (
    ExitCosts,
    best_checked_layers,
    early_exit_time,
    exit_probabilities,
    exits_when_checked,
)
from perfmodel.validation import Floats, whole

WIDTH, LAYERS, EPOCHS = 128, 6, 12
"""All layers are 0.4 MB: they stay in a core's second cache, and are equal in time."""
SURE = 0.9
"""Probability from which a check lets a picture leave."""
PICTURES = 200
"""Pictures of a run."""
_NOWHERE = frozenset[int]()
Clock = Callable[[], float]
Singles = NDArray[np.float32]
Affine = tuple[Singles, Singles]
"""Weights, shape (outputs, inputs), and shifts, shape (outputs,)."""


@dataclass(frozen=True, eq=False)
class Net:
    """Weights and shifts in single precision; a layer is a product, a shift and a cut at 0."""

    entry: Affine
    """From 64 pixels to the width."""
    layers: Sequence[Affine]
    """From the width to the width."""
    checks: Sequence[Affine]
    """After each layer but the last, from the width to ten digits."""
    last: Affine
    """The net's own answer, from the width to ten digits."""

    def answer(self, picture: Singles, asked: frozenset[int]) -> tuple[int, int]:
        """Return the digit and the layers that were run, asking after each of `asked`."""
        state = _layer(self.entry, picture)
        for layer, weights in enumerate(self.layers, 1):
            state = _layer(weights, state)
            if layer in asked:
                digit, sure = _check(self.checks[layer - 1], state)
                if sure:
                    return digit, layer
        return _last(self.last, state), len(self.layers)


@dataclass(frozen=True, eq=False)
class Trained:
    """A net, with pictures to set up schedules on and others to run."""

    net: Net
    held: Singles
    """Pictures that chose the schedule, shape (n, 64)."""
    tested: Singles
    """Pictures that are run, shape (m, 64)."""
    digits: NDArray[np.int64]
    """What the tested pictures show."""


class Spread(NamedTuple):
    """Median of the rounds, and the ends of its 95 % interval."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Contest:
    """A schedule against asking nowhere, round by round, and what was forecast for it."""

    asked: frozenset[int]
    """Layers after which is asked."""
    mean_exit: float
    """Layers that a picture ran."""
    agreed: float
    """Share of pictures with the same digit as all layers."""
    right: float
    """Share of pictures with the right digit."""
    forecast: Spread
    """Speedup over all layers, by the parts as measured in the same round."""
    speedup: Spread
    """Measured."""
    ratio: Spread
    """Measured over forecast, in each round."""
    faster: Spread
    """Times as fast as the first schedule asked, in each round."""

    @property
    def conclusion(self) -> str:
        """Whether the forecast is `too low`, `too high` or `not refuted`: what the ratio says."""
        if self.ratio.low <= 1 <= self.ratio.high:
            return "not refuted"
        return "too low" if self.ratio.low > 1 else "too high"


@cache
def trained() -> Trained:
    """Train the net and its checks on half of the digits; a quarter each to set up and to test."""
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    pictures, digits = load_digits(return_X_y=True)
    training, rest, named, others = train_test_split(
        (pictures / 16).astype(np.float32), digits, test_size=0.5, random_state=0, stratify=digits
    )
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net = MLPClassifier((WIDTH,) * (LAYERS + 1), max_iter=EPOCHS, batch_size=64, random_state=0)
        net.fit(training, named)
        weights = [_single(w.T, b) for w, b in zip(net.coefs_, net.intercepts_, strict=True)]
        state, checks = _all(weights[0], training), []
        for layer in weights[1:-2]:
            state = _all(layer, state)
            model = LogisticRegression(max_iter=300).fit(state, named)
            checks.append(_single(model.coef_, model.intercept_))
    held, tested, _, answers = train_test_split(
        rest, others, test_size=0.5, random_state=0, stratify=others
    )
    return Trained(Net(weights[0], weights[1:-1], checks, weights[-1]), held, tested, answers)


def sure_at(trained: Trained) -> Floats:
    """Return the share of the pictures held whose first sure check is after each layer.

    Shape (layers,); the last is the share of those that no check lets go.
    """
    every = frozenset(range(1, LAYERS))
    return exit_probabilities([trained.net.answer(x, every)[1] for x in trained.held], LAYERS)


def part_seconds(trained: Trained, several: int = 40, clock: Clock = time.thread_time) -> ExitCosts:
    """Return the seconds of a layer, a check, the entry, and the answer after the last layer.

    Of this many of the pictures held, 1 or more, as in a run: layers one after the other, so that
    weights come from where they lie then; checks likewise. Entry is paid by every picture, the
    answer only by those that run all layers.
    """
    net, pictures = trained.net, trained.held[: whole("several", several, 1)]
    states = [_states(net, picture) for picture in pictures]

    def entry() -> None:
        for picture in pictures:
            _layer(net.entry, picture)

    def layers() -> None:
        for passed in states:
            state = passed[0]
            for layer, affine in enumerate(net.layers, 1):
                state = _layer(affine, state)
                if layer in _NOWHERE:
                    break

    def checks() -> None:
        for passed in states:
            for affine, state in zip(net.checks, passed[1:], strict=False):
                _check(affine, state)

    def answer() -> None:
        for passed in states:
            _last(net.last, passed[-1])

    seconds = []
    for run, size in ((layers, LAYERS), (checks, LAYERS - 1), (entry, 1), (answer, 1)):
        began = clock()
        run()
        seconds.append((clock() - began) / (len(pictures) * size))
    return ExitCosts(seconds[0], check=seconds[1], fixed=seconds[2], answer=seconds[3])


def measure_parts(
    trained: Trained, rounds: int = 15, several: int = 40, clock: Clock = time.thread_time
) -> dict[str, Spread]:
    """Return the seconds of `layer`, `check`, entry (`fixed`) and `answer`, of 6 rounds or more."""
    count = whole("rounds", rounds, 6)
    with threadpool_limits(1):
        parts = [part_seconds(trained, several, clock) for _ in range(count + 1)][1:]
    names = ("layer", "check", "fixed", "answer")
    return {name: _spread(np.array([getattr(part, name) for part in parts])) for name in names}


def schedules(
    trained: Trained, layer: float, check: float, answer: float = 0.0
) -> dict[str, frozenset[int]]:
    """Return where to ask: after every layer, and where the forecast is shortest.

    A `layer`, a `check` and the `answer` after the last layer take this many seconds.
    """
    best = best_checked_layers(sure_at(trained), layer, check, answer)[0]
    return {"every layer": frozenset(range(1, LAYERS)), "best by the model": frozenset(best)}


def forecast(held: Floats, costs: ExitCosts, asked: frozenset[int]) -> float:
    """Return the speedup over all layers, by exits of pictures held and the seconds of parts."""
    full = early_exit_time(np.eye(LAYERS)[-1], costs, (), 0)
    return full / early_exit_time(exits_when_checked(held, asked), costs, asked, 0)


def compete(
    trained: Trained,
    asked: Iterable[frozenset[int]],
    rounds: int = 51,
    clock: Clock = time.thread_time,
) -> list[Contest]:
    """Run the schedules `asked` in turns with one that asks nowhere, and hold forecasts against it.

    Each of `rounds`, 6 or more, measures the parts and runs the same tested pictures with every
    schedule: what slows all of a round drops out of its ratios.
    """
    count, net, held = whole("rounds", rounds, 6), trained.net, sure_at(trained)
    sets, pictures = [_NOWHERE, *asked], trained.tested[:PICTURES]
    seconds, costs = np.empty((count + 1, len(sets))), []
    with threadpool_limits(1):
        for turn in range(count + 1):
            costs.append(part_seconds(trained, clock=clock))
            for column in np.roll(np.arange(len(sets)), turn).tolist():
                began = clock()
                for picture in pictures:
                    net.answer(picture, sets[column])
                seconds[turn, column] = clock() - began
    full = [net.answer(picture, sets[0])[0] for picture in pictures]
    results = []
    for checked, times in zip(sets[1:], seconds[1:, 1:].T, strict=True):
        answers = np.array([net.answer(picture, checked) for picture in pictures])
        expected = np.array([forecast(held, cost, checked) for cost in costs[1:]])
        measured = seconds[1:, 0] / times
        same, right = (answers[:, 0] == digits for digits in (full, trained.digits[:PICTURES]))
        layers, agreed, correct = (float(x.mean()) for x in (answers[:, 1], same, right))
        ratios = (expected, measured, measured / expected, seconds[1:, 1] / times)
        spreads = [_spread(values) for values in ratios]
        results.append(Contest(checked, layers, agreed, correct, *spreads))
    return results


def _spread(values: Floats) -> Spread:
    return Spread(float(np.median(values)), *median_interval(values))


def _states(net: Net, picture: Singles) -> list[Singles]:
    """Return what goes into each layer for a picture, and what comes out of the last."""
    states = [_layer(net.entry, picture)]
    for affine in net.layers:
        states.append(_layer(affine, states[-1]))
    return states


def _layer(affine: Affine, state: Singles) -> Singles:
    """Return a layer's outputs for one picture."""
    result: Singles = affine[0] @ state
    result += affine[1]
    np.maximum(result, 0, out=result)
    return result


def _check(affine: Affine, state: Singles) -> tuple[int, bool]:
    """Return the likeliest digit of a check, and whether it is sure enough."""
    scores = affine[0] @ state + affine[1]
    digit = int(scores.argmax())
    odds = np.exp(scores - scores[digit]).sum()
    return digit, bool(odds * SURE <= 1)


def _last(affine: Affine, state: Singles) -> int:
    """Return the digit that the last layer's outputs name."""
    return int((affine[0] @ state + affine[1]).argmax())


def _all(affine: Affine, states: Singles) -> Singles:
    """Return a layer's outputs for many pictures."""
    return np.asarray(np.maximum(states @ affine[0].T + affine[1], 0))


def _single(weights: Floats, shift: Floats) -> Affine:
    return np.ascontiguousarray(weights, np.float32), np.ascontiguousarray(shift, np.float32)
