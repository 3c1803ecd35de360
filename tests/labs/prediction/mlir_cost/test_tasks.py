import pytest

from perfmodel.labs.prediction.mlir_cost.program import EXAMPLE
from perfmodel.labs.prediction.mlir_cost.tasks import ALIKE, ANOTHER, COUNTED, against_example


def test_the_example_with_other_operands_may_have_another_pressure():
    assert against_example(EXAMPLE) == ALIKE
    assert against_example(f"\n  {EXAMPLE}\n") == ALIKE
    assert against_example(EXAMPLE.replace("relu", "reduce")) == COUNTED


def test_a_program_with_less_waiting_has_another_pressure():
    lines = EXAMPLE.replace("%2, %0", "%2, %2").replace("relu %1", "relu %3")
    assert against_example(lines.replace("%3, %4", "%4, %4").replace("%5, %2", "%5, %5")) == ANOTHER


@pytest.mark.parametrize("text", ["", "%2 = xpu.add %0", EXAMPLE.replace("%3, %4", "%3, %9")])
def test_what_is_no_program_is_told_and_not_raised(text):
    assert against_example(text).startswith("no program: ")


def test_an_untouched_answer_stays_untouched():
    assert against_example(...) is ...
