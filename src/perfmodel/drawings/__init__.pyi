from .abba import drifting_runs as drifting_runs
from .attention_passes import attention_passes as attention_passes
from .batch_forming import batch_forming as batch_forming, form_batches as form_batches
from .benchmarking.mixes import MIXES as MIXES, suite_mix as suite_mix
from .cache_line import cache_line_journey as cache_line_journey
from .clock_ticks import clock_ticks as clock_ticks
from .closed_network import closed_network as closed_network
from .disciplines import service_intervals as service_intervals, service_order as service_order
from .forecasting.ruler import log_ruler as log_ruler
from .launch_timeline import launch_timeline as launch_timeline
from .offloading.lru_stack import lru_stack as lru_stack
from .offloading.tiers import memory_tiers as memory_tiers
from .queue_area import area_under_queue as area_under_queue, queueing_instants as queueing_instants
from .queue_path import queue_path as queue_path
from .queueing.fed_queue import fed_queue as fed_queue
from .residual_work import residual_triangles as residual_triangles
from .roofline_pipes import roofline_pipes as roofline_pipes
from .scaling.checkpoint_timeline import checkpoint_timeline as checkpoint_timeline
from .serving.batch_gantt import GANTT_POLICIES as GANTT_POLICIES, batch_gantt as batch_gantt
from .speedup_bars import amdahl_bars as amdahl_bars, gustafson_bars as gustafson_bars
from .table_splits import SPLITS as SPLITS, table_split as table_split
from .task_graph import task_trace as task_trace
from .tile_residency import tile_residency as tile_residency
from .tree_steps import tree_steps as tree_steps
from .warp_schedule import warp_schedule as warp_schedule
from .worker_messages import worker_messages as worker_messages
