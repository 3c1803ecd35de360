from .child import ProcessMeasurement as ProcessMeasurement
from .child import across_processes as across_processes
from .clock import clock_resolution as clock_resolution
from .concurrency import chained_bandwidth as chained_bandwidth
from .concurrency import lines_in_flight as lines_in_flight
from .cpu.blas import measure_gemm as measure_gemm
from .cpu.caches import CacheLevel as CacheLevel
from .cpu.caches import Hierarchy as Hierarchy
from .cpu.caches import hierarchy as hierarchy
from .cpu.chains import measure_chains as measure_chains
from .cpu.counters import EventCounts as EventCounts
from .cpu.counters import count_events as count_events
from .cpu.latency import Cycle as Cycle
from .cpu.latency import Rung as Rung
from .cpu.latency import latency_ladder as latency_ladder
from .cpu.latency import measure_latency as measure_latency
from .cpu.latency import measure_reading as measure_reading
from .cpu.latency import reading_ladder as reading_ladder
from .cpu.overheads import EventTime as EventTime
from .cpu.overheads import measure_overheads as measure_overheads
from .cpu.peak import MultiplyAdds as MultiplyAdds
from .cpu.peak import Variant as Variant
from .cpu.peak import measure_peak as measure_peak
from .cpu.peak import variants as variants
from .cpu.peak import widest as widest
from .cpu.stream import Arrays as Arrays
from .cpu.stream import StreamLoop as StreamLoop
from .cpu.stream import array_bytes as array_bytes
from .cpu.stream import measure_bandwidth as measure_bandwidth
from .cpu.stream import non_temporal_triad as non_temporal_triad
from .cpu.stream import stream_loops as stream_loops
from .cpu.suite import FULL as FULL
from .cpu.suite import QUICK as QUICK
from .cpu.suite import Suite as Suite
from .cpu.suite import SuitePlan as SuitePlan
from .cpu.team import Team as Team
from .cpu.team import pin as pin
from .cpu.team import usable as usable
from .energy import Energy as Energy
from .energy import GridIntensity as GridIntensity
from .energy import PowerModel as PowerModel
from .energy import Rapl as Rapl
from .energy import energy_counters as energy_counters
from .energy import measure_energy as measure_energy
from .errors import ChildError as ChildError
from .errors import CorruptFileError as CorruptFileError
from .errors import EnergyUnavailable as EnergyUnavailable
from .errors import Unavailable as Unavailable
from .gpu.device import Device as Device
from .gpu.device import find_gpu as find_gpu
from .gpu.simulated import SimulatedGpu as SimulatedGpu
from .gpu.suite import GpuSuite as GpuSuite
from .gpu.timing import Watch as Watch
from .load import Load as Load
from .load import Snapshot as Snapshot
from .load import snapshot as snapshot
from .load import usable_cores as usable_cores
from .provenance import Cache as Cache
from .provenance import Host as Host
from .provenance import Provenance as Provenance
from .provenance import host as host
from .runs import Runs as Runs
from .runs import repetitions as repetitions
from .runs import short_runs as short_runs
from .runs import timed as timed
from .simulated import SimulatedMachine as SimulatedMachine
from .statistics.comparison import Comparison as Comparison
from .statistics.comparison import compare as compare
from .statistics.comparison import planned as planned
from .statistics.intervals import bootstrap_interval as bootstrap_interval
from .statistics.intervals import geometric_mean_interval as geometric_mean_interval
from .statistics.intervals import hodges_lehmann as hodges_lehmann
from .statistics.intervals import median_interval as median_interval
from .statistics.intervals import signed_rank_interval as signed_rank_interval
from .statistics.noise import Diagnosis as Diagnosis
from .statistics.noise import Finding as Finding
from .statistics.noise import diagnose as diagnose
from .statistics.resolution import Resolution as Resolution
from .statistics.resolution import resolution as resolution
from .statistics.significance import Difference as Difference
from .statistics.significance import TestResult as TestResult
from .statistics.significance import anova as anova
from .statistics.significance import equivalence as equivalence
from .statistics.significance import paired as paired
from .statistics.significance import power_of_test as power_of_test
from .statistics.significance import samples_needed as samples_needed
from .statistics.significance import welch as welch
from .store import load_measurements as load_measurements
from .store import samples_table as samples_table
from .store import save_measurements as save_measurements
from .timing import Measurement as Measurement
from .timing import measure as measure
from .timing import repeat as repeat

__all__ = [
    "FULL",
    "QUICK",
    "Arrays",
    "Cache",
    "CacheLevel",
    "ChildError",
    "Comparison",
    "CorruptFileError",
    "Cycle",
    "Device",
    "Diagnosis",
    "Difference",
    "Energy",
    "EnergyUnavailable",
    "EventCounts",
    "EventTime",
    "Finding",
    "GpuSuite",
    "GridIntensity",
    "Hierarchy",
    "Host",
    "Load",
    "Measurement",
    "MultiplyAdds",
    "PowerModel",
    "ProcessMeasurement",
    "Provenance",
    "Rapl",
    "Resolution",
    "Rung",
    "Runs",
    "SimulatedGpu",
    "SimulatedMachine",
    "Snapshot",
    "StreamLoop",
    "Suite",
    "SuitePlan",
    "Team",
    "TestResult",
    "Unavailable",
    "Variant",
    "Watch",
    "across_processes",
    "anova",
    "array_bytes",
    "bootstrap_interval",
    "chained_bandwidth",
    "clock_resolution",
    "compare",
    "count_events",
    "diagnose",
    "energy_counters",
    "equivalence",
    "find_gpu",
    "geometric_mean_interval",
    "hierarchy",
    "hodges_lehmann",
    "host",
    "latency_ladder",
    "lines_in_flight",
    "load_measurements",
    "measure",
    "measure_bandwidth",
    "measure_chains",
    "measure_energy",
    "measure_gemm",
    "measure_latency",
    "measure_overheads",
    "measure_peak",
    "measure_reading",
    "median_interval",
    "non_temporal_triad",
    "paired",
    "pin",
    "planned",
    "power_of_test",
    "reading_ladder",
    "repeat",
    "repetitions",
    "resolution",
    "samples_needed",
    "samples_table",
    "save_measurements",
    "short_runs",
    "signed_rank_interval",
    "snapshot",
    "stream_loops",
    "timed",
    "usable",
    "usable_cores",
    "variants",
    "welch",
    "widest",
]
