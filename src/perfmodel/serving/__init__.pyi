from .limits.alone import seconds_alone as seconds_alone, served_alone as served_alone
from .limits.fluid import (
    FluidState as FluidState,
    RequestMix as RequestMix,
    fluid_state as fluid_state,
    most_requests as most_requests,
    request_work as request_work,
)
from .limits.lengths import (
    cache_token_steps as cache_token_steps,
    mean_context as mean_context,
    mean_length_in_batch as mean_length_in_batch,
)
from .limits.sharing import SharingQueue as SharingQueue, sharing_queue as sharing_queue
