import pytest
from hypothesis import given, strategies as st

from perfcourse.gradebook.answers import REST, by_answer
from perfcourse.gradebook.tokens import tokens

NAMES = ("speedup", "q2", "q3")


def found(*cells):
    return {
        name: [(passage.cell, passage.code) for passage in passages]
        for name, passages in by_answer(cells, NAMES).items()
    }


def test_code_goes_to_the_answer_that_it_sets():
    function = "def speedup(s, n):\n    q2 = s\n    return q2"
    assert found("import numpy", function, "q2 = 3", "check('q2', q2)") == {
        REST: [(1, "import numpy"), (4, "check('q2', q2)")],
        "speedup": [(2, function)],
        "q2": [(3, "q2 = 3")],
    }


def test_a_cell_as_it_was_handed_out_is_nobody_s():
    stub = ["q2 = ...  # your answer here", "check('q2', q2)"]
    assert by_answer(stub, NAMES, stub) == {}
    (passage,) = by_answer([*stub, "q2 = 3"], NAMES, stub)["q2"]
    assert passage.cell == 3


def test_a_cell_with_everything_is_cut_at_its_margin():
    law = "a = 1\n# the law\n@cache\ndef speedup(s, n):\n    return s\n\n"
    cell = law + "b = f(\n1)\nq2 = b\nprint(q2)"
    assert found(cell) == {
        "speedup": [(1, cell[: cell.index("b = f")])],
        "q2": [(1, cell[cell.index("b = f") :])],
    }


@pytest.mark.parametrize(
    "code",
    [
        "q2, rest = 1, 2",
        "q2: float = 1",
        "q2 += 1",
        "x = q2 = 1",
        "q2['key'] = 1",
        "(q2) = 1",
        "if True:\n    q2 = 1\nelse:\n    q2 = 2",
        "with x as y:\n    q2 = 1",
        "class q2:\n    pass",
        "'''q3 = 1\n'''\nq2 = 1",
        "q2 = {'q3': 1,\nq3: 2\n}",
        "q2 = (((",
    ],
)
def test_ways_to_set_an_answer(code):
    assert set(found(code)) == {"q2"}


@pytest.mark.parametrize(
    "code",
    ["q2 == 1", "f(q2=1)", "print(q2)", "'q2 = 1'", "# q2 = 1", "a = q2", "q2 != 1", ""],
)
def test_ways_to_name_one_without_setting_it(code):
    assert "q2" not in found(code)


@given(st.text(alphabet="q2=\n ()'\"#:def@\\[]{}x1.", max_size=80))
def test_no_code_is_lost_or_invented_whatever_it_is(code):
    passages = [code for found in by_answer([code], NAMES).values() for code in found]
    kept = "".join(passage.code for passage in passages)
    assert sorted(set(kept)) == sorted(set(code)) or not code.strip()


def test_long_hostile_code_takes_no_longer_than_its_length():
    """A token is no longer than the code: a scan that began again at each sign would not end."""
    for piece in (
        '"""',
        "'",
        "\\'",
        "(",
        "q2 ",
        "q2=",
        "x\n",
        "#",
        "@",
        "@\n",
        "#\n",
        "'''\n\"\"\"",
    ):
        code = piece * (30_000 // len(piece))
        assert sum(len(token.text) for token in tokens(code)) <= len(code)
        assert len(by_answer([code], NAMES)) <= 2
