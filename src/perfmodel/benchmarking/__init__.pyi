from .means import (
    arithmetic_mean as arithmetic_mean,
    clamped_ratios as clamped_ratios,
    geometric_mean as geometric_mean,
    harmonic_mean as harmonic_mean,
    total_time_ratio as total_time_ratio,
    truncated_ratios as truncated_ratios,
)
