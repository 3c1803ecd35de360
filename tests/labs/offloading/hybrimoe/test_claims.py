"""The rows can fail: LRU's own hits are refused where those of MRS are held."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfmodel.labs.offloading.hybrimoe import claims
from perfmodel.labs.offloading.hybrimoe.inputs import MODELS

HITS = [claim for claim in claims.SHEET.claims if claim.kind == "same-method"]


@pytest.mark.parametrize("claim", HITS)
def test_hits_of_lru_are_refused(claim):
    printed = claim.published.value
    lru = {**{m.mrs_hits: m.lru_hits for m in MODELS.values()}, "83.3 %": 0.806}[claim.printed]
    half = (printed - lru) / 2
    assert not replace(claim, compute=lambda: lru).check().met
    assert not replace(claim, compute=lambda: printed - 1.01 * half).check().met
    assert replace(claim, compute=lambda: printed - 0.99 * half).check().met


def test_trends_can_fail(monkeypatch):
    hits = {("MRS", 0.25): 0.4, ("LRU", 0.25): 0.3, ("MRS", 0.75): 0.9, ("LRU", 0.75): 0.7}
    monkeypatch.setattr(claims, "_hits", lambda _, policy, share: hits[policy, share])
    assert claims.gains_by_size() == (False, "10.0 points at 25 %, 20.0 points at 75 %")
    monkeypatch.setattr(claims, "decode_speedups", lambda _: (1.0, 1.2, 1.3, 1.4))
    assert not claims.schedule_over_cache()[0]
