from .characteristic_curves import (
    CharacteristicCurve as CharacteristicCurve,
    LevelCounts as LevelCounts,
    dominant_counts as dominant_counts,
    fit_characteristic_curve as fit_characteristic_curve,
    level_masses as level_masses,
    mix_accuracy as mix_accuracy,
)
from .crossings import Crossing as Crossing, crossing as crossing, win_chance as win_chance
from .difficulty_clusters import (
    DifficultyClusters as DifficultyClusters,
    ItemCluster as ItemCluster,
    cluster_items as cluster_items,
    fit_success as fit_success,
    whole_from_part as whole_from_part,
)
from .fitting import LOSSES as LOSSES, LawFit as LawFit, fit_law as fit_law
from .forms import FormScore as FormScore, choose_form as choose_form
from .frontier import (
    Allocation as Allocation,
    allocation_exponent as allocation_exponent,
    compute_optimal as compute_optimal,
    lifetime_optimal as lifetime_optimal,
)
from .item_response import (
    RaschFit as RaschFit,
    fit_rasch as fit_rasch,
    success_of_items as success_of_items,
)
from .laws import (
    BROKEN_POWER_LAW as BROKEN_POWER_LAW,
    POWER_LAW as POWER_LAW,
    RISING_POWER_LAW as RISING_POWER_LAW,
    SATURATING_POWER_LAW as SATURATING_POWER_LAW,
    SIGMOID_LAW as SIGMOID_LAW,
    SUCCESS_LAW as SUCCESS_LAW,
    TWO_VARIABLE_LAW as TWO_VARIABLE_LAW,
    Law as Law,
)
from .learning_curves.curves import (
    CURVE_SETS as CURVE_SETS,
    LearningCurves as LearningCurves,
    published_curves as published_curves,
)
from .prefixes import PrefixRegression as PrefixRegression, prefix_regression as prefix_regression
from .profile_likelihood import (
    Identifiability as Identifiability,
    identifiability as identifiability,
    profile_interval as profile_interval,
)
from .projection import (
    ProjectionWeights as ProjectionWeights,
    noise_amplification as noise_amplification,
    projected as projected,
    projection_weights as projection_weights,
    replicates_needed as replicates_needed,
)
from .selective import (
    CoverageRisk as CoverageRisk,
    check_dates as check_dates,
    coverage_risk as coverage_risk,
    later_split as later_split,
    stated_and_found as stated_and_found,
)
from .stopping import (
    Search as Search,
    chance_of_losing as chance_of_losing,
    stopped_search as stopped_search,
)
from .transport import (
    labelled_cost as labelled_cost,
    misplaced_mass as misplaced_mass,
    sinkhorn_plan as sinkhorn_plan,
    transport_cost as transport_cost,
)
from .uncertainty import (
    LawBootstrap as LawBootstrap,
    bootstrap_law as bootstrap_law,
    forecast_interval as forecast_interval,
)
