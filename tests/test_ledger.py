"""The ledger: every claim of every system is computed, and a claim itself refuses nonsense."""

from __future__ import annotations

import math
import pkgutil
from collections import Counter
from dataclasses import replace

import pytest

import perfmodel
from perfmodel.ledger import Claim, Trend, collect, half_unit

CLAIMS = collect()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: f"{c.system}: {c.quantity}")
def test_claim_is_met_or_is_a_stated_miss(claim: Claim) -> None:
    checked = claim.check()
    said = f"published {claim.published}, ours {checked.ours}, error {checked.error}"
    if claim.miss:
        assert not checked.met, f"stale excuse, the claim is met: {said}"
    else:
        assert checked.met, said


def test_a_quantity_is_claimed_once_from_a_source() -> None:
    counts = Counter((claim.system, claim.quantity, claim.source) for claim in CLAIMS)
    assert [key for key, count in counts.items() if count > 1] == []


def test_claims_name_the_module_that_makes_them() -> None:
    walked = pkgutil.walk_packages(perfmodel.__path__, "perfmodel.")
    modules = {info.name.rpartition(".")[2] for info in walked}
    assert {claim.system for claim in CLAIMS} <= modules


def a_claim(**changes: object) -> Claim:
    given: dict[str, object] = {
        "system": "demo",
        "quantity": "speedup",
        "kind": "recomputed",
        "published": 4.0,
        "unit": "1",
        "source": "Table 1",
        "compute": lambda: 4.0,
    }
    return Claim(**(given | changes))  # type: ignore[arg-type]


class TestRecomputed:
    def test_exact_value_needs_no_tolerance(self) -> None:
        assert a_claim().check().met

    @pytest.mark.parametrize(("ours", "met"), [(4.04, True), (3.96, True), (4.041, False)])
    def test_tolerance_is_relative_to_the_published_value(self, ours: float, met: bool) -> None:
        assert a_claim(compute=lambda: ours, tolerance=0.01).check().met is met

    @pytest.mark.parametrize(("ours", "met"), [(4.04, True), (3.96, True), (4.041, False)])
    def test_absolute_is_in_the_published_unit(self, ours: float, met: bool) -> None:
        assert a_claim(compute=lambda: ours, absolute=0.04).check().met is met

    @pytest.mark.parametrize(("ours", "met"), [(0.01, True), (0.011, False)])
    def test_tolerance_around_zero_is_absolute(self, ours: float, met: bool) -> None:
        checked = a_claim(published=0.0, compute=lambda: ours, tolerance=0.01).check()
        assert checked.met is met

    def test_tolerances_add_up(self) -> None:
        claim = a_claim(compute=lambda: 4.05, tolerance=0.01, absolute=0.01)
        assert claim.check().met
        assert not replace(claim, absolute=0.009).check().met

    def test_error_is_relative_and_signed(self) -> None:
        assert a_claim(compute=lambda: 3.0).check().error == -0.25
        assert a_claim(published=-4.0, compute=lambda: -3.0).check().error == 0.25


class TestSameMethod:
    @pytest.mark.parametrize(
        ("ours", "met"), [(1.99, False), (2.0, True), (9.0, True), (9.01, False)]
    )
    def test_ours_is_held_to_our_own_bounds(self, ours: float, met: bool) -> None:
        claim = a_claim(kind="same-method", bounds=(2.0, 9.0), compute=lambda: ours)
        assert claim.check().met is met

    def test_published_value_is_shown_as_context(self) -> None:
        claim = a_claim(kind="same-method", bounds=(2.0, 9.0), compute=lambda: 6.0)
        assert claim.check().error == 0.5

    def test_one_side_may_be_open(self) -> None:
        claim = a_claim(kind="same-method", bounds=(1.0, math.inf), compute=lambda: 1e6)
        assert claim.check().met


class TestTrend:
    def test_ordering_that_holds(self) -> None:
        claim = a_claim(kind="trend", published="A wins", compute=lambda: Trend(2 > 1, "2 v 1"))
        checked = claim.check()
        assert (checked.ours, checked.error, checked.met) == ("2 v 1", None, True)

    def test_ordering_that_does_not(self) -> None:
        claim = a_claim(kind="trend", published="A wins", compute=lambda: Trend(1 > 2, "1 v 2"))
        assert not claim.check().met


class TestNonsenseIsRefused:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"kind": "guess"}, r"kind must be one of recomputed, .*, got 'guess'"),
            ({"system": " "}, "system must say something"),
            ({"quantity": ""}, "quantity must say something"),
            ({"source": ""}, "source must say something"),
            ({"published": "fast"}, "published must be a sentence for a trend .* got 'fast'"),
            ({"published": math.nan}, "published must be finite, got nan"),
            ({"kind": "trend"}, "published must be a sentence for a trend .* got 4.0"),
            ({"tolerance": 1.0}, "tolerance must be from 0 to below 1, got 1.0"),
            ({"tolerance": -0.1}, "tolerance must be from 0 to below 1, got -0.1"),
            ({"absolute": math.inf}, "absolute must be 0 or more and finite, got inf"),
            ({"bounds": (1.0, 5.0)}, "bounds go with kind 'same-method'"),
            ({"kind": "same-method"}, "bounds go with kind 'same-method', got None"),
            ({"kind": "same-method", "bounds": (5.0, 1.0)}, r"bounds must be \(low, high\)"),
            (
                {"kind": "same-method", "bounds": (-math.inf, math.inf)},
                r"bounds must be \(low, high\)",
            ),
            (
                {"kind": "same-method", "bounds": (1.0, 5.0), "tolerance": 0.1},
                "a tolerance goes with kind 'recomputed', got kind 'same-method'",
            ),
        ],
    )
    def test_message_names_the_field(self, changes: dict[str, object], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            a_claim(**changes)

    @pytest.mark.parametrize("ours", [math.nan, math.inf])
    def test_value_that_cannot_be_compared_is_no_miss(self, ours: float) -> None:
        claim = a_claim(compute=lambda: ours, miss="the machine is not here")
        with pytest.raises(ValueError, match="speedup: ours must be finite"):
            claim.check()

    def test_trend_that_computes_a_number(self) -> None:
        claim = a_claim(kind="trend", published="A wins")
        with pytest.raises(TypeError, match=r"a trend claim cannot compute 4\.0"):
            claim.check()

    def test_number_that_computes_a_trend(self) -> None:
        claim = a_claim(compute=lambda: Trend(True, "2 v 1"))
        with pytest.raises(TypeError, match="a recomputed claim cannot compute Trend"):
            claim.check()


class TestCollect:
    def test_one_system(self) -> None:
        chosen = collect("qcd_chip")
        assert {claim.system for claim in chosen} == {"qcd_chip"}
        assert len(chosen) < len(CLAIMS)

    @pytest.mark.parametrize("system", sorted({claim.system for claim in CLAIMS}))
    def test_one_system_has_all_its_claims(self, system: str) -> None:
        """Its modules are found by its name in them: none may spell it otherwise."""
        expected = [claim.quantity for claim in CLAIMS if claim.system == system]
        assert [claim.quantity for claim in collect(system)] == expected

    def test_unknown_system_lists_the_known_ones(self) -> None:
        with pytest.raises(ValueError, match=r"system must be one of .*qcd_chip.*, got 'qcd'"):
            collect("qcd")


class TestHalfUnit:
    @pytest.mark.parametrize(
        ("printed", "half"), [("15.10", 0.005), ("853", 0.5), ("-0.2", 0.05), ("1e6", 5e5)]
    )
    def test_of_the_last_digit(self, printed: str, half: float) -> None:
        assert half_unit(printed) == pytest.approx(half, rel=1e-12)

    def test_not_a_number(self) -> None:
        with pytest.raises(ValueError, match="printed must be a finite number as text, got 'nan'"):
            half_unit("nan")
