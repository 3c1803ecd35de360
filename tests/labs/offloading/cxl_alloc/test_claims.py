from perfmodel.labs.offloading.cxl_alloc import claims


def test_every_row_comes_out_as_it_says():
    for claim in claims.SHEET.claims:
        assert claim.check().met == (not claim.miss), claim.quantity


def test_a_second_card_is_judged_without_the_first(monkeypatch):
    """A call with one card would raise a KeyError."""
    kept = {}
    monkeypatch.setattr(claims, "predicted_share", lambda *_, cards=1: kept[cards])
    for share, holds in [(0.992, True), (1.0, True), (1.008, True), (0.985, False), (1.02, False)]:
        kept[2] = share
        assert claims.second_card(0.5) == (holds, f"{100 * share:.1f} %")


def test_a_first_card_is_judged_without_the_second(monkeypatch):
    kept = {}
    monkeypatch.setattr(claims, "predicted_share", lambda *_, cards=1: kept[cards])
    for share, holds in [(0.97, True), (0.99, True), (0.96, False), (1.0, False)]:
        kept[1] = share
        assert claims.one_card(0.5).holds is holds


def test_masks_would_differ_for_another_model():
    from perfmodel.labs.offloading.cxl_alloc.allocation import masks
    from perfmodel.labs.offloading.cxl_alloc.inputs import NEMO, PRINTED_MASKS
    from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, placed

    assert masks(placed(Setting(NEMO), "latency first")) != list(PRINTED_MASKS.values())
