from .distributions.heavy_tail import (
    BoundedPareto as BoundedPareto,
    Empirical as Empirical,
    Lognormal as Lognormal,
)
from .distributions.light_tail import (
    Deterministic as Deterministic,
    Erlang as Erlang,
    Exponential as Exponential,
    Hyperexponential as Hyperexponential,
    Uniform as Uniform,
)
from .distributions.likelihood_fitting import (
    HyperErlangFit as HyperErlangFit,
    best_hyper_erlang as best_hyper_erlang,
    fit_hyper_erlang as fit_hyper_erlang,
)
from .distributions.moment_fitting import fit_map as fit_map, fit_phase_type as fit_phase_type
from .distributions.phase_type import ArrivalProcess as ArrivalProcess, PhaseType as PhaseType
from .distributions.service import (
    Service as Service,
    cdf as cdf,
    mean_residual as mean_residual,
    scv as scv,
    tail as tail,
)
from .distributions.trace_fitting import MapFit as MapFit, fit_map_em as fit_map_em
from .distributions.workloads import (
    BORG_JOBS as BORG_JOBS,
    BUS_GAPS as BUS_GAPS,
    HEAVY_JOBS as HEAVY_JOBS,
    ONE_OR_THIRTEEN as ONE_OR_THIRTEEN,
    UNFAIR_JOBS as UNFAIR_JOBS,
    UNIX_JOBS as UNIX_JOBS,
)
from .fleet.dispatching import (
    SizeIntervalHosts as SizeIntervalHosts,
    equal_utilization_cutoffs as equal_utilization_cutoffs,
    least_work_left as least_work_left,
    random_split as random_split,
    size_interval as size_interval,
)
from .fleet.fork_join import (
    ForkJoinQueue as ForkJoinQueue,
    fork_join as fork_join,
    split_merge as split_merge,
)
from .fleet.log_sizing import (
    LogSizing as LogSizing,
    replay_waits as replay_waits,
    size_from_log as size_from_log,
)
from .fleet.mean_field import (
    fluid_network as fluid_network,
    follow_drift as follow_drift,
    supermarket as supermarket,
)
from .fleet.power_of_choices import (
    power_of_choices as power_of_choices,
    power_of_choices_tail as power_of_choices_tail,
    redundancy as redundancy,
    redundancy_quantile as redundancy_quantile,
)
from .fleet.staffing import (
    halfin_whitt_wait as halfin_whitt_wait,
    safety_factor as safety_factor,
    servers_for_blocking as servers_for_blocking,
    servers_for_percentile as servers_for_percentile,
    servers_for_waiting as servers_for_waiting,
    square_root_staffing as square_root_staffing,
)
from .network.amva import bard_schweitzer as bard_schweitzer, linearizer as linearizer
from .network.bcmp import bcmp as bcmp
from .network.blocking.balance import solve_blocking as solve_blocking
from .network.blocking.matching import matched_throughput as matched_throughput
from .network.blocking.solution import BlockingSolution as BlockingSolution
from .network.bounds import (
    Bounds as Bounds,
    asymptotic_bounds as asymptotic_bounds,
    balanced_job_bounds as balanced_job_bounds,
    bottleneck_station as bottleneck_station,
    geometric_bounds as geometric_bounds,
    population_within as population_within,
    saturation_population as saturation_population,
)
from .network.convolution import (
    convolution_algorithm as convolution_algorithm,
    convolution_of_demands as convolution_of_demands,
)
from .network.elements import JobClass as JobClass, Station as Station
from .network.flow_equivalent import (
    admission_limit as admission_limit,
    flow_equivalent as flow_equivalent,
)
from .network.layered import (
    LayeredResult as LayeredResult,
    ServerLayer as ServerLayer,
    exact_layers as exact_layers,
    solve_layers as solve_layers,
)
from .network.markov_chain.absorption import (
    first_passage_distribution as first_passage_distribution,
    first_passage_time as first_passage_time,
)
from .network.markov_chain.balance import steady_state as steady_state
from .network.markov_chain.chain import (
    MarkovChain as MarkovChain,
    birth_death_chain as birth_death_chain,
    explore_chain as explore_chain,
    state_at as state_at,
)
from .network.markov_chain.transient import transient_state as transient_state
from .network.model import Network as Network
from .network.mva import (
    exact_mva as exact_mva,
    mva_of_demands as mva_of_demands,
    throughput_curve as throughput_curve,
)
from .network.product_form import product_form_violations as product_form_violations
from .network.qna import arrival_scv as arrival_scv, qna as qna
from .network.recursion_tables import (
    RecursionTable as RecursionTable,
    convolution_table as convolution_table,
    erlang_b_table as erlang_b_table,
    erlang_c_table as erlang_c_table,
    mva_table as mva_table,
)
from .network.routing import visit_ratios as visit_ratios
from .network.solution import Solution as Solution, TooBigError as TooBigError
from .network.solver_comparison import (
    SolverRow as SolverRow,
    compare_solvers as compare_solvers,
    with_population as with_population,
)
from .network.state_space import global_balance as global_balance, network_chain as network_chain
from .network.switching.network import (
    SwitchingNetwork as SwitchingNetwork,
    solve_switching as solve_switching,
)
from .operational_analysis.counters import (
    CounterReading as CounterReading,
    CounterWindow as CounterWindow,
    Gauge as Gauge,
    between_readings as between_readings,
)
from .operational_analysis.load_curve import (
    LoadCurve as LoadCurve,
    read_load_curve as read_load_curve,
)
from .operational_analysis.local_worker import (
    WORKER_POLICIES as WORKER_POLICIES,
    ServedTasks as ServedTasks,
    serve_tasks as serve_tasks,
)
from .operational_analysis.operational_laws import (
    Observed as Observed,
    interactive_response_time as interactive_response_time,
    little_population as little_population,
    little_response_time as little_response_time,
    observe as observe,
    service_demand as service_demand,
    station_throughput as station_throughput,
    system_throughput as system_throughput,
    utilization as utilization,
)
from .operational_analysis.population import (
    mean_response_time as mean_response_time,
    population_area as population_area,
    population_at as population_at,
    read_path as read_path,
    time_spent as time_spent,
)
from .operational_analysis.sample_path import (
    PATH_POLICIES as PATH_POLICIES,
    arrival_times as arrival_times,
    departures as departures,
)
from .operational_analysis.sampling import (
    fraction_in_pause as fraction_in_pause,
    size_biased_fraction as size_biased_fraction,
    size_biased_mean as size_biased_mean,
    size_biased_tail as size_biased_tail,
    size_ratio as size_ratio,
    wait_for_next as wait_for_next,
    weighted_mean as weighted_mean,
)
from .simulation.options import Batch as Batch, JoinShortestQueue as JoinShortestQueue
from .simulation.replications import difference as difference, replicate as replicate
from .simulation.result import SimulationResult as SimulationResult
from .simulation.simulate import simulate as simulate, simulated_intervals as simulated_intervals
from .simulation.statistics import Estimate as Estimate, batch_means as batch_means, mser5 as mser5
from .simulation.streams import Trace as Trace
from .station.abandonment import AbandonmentQueue as AbandonmentQueue, erlang_a as erlang_a
from .station.batch_service import (
    BatchQueue as BatchQueue,
    batch_capacity as batch_capacity,
    batch_queue as batch_queue,
    batch_response_bound as batch_response_bound,
    simulated_batches as simulated_batches,
    stretched_batch as stretched_batch,
)
from .station.birth_death import (
    birth_death_probabilities as birth_death_probabilities,
    machine_repair as machine_repair,
    machine_repair_probabilities as machine_repair_probabilities,
)
from .station.erlang import erlang_b as erlang_b, erlang_c as erlang_c
from .station.ggc import (
    allen_cunneen as allen_cunneen,
    approximate_wait_probability as approximate_wait_probability,
    kingman_bound as kingman_bound,
    kraemer_langenbach_belz as kraemer_langenbach_belz,
    marchal as marchal,
)
from .station.gittins import gittins_rank as gittins_rank, serpt_rank as serpt_rank
from .station.gm1 import RenewalQueue as RenewalQueue, gm1 as gm1
from .station.matrix_geometric import (
    PhaseQueue as PhaseQueue,
    solve_phase_queue as solve_phase_queue,
)
from .station.mdc import ConstantServiceQueue as ConstantServiceQueue, mdc as mdc
from .station.mg1 import (
    mg1 as mg1,
    mg1_batches as mg1_batches,
    mg1_busy_period as mg1_busy_period,
    mg1_setup as mg1_setup,
    mg1_vacations as mg1_vacations,
    mg1_waiting_variance as mg1_waiting_variance,
)
from .station.mmc import (
    mm1 as mm1,
    mm_infinity as mm_infinity,
    mmc as mmc,
    mmc_response_quantile as mmc_response_quantile,
    mmc_response_tail as mmc_response_tail,
    mmc_waiting_quantile as mmc_waiting_quantile,
    mmc_waiting_tail as mmc_waiting_tail,
)
from .station.mmck import (
    mmck as mmck,
    mmck_probabilities as mmck_probabilities,
    mmck_waiting_quantile as mmck_waiting_quantile,
    mmck_waiting_tail as mmck_waiting_tail,
)
from .station.percentiles import (
    md1_waiting_tail as md1_waiting_tail,
    mg1_waiting_quantile as mg1_waiting_quantile,
    mg1_waiting_tail as mg1_waiting_tail,
)
from .station.polling.waiting_times import (
    PollingQueues as PollingQueues,
    polling as polling,
    pseudo_conserved_wait as pseudo_conserved_wait,
)
from .station.priorities import (
    cmu_order as cmu_order,
    holding_cost as holding_cost,
    multiserver_priorities as multiserver_priorities,
    nonpreemptive_priorities as nonpreemptive_priorities,
    preemptive_priorities as preemptive_priorities,
)
from .station.result import StationResult as StationResult
from .station.scheduling import (
    MG1_POLICIES as MG1_POLICIES,
    mean_response as mean_response,
    response_by_size as response_by_size,
    slowdown_by_size as slowdown_by_size,
)
