import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.activations import phase_times, swappable_bytes
from perfmodel.labs.offloading.fuyou.inputs import GPT_13B, measured
from perfmodel.labs.offloading.fuyou.swap_rules import (
    ALL,
    CHOSEN,
    NOTHING,
    RULES,
    Constants,
    fit_rule,
    fitted_rule,
    paper_server,
    rule_errors,
    rule_rate,
)

STEPS = measured()


def test_rates_by_hand():
    """Nothing swapped: W/3 + W at the GPU's rate where it binds; all swapped: W/3 + 2W/3."""
    few = STEPS._replace(batch=np.array([64.0]), drives=np.array([12.0]), rate=np.array([1.0]))
    fast = Constants(0.5, 1e-3, 1e-3)
    assert 64 * GPT_13B.work / rule_rate(NOTHING, fast, few) == pytest.approx(0.5 * 64 * 4 / 3)
    server, most = fast.server(12), swappable_bytes(GPT_13B, 64)
    seconds = float(phase_times(GPT_13B, server, 64, most).seconds)
    assert rule_rate(ALL, fast, few) == pytest.approx(64 * GPT_13B.work / seconds)
    assert seconds >= 0.5 * 64


def test_best_amount_is_never_slower_at_the_same_constants():
    constants = Constants(0.45, 55.0, 8.0)
    best = rule_rate(CHOSEN, constants, STEPS)
    for rule in (ALL, NOTHING):
        assert (best >= rule_rate(rule, constants, STEPS) * (1 - 1e-9)).all()


@pytest.mark.parametrize("rule", [ALL, NOTHING])
def test_fit_finds_what_made_the_steps(rule):
    true = Constants(0.42, 60.0, 9.0)
    found = fit_rule(rule, STEPS._replace(rate=rule_rate(rule, true, STEPS)))
    assert found == pytest.approx(true, rel=0.01)


def test_each_rules_constants_are_its_best():
    for rule in RULES:
        own = np.log(rule_rate(rule, fitted_rule(rule), STEPS) / STEPS.rate)
        for other in RULES:
            off = np.log(rule_rate(rule, fitted_rule(other), STEPS) / STEPS.rate)
            assert (own**2).sum() <= (off**2).sum() * (1 + 1e-6)


def test_throughputs_do_not_show_that_the_amount_was_chosen():
    """With constants of its own nothing swapped is as near; only all swapped is further off."""
    chosen, most, nothing = (rule_errors(rule) for rule in RULES)
    assert chosen.fitted == pytest.approx(0.022, abs=0.001)
    assert nothing.fitted == pytest.approx(0.022, abs=0.001)
    assert most.fitted == pytest.approx(0.0315, abs=0.001)
    assert nothing.held_out < chosen.held_out < most.held_out
    assert fitted_rule(NOTHING).sample < fitted_rule(ALL).sample < fitted_rule(CHOSEN).sample


def test_server_has_the_rates_of_the_best_amounts():
    server, constants = paper_server(3), fitted_rule(CHOSEN)
    assert GPT_13B.work / server.compute == pytest.approx(constants.sample)
    assert 30 * GPT_13B.parameters / server.drive == pytest.approx(constants.drive)
    assert (server.drives, server.fixed) == (3, constants.fixed)


def test_refuses_an_unknown_rule():
    with pytest.raises(ValueError, match="rule must be one of the best amount, all, nothing"):
        rule_rate("some", Constants(0.5, 60.0, 9.0), STEPS)
