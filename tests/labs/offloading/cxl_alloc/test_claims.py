from perfmodel.labs.offloading.cxl_alloc import claims


def test_every_row_comes_out_as_it_says():
    for claim in claims.SHEET.claims:
        assert claim.check().met == (not claim.miss), claim.quantity


def test_a_second_card_is_met_only_with_both_printed_values(monkeypatch):
    kept = {1: 0.98, 2: 1.0}
    monkeypatch.setattr(claims, "predicted_share", lambda *_, cards=1: kept[cards])
    assert claims.second_card(0.5).holds
    for one, two in [(0.98, 0.97), (0.98, 1.02), (1.0, 1.005), (0.96, 1.0)]:
        kept.update({1: one, 2: two})
        assert not claims.second_card(0.5).holds


def test_masks_would_differ_for_another_model():
    from perfmodel.labs.offloading.cxl_alloc.allocation import masks
    from perfmodel.labs.offloading.cxl_alloc.inputs import NEMO, PRINTED_MASKS
    from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, placed

    assert masks(placed(Setting(NEMO), "latency first")) != list(PRINTED_MASKS.values())
