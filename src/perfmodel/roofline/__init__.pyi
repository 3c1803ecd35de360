from .blocks import (
    Attention as Attention,
    Block as Block,
    FeedForward as FeedForward,
    LatentAttention as LatentAttention,
)
from .cache import (
    Access as Access,
    Traffic as Traffic,
    gemm_accesses as gemm_accesses,
    lru_traffic as lru_traffic,
    stencil_accesses as stencil_accesses,
)
from .cache_levels import (
    MemoryLevel as MemoryLevel,
    attainable_cache_aware as attainable_cache_aware,
    attainable_hierarchical as attainable_hierarchical,
    level_bottleneck as level_bottleneck,
    level_times as level_times,
    machine_levels as machine_levels,
)
from .decoder import (
    LLAMA_2_7B as LLAMA_2_7B,
    LLAMA_2_13B as LLAMA_2_13B,
    LLAMA_2_70B as LLAMA_2_70B,
    decode_bytes as decode_bytes,
    decode_step_time as decode_step_time,
    decoding_bound as decoding_bound,
    saturation_batch as saturation_batch,
)
from .ecm import Ecm as Ecm
from .energy import (
    EnergyMachine as EnergyMachine,
    average_power as average_power,
    energy_efficiency as energy_efficiency,
    energy_per_operation as energy_per_operation,
    kernel_energy as kernel_energy,
    time_per_operation as time_per_operation,
    work_for_traffic as work_for_traffic,
)
from .energy_fits import (
    AmortisedEnergy as AmortisedEnergy,
    PowerDraw as PowerDraw,
    fit_amortised as fit_amortised,
    fit_power_draw as fit_power_draw,
)
from .intensity import (
    attention_kernel as attention_kernel,
    fft_kernel as fft_kernel,
    gemm_kernel as gemm_kernel,
    spmv_kernel as spmv_kernel,
    stream_kernel as stream_kernel,
)
from .io_bounds import (
    best_block as best_block,
    fft_bound as fft_bound,
    gemm_bound as gemm_bound,
    intensity_bound as intensity_bound,
    three_block as three_block,
)
from .layer_conditions import layer_condition as layer_condition, stencil_kernel as stencil_kernel
from .model import (
    Ceiling as Ceiling,
    Kernel as Kernel,
    Roofline as Roofline,
    attainable as attainable,
    binding_bound as binding_bound,
    bound_by as bound_by,
    machine_roofline as machine_roofline,
    memory_bandwidth as memory_bandwidth,
    ridge_point as ridge_point,
)
from .thermal import (
    ThermalBody as ThermalBody,
    throttled as throttled,
    tokens_within as tokens_within,
)
from .time_view import (
    KernelTimes as KernelTimes,
    kernel_times as kernel_times,
    time_fractions as time_fractions,
)
from .training import (
    ADAM_STATES as ADAM_STATES,
    ZERO_STAGES as ZERO_STAGES,
    activation_bytes as activation_bytes,
    fewest_gpus as fewest_gpus,
    layer_activation_bytes as layer_activation_bytes,
    state_bytes as state_bytes,
    training_operations_per_token as training_operations_per_token,
    training_tokens_per_second as training_tokens_per_second,
)
from .transformer import Decoder as Decoder
