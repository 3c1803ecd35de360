"""The public names of the topic roofline, by module."""

from .cache import Access as Access
from .cache import Traffic as Traffic
from .cache import gemm_accesses as gemm_accesses
from .cache import lru_traffic as lru_traffic
from .cache import stencil_accesses as stencil_accesses
from .cache_levels import MemoryLevel as MemoryLevel
from .cache_levels import attainable_cache_aware as attainable_cache_aware
from .cache_levels import attainable_hierarchical as attainable_hierarchical
from .cache_levels import level_bottleneck as level_bottleneck
from .cache_levels import level_times as level_times
from .cache_levels import machine_levels as machine_levels
from .cache_levels import working_set_level as working_set_level
from .decoder import LLAMA_2_7B as LLAMA_2_7B
from .decoder import LLAMA_2_13B as LLAMA_2_13B
from .decoder import LLAMA_2_70B as LLAMA_2_70B
from .decoder import Decoder as Decoder
from .decoder import decode_bytes as decode_bytes
from .decoder import decode_step_time as decode_step_time
from .decoder import decoding_bound as decoding_bound
from .decoder import saturation_batch as saturation_batch
from .ecm import Ecm as Ecm
from .ecm import transfer_cycles as transfer_cycles
from .energy import EnergyMachine as EnergyMachine
from .energy import average_power as average_power
from .energy import energy_efficiency as energy_efficiency
from .energy import energy_per_operation as energy_per_operation
from .energy import kernel_energy as kernel_energy
from .energy import time_per_operation as time_per_operation
from .energy import worth_more_work as worth_more_work
from .intensity import attention_kernel as attention_kernel
from .intensity import fft_kernel as fft_kernel
from .intensity import gemm_kernel as gemm_kernel
from .intensity import spmv_kernel as spmv_kernel
from .intensity import stream_kernel as stream_kernel
from .io_bounds import best_block as best_block
from .io_bounds import fft_bound as fft_bound
from .io_bounds import gemm_bound as gemm_bound
from .io_bounds import gemm_bound_2004 as gemm_bound_2004
from .io_bounds import intensity_bound as intensity_bound
from .io_bounds import three_block as three_block
from .layer_conditions import layer_condition as layer_condition
from .layer_conditions import stencil_kernel as stencil_kernel
from .model import Ceiling as Ceiling
from .model import Kernel as Kernel
from .model import Roofline as Roofline
from .model import attainable as attainable
from .model import bound_by as bound_by
from .model import machine_roofline as machine_roofline
from .model import memory_bandwidth as memory_bandwidth
from .model import one_core_ceilings as one_core_ceilings
from .model import ridge_point as ridge_point
from .model import what_bounds as what_bounds
from .precision import WORD_BYTES as WORD_BYTES
from .precision import PrecisionChange as PrecisionChange
from .precision import attainable_mixed as attainable_mixed
from .precision import change_precision as change_precision
from .precision import mixed_peak as mixed_peak
from .precision import rooflines_by_precision as rooflines_by_precision
from .thermal import ThermalBody as ThermalBody
from .thermal import throttled as throttled
from .thermal import tokens_within as tokens_within
from .time_view import KernelTimes as KernelTimes
from .time_view import kernel_times as kernel_times
from .time_view import time_shares as time_shares
from .training import ADAM_STATES as ADAM_STATES
from .training import ZERO_STAGES as ZERO_STAGES
from .training import activation_bytes as activation_bytes
from .training import communicated_bytes as communicated_bytes
from .training import fewest_gpus as fewest_gpus
from .training import layer_activation_bytes as layer_activation_bytes
from .training import state_bytes as state_bytes
from .training import training_operations_per_token as training_operations_per_token
from .training import training_tokens_per_second as training_tokens_per_second

__all__ = [
    "ADAM_STATES",
    "LLAMA_2_7B",
    "LLAMA_2_13B",
    "LLAMA_2_70B",
    "WORD_BYTES",
    "ZERO_STAGES",
    "Access",
    "Ceiling",
    "Decoder",
    "Ecm",
    "EnergyMachine",
    "Kernel",
    "KernelTimes",
    "MemoryLevel",
    "PrecisionChange",
    "Roofline",
    "ThermalBody",
    "Traffic",
    "activation_bytes",
    "attainable",
    "attainable_cache_aware",
    "attainable_hierarchical",
    "attainable_mixed",
    "attention_kernel",
    "average_power",
    "best_block",
    "bound_by",
    "change_precision",
    "communicated_bytes",
    "decode_bytes",
    "decode_step_time",
    "decoding_bound",
    "energy_efficiency",
    "energy_per_operation",
    "fewest_gpus",
    "fft_bound",
    "fft_kernel",
    "gemm_accesses",
    "gemm_bound",
    "gemm_bound_2004",
    "gemm_kernel",
    "intensity_bound",
    "kernel_energy",
    "kernel_times",
    "layer_activation_bytes",
    "layer_condition",
    "level_bottleneck",
    "level_times",
    "lru_traffic",
    "machine_levels",
    "machine_roofline",
    "memory_bandwidth",
    "mixed_peak",
    "one_core_ceilings",
    "ridge_point",
    "rooflines_by_precision",
    "saturation_batch",
    "spmv_kernel",
    "state_bytes",
    "stencil_accesses",
    "stencil_kernel",
    "stream_kernel",
    "three_block",
    "throttled",
    "time_per_operation",
    "time_shares",
    "tokens_within",
    "training_operations_per_token",
    "training_tokens_per_second",
    "transfer_cycles",
    "what_bounds",
    "working_set_level",
    "worth_more_work",
]
