from .child import ProcessMeasurement as ProcessMeasurement, across_processes as across_processes
from .clock import clock_resolution as clock_resolution
from .concurrency import chained_bandwidth as chained_bandwidth, lines_in_flight as lines_in_flight
from .cpu.blas import measure_gemm as measure_gemm
from .cpu.caches import CacheLevel as CacheLevel, Hierarchy as Hierarchy, hierarchy as hierarchy
from .cpu.chains import measure_chains as measure_chains
from .cpu.counters import EventCounts as EventCounts, count_events as count_events
from .cpu.latency import (
    PointerCycle as PointerCycle,
    Rung as Rung,
    latency_ladder as latency_ladder,
    measure_latency as measure_latency,
    measure_read_bandwidth as measure_read_bandwidth,
    read_bandwidth_ladder as read_bandwidth_ladder,
)
from .cpu.overheads import EventTime as EventTime, measure_overheads as measure_overheads
from .cpu.peak import (
    MultiplyAdds as MultiplyAdds,
    Variant as Variant,
    measure_peak as measure_peak,
    variants as variants,
    widest as widest,
)
from .cpu.pinned_threads import (
    PinnedThreads as PinnedThreads,
    pin as pin,
    usable_threads as usable_threads,
)
from .cpu.stream import (
    StreamArrays as StreamArrays,
    StreamLoop as StreamLoop,
    array_bytes as array_bytes,
    measure_bandwidth as measure_bandwidth,
    non_temporal_triad as non_temporal_triad,
    stream_loops as stream_loops,
)
from .cpu.suite import FULL as FULL, QUICK as QUICK, Suite as Suite, SuitePlan as SuitePlan
from .energy import (
    Energy as Energy,
    GridIntensity as GridIntensity,
    PowerModel as PowerModel,
    Rapl as Rapl,
    energy_counters as energy_counters,
    measure_energy as measure_energy,
)
from .errors import (
    ChildError as ChildError,
    CorruptFileError as CorruptFileError,
    EnergyUnavailable as EnergyUnavailable,
    Unavailable as Unavailable,
)
from .gpu.device import Device as Device, find_gpu as find_gpu
from .gpu.simulated import SimulatedGpu as SimulatedGpu
from .gpu.suite import GpuSuite as GpuSuite
from .gpu.timing import Watch as Watch
from .load import (
    Load as Load,
    Snapshot as Snapshot,
    snapshot as snapshot,
    usable_cores as usable_cores,
)
from .load_generators.ab import ab_report as ab_report
from .load_generators.autocannon import autocannon_report as autocannon_report
from .load_generators.conversion import (
    LOAD_GENERATORS as LOAD_GENERATORS,
    NOT_IN_REQUESTS as NOT_IN_REQUESTS,
    REPORT_QUANTITIES as REPORT_QUANTITIES,
    from_report as from_report,
    why_lost as why_lost,
)
from .load_generators.h2load import h2load_report as h2load_report
from .load_generators.hey import hey_report as hey_report
from .load_generators.httperf import httperf_report as httperf_report
from .load_generators.loadtest import loadtest_report as loadtest_report
from .load_generators.locust import locust_report as locust_report, locust_rounded as locust_rounded
from .load_generators.percentiles import (
    PERCENTILE_RULES as PERCENTILE_RULES,
    PercentileRule as PercentileRule,
    convert_percentile as convert_percentile,
    percentile as percentile,
    percentile_rule as percentile_rule,
)
from .load_generators.requests import (
    HttpRequests as HttpRequests,
    closed_loop as closed_loop,
    open_loop as open_loop,
)
from .load_generators.siege import siege_report as siege_report
from .load_generators.wrk import (
    wrk_corrected as wrk_corrected,
    wrk_measured as wrk_measured,
    wrk_report as wrk_report,
    wrk_summary as wrk_summary,
)
from .page_cache import drop_pages as drop_pages
from .provenance import Cache as Cache, Host as Host, Provenance as Provenance, host as host
from .runs import (
    Runs as Runs,
    repetitions as repetitions,
    short_runs as short_runs,
    timed as timed,
    timed_in_turns as timed_in_turns,
)
from .simulated import SimulatedMachine as SimulatedMachine
from .statistics.comparison import Comparison as Comparison, compare as compare, planned as planned
from .statistics.hypothesis_tests import (
    Difference as Difference,
    TestResult as TestResult,
    equivalence as equivalence,
    paired as paired,
    power_of_test as power_of_test,
    samples_needed as samples_needed,
    welch as welch,
)
from .statistics.intervals import (
    bootstrap_interval as bootstrap_interval,
    geometric_mean_interval as geometric_mean_interval,
    hodges_lehmann as hodges_lehmann,
    median_interval as median_interval,
    signed_rank_interval as signed_rank_interval,
)
from .statistics.noise import Diagnosis as Diagnosis, Finding as Finding, diagnose as diagnose
from .statistics.resolution import Resolution as Resolution, resolution as resolution
from .statistics.stored_comparison import (
    StoredComparison as StoredComparison,
    compare_samples as compare_samples,
)
from .timing import Measurement as Measurement, measure as measure, repeat as repeat
