"""Scaling laws: what more processors, more memory or other cores can and cannot buy.

The laws of parallel speedup (`laws`, `isoefficiency`), the serial fraction behind measured
speedups (`serial_fit`), the Universal Scalability Law (`usl`) and chips of many cores (`multicore`,
`multicore_speedup`) can be imported from here; `kernel` measures speedups on the machine at hand.
"""

from perfmodel.scaling.isoefficiency import isoefficiency
from perfmodel.scaling.laws import (
    amdahl_limit,
    amdahl_speedup,
    gustafson_speedup,
    karp_flatt,
    strong_scaling_efficiency,
    sun_ni_speedup,
    weak_scaling_efficiency,
)
from perfmodel.scaling.multicore import Design, best_asymmetric, best_dynamic, best_symmetric
from perfmodel.scaling.multicore_speedup import (
    asymmetric_speedup,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)
from perfmodel.scaling.serial_fit import SerialFractionFit, fit_serial_fraction
from perfmodel.scaling.usl import UslBand, UslFit, UslPeak, fit_usl, usl_peak, usl_throughput

__all__ = [
    "Design",
    "SerialFractionFit",
    "UslBand",
    "UslFit",
    "UslPeak",
    "amdahl_limit",
    "amdahl_speedup",
    "asymmetric_speedup",
    "best_asymmetric",
    "best_dynamic",
    "best_symmetric",
    "core_performance",
    "dynamic_speedup",
    "fit_serial_fraction",
    "fit_usl",
    "gustafson_speedup",
    "isoefficiency",
    "karp_flatt",
    "strong_scaling_efficiency",
    "sun_ni_speedup",
    "symmetric_speedup",
    "usl_peak",
    "usl_throughput",
    "weak_scaling_efficiency",
]
