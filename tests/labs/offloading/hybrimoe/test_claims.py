"""The rows can fail: LRU's own hits are refused where those of MRS are held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
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


def test_hits_are_the_mean_over_five_traces(monkeypatch):
    seen = {}

    def hits(model, by, policy, share):
        seen[model, by, policy, share] = np.array([0.3, 0.5, 0.4, 0.2, 0.6])
        return seen[model, by, policy, share]

    monkeypatch.setattr(claims, "fitted_hits", hits)
    assert [claim.compute() for claim in HITS] == pytest.approx([0.4] * 4)
    quarter = [(model, "persistence", "MRS", 0.25) for model in MODELS]
    assert list(seen) == [*quarter, ("Mixtral", "persistence", "MRS", 0.75)]


def test_every_row_comes_out_as_it_says():
    for claim in claims.SHEET.claims:
        assert claim.check().met == (not claim.miss), claim.quantity


def test_seeds_that_hold_a_row_are_counted(monkeypatch):
    made = {"Mixtral": [0.33, 0.34], "DeepSeek": [0.5, 0.51], "Qwen2": [0.4, 0.45]}
    monkeypatch.setattr(claims, "fitted_hits", lambda model, *_: np.array(made[model]))
    assert claims.seeds_summary() == (
        "Seeds that would hold the row of a quarter by themselves: 1 of 2 for Mixtral (33.0 to "
        "34.0 %, held from 33.2 % on); 1 of 2 for DeepSeek (50.0 to 51.0 %, held from 50.2 % on); "
        "0 of 2 for Qwen2 (40.0 to 45.0 %, held from 48.9 % on)."
    )


def test_trends_can_fail(monkeypatch):
    hits = {("MRS", 0.25): 0.4, ("LRU", 0.25): 0.3, ("MRS", 0.75): 0.9, ("LRU", 0.75): 0.7}
    monkeypatch.setattr(claims, "_hits", lambda _, policy, share: hits[policy, share])
    assert claims.gains_by_size() == (False, "10.0 points at 25 %, 20.0 points at 75 %")
    monkeypatch.setattr(claims, "decode_speedups", lambda _: (1.0, 1.2, 1.3, 1.4))
    assert not claims.schedule_over_cache()[0]
