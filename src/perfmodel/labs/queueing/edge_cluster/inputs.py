"""The edge-cluster paper's inputs: nine networks on an Edge TPU, and three measured mixtures.

The means were aggregated by us from the authors' published traces (see `perfmodel.data`, data set
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

from perfmodel.validation import Floats

MILLI = 1e-3


@dataclass(frozen=True)
class Network:
    """A neural network on an accelerator that keeps one network's weights at a time."""

    name: str
    service_time: float
    """Seconds of an inference when the weights are there."""
    switch_overhead: float
    """Seconds more when another network ran before."""
    memory: float
    """Bytes of weights, on the chip and off it."""


def _network(name: str, service_ms: float, switch_ms: float, megabytes: float) -> Network:
    return Network(name, service_ms * MILLI, switch_ms * MILLI, megabytes * 1e6)


EDGE_TPU = {
    network.name: network
    for network in (
        _network("efficientnet-S", 9.83, 17.33, 6.56),
        _network("efficientnet-M", 15.85, 22.63, 6.74 + 1.59),
        _network("efficientnet-L", 42.18, 17.53, 5.17 + 7.13),
        _network("mobilenet_v1", 4.55, 15.12, 4.21),
        _network("mobilenet_v2", 4.91, 10.43, 3.75),
        _network("inception_v3", 62.95, 19.39, 5.67 + 17.69),
        _network("inception_v4", 125.13, 19.43, 6.03 + 36.13),
        _network("ssd_mobilenet_v1", 18.03, 23.93, np.nan),
        _network("ssd_mobilenet_v2", 19.23, 24.63, np.nan),
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
    name: str, networks: tuple[str, ...], first: float, others: tuple[float, ...], ms: object
) -> Mixture:
    """Return a mixture whose first network's rate grows from `first` to five times that."""
    varied = first * np.arange(1, 6)
    rates = np.column_stack([varied, *(np.full(5, rate) for rate in others)])
    response = np.array(ms, dtype=np.float64) * MILLI
    return Mixture(name, networks, rates, response, f"queuing_tpu_{'X'.join(networks)}.csv")


MIXTURES = {
    mixture.name: mixture
    for mixture in (
        _mixture(
            "A",
            ("inception_v4", "mobilenet_v2"),
            0.691,
            (16.62,),
            [(160.1, 16.7), (163.4, 28.7), (176.1, 44.2), (209.3, 71.3), (239.0, 100.0)],
        ),
        _mixture(
            "B",
            ("inception_v3", "ssd_mobilenet_v2"),
            1.214,
            (7.149,),
            [(88.3, 34.2), (89.2, 43.7), (99.7, 53.4), (116.4, 69.9), (126.1, 87.2)],
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
        ),
    )
}


@dataclass(frozen=True)
class AtOnce:
    """Requests sent to an accelerator at one instant: alone and together, mean seconds."""

    networks: tuple[str, ...]
    alone: Floats
    together: Floats
    file: str


FCFS_AT_ONCE = AtOnce(
    ("ENets-S", "ENets-M", "ENets-L", "Inception V4", "SSD Mobilenet V2"),
    np.array([26.8, 32.6, 50.8, 113.0, 33.4]) * MILLI,
    np.array([27.1, 59.1, 108.7, 220.5, 253.2]) * MILLI,
    "edgetpu_fcfs_validation.csv",
)
"""On the Edge TPU, in the order of the queue; alone includes loading the weights."""

PS_AT_ONCE = AtOnce(
    ("Yolo4-tiny", "Resnet50", "EfficientNet-B3"),
    np.array([26.1, 30.1, 82.9]) * MILLI,
    np.array([77.1, 84.7, 136.9]) * MILLI,
    "trt_ps_validation.csv",
)
"""On the Jetson GPU under TensorRT."""


def read_trace(path: Path, step: int) -> tuple[list[str], Floats, Floats]:
    """Return a mixture's requests at one of its rates, in the order of their arrival.

    Parameters
    ----------
    path : Path
        A mixture's file.
    step : int
        Which of the five rates, 0 to 4.

    Returns
    -------
    tuple
        Networks' names, instants of arrival and measured response times in seconds, each of
        length n.

    Raises
    ------
    ValueError
        If the trace has no such step.
    """
    chosen = _step(path, step, "start_time")
    start = chosen["start_time"].to_numpy(dtype=np.float64)
    response = chosen["end_time"].to_numpy(dtype=np.float64) - start
    return chosen["model"].tolist(), start - start[0], response


def read_services(path: Path, step: int) -> tuple[list[str], np.ndarray, Floats]:
    """Return how long each request of a trace kept the accelerator, in the order of service.

    Parameters
    ----------
    path, step
        As for `read_trace`.

    Returns
    -------
    tuple
        Networks' names, whether another network ran before (the first counts as one), and
        seconds from the later of submission and the end of the request before, each of length n.
    """
    table = _step(path, step, "tpu_end_time")
    end = table["tpu_end_time"].to_numpy(dtype=np.float64)
    start = np.maximum(table["tpu_submit_time"], np.append(-np.inf, end[:-1]))
    names = table["model"].tolist()
    changed = [True, *(one != other for one, other in pairwise(names))]
    return names, np.array(changed), end - np.asarray(start)


def mean_responses(path: Path, mixture: Mixture) -> Floats:
    """Return the mean response times of a mixture's file in seconds, shape (5, networks)."""
    rows = []
    for step in range(len(mixture.arrival_rate)):
        names, _, response = read_trace(path, step)
        rows.append([response[np.array(names) == name].mean() for name in mixture.networks])
    return np.array(rows)


def _step(path: Path, step: int, order: str) -> pd.DataFrame:
    table = pd.read_csv(path)
    steps = np.sort(table["vary_rho"].unique())
    if not 0 <= step < steps.size:
        raise ValueError(f"step must be from 0 to {steps.size - 1}, got {step!r}")
    return table[table["vary_rho"] == steps[step]].sort_values(order, kind="stable")
