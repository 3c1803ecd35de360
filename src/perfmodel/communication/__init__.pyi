from .collectives.algorithms import (
    ALGORITHMS as ALGORITHMS,
    collective_schedule as collective_schedule,
)
from .collectives.costs import (
    TieredCost as TieredCost,
    collective_cost as collective_cost,
    crossover_size as crossover_size,
    hierarchical_cost as hierarchical_cost,
)
from .collectives.formulas import CollectiveCost as CollectiveCost
from .collectives.schedule import (
    CollectiveRun as CollectiveRun,
    CollectiveSchedule as CollectiveSchedule,
    Message as Message,
    block_sizes as block_sizes,
    run_schedule as run_schedule,
    schedule_time as schedule_time,
)
from .collectives.vectors import (
    CollectiveResult as CollectiveResult,
    run_collective as run_collective,
)
from .expert_parallelism.placement import (
    ExpertPlacement as ExpertPlacement,
    place_experts as place_experts,
)
from .expert_parallelism.routing import (
    expected_destinations as expected_destinations,
    expected_ranks as expected_ranks,
    expert_counts as expert_counts,
    largest_of_normals as largest_of_normals,
    load_imbalance as load_imbalance,
)
from .expert_parallelism.two_tiers import ExpertDispatch as ExpertDispatch
from .pipelines.schedules import (
    PipelineSchedule as PipelineSchedule,
    gpipe as gpipe,
    interleaved as interleaved,
    one_f_one_b as one_f_one_b,
    pipeline_bubble as pipeline_bubble,
    pipeline_graph as pipeline_graph,
    simulate_pipeline as simulate_pipeline,
)
from .pipelines.task_graph import Holds as Holds, TaskGraph as TaskGraph
from .pipelines.task_run import TaskRun as TaskRun, simulate_tasks as simulate_tasks
from .plans.clusters import (
    Tier as Tier,
    TieredCluster as TieredCluster,
    ring_time as ring_time,
)
from .plans.enumeration import best_plan as best_plan, enumerate_plans as enumerate_plans
from .plans.jobs import TrainingJob as TrainingJob, TransformerShape as TransformerShape
from .plans.parallel_plans import ParallelPlans as ParallelPlans
from .plans.steps import (
    PlanSteps as PlanSteps,
    plan_memory as plan_memory,
    plan_steps as plan_steps,
)
from .point_to_point.bootstrap import (
    MessageBootstrap as MessageBootstrap,
    bootstrap_messages as bootstrap_messages,
)
from .point_to_point.fit import MessageFit as MessageFit, fit_messages as fit_messages
from .point_to_point.models import (
    LogGP as LogGP,
    half_bandwidth_size as half_bandwidth_size,
    message_time as message_time,
)
from .shared_links.congestion import (
    aimd_windows as aimd_windows,
    follow_aimd as follow_aimd,
    jain_index as jain_index,
    square_root_buffer as square_root_buffer,
)
from .shared_links.flows import FlowTimes as FlowTimes, simulate_flows as simulate_flows
from .shared_links.max_min import Routes as Routes, max_min_rates as max_min_rates
from .shared_links.rate_control import (
    RateControl as RateControl,
    RateHistory as RateHistory,
    largest_stable_delay as largest_stable_delay,
    simulate_rate_control as simulate_rate_control,
)
from .shared_links.topologies import (
    Topology as Topology,
    fat_tree as fat_tree,
    full_mesh as full_mesh,
    rail_network as rail_network,
    ring_network as ring_network,
    single_switch as single_switch,
    torus as torus,
)
