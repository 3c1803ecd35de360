import pytest

from perfmodel.labs.serving.specee import claims
from perfmodel.labs.serving.specee.inputs import EXECUTED, LAYERS, SPEEDUPS


def test_ledger_holds_what_it_says():
    for claim in claims.SHEET.claims:
        assert claim.check().met != bool(claim.miss), claim.quantity


def test_more_is_missed_than_held_of_the_speedups():
    rows = [claim for claim in claims.SHEET.claims if claim.quantity.startswith("speedup, Llama")]
    assert len(rows) == len(SPEEDUPS) == 12
    assert [row.printed for row in rows if not row.miss] == ["1.27", "1.43"]


def test_bound_is_what_tasks_differ_by_and_no_row_is_near_it():
    """It comes from Table 4, and any bound between 1.6 and 10.8 % would give the same rows."""
    assert 0.08 < claims.task_spread() <= claims.BOUND == 0.09
    rows = [claim for claim in claims.SHEET.claims if claim.quantity.startswith("speedup, Llama")]
    assert {row.within for row in rows} == {claims.BOUND}
    errors = sorted(abs(row.check().error) for row in rows)
    assert errors[1] < 0.016
    assert errors[2] > 0.108


def test_spread_by_hand():
    """70B, SST2: 49.40 layers where the seven have 53.87."""
    assert claims.task_spread() == pytest.approx((53.867 + 1) / (49.40 + 1) - 1, abs=1e-4)


def test_one_speedup_is_more_than_layers_allow():
    over = [row for row in SPEEDUPS if row.speedup > claims.free_speedup(row.model)]
    assert [(row.model, row.place) for row in over] == [("7B", "RTX 4090")]


def test_forecast_by_hand():
    """7B: 32/(23.10 + 1) of the layers' time, 5.625 % of the token for predictors."""
    assert claims.free_speedup("7B") == pytest.approx(1.3278, abs=2e-4)
    assert claims.forecast_speedup("7B") == pytest.approx(1.3278 * 0.94375, abs=2e-4)


def test_unexplained_layers_give_back_the_printed_speedup():
    for row in SPEEDUPS:
        layers = claims.mean_executed(row.model) + 1 + claims.unexplained_layers(row)
        again = LAYERS[row.model] * (1 - claims.PREDICTOR_SHARE) / layers
        assert again == pytest.approx(row.speedup)


def test_predictors_by_hand():
    assert claims.predictor_bytes() == 32 * 2 * 7169 == 458_816
    assert 32 * 2 * (12 * 512 + 512) / 1024 == 416


def test_no_task_runs_more_than_all_layers():
    for model, layers in LAYERS.items():
        assert len(EXECUTED[model]) == 7
        assert 0.5 * layers < min(EXECUTED[model]) <= max(EXECUTED[model]) < layers
