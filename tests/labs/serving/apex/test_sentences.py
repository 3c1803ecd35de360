"""Each sentence is seen to come out in every way, on numbers made up for it."""

import pytest

from perfmodel.labs.serving.apex.replay import Constants
from perfmodel.labs.serving.apex.sentences import at_context, of_fit, of_rates, of_traces

RATES = (0.5, 1.0, 2.0, 8.0)


def test_the_fit_and_how_far_it_reaches():
    words = of_fit(Constants(0.75, 4e-3, 5e-4), [0.01, 0.02, 0.06], (0.0257, 0.0262), [-0.4, 0.12])
    assert words == (
        "e = 0.75, f = 4.0 ms, g = 0.50 ms. The 3 runs held out are 3.0 % off on average, 6.0 % at "
        "worst. Writing on four GPUs, taken apart, took 25.7 ms, and 26.2 is predicted. Times to "
        "the first token were not fitted, and are -40 to +12 % off."
    )


def test_one_plan_may_be_best_throughout():
    times = {8: [10, 11, 12, 13], 4: [12, 13, 14, 15], 2: [20, 20, 20, 20]}
    assert of_rates(RATES, times) == "1 x TP8 is best at 0.5 requests/s and at all other rates."


def test_plans_may_change_places():
    times = {8: [10, 11, 22, 99], 4: [12, 13, 14, 50], 2: [20, 20, 20, 20]}
    assert of_rates(RATES, times) == (
        "1 x TP8 is best at 0.5 requests/s; at 2 requests/s another is, and at 8 it is 4 x TP2."
    )


def test_the_first_plan_may_come_back():
    times = {8: [20, 20, 20, 20], 4: [12, 21, 14, 15]}
    assert of_rates(RATES, times) == (
        "2 x TP4 is best at 0.5 requests/s; at 1 requests/s another is, and at 8 it is again 2 x "
        "TP4."
    )


def test_plans_may_change_places_at_the_last_rate_only():
    times = {8: [10, 11, 12, 99], 4: [12, 13, 14, 50]}
    assert of_rates(RATES, times) == (
        "1 x TP8 is best at 0.5 requests/s; at 8 requests/s it is 2 x TP4."
    )


@pytest.mark.parametrize(
    ("most", "fits"), [(8000, "fits."), (5120.4, "does not fit: 5,120 tokens each do.")]
)
def test_a_context_may_not_fit(most, fits):
    assert at_context(8000, 0.125, most) == (
        f"After 8,000 tokens a step takes 12 % longer than the lookup says. That context {fits}"
    )


@pytest.mark.parametrize(
    ("longest", "says"),
    [
        (0.049, "4.9 % longer with it: with these loads and lengths it hardly matters."),
        (0.05, "5.0 % longer with it: already there it shows."),
    ],
)
def test_context_may_matter_in_the_traces(longest, says):
    assert of_traces([0.02, longest, 0.011]) == (
        f"On eight GPUs the measured traces' tokens are 1.1 to {says}"
    )
