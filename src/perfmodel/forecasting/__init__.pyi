from .compute_optimal_training import (
    Allocation as Allocation,
    allocation_exponent as allocation_exponent,
    compute_optimal as compute_optimal,
    lifetime_optimal as lifetime_optimal,
)
from .crossings import (
    Crossing as Crossing,
    crossing as crossing,
    win_probability as win_probability,
)
from .fitting import LOSSES as LOSSES, LawFit as LawFit, fit_law as fit_law
from .forms import FormScore as FormScore, choose_form as choose_form
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
from .stopping import (
    EarlyStoppingSearch as EarlyStoppingSearch,
    early_stopping_search as early_stopping_search,
    probability_of_losing as probability_of_losing,
)
from .uncertainty import (
    LawBootstrap as LawBootstrap,
    bootstrap_law as bootstrap_law,
    forecast_interval as forecast_interval,
)
