"""The edge-cluster paper's inputs: nine networks on an Edge TPU, and three measured mixtures.

We aggregated the means from the authors' published traces (see `perfmodel.data`, data set
edge-queue, MIT licence); `mean_responses` does it again from the files.

Source: Q. Liang et al., "Model-driven Cluster Resource Management for AI Workloads in Edge
Clouds", ACM TAAS 18(1), 2023, with https://github.com/umassos/ibis.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from perfmodel.validation import Floats, whole

MILLI = 1e-3
BATCHES = 20
"""Number of parts of a network's requests for a standard error. Neighbours in a queue are similar,
so the scatter of single requests would make the error look too small."""


@dataclass(frozen=True)
class NeuralNetwork:
    """A neural network on an accelerator that keeps one network's weights at a time."""

    name: str
    service_time: float
    """Seconds of an inference when the weights are there."""
    switch_overhead: float
    """Seconds more when another network ran before."""
    memory: float
    """Bytes of weights, on the chip and off it."""


def _neural(name: str, service_ms: float, switch_ms: float, megabytes: float) -> NeuralNetwork:
    return NeuralNetwork(name, service_ms * MILLI, switch_ms * MILLI, megabytes * 1e6)


EDGE_TPU = {
    network.name: network
    for network in (
        _neural("efficientnet-S", 9.83, 17.33, 6.56),
        _neural("efficientnet-M", 15.85, 22.63, 6.74 + 1.59),
        _neural("efficientnet-L", 42.18, 17.53, 5.17 + 7.13),
        _neural("mobilenet_v1", 4.55, 15.12, 4.21),
        _neural("mobilenet_v2", 4.91, 10.43, 3.75),
        _neural("inception_v3", 62.95, 19.39, 5.67 + 17.69),
        _neural("inception_v4", 125.13, 19.43, 6.03 + 36.13),
        _neural("ssd_mobilenet_v1", 18.03, 23.93, np.nan),
        _neural("ssd_mobilenet_v2", 19.23, 24.63, np.nan),
    )
}
"""By the names in the traces; memory is not a number where the source does not give it."""

GPU_RATES = {"resnet18": 92.3, "googlenet": 72.0, "resnet34": 51.2, "resnet50": 34.0}
"""Inferences per second of four networks alone on the Jetson GPU."""


@dataclass(frozen=True)
class Mixture:
    """Networks that shared an Edge TPU, at five arrival rates of one of them."""

    name: str
    networks: tuple[str, ...]
    arrival_rate: Floats
    """Requests per second, shape (5, networks)."""
    response_time: Floats
    """Measured mean seconds from start to end, shape (5, networks)."""
    standard_error: Floats
    """Of these means in seconds, from the means of `BATCHES` batches in the order of arrival."""
    file: str
    """Of the data set edge-queue."""

    @property
    def service_time(self) -> Floats:
        """Seconds of an inference, shape (networks,)."""
        return np.array([EDGE_TPU[name].service_time for name in self.networks])

    @property
    def switch_overhead(self) -> Floats:
        """Seconds of reloading, shape (networks,)."""
        return np.array([EDGE_TPU[name].switch_overhead for name in self.networks])


def _mixture(
    name: str,
    networks: tuple[str, ...],
    first: float,
    others: tuple[float, ...],
    ms: object,
    error_ms: object,
) -> Mixture:
    """Return a mixture whose first network's rate grows from `first` to five times that."""
    varied = first * np.arange(1, 6)
    rates = np.column_stack([varied, *(np.full(5, rate) for rate in others)])
    response, error = (np.array(values, dtype=np.float64) * MILLI for values in (ms, error_ms))
    return Mixture(name, networks, rates, response, error, f"queuing_tpu_{'X'.join(networks)}.csv")


MIXTURES = {
    mixture.name: mixture
    for mixture in (
        _mixture(
            "A",
            ("inception_v4", "mobilenet_v2"),
            0.691,
            (16.62,),
            [(160.1, 16.7), (163.4, 28.7), (176.1, 44.2), (209.3, 71.3), (239.0, 100.0)],
            [(4.1, 1.6), (2.8, 1.5), (2.5, 2.9), (8.2, 6.9), (13.4, 11.1)],
        ),
        _mixture(
            "B",
            ("inception_v3", "ssd_mobilenet_v2"),
            1.214,
            (7.149,),
            [(88.3, 34.2), (89.2, 43.7), (99.7, 53.4), (116.4, 69.9), (126.1, 87.2)],
            [(1.4, 1.2), (1.1, 1.2), (2.6, 2.2), (5.7, 3.7), (7.4, 8.0)],
        ),
        _mixture(
            "C",
            ("efficientnet-L", "inception_v3", "inception_v4"),
            1.674,
            (2.428, 1.382),
            [
                (98.1, 118.7, 176.2),
                (106.5, 138.6, 202.2),
                (123.5, 152.0, 206.4),
                (150.2, 177.8, 242.0),
                (189.8, 214.0, 291.1),
            ],
            [
                (5.9, 5.6, 6.2),
                (6.1, 6.3, 10.1),
                (10.5, 10.8, 11.6),
                (13.2, 11.0, 10.3),
                (31.8, 31.0, 35.7),
            ],
        ),
    )
}


@dataclass(frozen=True)
class AtOnce:
    """Requests sent to an accelerator at one instant, means of 100 runs in seconds."""

    networks: tuple[str, ...]
    alone: Floats
    together: Floats
    standard_error: Floats
    """Standard error of `together`, from the scatter of the runs."""
    file: str


FCFS_AT_ONCE = AtOnce(
    ("ENets-S", "ENets-M", "ENets-L", "Inception V4", "SSD Mobilenet V2"),
    np.array([26.8, 32.6, 50.8, 113.0, 33.4]) * MILLI,
    np.array([27.1, 59.1, 108.7, 220.5, 253.2]) * MILLI,
    np.array([0.054, 0.105, 0.138, 0.164, 0.222]) * MILLI,
    "edgetpu_fcfs_validation.csv",
)
"""On the Edge TPU, in the order of the queue; alone includes loading the weights."""

PS_AT_ONCE = AtOnce(
    ("Yolo4-tiny", "Resnet50", "EfficientNet-B3"),
    np.array([26.1, 30.1, 82.9]) * MILLI,
    np.array([77.1, 84.7, 136.9]) * MILLI,
    np.array([0.653, 0.377, 0.065]) * MILLI,
    "trt_ps_validation.csv",
)
"""On the Jetson GPU under TensorRT."""


def read_trace(path: Path, step: int) -> tuple[list[str], Floats, Floats]:
    """Return the requests at one of a mixture's rates, `step` 0 to 4, in the order of arrival.

    They are the networks' names, instants of arrival and measured response times, both in seconds.
    """
    chosen = _step(path, step, "start_time")
    start = chosen["start_time"].to_numpy(dtype=np.float64)
    response = chosen["end_time"].to_numpy(dtype=np.float64) - start
    return chosen["model"].tolist(), start - start[0], response


def read_services(path: Path, step: int) -> tuple[list[str], np.ndarray, Floats]:
    """Return how long each request of a trace kept the accelerator, in the order of service.

    They are the networks' names, whether another network ran before (the first counts as one), and
    seconds from the later of submission and the end of the request before.
    """
    table = _step(path, step, "tpu_end_time")
    end = table["tpu_end_time"].to_numpy(dtype=np.float64)
    start = np.maximum(table["tpu_submit_time"], np.append(-np.inf, end[:-1]))
    names = table["model"].tolist()
    changed = [True, *(before != after for before, after in pairwise(names))]
    return names, np.array(changed), end - np.asarray(start)


def mean_responses(path: Path, mixture: Mixture) -> tuple[Floats, Floats]:
    """Return the mean response times of a mixture's file and their standard errors.

    Both are in seconds, shape (5, networks); the errors are from the means of `BATCHES` batches.
    """
    means, errors = np.empty((2, *mixture.arrival_rate.shape))
    for step in range(len(mixture.arrival_rate)):
        names, _, response = read_trace(path, step)
        for index, name in enumerate(mixture.networks):
            seconds = response[np.array(names) == name]
            batches = seconds[seconds.size % BATCHES :].reshape(BATCHES, -1).mean(axis=1)
            means[step, index] = seconds.mean()
            errors[step, index] = batches.std(ddof=1) / np.sqrt(BATCHES)
    return means, errors


def _step(path: Path, step: int, order: str) -> pd.DataFrame:
    table = pd.read_csv(path)
    steps = np.sort(table["vary_rho"].unique())
    index = whole("step", step, high=steps.size - 1)
    return table[table["vary_rho"] == steps[index]].sort_values(order, kind="stable")
