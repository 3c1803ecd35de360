"""AIO-P: a predictor of one task that is adapted to another task by twenty examples.

A cook who knows soups must make stews. The method keeps the cook (the frozen base), adds an
apprentice who has watched a few other cuisines (an adapter), and sets the amount of salt by twenty
tastings (a line). Tasks here are devices: the same networks, timed on each device.

Source: K. G. Mills, D. Niu, M. Salameh, et al., "AIO-P: Expanding Neural Performance Predictors
Beyond Image Classification", AAAI 2023, arXiv:2211.17228; the label transform from its code. The
paper's tasks (detection, segmentation, pose) and its trained adapters are not reproduced.

The drawing shows which parts of each approach are frozen, and which learn from twenty examples.

>>> x = np.arange(1.0, 41.0)[:, None]
>>> import pandas as pd
>>> known = Tasks(x, pd.DataFrame({"old": x[:, 0], "new": 5 + 2 * x[:, 0]}))
>>> from sklearn.linear_model import LinearRegression
>>> frozen = base(known, LinearRegression(), "old", 20)
>>> scores = adapt(known, frozen, "new", LinearRegression(), shots=5, rounds=1)
>>> bool(scores.set_index("approach")["mae"]["line"] < 1e-9)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error

from perfmodel.live.drawing import Box, Line, Scene, Shape
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.architectures import device_latency
from perfmodel.prediction.architectures.search_space import EDGES, one_hot
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.rescaling import fitted_line, match_moments
from perfmodel.validation import Floats, finite, one_of, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

SOURCE = "1080ti_1"
"""The device that the base knows."""
TARGETS = ("1080ti_256", "titan_rtx_256", "gold_6226", "pixel2", "samsung_s7", "fpga", "eyeriss")
"""The last two are sums of a table of operators, not timings; see
`perfmodel.prediction.architectures.device_latency`.
"""
OTHERS = ("silver_4114", "pixel3", "essential_ph_1")
"""Further devices for the adapter, a server's processor and two phones; none is a target."""
LEARNED = 2_000
"""Networks from the first on that the base learns from."""


@dataclass(frozen=True, eq=False)
class Tasks:
    """Networks with their latency on every device."""

    features: Floats
    """Features of each network, shape (n, p)."""
    seconds: pd.DataFrame
    """A row for each network, a column for each device."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", finite("features", self.features))
        if self.features.ndim != 2 or len(self.features) != len(self.seconds):
            raise ValueError(
                f"features must have shape ({len(self.seconds)}, p), got {self.features.shape}"
            )

    def on(self, device: str) -> Floats:
        """Return the latencies on one device in seconds, shape (n,)."""
        one_of("device", device, self.seconds.columns)
        return np.asarray(self.seconds[device], dtype=float)


def with_device(known: Tasks, device: str, seconds: ArrayLike, start: int = LEARNED) -> Tasks:
    """Return the first start + k networks with one more device, which timed those from `start` on.

    `seconds`, shape (k,), are its latencies. It has none (not a number) before `start`, so no base
    can learn it.
    """
    added = positive("seconds", sample("seconds", seconds))
    rows = whole("start", start) + added.size
    if rows > len(known.seconds):
        raise ValueError(f"seconds must be at most {len(known.seconds) - start}, got {added.size}")
    column = np.concatenate([np.full(start, np.nan), added])
    return Tasks(known.features[:rows], known.seconds.iloc[:rows].assign(**{device: column}))


def tasks() -> Tasks:
    """Return the first 4,000 cells of NAS-Bench-201 on 27 devices, edges and operations one-hot."""
    table, rows = device_latency.latencies("nb201"), 2 * LEARNED
    hot = one_hot(table.choices[:rows])
    return Tasks(hot.to_numpy(dtype=float), table.seconds.iloc[:rows])


@dataclass(frozen=True, eq=False)
class Base:
    """The predictions of a frozen predictor of the source for every network."""

    predicted: Floats
    """Shape (n,), in seconds on the source."""
    learned: int
    """Number of the first networks, which it learned from and may have memorised."""


def base(known: Tasks, learner: Estimator, device: str = SOURCE, learned: int = LEARNED) -> Base:
    """Learn a source device from its first `learned` networks, once, by a clone of the learner."""
    labels = known.on(device)[: whole("learned", learned, 2)]
    fitted = clone(learner).fit(known.features[:learned], labels)
    return Base(np.asarray(fitted.predict(known.features), dtype=float), learned)


def adapt(
    known: Tasks,
    frozen: Base,
    device: str,
    learner: Estimator,
    others: Sequence[str] = (),
    shots: int = 20,
    rounds: int = 20,
) -> pd.DataFrame:
    """Score approaches to a target device with a frozen base and a few networks timed on it.

    The learner (a ridge) learns the target alone, and the residuals of a line through the base. The
    adapter's inputs are the base's predictions and a ridge's predictions for each of the `others`,
    on which the base's networks were timed. Without others there is no adapter. Each round draws
    `shots` of the networks that the base did not learn from, and is tested on the rest. Returns a
    row for each seed and approach: `seed`, `approach`, `mae` (divided by the target's range from
    its 1st to its 99th percentile), `spearman`.
    """
    import pandas as pd

    truth, start = known.on(device), frozen.learned
    if frozen.predicted.shape != truth.shape:
        raise ValueError(
            f"frozen must predict the {truth.size} networks, got {frozen.predicted.size}"
        )
    rest = np.arange(start, truth.size)
    if whole("shots", shots, 3) > rest.size - 10:
        raise ValueError(f"shots must leave 10 of {rest.size} to be tested, got {shots}")
    span = float(np.diff(np.percentile(truth[rest], [1, 99]))[0])
    views = _views(known, frozen, others)
    rows = []
    for seed in range(whole("rounds", rounds, 1)):
        order = np.random.default_rng(seed).permutation(rest)
        few, asked = order[:shots], order[shots:]
        guesses = _guesses(known.features, truth, frozen, views, learner, few, asked)
        for approach, guess in guesses.items():
            mae = float(mean_absolute_error(truth[asked], guess)) / span
            rank = metrics.spearman(truth[asked], guess)
            rows.append({"seed": seed, "approach": approach, "mae": mae, "spearman": rank})
    return pd.DataFrame(rows)


def _views(known: Tasks, frozen: Base, others: Sequence[str]) -> Floats | None:
    """Return what the base and the further devices' ridges say, each at scale 1, shape (n, q)."""
    if not others:
        return None
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    x, learned = known.features, frozen.learned
    views = [frozen.predicted] + [
        Ridge(1.0).fit(x[:learned], known.on(other)[:learned]).predict(x) for other in others
    ]
    return np.asarray(StandardScaler().fit_transform(np.column_stack(views)))


def _guesses(
    features: Floats,
    truth: Floats,
    frozen: Base,
    views: Floats | None,
    learner: Estimator,
    few: Floats,
    asked: Floats,
) -> dict[str, Floats]:
    y, answers = truth[few], frozen.predicted

    def learned(inputs: Floats, labels: Floats) -> Floats:
        return np.asarray(clone(learner).fit(inputs[few], labels).predict(inputs[asked]))

    line = partial(fitted_line, known=answers[few], target=y)
    guesses = {
        "constant": np.full(asked.size, y.mean()),
        "source": answers[asked],
        "matched": match_moments(answers[asked], answers[few], y),
        "line": line(answers[asked]),
        "target only": learned(features, y),
        "line + residual": line(answers[asked]) + learned(features, y - line(answers[few])),
    }
    return guesses if views is None else guesses | {"adapter": learned(views, y)}


WAYS = {
    "line": (("network", "base"), ("base", "line"), ("line", "latency")),
    "target only": (("network", "ridge"), ("ridge", "latency")),
    "line + residual": (
        ("network", "base"),
        ("base", "line"),
        ("line", "latency"),
        ("network", "ridge"),
        ("ridge", "latency"),
    ),
    "adapter": (
        ("network", "base"),
        ("network", "others"),
        ("base", "small ridge"),
        ("others", "small ridge"),
        ("small ridge", "latency"),
    ),
}
"""The arrows of each way; two that end at the latency are added there."""
_BOXES = {
    "network": (4.0, 76.0, 60.0, 40.0),
    "base": (88.0, 22.0, 76.0, 32.0),
    "others": (88.0, 80.0, 76.0, 32.0),
    "line": (190.0, 22.0, 82.0, 32.0),
    "small ridge": (190.0, 51.0, 82.0, 32.0),
    "ridge": (130.0, 138.0, 82.0, 32.0),
    "latency": (298.0, 76.0, 58.0, 40.0),
}
"""Left, top, width and height."""
_FROZEN = ("base", "others")


def ways_to_adapt(way: str) -> Scene:
    """Draw one of `WAYS` to predict a new device, and how many numbers twenty networks settle.

    >>> {way: ways_to_adapt(way).values["numbers to learn"] for way in WAYS}
    {'line': 2.0, 'target only': 25.0, 'line + residual': 27.0, 'adapter': 5.0}
    """
    one_of("way", way, WAYS)
    parts = dict.fromkeys(part for arrow in WAYS[way] for part in arrow)
    inputs = {"line": 1, "ridge": one_hot([[0] * len(EDGES)]).shape[1]}
    inputs["small ridge"] = 1 + len(OTHERS)
    # A coefficient for each input, and one number for the level.
    count = sum(inputs[part] + 1 for part in parts if part in inputs)
    shapes: list[Shape] = []
    for source, to in WAYS[way]:
        (left, top, width, height), (end, below, _, high) = _BOXES[source], _BOXES[to]
        start = (left + width, top + height / 2)
        shapes.append(Line([start, (end, below + high / 2)], head=True))
    for part in parts:
        label = f"{len(OTHERS)} devices" if part == "others" else part
        colour = 1 if part in _FROZEN else 2 if part in inputs else 0
        shapes.append(Box(*_BOXES[part], label, colour, "light" if colour == 1 else "none"))
    shapes += legend(40, 190, [("frozen", 1, "light"), ("learns from the twenty", 2, "none")])
    says = f"{way.capitalize()}: twenty networks must determine {count} numbers."
    return Scene(216, shapes, says, {"numbers to learn": float(count)})
