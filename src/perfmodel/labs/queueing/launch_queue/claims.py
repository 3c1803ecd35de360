"""Published values of SKIP and its successor SODA on launch queues, compared with the model."""

from __future__ import annotations

from perfmodel.labs.queueing.launch_queue.batch_sweep import (
    A100,
    GH200,
    LaunchMachine,
    large_batch_speedup,
)
from perfmodel.labs.queueing.launch_queue.trace import Call, delays
from perfmodel.ledger import Sheet, re_aggregated, recomputed

_CALLS = [Call("a", 150e-6, 150e-6, 200e-6, 0), Call("b", 280e-6, 280e-6, 300e-6, 0)]


def _null_kernel_region() -> float:
    """Return the ratio of the transition batches if an operator cost what a null kernel does."""
    close, pcie = (
        LaunchMachine(p.launch_latency, p.null_duration, p.launch_latency) for p in (GH200, A100)
    )
    return close.transition_batch / pcie.transition_batch


TOOL = [
    re_aggregated(
        "TKLQT of two kernels",
        "70 µs",
        "a test in the repository of SODA",
        lambda: float(delays(_CALLS).sum()),
    ),
    re_aggregated(
        "mean delay of the two kernels",
        "35 µs",
        "a test in the repository of SODA",
        lambda: float(delays(_CALLS).mean()),
    ),
]
PLATFORMS = [
    recomputed(
        "CPU-bound region, GH200 over PCIe, from the null kernel alone",
        "4",
        "abstract: transition at batch 32 against 8, encoders",
        _null_kernel_region,
        miss="A null kernel shows neither the CPU cost of a framework's operator nor how fast the "
        "GPU multiplies. Both are in the paper's runs, which are not public.",
    ),
    recomputed(
        "speedup of GH200 at large batches, from the knees and the null kernel",
        "2.7",
        "abstract: 1.9 to 2.7 over the two machines with PCIe, Llama-3.2-1B",
        large_batch_speedup,
        miss="The knees were measured on encoders and the speedup on Llama. With 2.7 and the "
        "knees, an operator on Grace would cost 1.48 times the CPU time, more than the 1.226 of a "
        "launch alone.",
    ),
]
SHEET = Sheet(
    "P. Vellaisamy et al., 'Characterizing and optimizing LLM inference workloads on CPU-GPU "
    "coupled architectures', ISPASS 2025, arXiv 2504.11750, and its successor SODA "
    "(https://github.com/prabsy96/SODA---System-Offload-Dynamics-Analyzer)",
    [*TOOL, *PLATFORMS],
    unheld="Table V (launch latency and duration of a null kernel on three platforms) and the "
    "batch sizes at which encoders become GPU-bound, 8 and 32, are inputs here, so they test "
    "nothing. Latencies and fusion speedups by network need the paper's traces, which are not "
    "public.",
)
