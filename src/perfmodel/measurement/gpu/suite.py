"""All measurements of this machine's GPU, repeated in fresh processes, as one machine for labs."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from perfmodel import machines
from perfmodel.machines import Machine, MachineFigure
from perfmodel.measurement import child, nvml
from perfmodel.measurement.cpu.pinned_threads import usable_threads
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import battery
from perfmodel.measurement.gpu.device import About, find_gpu
from perfmodel.measurement.provenance import provenance
from perfmodel.measurement.readings import Readings, Summary, figure, missing, summarised

PROCESSES = 3
VECTOR = {"fp64": "peak_fp64", "tf32": "peak_fp32", "fp16": "vector_fp16", "bf16": "vector_bf16"}
"""Precisions that matrix units may have, and the figure of the vector units that a product without
them can't pass."""
ABOVE = 1.2
"""Factor above the vector units' peak from which a product must have run on matrix units, which are
at least twice as fast; less may be the clocks'."""
ID = "this-gpu"
"""Id under which a reader's GPU is saved."""
SOURCE = "python -m perfmodel.measurement gpu"


@dataclass(frozen=True)
class GpuSuite:
    """What was measured, and what could not be."""

    about: About
    summaries: tuple[Summary, ...]
    unavailable: tuple[Unavailable, ...]
    seconds: float
    """How long it took."""
    throttle_reasons: tuple[str, ...]
    """Why the driver held the clocks back under load; empty where it did not, or did not tell."""


def run(
    library: str | None = None,
    report: Callable[[str, float], None] = lambda part, fraction: None,
    clock: Callable[[], float] = time.perf_counter,
    asked: Callable[..., child.Outcome] = child.start,
) -> GpuSuite:
    """Measure the GPU in three fresh processes through `torch` or `cupy`, whichever is there.

    `report` is called with the part that begins and the fraction of the work that is done; `asked`
    runs a function in a child process. Unavailable without a GPU or a library for it.
    """
    began = clock()
    about = _asked(asked, _about, library)
    answers: list[Readings] = []
    held: dict[str, None] = {}
    for number in range(PROCESSES):
        report(f"{about.name}, process {number + 1}", number / PROCESSES)
        readings, reasons = _asked(asked, battery.everything, library)
        answers.append(readings)
        held |= dict.fromkeys(reasons)
    report("done", 1.0)
    summaries = tuple(summarised(item for answer in answers for item in answer))
    return GpuSuite(about, summaries, missing(answers), clock() - began, tuple(held))


def as_machine(suite: GpuSuite, name: str | None = None) -> Machine:
    """Return the measured GPU, ready for `machines.save`; `machines.get("this-gpu")` finds it.

    `suite` is what `run` returned; the GPU's own name is taken if no `name` is given.
    """
    about, here = suite.about, provenance()
    figures = {summary.quantity: figure(summary, SOURCE, here.date) for summary in suite.summaries}
    figures |= matrix_peaks(figures)
    sizes = {"compute_units": about.multiprocessors, "memory_capacity": about.memory}
    if about.l2_cache:
        sizes |= {"l2_cache": about.l2_cache, "last_level_cache": about.l2_cache}
    for quantity, value in sizes.items():
        unit = machines.QUANTITIES[quantity]
        figures[quantity] = MachineFigure(
            float(value), unit, "measured", about.library, here.date, True
        )
    words = [about.library, f"CUDA {about.cuda}", f"driver {nvml.driver() or 'unknown'}"]
    words.append(f"host {here.host.processor}")
    words += [f"clocks held back: {why}" for why in suite.throttle_reasons]
    made = machines.measured_machine(
        figures,
        name=name or about.name,
        source=SOURCE,
        id=ID,
        date=here.date,
        note=", ".join(words),
    )
    return dataclasses.replace(made, kind="gpu", unit_kind="SM")


def matrix_peaks(figures: Mapping[str, MachineFigure]) -> dict[str, MachineFigure]:
    """Return the peaks that products and multiply-adds among `figures` speak for.

    A product that is clearly faster than the vector units can be ran on matrix units, and its rate
    is `peak_..._matrix`: at least this rate is possible, with a library that is tuned for it. The
    vector units' peak lies below it, in double precision too. Where a half precision's product is
    no faster, there are no matrix units for it, and its peak is that of the vector units.

    >>> given = {"fp64": 60e12, "fp16": 20e12}
    >>> made = {f"gemm_{p}": MachineFigure(v, "FLOP/s", "measured", "example", "2026", True)
    ...         for p, v in given.items()}
    >>> vector = MachineFigure(34e12, "FLOP/s", "measured", "example", "2026", True)
    >>> found = matrix_peaks({**made, "peak_fp64": vector, "vector_fp16": vector})
    >>> {name: one.value / 1e12 for name, one in found.items()}
    {'peak_fp64_matrix': 60.0, 'peak_fp16': 34.0}
    """
    result: dict[str, MachineFigure] = {}
    for precision, vector in VECTOR.items():
        product, below = figures.get(f"gemm_{precision}"), figures.get(vector)
        if product is not None and (below is None or product.value > ABOVE * below.value):
            note = f"reached by a library, a lower bound of the matrix units' peak; {product.note}"
            result[f"peak_{precision}_matrix"] = dataclasses.replace(product, note=note)
        elif below is not None and vector.startswith("vector"):
            note = "; ".join(text for text in (below.note, "no faster product was seen") if text)
            result[f"peak_{precision}"] = dataclasses.replace(below, note=note)
    return result


def _about(library: str | None) -> About | Unavailable:
    try:
        return find_gpu(library).about()
    except Unavailable as why:
        return why


def _asked(asked: Callable[..., child.Outcome], function: Callable[..., Any], *args: Any) -> Any:
    cores = usable_threads()
    answer = asked(function, *args, cores=cores, threads=len(cores)).value
    if isinstance(answer, Unavailable):
        raise answer
    return answer
