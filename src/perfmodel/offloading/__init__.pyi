from .channels.chunks import (
    chunk_graph as chunk_graph,
    chunked_time as chunked_time,
    even_chunks as even_chunks,
)
from .channels.overlap import (
    PowerFit as PowerFit,
    fit_power as fit_power,
    overlap_fraction as overlap_fraction,
    overlapped_time as overlapped_time,
)
from .channels.work import (
    ChannelWork as ChannelWork,
    binding_channel as binding_channel,
    channel_speedup as channel_speedup,
    step_time as step_time,
    time_elasticity as time_elasticity,
)
from .flow_shops.orders import (
    best_order as best_order,
    campbell_order as campbell_order,
    insertion_order as insertion_order,
    johnson_order as johnson_order,
)
from .flow_shops.recurrence import (
    FlowShopRun as FlowShopRun,
    equal_jobs_makespan as equal_jobs_makespan,
    flow_shop_bound as flow_shop_bound,
    flow_shop_graph as flow_shop_graph,
    flow_shop_makespan as flow_shop_makespan,
    run_flow_shop as run_flow_shop,
)
from .knapsack import (
    Packing as Packing,
    exact_packing as exact_packing,
    fractional_packing as fractional_packing,
    greedy_packing as greedy_packing,
    packing_gap as packing_gap,
)
from .placement import (
    Placement as Placement,
    PlacementProblem as PlacementProblem,
    best_placement as best_placement,
    link_times as link_times,
    placement_time as placement_time,
    tier_problem as tier_problem,
)
from .prices import (
    Advice as Advice,
    placement_advice as placement_advice,
    times_by_capacity as times_by_capacity,
    times_by_rate as times_by_rate,
)
