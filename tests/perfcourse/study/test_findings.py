import dataclasses
import math

import numpy as np
import pytest
from test_exports import ANSWER

from perfcourse.study import sentences
from perfcourse.study.effect import weighted
from perfcourse.study.exports import ExportError
from perfcourse.study.findings import Line, findings
from perfcourse.study.simulation import Course, simulated


def sheet(student, before, after, pages=("a", "b")):
    """Return two answers a student; the computed one is 1."""
    return [
        dataclasses.replace(
            ANSWER, student=student, phase=phase, page=page, box=page, prediction=value, truth=1.0
        )
        for phase, page, value in zip(("before", "after"), pages, (before, after), strict=True)
        if value is not None
    ]


def line(falls, group="class"):
    return Line(group, 0, 1.0, 1.0 - float(np.mean(falls)), weighted([np.array(falls)], [1.0]))


CLASS = [*sheet("ada", 4, 2), *sheet("ben", 9, 3), *sheet("cleo", 8, 2)]


class TestFindings:
    def test_means_and_falls_of_one_class(self):
        found = findings({"class": CLASS})
        first = found.line(0)
        assert first.before == pytest.approx(math.log(4 * 9 * 8) / 3)
        assert first.effect.estimate == pytest.approx(math.log(2 * 3 * 4) / 3)
        assert first.effect.students == 3
        assert found.orders == ()

    def test_the_harder_form_cancels_between_orders(self):
        one = [x for i in range(4) for x in sheet(f"s{i}", 8 + i, 2, ("hard", "easy"))]
        other = [x for i in range(4) for x in sheet(f"t{i}", 4, 4 + i, ("easy", "hard"))]
        found = findings({"class": one + other})
        assert found.orders == ("easy", "hard")
        falls = [math.log(8 + i) - math.log(2) for i in range(4)]
        back = [math.log(4) - math.log(4 + i) for i in range(4)]
        wanted = (np.mean(falls) + np.mean(back)) / 2
        assert found.line(0).effect.estimate == pytest.approx(wanted)

    def test_a_comparison_group_is_taken_off(self):
        other = [*sheet("dan", 4, 4), *sheet("eve", 8, 4)]
        found = findings({"class": CLASS, "waited": other})
        difference = found.line(0)
        assert difference.group == "class against waited"
        wanted = found.line(0, "class").effect.estimate - found.line(0, "waited").effect.estimate
        assert difference.effect.estimate == pytest.approx(wanted)

    def test_what_is_missing_is_counted(self):
        more = [*sheet("dan", 4, None), *sheet("eve", None, 0.0), *sheet("fay", 5, 1e9)]
        skipped = dataclasses.replace(ANSWER, student="dan", box="x", right=None, prediction=None)
        choice = dataclasses.replace(ANSWER, student="dan", box="y", prediction=None, truth=None)
        missing = findings({"class": [*CLASS, *more, skipped, choice]}).missing
        assert missing.only_before == ("dan",)
        assert missing.only_after == ("eve",)
        assert (missing.skipped, missing.choices, missing.capped) == (1, 1, 2)

    def test_one_alone_in_an_order_is_left_out_and_named(self):
        lone = sheet("zoe", 4, 2, ("b", "a"))
        found = findings({"class": CLASS + lone})
        assert found.alone == ("zoe",)
        assert found.line(0).effect.students == 3

    def test_confidence_is_held_against_what_was_right(self):
        found = findings({"class": CLASS})
        assert [(b.phase, b.right, b.answers) for b in found.bins] == [
            ("before", 0, 3),
            ("after", 0, 3),
        ]
        assert found.line(2).before == pytest.approx(0.6)
        silent = [dataclasses.replace(answer, confidence=None) for answer in CLASS]
        assert findings({"class": silent}).line(2) is None

    def test_no_pairs_or_too_many_groups(self):
        with pytest.raises(ExportError, match="no pairs to compare. 2 students .* before, 1 after"):
            findings({"class": [*sheet("ada", 4, None), *sheet("ben", 3, 2)]})
        with pytest.raises(ExportError, match="one or two, got 3: a, b, c"):
            findings({"a": CLASS, "b": CLASS, "c": CLASS})


class TestSentences:
    def test_a_fall_and_a_rise(self):
        fell = sentences.verdict(line([0.5, 0.6, 0.55, 0.5]))
        assert "fell by 0.54 (0." in fell
        assert "can't tell" not in fell
        rose = sentences.verdict(line([-0.5, -0.6, -0.55, -0.5]))
        assert "rose by 0.54 (0." in rose
        assert "a typical factor from 2.72 to 4.65" in rose

    def test_what_straddles_is_not_decided(self):
        said = sentences.verdict(line([0.5, -0.6, 0.55, -0.2]))
        assert said.endswith("these students can't tell.")

    @pytest.mark.parametrize(("sign", "word"), [(1, "more"), (-1, "less")])
    def test_two_groups(self, sign, word):
        said = sentences.verdict(line([sign * x for x in (0.5, 0.6, 0.55)], "a against b"))
        assert f"fell by 0.55 {word} (" in said

    def test_the_size_of_the_next_class(self):
        spread = [0.1, 0.5, -0.2, 0.6, 0.3, 0.2, 0.4, 0.0]
        assert "students with both phases" in sentences.next_class(line(spread), 0.2)
        assert "in each of two groups" in sentences.next_class(line(spread, "a against b"), 0.2)
        assert "more than 100,000" in sentences.next_class(line(spread), 1e-4)
        assert "how many are needed" in sentences.next_class(line([0.25, 0.25, 0.25]), 0.2)
        assert sentences.spread(line(spread)) == pytest.approx(np.std(spread, ddof=1))

    def test_cautions_name_what_is_wrong_and_nothing_else(self):
        lone = sheet("zoe", 4, 2, ("b", "a"))
        again = [dataclasses.replace(ANSWER, student="ada", phase="after", time="later")]
        more = [
            *sheet("dan", 4, None),
            *sheet("fay", 5, 1e9),
            dataclasses.replace(ANSWER, student="ada", box="x", right=None, prediction=None),
            dataclasses.replace(ANSWER, student="ada", box="y", truth=None, prediction=None),
            dataclasses.replace(ANSWER, student="ada"),
            *again,
        ]
        said = " ".join(sentences.cautions(findings({"class": CLASS + more + lone})))
        for words in (
            "no comparison group",
            "fewer than 10",
            "one phase only (1 before, 0 after)",
            "same order: zoe",
            "1 prompts don't count",
            "1 answers have no log error",
            "1 answers count as a factor of 100",
            "answered by one student both before and after",
        ):
            assert words in said
        assert "easier" not in said
        assert "easier" in " ".join(sentences.cautions(findings({"class": CLASS})))
        whole = Course(students=40, comparison=True, dropout=0, unanswered=0, seed=8)
        assert all("factor of 100" in x for x in sentences.cautions(findings(simulated(whole))))
