"""What the logs say about two devices, and of schedules of which layers to ask.

Sixteen layers are on a GPU, sixteen on a CPU. A layer on the GPU is its weights over the memory's
bandwidth. A layer on the CPU comes from runs of all layers, where nothing leaves early. With these
two and the exits the time with early exit is forecast; what is measured beyond it is overhead, read
in two ways.

The logs name the layers at which tokens did leave. Tokens can only leave where the released code
asked, so that a schedule like its own is bound to look good: what would have been possible at
other layers isn't in the logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import softmax

from perfmodel import machines
from perfmodel.labs.serving.specee.logs import (
    FIXED,
    LAYERS,
    NEIGHBOURS,
    ON_GPU,
    WINDOW,
    Ints,
    all_exits,
    exits,
    prompts,
)
from perfmodel.roofline import LLAMA_2_7B
from perfmodel.serving import exit_probabilities, mean_exit_layer, two_device_time
from perfmodel.validation import Floats, one_of, whole, within

LAYER_BYTES = 2 * LLAMA_2_7B.layer_parameters / LLAMA_2_7B.layers
"""Weights of a layer in 16 bits."""
GPU_LAYER = LAYER_BYTES / machines.get("a100-sxm4-80gb").memory_bandwidth
"""Seconds of a layer whose weights are read at the full bandwidth of an A100's memory."""
FEWEST = 20
"""Tokens that a prompt must have with and without early exit to be a point of the line."""
_FULL = np.eye(LAYERS["7B"])[-1]


class Line(NamedTuple):
    """Time of a token over its layers on the CPU, by least squares over prompts."""

    slope: float
    """Seconds a layer."""
    slope_error: float
    intercept: float
    """Seconds."""
    intercept_error: float
    prompts: int


class Reading(NamedTuple):
    """What is beyond the forecast: seconds a token, or so much more for a layer of the CPU."""

    extra: float
    """Seconds a token."""
    factor: float
    """Times that a layer on the CPU takes as long as without early exit."""


class SlowPrompts(NamedTuple):
    """What is known about the prompts that were slow with early exit."""

    numbers: NDArray[np.int64]
    """Which they are, from 1."""
    longer: float
    """Time of a layer on the CPU over that of other prompts, medians."""
    reading: tuple[float, float]
    """Median seconds of reading a slow prompt, and one of the others."""
    distinguishable: bool
    """Whether each slow prompt took longer to read than any other."""
    both: int
    """How many were slow with all layers as well."""
    shifts: float
    """Share of the shifts of one row of prompts against the other with as many slow in both."""

    @property
    def block(self) -> NDArray[np.int64]:
        """The longest run of slow prompts without a gap."""
        return max(np.split(self.numbers, np.flatnonzero(np.diff(self.numbers) > 1) + 1), key=len)


def shares() -> Floats:
    """Return the share of tokens that leave after each of the 32 layers."""
    return exit_probabilities(all_exits(), LAYERS["7B"])


def token_seconds(which: str) -> float:
    """Return the measured mean seconds of a decoded token, `which` being `full` or `early`.

    >>> [round(1e3 * token_seconds(which), 1) for which in ("full", "early")]
    [230.1, 161.9]
    """
    rows = prompts()
    return float(rows[f"{which}_ms"].sum() / rows[f"{which}_tokens"].sum() / 1e3)


def cpu_layer() -> float:
    """Return the seconds of a layer on the CPU, from runs of all layers.

    >>> round(1e3 * cpu_layer(), 1)
    14.2
    """
    return (token_seconds("full") - ON_GPU * GPU_LAYER) / (LAYERS["7B"] - ON_GPU)


def forecast_seconds(
    on_gpu: int, reading: Reading | None = None, exiting: Floats | None = None
) -> float:
    """Return the forecast mean seconds of a token with early exit.

    The first `on_gpu` layers are on the GPU. Without a `reading` there is no overhead; `exiting`
    are shares of exits, shape (32,), those of the logs if left out.

    >>> round(1e3 * forecast_seconds(16))
    136
    """
    exit_fractions = shares() if exiting is None else exiting
    extra, factor = reading or Reading(0.0, 1.0)
    return two_device_time(exit_fractions, on_gpu, GPU_LAYER, cpu_layer() * factor, extra)


def full_seconds(on_gpu: int) -> float:
    """Return the seconds of a token that runs all layers, this many of them on the GPU.

    >>> round(1e3 * full_seconds(16), 1)
    230.1
    """
    return two_device_time(_FULL, on_gpu, GPU_LAYER, cpu_layer())


def readings() -> dict[str, Reading]:
    """Return two readings of the overhead, each of which explains the mean measured time.

    >>> for name, reading in readings().items():
    ...     print(name, round(1e3 * reading.extra, 1), round(reading.factor, 2))
    each token 26.2 1.0
    each layer on the CPU 0.0 1.2
    """
    beyond = token_seconds("early") - forecast_seconds(ON_GPU)
    on_cpu = forecast_seconds(ON_GPU) - forecast_seconds(ON_GPU, Reading(0.0, 1e-12))
    return {
        "each token": Reading(beyond, 1.0),
        "each layer on the CPU": Reading(0.0, 1 + beyond / on_cpu),
    }


@cache
def fitted_line(quiet: bool = False) -> Line:
    """Return the line of a prompt's time a token over its mean layers on the CPU.

    Over all prompts that are long enough, or those only during which the machine was `quiet`.

    >>> for quiet in (False, True):
    ...     line = fitted_line(quiet)
    ...     print(round(1e3 * line.slope, 1), round(1e3 * line.slope_error, 1), line.prompts)
    17.0 1.9 77
    14.3 0.2 57
    """
    layers, seconds = points()
    used = ~slowed("early")[long_enough()] if quiet else np.full(layers.size, True)
    fit = stats.linregress(layers[used], seconds[used])
    return Line(
        float(fit.slope),
        float(fit.stderr),
        float(fit.intercept),
        float(fit.intercept_stderr),
        int(used.sum()),
    )


def long_enough() -> NDArray[np.bool_]:
    """Return which of the 80 prompts have the `FEWEST` tokens or more in both runs."""
    rows = prompts()
    return np.asarray(np.minimum(rows["full_tokens"], rows["early_tokens"]) >= FEWEST)


def points() -> tuple[Floats, Floats]:
    """Return the mean layers on the CPU, and the seconds a token, of prompts long enough."""
    rows, used = prompts(), long_enough()
    layers = np.array([np.maximum(layer - ON_GPU, 0).mean() for layer in exits()])
    return layers[used], rows["early_ms"][used] / rows["early_tokens"][used] / 1e3


def slowed(which: str) -> NDArray[np.bool_]:
    """Return which of the 80 prompts lie above the widest gap of the time of a layer on the CPU.

    `which` is `full` or `early`. The log says nothing about the machine's state: a gap far wider
    than any other is taken for two states. Prompts that aren't long enough are False.

    >>> int(slowed("full").sum()), int(slowed("early").sum())
    (7, 20)
    """
    rows, used = prompts(), long_enough()
    time = rows[f"{which}_ms"][used] / rows[f"{which}_tokens"][used]
    logs = np.log(time / points()[0] if which == "early" else time)
    order = np.sort(logs)
    result = np.zeros(used.size, bool)
    result[np.flatnonzero(used)] = logs > order[np.argmax(np.diff(order))]
    return result


def reading_seconds(which: str) -> Floats:
    """Return the seconds in which each of the 80 prompts was read, `which` as of `slowed`.

    Nobody leaves early then and nothing is decoded: a second look at the machine's state.

    >>> seconds, slow = reading_seconds("early"), slowed("early")
    >>> bool(seconds[slow].min() > 1.3 * seconds[~slow].max())
    True
    """
    rows = prompts()
    return np.asarray((rows[f"{which}_total_ms"] - rows[f"{which}_ms"]) / 1e3)


def slow_prompts() -> SlowPrompts:
    """Return what is known about the prompts that were slow with early exit.

    >>> slow = slow_prompts()
    >>> slow.numbers.size, len(slow.block), round(slow.longer, 2), slow.distinguishable, slow.both
    (20, 18, 1.48, True, 7)
    """
    slow, full, reading = slowed("early"), slowed("full"), reading_seconds("early")
    layers, seconds = points()
    pace, here = seconds / layers, slow[long_enough()]
    both = int((slow & full).sum())
    shifted = [int((slow & np.roll(full, by)).sum()) for by in range(full.size)]
    return SlowPrompts(
        np.flatnonzero(slow) + 1,
        float(np.median(pace[here]) / np.median(pace[~here])),
        (float(np.median(reading[slow])), float(np.median(reading[~slow]))),
        bool(reading[slow].min() > reading[~slow].max()),
        both,
        float(np.mean(np.array(shifted) >= both)),
    )


def quiet_seconds(which: str) -> float:
    """Return the mean seconds of a token of prompts that were quiet both times.

    >>> round(quiet_seconds("full") / quiet_seconds("early"), 2)
    1.53
    """
    used = long_enough() & ~slowed("full") & ~slowed("early")
    rows = prompts()
    return float(rows[f"{which}_ms"][used].sum() / rows[f"{which}_tokens"][used].sum() / 1e3)


def quiet_reading() -> tuple[Reading, Reading]:
    """Return the overhead by the quiet line, and its standard errors.

    What the line leaves at no layers on the CPU, without those on the GPU, is paid by each token;
    its slope is that of a layer, compared with quiet runs of all layers.

    >>> reading, error = quiet_reading()
    >>> round(1e3 * reading.extra, 1), round(reading.factor, 2)
    (6.6, 1.07)
    """
    line = fitted_line(quiet=True)
    layer = (quiet_seconds("full") - ON_GPU * GPU_LAYER) / (LAYERS["7B"] - ON_GPU)
    return (
        Reading(line.intercept - ON_GPU * GPU_LAYER, line.slope / layer),
        Reading(line.intercept_error, line.slope_error / layer),
    )


def tilted(mean: float) -> Floats:
    """Return the logs' shares of exits, tilted so that a token runs `mean` layers on average.

    Each share is multiplied by the same factor a layer, which keeps the shape as far as it can.

    >>> round(mean_exit_layer(tilted(23.0)), 6)
    23.0
    """
    within("mean", mean, 10, 31.5)
    layers = np.arange(1, LAYERS["7B"] + 1)
    with np.errstate(divide="ignore"):
        logs = np.log(shares())

    def off(slope: float) -> float:
        return mean_exit_layer(softmax(logs + slope * layers)) - mean

    return np.asarray(softmax(logs + brentq(off, -2, 2) * layers))


LAST = LAYERS["7B"]
Schedule = Callable[[Ints], set[int]]
"""Takes the exits of a prompt's tokens so far and returns the layers to ask, 1 to 31."""
RELEASED = "released code"
NEAR = "within 2 of the last 5"
FIXED_ALONE = "fixed eight"
EVERY = "every layer"


class Hits(NamedTuple):
    """How a schedule does on exits that were logged."""

    early: float
    """Share of the tokens that left early whose layer is asked."""
    every: float
    """Share of all tokens whose last layer is in the set, the 32nd counted like others."""
    asked: float
    """Mean layers in the set."""


def near(recent: Ints, around: Iterable[int] = (-2, -1, 0, 1, 2)) -> set[int]:
    """Return the layers around the last five exits.

    >>> sorted(near(np.array([3, 20, 20, 20, 20, 20])))
    [18, 19, 20, 21, 22]
    """
    steps = list(around)
    return {int(e) + step for e in recent[-WINDOW:] for step in steps}


def released(recent: Ints) -> set[int]:
    """Return the layers that the released code asks: eight, and two below, at and two above exits.

    >>> len(released(np.array([20, 20])))
    8
    """
    return set(FIXED) | (near(recent, NEIGHBOURS) if len(recent) >= WINDOW else set())


SCHEDULES: Final[dict[str, Schedule]] = {
    EVERY: lambda recent: set(range(1, LAST)),
    FIXED_ALONE: lambda recent: set(FIXED),
    RELEASED: released,
    NEAR: near,
}


@cache
def frequent(count: int, half: int | None = None) -> frozenset[int]:
    """Return the `count` layers at which most tokens left early.

    A `half` of 0 or 1 counts prompts of even or odd index only. Seven of eight are those that the
    released code asks always:

    >>> len(frequent(8) & set(FIXED))
    7
    """
    prompts_used = exits() if half is None else exits()[half::2]
    counts = np.bincount(np.concatenate(prompts_used), minlength=LAST + 1)[:LAST]
    return frozenset(np.argsort(-counts, kind="stable")[: whole("count", count, 1)].tolist())


def hits(schedule: Schedule, sequences: Sequence[Ints] | None = None) -> Hits:
    """Return how often a schedule asks where tokens left, in the logs if no `sequences` are given.

    The first five of each prompt only serve as the past. The released code's own schedule misses
    nothing in its own log:

    >>> hits(released).early
    1.0
    """
    outcomes: list[bool] = []
    sizes: list[int] = []
    layers: list[int] = []
    for sequence in exits() if sequences is None else sequences:
        for index in range(WINDOW, len(sequence)):
            asked = schedule(sequence[:index])
            outcomes.append(int(sequence[index]) in asked)
            sizes.append(sum(1 <= layer <= LAST for layer in asked))
            layers.append(int(sequence[index]))
    hit, early = np.array(outcomes), np.array(layers) < LAST
    return Hits(float(hit[early].mean()), float(hit.mean()), float(np.mean(sizes)))


@cache
def shuffled_hits(among: str, times: int = 5) -> Hits:
    """Return the mean hits of `NEAR` after the order of tokens is shuffled, `times` times.

    Tokens change places within their prompt or among all.

    >>> 0.75 < shuffled_hits("prompt", 1).every < shuffled_hits("prompt", 1).early + 0.2
    True
    """
    one_of("among", among, ("prompt", "all"))
    rng = np.random.default_rng(0)
    runs = [hits(near, _shuffled(among, rng)) for _ in range(whole("times", times, 1))]
    return Hits(*np.mean(runs, axis=0).tolist())


def held_out_hits(count: int) -> Hits:
    """Return the hits of the `count` most frequent layers, each half's chosen on the other half.

    >>> held_out_hits(8).asked
    8.0
    """
    rows = []
    for half in (0, 1):
        chosen = set(frequent(count, 1 - half))
        rows.append(hits(lambda recent, chosen=chosen: chosen, exits()[half::2]))  # type: ignore[misc]
    return Hits(*np.mean(rows, axis=0).tolist())


def outside() -> int:
    """Return how many tokens left early at a layer that the released code would not have asked."""
    count = 0
    for sequence in exits():
        for index, layer in enumerate(sequence):
            count += bool(layer < LAST and int(layer) not in released(sequence[:index]))
    return count


def _shuffled(among: str, rng: np.random.Generator) -> list[Ints]:
    sequences = exits()
    if among == "prompt":
        return [rng.permutation(sequence) for sequence in sequences]
    mixed = rng.permutation(np.concatenate(sequences))
    ends: Floats = np.cumsum([len(sequence) for sequence in sequences])[:-1]
    return np.split(mixed, ends)
