from .amdahl_fit import (
    SerialFractionFit as SerialFractionFit,
    fit_serial_fraction as fit_serial_fraction,
)
from .checkpointing import (
    CheckpointRun as CheckpointRun,
    checkpoint_efficiency as checkpoint_efficiency,
    checkpoint_waste as checkpoint_waste,
    daly_interval as daly_interval,
    optimal_interval as optimal_interval,
    simulate_interruptions as simulate_interruptions,
    young_interval as young_interval,
)
from .efficiency import (
    isoefficiency as isoefficiency,
    strong_scaling_efficiency as strong_scaling_efficiency,
    weak_scaling_efficiency as weak_scaling_efficiency,
)
from .extrapolation import (
    FormForecast as FormForecast,
    ScalingForecast as ScalingForecast,
    extrapolate_scaling as extrapolate_scaling,
)
from .failures import (
    Failures as Failures,
    failure_rate as failure_rate,
    failures_per_work as failures_per_work,
    smallest_big_cores as smallest_big_cores,
)
from .heterogeneous import (
    HeterogeneousChip as HeterogeneousChip,
    Phases as Phases,
    heterogeneous_speedup as heterogeneous_speedup,
    phase_durations as phase_durations,
)
from .laws import (
    amdahl_limit as amdahl_limit,
    amdahl_speedup as amdahl_speedup,
    gustafson_speedup as gustafson_speedup,
    karp_flatt as karp_flatt,
    sun_ni_speedup as sun_ni_speedup,
)
from .multicore import (
    ChipDesign as ChipDesign,
    asymmetric_speedup as asymmetric_speedup,
    best_asymmetric as best_asymmetric,
    best_dynamic as best_dynamic,
    best_symmetric as best_symmetric,
    core_performance as core_performance,
    dynamic_speedup as dynamic_speedup,
    symmetric_speedup as symmetric_speedup,
)
from .reliability import (
    BOLTZMANN as BOLTZMANN,
    SimulatedLife as SimulatedLife,
    ThermalModel as ThermalModel,
    arrhenius_acceleration as arrhenius_acceleration,
    simulate_time_to_failure as simulate_time_to_failure,
)
from .speedup_measurement import (
    STEPS_PER_UNIT as STEPS_PER_UNIT,
    SpeedupMeasurement as SpeedupMeasurement,
    busy_work as busy_work,
    busy_work_each as busy_work_each,
    measure_speedup as measure_speedup,
    worker_counts as worker_counts,
)
from .stencil import (
    WILSON as WILSON,
    Stencil as Stencil,
    bandwidth_needed as bandwidth_needed,
    flop_limit as flop_limit,
    memory_growth as memory_growth,
)
from .survival import (
    AgeClasses as AgeClasses,
    WeibullLife as WeibullLife,
    count_by_age as count_by_age,
    fit_weibull_life as fit_weibull_life,
    spare_nodes as spare_nodes,
)
from .task_graph import (
    ScheduledTask as ScheduledTask,
    greedy_schedule as greedy_schedule,
    work_and_span as work_and_span,
)
from .usl import (
    UslBand as UslBand,
    UslFit as UslFit,
    UslPeak as UslPeak,
    fit_usl as fit_usl,
    usl_peak as usl_peak,
    usl_throughput as usl_throughput,
)
