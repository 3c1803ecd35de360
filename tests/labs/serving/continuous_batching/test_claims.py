from perfmodel.labs.serving.continuous_batching.claims import SHEET, mixed
from perfmodel.labs.serving.continuous_batching.inputs import MIXED_SECONDS


def test_misses_are_those_with_a_reason():
    for claim in SHEET.claims:
        assert claim.check().met == (not claim.miss), claim.quantity


def test_the_mixed_iteration_was_not_fitted_and_is_near():
    assert 0.8 < mixed() / MIXED_SECONDS < 1.2
