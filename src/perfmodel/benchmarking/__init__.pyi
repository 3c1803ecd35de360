from .agreement import (
    Kappa as Kappa,
    cohens_kappa as cohens_kappa,
    guessing_kappa as guessing_kappa,
    raw_agreement as raw_agreement,
    simulate_raters as simulate_raters,
)
from .blocked_product.loops import (
    PRODUCT_LEVELS as PRODUCT_LEVELS,
    ProductSettings as ProductSettings,
    product_loops as product_loops,
    product_source as product_source,
)
from .blocked_product.timings import (
    ProductTimes as ProductTimes,
    product_settings as product_settings,
    recorded_products as recorded_products,
    recorded_products_source as recorded_products_source,
    time_products as time_products,
)
from .counting.allocations import (
    Allocations as Allocations,
    count_allocations as count_allocations,
)
from .counting.bytecodes import (
    CountExceeded as CountExceeded,
    count_bytecodes as count_bytecodes,
)
from .counting.operations import (
    CountedNumber as CountedNumber,
    Operations as Operations,
    count_operations as count_operations,
)
from .designs import (
    FactorialDesign as FactorialDesign,
    FactorialEffects as FactorialEffects,
    factorial_effects as factorial_effects,
    fractional_factorial as fractional_factorial,
    full_factorial as full_factorial,
)
from .influence import (
    harmonic_weights as harmonic_weights,
    leave_one_out as leave_one_out,
)
from .means import (
    arithmetic_mean as arithmetic_mean,
    clamped_ratios as clamped_ratios,
    geometric_mean as geometric_mean,
    harmonic_mean as harmonic_mean,
    total_time_ratio as total_time_ratio,
)
from .mutants import Kills as Kills, mutate as mutate, run_mutants as run_mutants
from .pass_at_k_estimator import (
    best_at_k as best_at_k,
    efficient_at_k as efficient_at_k,
    pass_at_k as pass_at_k,
)
from .performance_profiles import (
    performance_profile as performance_profile,
    performance_ratios as performance_ratios,
    profile_area as profile_area,
)
from .preferences import (
    LengthControlled as LengthControlled,
    Preferences as Preferences,
    bradley_terry as bradley_terry,
    length_controlled_score as length_controlled_score,
)
from .proportions import (
    PairedOutcomes as PairedOutcomes,
    detection_power as detection_power,
    discordant_probabilities as discordant_probabilities,
    interval_coverage as interval_coverage,
    mcnemar as mcnemar,
    proportion_interval as proportion_interval,
    tasks_needed as tasks_needed,
)
from .resampling import (
    RankStability as RankStability,
    Resampled as Resampled,
    rank_stability as rank_stability,
    stratified_bootstrap as stratified_bootstrap,
)
from .reversal import (
    Reversal as Reversal,
    addition_reversals as addition_reversals,
    against_reference as against_reference,
    min_max as min_max,
    removal_reversals as removal_reversals,
    scores_without_each as scores_without_each,
)
from .rubrics import (
    OrdinalComparison as OrdinalComparison,
    Rubric as Rubric,
    Rule as Rule,
    ordinal_comparison as ordinal_comparison,
    turning_codes as turning_codes,
)
from .search.gaussian_process import (
    expected_improvement as expected_improvement,
    gaussian_process_search as gaussian_process_search,
)
from .search.progress import (
    RandomRuns as RandomRuns,
    best_so_far as best_so_far,
    random_runs as random_runs,
    runs_to_reach as runs_to_reach,
)
from .search.sampling import mutation_search as mutation_search, space_filling as space_filling
from .selection import (
    Winner as Winner,
    expected_maximum as expected_maximum,
    reliability as reliability,
    winners_curse as winners_curse,
)
from .success_rates import (
    BetaRates as BetaRates,
    beta_rates_through as beta_rates_through,
)
from .surfaces import (
    QuadraticSurface as QuadraticSurface,
    central_composite as central_composite,
    fit_quadratic as fit_quadratic,
    quadratic_terms as quadratic_terms,
)
from .timing_ratios import (
    RatioSummary as RatioSummary,
    TimingRatio as TimingRatio,
    noise_of_ratios as noise_of_ratios,
    repeats_needed as repeats_needed,
    summarize_ratios as summarize_ratios,
)
from .traces import time_average as time_average, time_integral as time_integral
