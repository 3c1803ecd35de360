from .amortised.early_exit import (
    device_layers as device_layers,
    exit_probabilities as exit_probabilities,
    ideal_exit_speedup as ideal_exit_speedup,
    latest_exit as latest_exit,
    mean_exit_layer as mean_exit_layer,
    survival_probabilities as survival_probabilities,
    two_device_time as two_device_time,
)
from .amortised.exit_checks import (
    ExitCosts as ExitCosts,
    best_checked_layers as best_checked_layers,
    early_exit_time as early_exit_time,
    exits_when_checked as exits_when_checked,
    mean_exit_checks as mean_exit_checks,
)
from .amortised.idle_work import (
    best_piece_time as best_piece_time,
    mg1_background as mg1_background,
    useful_idle_fraction as useful_idle_fraction,
)
from .amortised.pareto_front import (
    cheapest_reaching as cheapest_reaching,
    curve_crossings as curve_crossings,
    efficient_settings as efficient_settings,
)
from .amortised.precomputation import (
    Precomputation as Precomputation,
    best_effort as best_effort,
    implied_work as implied_work,
    remaining_work as remaining_work,
)
from .amortised.speculative_decoding import (
    acceptance_rate as acceptance_rate,
    best_draft_length as best_draft_length,
    extra_operations as extra_operations,
    speculation_speedup as speculation_speedup,
    tokens_per_round as tokens_per_round,
    verification_cost as verification_cost,
)
from .amortised.text_cost import (
    TextDemand as TextDemand,
    TokenDemand as TokenDemand,
    crossover_length as crossover_length,
    text_cost as text_cost,
    text_demand as text_demand,
)
from .batching.requests import (
    Requests as Requests,
    bursty_requests as bursty_requests,
    lognormal_tokens as lognormal_tokens,
    poisson_requests as poisson_requests,
)
from .batching.run import ServingRun as ServingRun
from .batching.scheduling_policy import BatchRules as BatchRules
from .batching.simulate import simulate_serving as simulate_serving
from .batching.steps import StepPieces as StepPieces, StepTable as StepTable
from .batching.timeline import (
    ServedIteration as ServedIteration,
    inter_token_latencies as inter_token_latencies,
    serving_iterations as serving_iterations,
)
from .limits.fluid import (
    FluidState as FluidState,
    RequestMix as RequestMix,
    fluid_state as fluid_state,
    max_running_requests as max_running_requests,
    request_work as request_work,
)
from .limits.lengths import (
    mean_context as mean_context,
    mean_length_in_batch as mean_length_in_batch,
)
from .limits.processor_sharing import (
    ProcessorSharingQueue as ProcessorSharingQueue,
    processor_sharing_queue as processor_sharing_queue,
)
from .limits.unbatched import (
    unbatched_queue as unbatched_queue,
    unbatched_seconds as unbatched_seconds,
)
from .step_times.decoder_steps import DecoderSteps as DecoderSteps
from .step_times.roofline_fit import RooflineFit as RooflineFit, fit_roofline as fit_roofline
from .weight_streaming.finite import (
    BatchEstimate as BatchEstimate,
    even_batch as even_batch,
    separate_phases as separate_phases,
)
from .weight_streaming.intensity import (
    ExpertLayer as ExpertLayer,
    saturating_tokens as saturating_tokens,
    streamed_intensity as streamed_intensity,
)
from .weight_streaming.schedule import (
    WeightStreamingRun as WeightStreamingRun,
    simulate_weight_streaming as simulate_weight_streaming,
)
from .weight_streaming.steady import (
    StreamedPass as StreamedPass,
    capacity_throughput as capacity_throughput,
    overlap_capacity_gain as overlap_capacity_gain,
    pass_efficiency as pass_efficiency,
    resident_tokens as resident_tokens,
    saturating_cache as saturating_cache,
)
