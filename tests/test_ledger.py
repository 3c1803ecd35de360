"""The ledger: every row of every lab is computed, and a claim itself refuses nonsense."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from perfmodel.ledger import (
    STANDARD_ERRORS,
    Claim,
    Sheet,
    Trend,
    collect,
    constants,
    re_aggregated,
    sheet,
)

SHEETS = collect()
ROWS = [
    pytest.param(claim, id=f"{lab}: {claim.quantity}")
    for lab, page in SHEETS.items()
    for claim in page.claims
]


@pytest.mark.parametrize("claim", ROWS)
def test_claim_is_met_or_is_a_stated_miss(claim: Claim) -> None:
    checked = claim.check()
    outcome = f"printed {claim.printed}, ours {checked.ours}, error {checked.error}"
    if claim.miss:
        assert not checked.met, f"stale excuse, the claim is met: {outcome}"
    else:
        assert checked.met, outcome


@pytest.mark.parametrize("claim", ROWS)
def test_no_bound_spans_more_than_a_third_of_the_printed_number(claim: Claim) -> None:
    if not claim.is_statement:
        assert claim.within <= 1 / 3
        assert STANDARD_ERRORS * claim.standard_error <= abs(claim.published.value) / 3


def a_claim(**changes: object) -> Claim:
    given: dict[str, object] = {
        "quantity": "speedup",
        "printed": "4.00",
        "where": "Table 1",
        "compute": lambda: 4.0,
        "kind": "recomputed",
    }
    return Claim(**(given | changes))  # type: ignore[arg-type]


class TestRecomputed:
    @pytest.mark.parametrize(
        ("ours", "met"), [(4.0, True), (4.0049, True), (3.9951, True), (4.0051, False)]
    )
    def test_ours_must_agree_to_half_a_unit_of_the_last_digit(self, ours: float, met: bool) -> None:
        assert a_claim(compute=lambda: ours).check().met is met

    @pytest.mark.parametrize(
        ("printed", "ours", "met"),
        [
            ("15.1 ms", 0.01514, True),
            ("15.1 ms", 0.01516, False),
            ("38.38 %", 0.38384, True),
            ("38.38 %", 0.3839, False),
            ("222e3", 221_600, True),
            ("1,015,701 h", 1_015_701.4 * 3600, True),
            ("0", 0.4, True),
            ("0", 0.6, False),
        ],
    )
    def test_ours_is_in_si_units_whatever_is_printed(
        self, printed: str, ours: float, met: bool
    ) -> None:
        assert a_claim(printed=printed, compute=lambda: ours).check().met is met

    def test_measured_values_may_be_off_by_some_standard_errors(self) -> None:
        claim = a_claim(compute=lambda: 4.0 + 0.0049 + 0.01 * STANDARD_ERRORS, standard_error=0.01)
        assert claim.check().met
        assert not replace(claim, standard_error=0.0099).check().met

    def test_error_is_relative_and_signed(self) -> None:
        assert a_claim(compute=lambda: 3.0).check().error == -0.25
        assert a_claim(printed="-4", compute=lambda: -3.0).check().error == 0.25


class TestSameMethod:
    @pytest.mark.parametrize(
        ("ours", "met"), [(3.19, False), (3.2, True), (4.8, True), (4.81, False)]
    )
    def test_bounds_stand_around_the_printed_number(self, ours: float, met: bool) -> None:
        claim = a_claim(kind="same-method", within=0.2, compute=lambda: ours)
        assert claim.check().met is met


class TestReAggregated:
    @pytest.mark.parametrize(("ours", "met"), [(4.0049, True), (4.0051, False)])
    def test_a_number_must_agree_to_half_a_unit_of_the_last_digit(
        self, ours: float, met: bool
    ) -> None:
        assert a_claim(kind="re-aggregated", compute=lambda: ours).check().met is met

    def test_a_statement_about_the_authors_cells_is_judged_as_it_stands(self) -> None:
        claim = re_aggregated("largest", "over 100x", "p. 1", lambda: (True, "3 of 9"))
        checked = claim.check()
        assert (checked.ours, checked.error, checked.met) == ("3 of 9", None, True)

    def test_labs_that_only_put_the_authors_cells_together_say_so(self) -> None:
        kinds = {lab: {claim.kind for claim in page.claims} for lab, page in SHEETS.items()}
        for lab in (
            "dpe_evalperf",
            "sysllmatic",
            "algoperf",
            "kgym",
            "tulu",
            "swe_fficiency",
            "coffe",
        ):
            assert kinds[lab] == {"re-aggregated"}, lab


class TestConstants:
    def test_mean_of_the_other_rows_by_hand(self) -> None:
        """Of 1.1 the others' mean is 1.25, 13.6 % off; of 1.2 it is 1.2, of 1.3 it is 1.15."""
        rows = [
            a_claim(quantity=text, printed=text, kind="same-method", within=0.1)
            for text in ("1.1", "1.2", "1.3")
        ]
        guesses = constants(rows)
        assert [guess.met for guess in guesses if guess] == [False, True, False]
        assert guesses[0] is not None
        assert guesses[0].error == pytest.approx(1.25 / 1.1 - 1)

    def test_in_a_sweep_it_is_the_row_above(self) -> None:
        rows = [
            a_claim(quantity=text, printed=text, kind="same-method", within=0.3)
            for text in ("1 s", "4 s", "5 s", "16 s")
        ]
        errors = [guess.error for guess in constants(rows) if guess]
        assert errors == pytest.approx([3.0, -0.75, -0.2, -11 / 16])
        assert [guess.met for guess in constants(rows) if guess] == [False, False, True, False]

    def test_a_printed_zero_has_no_relative_error(self) -> None:
        rows = [a_claim(quantity=text, printed=text) for text in ("0.0", "0.04", "0.9")]
        first = constants(rows)[0]
        assert first is not None
        assert first.error is None
        assert first.met

    def test_only_numbers_of_one_place_and_one_unit_make_a_table(self) -> None:
        rows = [
            a_claim(quantity="a", printed="4 s"),
            a_claim(quantity="b", printed="4 ms", where="Table 2"),
            a_claim(quantity="c", printed="4 W"),
            a_claim(quantity="d", kind="trend", printed="up"),
            a_claim(quantity="e", printed="4000 ms"),
        ]
        found = constants(rows)
        assert [guess is None for guess in found] == [False, True, True, True, False]
        assert found[0] is not None
        assert found[0].met

    def test_specee_a_constant_meets_more_speedups_than_the_model(self) -> None:
        rows = [c for c in SHEETS["specee"].claims if c.quantity.startswith("speedup, ")]
        met = [guess.met for guess in constants(rows) if guess]
        assert (len(met), sum(met)) == (12, 9)
        assert sum(not claim.miss for claim in rows) == 2


class TestTrend:
    @pytest.mark.parametrize(("holds", "evidence"), [(True, "2 v 1"), (False, "1 v 2")])
    def test_outcome_and_evidence(self, holds: bool, evidence: str) -> None:
        claim = a_claim(kind="trend", printed="A wins", compute=lambda: Trend(holds, evidence))
        checked = claim.check()
        assert (checked.ours, checked.error, checked.met) == (evidence, None, holds)


class TestNonsenseIsRefused:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"kind": "guess"}, r"kind must be one of re-aggregated, .*, got 'guess'"),
            ({"quantity": ""}, "quantity must say something"),
            ({"where": " "}, "where must say something"),
            ({"printed": "fast"}, 'printed must be a number with or without a unit, got "fast"'),
            ({"printed": "nan"}, "printed must be a number"),
            ({"printed": "4ms"}, "printed must be a number"),
            ({"kind": "re-aggregated", "printed": "4ms"}, "printed must be a number"),
            ({"kind": "trend"}, "printed must be a sentence for a trend, got '4.00'"),
            ({"standard_error": -0.1}, "standard_error must be 0 or more, got -0.1"),
            ({"standard_error": math.inf}, "standard_error must be 0 or more, got inf"),
            ({"within": 0.1}, "within must be between 0 and 1 for kind 'same-method'"),
            ({"kind": "same-method"}, "within must be between 0 and 1 .* got 0.0"),
            ({"kind": "same-method", "within": 1.0}, "within must be between 0 and 1 .* got 1.0"),
        ],
    )
    def test_message_names_the_field(self, changes: dict[str, object], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            a_claim(**changes)

    @pytest.mark.parametrize("ours", [math.nan, math.inf])
    def test_value_that_cannot_be_compared_is_no_miss(self, ours: float) -> None:
        claim = a_claim(compute=lambda: ours, miss="the machine is not here")
        with pytest.raises(ValueError, match="speedup: ours must be finite"):
            claim.check()

    def test_trend_that_computes_a_number(self) -> None:
        with pytest.raises(TypeError, match=r"a trend claim cannot compute 4\.0"):
            a_claim(kind="trend", printed="A wins").check()

    def test_number_that_computes_a_trend(self) -> None:
        with pytest.raises(TypeError, match="a recomputed claim cannot compute Trend"):
            a_claim(compute=lambda: Trend(True, "2 v 1")).check()


class TestSheet:
    def test_says_where_its_numbers_come_from(self) -> None:
        with pytest.raises(ValueError, match="source must say something"):
            Sheet(" ", [a_claim()])

    def test_without_claims_says_why(self) -> None:
        with pytest.raises(ValueError, match="unheld must say why there are no claims"):
            Sheet("A paper")

    def test_holds_a_quantity_from_one_place_once(self) -> None:
        with pytest.raises(ValueError, match=r"claims must differ .* \('speedup', 'Table 1'\)"):
            Sheet("A paper", [a_claim(), a_claim()])

    def test_of_one_lab_is_found_by_the_lab_s_name(self) -> None:
        assert sheet("multicore") is SHEETS["multicore"]

    def test_unknown_lab_lists_the_known_ones(self) -> None:
        with pytest.raises(ValueError, match=r"lab must be one of .*multicore.*, got 'qcd'"):
            sheet("qcd")
