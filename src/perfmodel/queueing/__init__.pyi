from .distributions.heavy_tail import BoundedPareto as BoundedPareto
from .distributions.heavy_tail import Empirical as Empirical
from .distributions.heavy_tail import Lognormal as Lognormal
from .distributions.light_tail import Deterministic as Deterministic
from .distributions.light_tail import Erlang as Erlang
from .distributions.light_tail import Exponential as Exponential
from .distributions.light_tail import Hyperexponential as Hyperexponential
from .distributions.light_tail import Uniform as Uniform
from .distributions.phase_type import ArrivalProcess as ArrivalProcess
from .distributions.phase_type import PhaseType as PhaseType
from .distributions.service import Service as Service
from .distributions.service import cdf as cdf
from .distributions.service import mean_residual as mean_residual
from .distributions.service import scv as scv
from .distributions.service import tail as tail
from .distributions.workloads import BORG_JOBS as BORG_JOBS
from .distributions.workloads import BUS_GAPS as BUS_GAPS
from .distributions.workloads import HEAVY_JOBS as HEAVY_JOBS
from .distributions.workloads import ONE_OR_THIRTEEN as ONE_OR_THIRTEEN
from .distributions.workloads import UNFAIR_JOBS as UNFAIR_JOBS
from .distributions.workloads import UNIX_JOBS as UNIX_JOBS
from .fleet.dispatching import SizeIntervalHosts as SizeIntervalHosts
from .fleet.dispatching import equal_utilization_cutoffs as equal_utilization_cutoffs
from .fleet.dispatching import least_work_left as least_work_left
from .fleet.dispatching import random_split as random_split
from .fleet.dispatching import size_interval as size_interval
from .fleet.fork_join import ForkJoinQueue as ForkJoinQueue
from .fleet.fork_join import fork_join as fork_join
from .fleet.fork_join import split_merge as split_merge
from .fleet.mean_field import fluid_network as fluid_network
from .fleet.mean_field import follow_drift as follow_drift
from .fleet.mean_field import supermarket as supermarket
from .fleet.power_of_choices import power_of_choices as power_of_choices
from .fleet.power_of_choices import power_of_choices_tail as power_of_choices_tail
from .fleet.power_of_choices import redundancy as redundancy
from .fleet.power_of_choices import redundancy_quantile as redundancy_quantile
from .fleet.staffing import halfin_whitt_wait as halfin_whitt_wait
from .fleet.staffing import safety_factor as safety_factor
from .fleet.staffing import servers_for_blocking as servers_for_blocking
from .fleet.staffing import servers_for_percentile as servers_for_percentile
from .fleet.staffing import servers_for_waiting as servers_for_waiting
from .fleet.staffing import square_root_staffing as square_root_staffing
from .network.amva import bard_schweitzer as bard_schweitzer
from .network.amva import linearizer as linearizer
from .network.bcmp import bcmp as bcmp
from .network.bounds import Bounds as Bounds
from .network.bounds import asymptotic_bounds as asymptotic_bounds
from .network.bounds import balanced_job_bounds as balanced_job_bounds
from .network.bounds import bottleneck_station as bottleneck_station
from .network.bounds import geometric_bounds as geometric_bounds
from .network.bounds import population_within as population_within
from .network.bounds import saturation_population as saturation_population
from .network.convolution import convolution_algorithm as convolution_algorithm
from .network.convolution import convolution_of_demands as convolution_of_demands
from .network.elements import JobClass as JobClass
from .network.elements import Station as Station
from .network.flow_equivalent import ServerLayer as ServerLayer
from .network.flow_equivalent import admission_limit as admission_limit
from .network.flow_equivalent import flow_equivalent as flow_equivalent
from .network.flow_equivalent import solve_layers as solve_layers
from .network.markov_chain import MarkovChain as MarkovChain
from .network.markov_chain import birth_death_chain as birth_death_chain
from .network.markov_chain import explore_chain as explore_chain
from .network.markov_chain import state_at as state_at
from .network.markov_chain import steady_state as steady_state
from .network.markov_chain import transient_state as transient_state
from .network.model import Network as Network
from .network.mva import exact_mva as exact_mva
from .network.mva import mva_of_demands as mva_of_demands
from .network.mva import throughput_curve as throughput_curve
from .network.product_form import product_form_violations as product_form_violations
from .network.qna import arrival_scv as arrival_scv
from .network.qna import qna as qna
from .network.recursion_tables import RecursionTable as RecursionTable
from .network.recursion_tables import convolution_table as convolution_table
from .network.recursion_tables import erlang_b_table as erlang_b_table
from .network.recursion_tables import erlang_c_table as erlang_c_table
from .network.recursion_tables import mva_table as mva_table
from .network.routing import visit_ratios as visit_ratios
from .network.solution import Solution as Solution
from .network.solution import TooBigError as TooBigError
from .network.solver_comparison import SolverRow as SolverRow
from .network.solver_comparison import compare_solvers as compare_solvers
from .network.solver_comparison import with_population as with_population
from .network.state_space import global_balance as global_balance
from .network.state_space import network_chain as network_chain
from .operational_analysis.counters import CounterReading as CounterReading
from .operational_analysis.counters import CounterWindow as CounterWindow
from .operational_analysis.counters import Gauge as Gauge
from .operational_analysis.counters import between_readings as between_readings
from .operational_analysis.laws import Observed as Observed
from .operational_analysis.laws import interactive_response_time as interactive_response_time
from .operational_analysis.laws import little_population as little_population
from .operational_analysis.laws import little_response_time as little_response_time
from .operational_analysis.laws import observe as observe
from .operational_analysis.laws import service_demand as service_demand
from .operational_analysis.laws import station_throughput as station_throughput
from .operational_analysis.laws import system_throughput as system_throughput
from .operational_analysis.laws import utilization as utilization
from .operational_analysis.local_worker import WORKER_POLICIES as WORKER_POLICIES
from .operational_analysis.local_worker import ServedTasks as ServedTasks
from .operational_analysis.local_worker import serve_tasks as serve_tasks
from .operational_analysis.population import area_inside as area_inside
from .operational_analysis.population import jobs_inside as jobs_inside
from .operational_analysis.population import mean_stay as mean_stay
from .operational_analysis.population import read_path as read_path
from .operational_analysis.population import time_spent as time_spent
from .operational_analysis.sample_path import PATH_POLICIES as PATH_POLICIES
from .operational_analysis.sample_path import arrival_times as arrival_times
from .operational_analysis.sample_path import departures as departures
from .operational_analysis.sampling import share_in_pause as share_in_pause
from .operational_analysis.sampling import share_of_members as share_of_members
from .operational_analysis.sampling import size_biased_mean as size_biased_mean
from .operational_analysis.sampling import size_biased_tail as size_biased_tail
from .operational_analysis.sampling import size_ratio as size_ratio
from .operational_analysis.sampling import wait_for_next as wait_for_next
from .operational_analysis.sampling import weighted_mean as weighted_mean
from .simulation.options import Batch as Batch
from .simulation.options import JoinShortest as JoinShortest
from .simulation.replications import difference as difference
from .simulation.replications import replicate as replicate
from .simulation.result import SimulationResult as SimulationResult
from .simulation.simulate import simulate as simulate
from .simulation.simulate import simulated_intervals as simulated_intervals
from .simulation.statistics import Estimate as Estimate
from .simulation.statistics import batch_means as batch_means
from .simulation.statistics import mser5 as mser5
from .simulation.streams import Trace as Trace
from .station.batch_service import BatchQueue as BatchQueue
from .station.batch_service import batch_capacity as batch_capacity
from .station.batch_service import batch_queue as batch_queue
from .station.batch_service import batch_response_bound as batch_response_bound
from .station.batch_service import simulated_batches as simulated_batches
from .station.batch_service import stretched_batch as stretched_batch
from .station.birth_death import birth_death_probabilities as birth_death_probabilities
from .station.birth_death import machine_repair as machine_repair
from .station.birth_death import machine_repair_probabilities as machine_repair_probabilities
from .station.erlang import erlang_b as erlang_b
from .station.erlang import erlang_c as erlang_c
from .station.ggc import allen_cunneen as allen_cunneen
from .station.ggc import approximate_wait_probability as approximate_wait_probability
from .station.ggc import kingman_bound as kingman_bound
from .station.ggc import kraemer_langenbach_belz as kraemer_langenbach_belz
from .station.gittins import gittins_rank as gittins_rank
from .station.gittins import serpt_rank as serpt_rank
from .station.gm1 import RenewalQueue as RenewalQueue
from .station.gm1 import gm1 as gm1
from .station.markovian import mm1 as mm1
from .station.markovian import mm_infinity as mm_infinity
from .station.markovian import mmc as mmc
from .station.markovian import mmc_response_quantile as mmc_response_quantile
from .station.markovian import mmc_response_tail as mmc_response_tail
from .station.markovian import mmc_waiting_quantile as mmc_waiting_quantile
from .station.markovian import mmc_waiting_tail as mmc_waiting_tail
from .station.matrix_geometric import PhaseQueue as PhaseQueue
from .station.matrix_geometric import solve_phase_queue as solve_phase_queue
from .station.mg1 import mg1 as mg1
from .station.mg1 import mg1_batches as mg1_batches
from .station.mg1 import mg1_busy_period as mg1_busy_period
from .station.mg1 import mg1_setup as mg1_setup
from .station.mg1 import mg1_vacations as mg1_vacations
from .station.mg1 import mg1_waiting_variance as mg1_waiting_variance
from .station.mmck import mmck as mmck
from .station.mmck import mmck_probabilities as mmck_probabilities
from .station.mmck import mmck_waiting_quantile as mmck_waiting_quantile
from .station.mmck import mmck_waiting_tail as mmck_waiting_tail
from .station.percentiles import md1_waiting_tail as md1_waiting_tail
from .station.percentiles import mg1_waiting_quantile as mg1_waiting_quantile
from .station.percentiles import mg1_waiting_tail as mg1_waiting_tail
from .station.priorities import cmu_order as cmu_order
from .station.priorities import holding_cost as holding_cost
from .station.priorities import multiserver_priorities as multiserver_priorities
from .station.priorities import nonpreemptive_priorities as nonpreemptive_priorities
from .station.priorities import preemptive_priorities as preemptive_priorities
from .station.result import StationResult as StationResult
from .station.scheduling import MG1_POLICIES as MG1_POLICIES
from .station.scheduling import mean_response as mean_response
from .station.scheduling import response_by_size as response_by_size
from .station.scheduling import slowdown_by_size as slowdown_by_size

__all__ = [
    "BORG_JOBS",
    "BUS_GAPS",
    "HEAVY_JOBS",
    "MG1_POLICIES",
    "ONE_OR_THIRTEEN",
    "PATH_POLICIES",
    "UNFAIR_JOBS",
    "UNIX_JOBS",
    "WORKER_POLICIES",
    "ArrivalProcess",
    "Batch",
    "BatchQueue",
    "BoundedPareto",
    "Bounds",
    "CounterReading",
    "CounterWindow",
    "Deterministic",
    "Empirical",
    "Erlang",
    "Estimate",
    "Exponential",
    "ForkJoinQueue",
    "Gauge",
    "Hyperexponential",
    "JobClass",
    "JoinShortest",
    "Lognormal",
    "MarkovChain",
    "Network",
    "Observed",
    "PhaseQueue",
    "PhaseType",
    "RecursionTable",
    "RenewalQueue",
    "ServedTasks",
    "ServerLayer",
    "Service",
    "SimulationResult",
    "SizeIntervalHosts",
    "Solution",
    "SolverRow",
    "Station",
    "StationResult",
    "TooBigError",
    "Trace",
    "Uniform",
    "admission_limit",
    "allen_cunneen",
    "approximate_wait_probability",
    "area_inside",
    "arrival_scv",
    "arrival_times",
    "asymptotic_bounds",
    "balanced_job_bounds",
    "bard_schweitzer",
    "batch_capacity",
    "batch_means",
    "batch_queue",
    "batch_response_bound",
    "bcmp",
    "between_readings",
    "birth_death_chain",
    "birth_death_probabilities",
    "bottleneck_station",
    "cdf",
    "cmu_order",
    "compare_solvers",
    "convolution_algorithm",
    "convolution_of_demands",
    "convolution_table",
    "departures",
    "difference",
    "equal_utilization_cutoffs",
    "erlang_b",
    "erlang_b_table",
    "erlang_c",
    "erlang_c_table",
    "exact_mva",
    "explore_chain",
    "flow_equivalent",
    "fluid_network",
    "follow_drift",
    "fork_join",
    "geometric_bounds",
    "gittins_rank",
    "global_balance",
    "gm1",
    "halfin_whitt_wait",
    "holding_cost",
    "interactive_response_time",
    "jobs_inside",
    "kingman_bound",
    "kraemer_langenbach_belz",
    "least_work_left",
    "linearizer",
    "little_population",
    "little_response_time",
    "machine_repair",
    "machine_repair_probabilities",
    "md1_waiting_tail",
    "mean_residual",
    "mean_response",
    "mean_stay",
    "mg1",
    "mg1_batches",
    "mg1_busy_period",
    "mg1_setup",
    "mg1_vacations",
    "mg1_waiting_quantile",
    "mg1_waiting_tail",
    "mg1_waiting_variance",
    "mm1",
    "mm_infinity",
    "mmc",
    "mmc_response_quantile",
    "mmc_response_tail",
    "mmc_waiting_quantile",
    "mmc_waiting_tail",
    "mmck",
    "mmck_probabilities",
    "mmck_waiting_quantile",
    "mmck_waiting_tail",
    "mser5",
    "multiserver_priorities",
    "mva_of_demands",
    "mva_table",
    "network_chain",
    "nonpreemptive_priorities",
    "observe",
    "population_within",
    "power_of_choices",
    "power_of_choices_tail",
    "preemptive_priorities",
    "product_form_violations",
    "qna",
    "random_split",
    "read_path",
    "redundancy",
    "redundancy_quantile",
    "replicate",
    "response_by_size",
    "safety_factor",
    "saturation_population",
    "scv",
    "serpt_rank",
    "serve_tasks",
    "servers_for_blocking",
    "servers_for_percentile",
    "servers_for_waiting",
    "service_demand",
    "share_in_pause",
    "share_of_members",
    "simulate",
    "simulated_batches",
    "simulated_intervals",
    "size_biased_mean",
    "size_biased_tail",
    "size_interval",
    "size_ratio",
    "slowdown_by_size",
    "solve_layers",
    "solve_phase_queue",
    "split_merge",
    "square_root_staffing",
    "state_at",
    "station_throughput",
    "steady_state",
    "stretched_batch",
    "supermarket",
    "system_throughput",
    "tail",
    "throughput_curve",
    "time_spent",
    "transient_state",
    "utilization",
    "visit_ratios",
    "wait_for_next",
    "weighted_mean",
    "with_population",
]
