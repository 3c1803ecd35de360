"""What the reader does: the seconds of a step, and a scale from own runs."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _step(
    seconds_moved: float,
    layers: int,
    devices: int,
    share: float,
    layer: float,
    collective: float,
) -> float:
    return seconds_moved / share + layers * (layer + 2 * collective * (devices > 1))


step_seconds = Task(
    "Seconds of a step",
    reference=_step,
    cases=[
        (9e-3, 80, 2, 0.8, 5e-5, 1e-5),
        (9e-3, 80, 1, 0.8, 5e-5, 1e-5),
        (2e-3, 61, 8, 0.6, 7e-5, 2e-5),
    ],
    mistakes=mistakes(
        lambda moved, layers, devices, share, layer, collective: (
            moved * share + layers * (layer + 2 * collective * (devices > 1))
        ),
        "times the share: A device that reaches a share of its bandwidth takes longer, not less. "
        "Divide by the share.",
        lambda moved, layers, devices, share, layer, collective: (
            moved / share + layers * (layer + 2 * collective)
        ),
        "one device communicates: A single device has nobody to add its sums to.",
        lambda moved, layers, devices, share, layer, collective: (
            moved / share + layers * (layer + collective * (devices > 1))
        ),
        "one all-reduce a layer: Each layer has two, after the attention and after the "
        "feed-forward part.",
        lambda moved, layers, devices, share, layer, collective: (
            moved / share + layers * layer + 2 * collective * (devices > 1)
        ),
        "collectives counted once: Each layer has its own two all-reduces.",
        lambda moved, layers, devices, share, layer, collective: (
            moved / share + layers * (layer + 2 * collective * (devices - 1))
        ),
        "a collective for each device: Equation (1) counts collectives, however many devices take "
        "part.",
    ),
    hint="The first two terms of equation (1). Python counts a comparison that holds as 1.",
    right="With one device the collective term is gone, and nothing else changes.",
    unit="s",
)

own_scale = Task(
    "A scale from own runs",
    reference=lambda measured, computed: float(
        np.median(np.asarray(measured) / np.asarray(computed))
    ),
    cases=[
        (np.array([12e-3, 15e-3, 31e-3]), np.array([10e-3, 14e-3, 20e-3])),
        (np.array([8e-3]), np.array([10e-3])),
        (np.array([9e-3, 11e-3, 50e-3]), np.array([10e-3, 10e-3, 10e-3])),
    ],
    mistakes=mistakes(
        lambda measured, computed: float(np.median(computed / measured)),
        "upside down: The scale multiplies computed times, so the measured time is on top.",
        lambda measured, computed: float(np.mean(measured / computed)),
        "the mean: One odd run moves the mean. The median stays.",
        lambda measured, computed: float(np.sum(measured) / np.sum(computed)),
        "a ratio of sums: That lets the longest run decide.",
        lambda measured, computed: float(np.median(measured) / np.median(computed)),
        "a ratio of medians: The two medians may belong to different runs. Divide run by run.",
        lambda measured, computed: float(np.median(measured - computed)),
        "a difference: That is a time. Asked is a factor.",
    ),
    hint="Divide run by run, then take the value in the middle.",
    right="One own run already brings the median error down; more than three bring little.",
)
