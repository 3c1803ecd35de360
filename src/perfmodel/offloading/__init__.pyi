from .block_schedules.block_sizes import (
    diagonal_block as diagonal_block,
    diagonal_gain as diagonal_gain,
    zig_zag_block as zig_zag_block,
)
from .block_schedules.optimum import (
    fewest_loads as fewest_loads,
    fewest_loads_per_batch as fewest_loads_per_batch,
    loads_bound as loads_bound,
    zig_zag_loads as zig_zag_loads,
)
from .block_schedules.orders import (
    GridCells as GridCells,
    column_order as column_order,
    diagonal_order as diagonal_order,
    row_order as row_order,
    zig_zag_order as zig_zag_order,
)
from .block_schedules.traffic import (
    BlockTraffic as BlockTraffic,
    CellBytes as CellBytes,
    count_traffic as count_traffic,
    diagonal_traffic as diagonal_traffic,
    zig_zag_traffic as zig_zag_traffic,
)
from .caches.che_approximation import (
    characteristic_time as characteristic_time,
    independent_hit_ratio as independent_hit_ratio,
)
from .caches.references import (
    ageing_trace as ageing_trace,
    loop_trace as loop_trace,
    mixed_trace as mixed_trace,
    zipf_popularity as zipf_popularity,
    zipf_trace as zipf_trace,
)
from .caches.replacement import (
    CACHE_POLICIES as CACHE_POLICIES,
    CacheRun as CacheRun,
    simulate_cache as simulate_cache,
)
from .caches.sizes import (
    ONLINE_POLICIES as ONLINE_POLICIES,
    hits_by_size as hits_by_size,
)
from .caches.stack_distance import (
    lru_hit_ratio as lru_hit_ratio,
    stack_distances as stack_distances,
)
from .caches.working_set import (
    WorkingSet as WorkingSet,
    reuse_gaps as reuse_gaps,
    working_set_hit_ratio as working_set_hit_ratio,
)
from .channels.chunks import (
    chunk_graph as chunk_graph,
    chunked_time as chunked_time,
    even_chunks as even_chunks,
)
from .channels.overlap import (
    overlap_fraction as overlap_fraction,
    overlapped_time as overlapped_time,
)
from .channels.work import (
    ChannelWork as ChannelWork,
    binding_channel as binding_channel,
    step_time as step_time,
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
)
from .list_scheduling.jobs import (
    HostDeviceJobs as HostDeviceJobs,
    HostDeviceSchedule as HostDeviceSchedule,
)
from .list_scheduling.lists import (
    earliest_finish_list as earliest_finish_list,
    heavy_cached_first as heavy_cached_first,
    two_ended_list as two_ended_list,
)
from .list_scheduling.placements import (
    best_split as best_split,
    split_bound as split_bound,
    split_makespans as split_makespans,
    split_schedule as split_schedule,
)
from .placement.problem import (
    PlacementProblem as PlacementProblem,
    tier_problem as tier_problem,
)
from .placement.program import (
    Placement as Placement,
    best_placement as best_placement,
    link_times as link_times,
    placement_time as placement_time,
)
from .shadow_prices import (
    Advice as Advice,
    placement_advice as placement_advice,
    times_by_capacity as times_by_capacity,
)
