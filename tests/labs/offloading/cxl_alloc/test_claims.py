from perfmodel.labs.offloading.cxl_alloc import claims


def test_every_row_comes_out_as_it_says():
    for claim in claims.SHEET.claims:
        assert claim.check().met == (not claim.miss), claim.quantity


def test_masks_would_differ_for_another_model():
    from perfmodel.labs.offloading.cxl_alloc.allocation import masks
    from perfmodel.labs.offloading.cxl_alloc.inputs import NEMO, PRINTED_MASKS
    from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, placed

    assert masks(placed(Setting(NEMO), "latency first")) != list(PRINTED_MASKS.values())
