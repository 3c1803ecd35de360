"""When is the way over the link hidden? A step as a flow shop of load, compute and store.

A block of a transformer of width h has about 12 h^2 weights. In a step each block comes to the GPU
once, does two forward passes there, and goes back once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.zo2.inputs import HALF, TRAFFIC, Accelerator
from perfmodel.offloading import equal_jobs_makespan
from perfmodel.validation import Floats, at_least, non_negative, positive, whole, within


class StageTimes(NamedTuple):
    """Seconds of a block at the three stages, each an ndarray."""

    load: Floats
    compute: Floats
    store: Floats


def block_weights(width: ArrayLike) -> Floats:
    """Return the weights of a block of `width` h: 12 h^2, biases and norms left out.

    >>> float(block_weights(12_288)) * 2 / 1e9
    3.623878656
    """
    return np.asarray(12 * positive("width", width) ** 2)


def stage_times(
    width: ArrayLike,
    tokens: ArrayLike,
    machine: Accelerator,
    *,
    sequence: ArrayLike = 0.0,
    weight_bytes: float = HALF,
    traffic: float = TRAFFIC,
) -> StageTimes:
    r"""Return the seconds of a block at the link in, the GPU, and the link out.

    .. math::

        T_u = T_o = \frac{12\beta h^2}{B}, \qquad
        T_c = \frac{48 n h^2 + 8 n s h}{R} + \frac{12\beta h^2 q}{M}

    A step of n tokens, of which s attend to each other (0 leaves attention out), in a model of
    width h, with beta bytes a weight on its way; the weights' bytes pass the GPU's memory q times
    (`traffic`) for noise and update. Without attention and noise, 175B takes for one sequence of
    2,048 tokens at 100 TFLOP/s:

    >>> one = Accelerator(100e12, 25e9, 2e12)  # not from the registry: round numbers
    >>> load, compute, _ = stage_times(12_288, 2048, one, sequence=2048, traffic=0)
    >>> round(float(load), 4), round(float(compute), 4)
    (0.145, 0.1526)
    """
    h, n = positive("width", width), non_negative("tokens", tokens)
    s, q = non_negative("sequence", sequence), float(non_negative("traffic", traffic))
    size = block_weights(h) * float(positive("weight_bytes", weight_bytes))
    load = size / machine.link
    compute = (48 * n * h**2 + 8 * n * s * h) / machine.rate + size * q / machine.memory
    return StageTimes(*np.broadcast_arrays(load, compute, load))


def blocks_time(times: StageTimes, blocks: int, slots: float = 3) -> Floats:
    """Return the seconds of all blocks of a step where the GPU has room for `slots` of them.

    >>> round(float(blocks_time(StageTimes(*map(np.array, (0.145, 0.1526, 0.145))), 96)), 4)
    14.9396
    """
    return equal_jobs_makespan(np.stack(times, -1), blocks, slots)


def tokens_to_hide(
    machine: Accelerator, weight_bytes: ArrayLike = HALF, traffic: float = 0.0
) -> Floats:
    r"""Return the tokens from which a block is computed for longer than it is loaded.

    .. math:: n^\ast = \frac{\beta R}{4}\Bigl(\frac1B - \frac{q}{M}\Bigr)

    or 0 where noise alone takes as long. The model's width is not in it. A `traffic` q of 0 leaves
    noise and update out.

    >>> float(tokens_to_hide(Accelerator(150e12, 25e9, 2e12)))  # not from the registry: round
    3000.0
    """
    beta = positive("weight_bytes", weight_bytes)
    uncovered = 1 / machine.link - float(non_negative("traffic", traffic)) / machine.memory
    return np.asarray(beta * machine.rate / 4 * max(uncovered, 0.0))


def delayed_loads(
    times: StageTimes, blocks: int, probability: float, factor: float, seed: int = 0
) -> Floats:
    """Return the seconds of blocks of which some are held up on the link in, shape (blocks, 3).

    A load is held up with this `probability`, and then takes `factor` times as long.

    >>> delayed_loads(StageTimes(*map(np.array, (2.0, 3.0, 2.0))), 2, 1.0, 3.0).tolist()
    [[6.0, 3.0, 2.0], [6.0, 3.0, 2.0]]
    """
    chance, longer = within("probability", probability, 0, 1), at_least("factor", factor, 1)
    all_blocks = np.tile([float(time) for time in times], (whole("blocks", blocks, 1), 1))
    late = np.random.default_rng(seed).random(len(all_blocks)) < chance
    all_blocks[late, 0] *= longer
    return all_blocks
