"""A GPU's launch queue: a CPU thread that puts kernels in, a GPU that takes them out in order.

Take a waiter who carries orders to a kitchen. While orders come slower than the kitchen cooks, an
order waits for nothing and the kitchen idles; once the kitchen is slower, orders pile up. The time
from launching a kernel to its start shows which of the two it is, without looking at either:
that sum over a run is TKLQT, the total kernel launch and queueing time.

Source: P. Vellaisamy et al., "Characterizing and optimizing LLM inference workloads on CPU-GPU
coupled architectures", ISPASS 2025: the metrics (Eq. 1 and text) and Table V. The model that
makes the timelines (one thread, kernels in order) is this course's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from perfmodel.labs.queueing.launch_queue.batch_sweep import Machine, batch_sweep, knee
from perfmodel.labs.queueing.launch_queue.kernel_fusion import fused_launches
from perfmodel.labs.queueing.launch_queue.timeline import Timeline
from perfmodel.labs.queueing.launch_queue.trace import Call, delays
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.queueing.operational_analysis.sample_path import departures


@dataclass(frozen=True)
class Platform:
    """A CPU and a GPU, by what a kernel that does nothing costs on them; times in seconds."""

    name: str
    launch_latency: float
    """From the begin of the launch call to the kernel's start, with an empty queue."""
    null_duration: float
    """From start to end of a kernel that does nothing."""


A100 = Platform("A100-SXM4-80GB with EPYC 7313", 2260.5e-9, 1440.0e-9)
H100 = Platform("H100 PCIe with two Xeon 8468V", 2374.6e-9, 1235.2e-9)
GH200 = Platform("GH200 with Grace", 2771.6e-9, 1171.2e-9)
"""The three of Table V: two that reach the GPU over PCIe, one coupled closely."""

KNEES = {"over PCIe": 8.0, "GH200": 32.0}
"""Batch sizes at which the paper's encoders become GPU-bound (abstract and section V)."""


def coupled_pair() -> tuple[Machine, Machine]:
    """Return an A100 over PCIe and a GH200 as far as published figures alone can tell.

    The null kernel's launch latency stands in for the host cost, since no other figure of the CPU
    is published, and the paper's knees give the GPU time of an item, c / B*.

    >>> pcie, close = coupled_pair()
    >>> round(close.host_cost / pcie.host_cost, 3), round(pcie.transition_batch, 9)
    (1.226, 8.0)
    """
    pcie, close = (
        Machine(p.launch_latency, p.launch_latency / knee_at, p.launch_latency, p.null_duration)
        for p, knee_at in zip((A100, GH200), KNEES.values(), strict=True)
    )
    return pcie, close


def claims() -> list[Claim]:
    """Return the ledger entries: Table V, what the model makes of it, and the published knees."""
    return [*_table_v(), *_timelines(), *_counts(), *_orderings(), *_misses()]


def _claim(
    quantity: str,
    printed: str,
    unit: str,
    source: str,
    ours: Callable[[], float],
    scale: float = 1.0,
    miss: str = "",
    derived: bool = True,
) -> Claim:
    return Claim(
        "launch_queue",
        quantity,
        "recomputed",
        float(printed) * scale,
        unit,
        source,
        ours,
        absolute=half_unit(printed) * scale,
        derived=derived,
        miss=miss,
    )


def _table_v() -> list[Claim]:
    where = "ratio of two entries of Table V"
    return [
        _claim(
            "launch latency of a null kernel, GH200 over A100",
            "1.226",
            "1",
            where,
            lambda: GH200.launch_latency / A100.launch_latency,
        ),
        _claim(
            "launch latency of a null kernel, GH200 over H100",
            "1.167",
            "1",
            where,
            lambda: GH200.launch_latency / H100.launch_latency,
        ),
        _claim(
            "duration of a null kernel, A100 over GH200",
            "1.230",
            "1",
            where,
            lambda: A100.null_duration / GH200.null_duration,
        ),
    ]


def _timelines() -> list[Claim]:
    where = "worked out from the definitions: 300 kernels, one every 8 µs"
    waits = [("8", "678.15"), ("10", "90378.15"), ("12", "180078.15"), ("24", "718278.15")]
    spans = [("1", "2395", "2095"), ("10", "3002", "2.3"), ("24", "7202", "2.3")]
    found = [
        _claim(f"TKLQT, kernels of {d} µs", total, "s", where, partial(_tklqt, float(d)), 1e-6)
        for d, total in waits
    ]
    for d, span, idle in spans:
        run = partial(_run, float(d))
        found += [
            _claim(f"latency, kernels of {d} µs", span, "s", where, partial(_latency, run), 1e-6),
            _claim(f"GPU idle, kernels of {d} µs", idle, "s", where, partial(_idle, run), 1e-6),
        ]
    return found


def _counts() -> list[Claim]:
    calls = [Call("a", 150e-6, 150e-6, 200e-6, 0), Call("b", 280e-6, 280e-6, 300e-6, 0)]
    where = "a test in the repository of SODA"
    here = "worked out from the model"
    return [
        _claim(
            "TKLQT of two kernels",
            "70",
            "s",
            where,
            lambda: float(delays(calls).sum()),
            1e-6,
            derived=False,
        ),
        _claim(
            "mean delay of the two",
            "35",
            "s",
            where,
            lambda: float(delays(calls).mean()),
            1e-6,
            derived=False,
        ),
        _claim(
            "speedup of 300 launches with 40 chains of 4 fused, CPU-bound",
            "1.667",
            "1",
            here,
            lambda: 300 / float(fused_launches(300, 40, 4)),
        ),
        _claim(
            "transition batch, 10 µs a launch and 0.31 µs an item",
            "32.3",
            "1",
            here,
            lambda: _knee_of(Machine(10e-6, 0.31e-6, A100.launch_latency)),
        ),
    ]


def _orderings() -> list[Claim]:
    return [
        Claim(
            "launch_queue",
            "TKLQT against the batch size",
            "trend",
            "flat at the unloaded launch latency while the CPU is the bound, rising beyond",
            "",
            "the boundedness rule",
            _flat_then_rising,
        ),
        Claim(
            "launch_queue",
            "latency on GH200 and over PCIe",
            "trend",
            "GH200 is slower at batch 1 and faster at large batches",
            "",
            "section V and abstract",
            _crossing,
        ),
    ]


def _misses() -> list[Claim]:
    return [
        _claim(
            "CPU-bound region, GH200 over PCIe, from the null kernel alone",
            "4",
            "1",
            "abstract: transition at batch 32 against 8, encoders",
            lambda: (
                (GH200.launch_latency * A100.null_duration)
                / (A100.launch_latency * GH200.null_duration)
            ),
            miss="a null kernel tells neither what the CPU needs for an operator of a framework "
            "nor how fast the GPU multiplies; both figures are in the paper's runs, which are "
            "not public",
            derived=False,
        ),
        _claim(
            "speedup of GH200 at large batches, from the knees and the null kernel",
            "2.7",
            "1",
            "abstract: 1.9 to 2.7 over the two machines with PCIe, Llama-3.2-1B",
            lambda: float(_ratio(1024.0)),
            miss="the knees are those of encoders and the speedup that of Llama; with 2.7 and "
            "the knees, an operator on Grace would cost 1.48 times the CPU time, more than the "
            "1.226 of a bare launch",
            derived=False,
        ),
    ]


def _run(duration: float) -> Timeline:
    """Take 300 kernels of so many microseconds through a queue that knows no closed form."""
    launches = 8e-6 * np.arange(300.0)
    ready, sizes = launches + A100.launch_latency, np.full(300, duration * 1e-6)
    ends = departures(ready, sizes)
    return Timeline(launches, ends - sizes, ends)


def _tklqt(duration: float) -> float:
    return float(_run(duration).tklqt)


def _latency(run: Callable[[], Timeline]) -> float:
    return float(run().latency)


def _idle(run: Callable[[], Timeline]) -> float:
    return float(run().gpu_idle)


def _knee_of(machine: Machine) -> float:
    batches = 2.0 ** np.arange(9)
    return knee(batches, batch_sweep(machine, batches).tklqt)


def _ratio(batch: float, kernels: int = 300) -> float:
    pcie, close = (batch_sweep(m, [batch], kernels).latency[0] for m in coupled_pair())
    return float(pcie / close)


def _flat_then_rising() -> Trend:
    machine = coupled_pair()[0]
    found = batch_sweep(machine, [1, 2, 4, 8, 16, 32]).tklqt / (300 * machine.launch_latency)
    flat = bool((abs(found[:4] - 1) < 1e-9).all() and (np.diff(found[3:]) > 0).all())
    return Trend(
        flat, f"{found[0]:.3f} times the unloaded latency to batch 8, {found[4]:.0f} at 16"
    )


def _crossing() -> Trend:
    small, large = _ratio(1.0), _ratio(1024.0)
    return Trend(small < 1 < large, f"speedup {small:.2f} at batch 1, {large:.2f} at batch 1,024")
