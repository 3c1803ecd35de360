import pytest
from sklearn.linear_model import Ridge

from perfmodel.labs.prediction.shootout import costs, leaderboards
from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.prediction.arena.estimators import Formula, Priced


def three_lines(features):
    """Return nothing of use.

    This docstring has lines that don't count.
    """
    # Nor does this.

    return [
        len(features),
    ]


def test_lines_are_those_of_code_alone(monkeypatch):
    monkeypatch.setattr(three_lines, "__module__", "perfmodel.labs.made_up")
    assert costs.model_lines(Formula(three_lines)) == 4


def test_nothing_of_its_own_is_no_line():
    assert costs.model_lines(Ridge()) == 0
    assert costs.model_lines(Formula(three_lines)) == 0


def test_helpers_of_a_model_count_too():
    six = costs.model_lines(contestants.six_prices())
    assert 20 < six < 60
    each = costs.model_lines(Priced(contestants.work_and_cache))
    assert six < each


def test_a_formula_behind_a_feature_counts():
    accelerator = leaderboards.CHALLENGES["accelerator"](seeds=[0])
    full, plain = map(costs.model_lines, accelerator.whiteboxes.values())
    assert full > 2 * plain


def test_hours_by_hand():
    # 2.4 x 0.1^1.05 = 0.2139 months of 152 hours.
    assert costs.modeller_hours(100) == pytest.approx(32.5, abs=0.05)
    with pytest.raises(ValueError, match="lines must be above 0"):
        costs.modeller_hours(0)


def test_every_whitebox_has_hours(challenge):
    rows = costs.modelling({"one": challenge})
    assert len(rows) == 2
    assert all(0 < hours < 100 for *_, hours in rows)


def test_measuring_is_the_target_times_the_repeats(name, challenge):
    found = costs.measured_seconds(name, challenge)
    points, _, split = challenge.rounds[0]
    rule = costs.RULES.get(name)
    if challenge.dataset.unit != "s":
        assert all(seconds != seconds for seconds in found.values())
    elif rule is not None and rule.least:
        assert found[split.name, points] >= rule.repeats * rule.least * points * 0.999
    else:
        mean = challenge.dataset.target.mean()
        assert 0 < found[split.name, points] < 20 * points * mean


def test_what_two_models_share_counts_once():
    six, each = contestants.six_prices(), Priced(contestants.work_and_cache)
    both = costs.model_lines(six, each)
    assert both < costs.model_lines(six) + costs.model_lines(each)
    assert costs.model_lines(six, six) == costs.model_lines(six)
