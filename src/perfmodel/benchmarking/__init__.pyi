from .agreement import (
    Kappa as Kappa,
    cohens_kappa as cohens_kappa,
    guessing_kappa as guessing_kappa,
    raw_agreement as raw_agreement,
    simulate_raters as simulate_raters,
)
from .means import (
    arithmetic_mean as arithmetic_mean,
    clamped_ratios as clamped_ratios,
    geometric_mean as geometric_mean,
    harmonic_mean as harmonic_mean,
    total_time_ratio as total_time_ratio,
    truncated_ratios as truncated_ratios,
)
from .preferences import (
    LengthControlled as LengthControlled,
    Preferences as Preferences,
    bradley_terry as bradley_terry,
    length_controlled_score as length_controlled_score,
)
from .traces import time_average as time_average, time_integral as time_integral
