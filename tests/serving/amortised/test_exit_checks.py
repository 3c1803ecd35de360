from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving.amortised.early_exit import ideal_exit_speedup, mean_exit_layer
from perfmodel.serving.amortised.exit_checks import (
    ExitCosts,
    best_checked_layers,
    early_exit_time,
    exits_when_checked,
    mean_exit_checks,
)

histograms = st.lists(st.integers(0, 20), min_size=2, max_size=7).filter(any)


def subsets(layers):
    """Return all sets of layers that can be checked."""
    return chain.from_iterable(combinations(range(1, layers), n) for n in range(layers))


def walked(final, checked, costs, verifications=None):
    """Return the mean seconds and exits of tokens that are walked through layer by layer."""
    layers, exits, seconds = len(final), [], []
    for token in np.repeat(np.arange(1, layers + 1), final):
        time = costs.draft + costs.fixed
        for layer in range(1, layers + 1):
            time += costs.layer
            if layer in checked:
                time += costs.check
                if layer >= token:
                    time += costs.verify
                    break
        else:
            time += costs.answer
        exits.append(layer)
        seconds.append(time)
    return np.mean(seconds), np.bincount(exits, minlength=layers + 1)[1:] / len(exits)


@given(histograms, st.data())
def test_time_and_exits_are_those_of_tokens_walked_through(final, data):
    checked = data.draw(st.sets(st.integers(1, len(final) - 1)))
    costs = ExitCosts(*data.draw(st.tuples(*[st.floats(0.01, 1)] * 6)))
    seconds, exits = walked(final, checked, costs)
    shares = exits_when_checked(final, checked)
    assert shares == pytest.approx(exits)
    # A token leaves at a check, or runs all layers: none leaves at the last unasked.
    assert early_exit_time(shares, costs, checked) == pytest.approx(seconds)


@settings(max_examples=40, deadline=None)
@given(histograms, st.floats(0, 3), st.floats(0, 3))
def test_best_checks_against_all_sets(final, check, answer):
    costs = ExitCosts(layer=1.0, check=check, answer=answer)
    times = {
        chosen: early_exit_time(exits_when_checked(final, chosen), costs, chosen)
        for chosen in subsets(len(final))
    }
    chosen, seconds = best_checked_layers(final, 1.0, check, answer)
    assert seconds == pytest.approx(min(times.values()))
    assert seconds == pytest.approx(times[chosen])


def test_free_checks_are_made_wherever_a_token_can_leave():
    final = [0.1, 0.3, 0.2, 0.4]
    chosen, seconds = best_checked_layers(final, 1.0, 0.0)
    assert set(chosen) >= {1, 2, 3}
    assert seconds == pytest.approx(mean_exit_layer(final))
    chosen, seconds = best_checked_layers(final, 1.0, 5.0)
    assert (chosen, seconds) == ((), pytest.approx(4.0))


def test_only_a_draft_of_a_layer_is_the_ideal_speedup():
    shares, costs = [0.0, 0.25, 0.5, 0.25], ExitCosts(layer=2.0, draft=2.0)
    seconds = early_exit_time(shares, costs, {2, 3})
    assert 4 * 2.0 / seconds == pytest.approx(float(ideal_exit_speedup(4, 3.0)))


def test_checks_and_false_alarms_by_hand():
    shares = [0.0, 0.25, 0.5, 0.25]
    assert mean_exit_checks(shares, {1, 3}) == 1.75
    assert mean_exit_checks(shares, set()) == 0
    costs = ExitCosts(layer=1.0, draft=0.5, check=0.1, verify=0.2, fixed=3.0)
    assert early_exit_time(shares, costs, {1, 3}) == pytest.approx(3 + 3 + 0.5 + 0.175 + 0.15)
    more = early_exit_time(shares, costs, {1, 3}, verifications=1.5)
    assert more == pytest.approx(3 + 3 + 0.5 + 0.175 + 0.3)


def test_refuses():
    with pytest.raises(ValueError, match="checked must name layers between 1 and 3, got 4"):
        mean_exit_checks([1, 1, 1, 1], {4})
    with pytest.raises(ValueError, match="checked must be a whole number, 1 or more, got 0"):
        exits_when_checked([1, 1], {0})
