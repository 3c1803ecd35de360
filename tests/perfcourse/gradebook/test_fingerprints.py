import pytest

from perfcourse.gradebook.answers import Passage
from perfcourse.gradebook.fingerprints import LEAST, PIECE, fingerprints, prints

LOOP = "total = 0\nfor item in values:\n    total = total + item * rate[item]\nreturn total / 7\n"


def marks(code):
    return sorted(fingerprints(code))


@pytest.mark.parametrize(
    "other",
    [
        LOOP.replace("total", "sum_").replace("item", "x").replace("rate", "r"),
        LOOP.replace("\n", "  # note\n"),
        '"""What this is."""\n' + LOOP.replace("7", "31.5e3"),
        LOOP.replace(" + ", "+").replace("    ", "\t"),
        "".join(reversed(LOOP.splitlines(keepends=True))),
        LOOP.replace("rate[item]", "rate[\n    item]"),
    ],
)
def test_names_comments_numbers_spaces_and_order_make_no_difference(other):
    assert marks(other) == marks(LOOP)


@pytest.mark.parametrize(
    "other",
    [
        LOOP.replace("*", "-"),
        LOOP.replace("total + item", "item + item"),
        LOOP.replace("values", "range(values)"),
        LOOP.replace("rate[item]", "rate.item"),
    ],
)
def test_what_the_code_does_makes_one(other):
    assert marks(other) != marks(LOOP)


def test_code_of_the_stub_is_left_out():
    stub = frozenset(fingerprints("def speedup(serial, n):\n    raise NotImplementedError(serial)"))
    code = {"speedup": [Passage(1, f"def speedup(s, p):\n{LOOP}")]}
    with_stub, without = prints(code)["speedup"], prints(code, stub)["speedup"]
    assert with_stub.left_out == 0
    assert without.left_out == 2
    assert len(without.whole) == len(with_stub.whole) - 2


def test_short_code_has_none_and_long_code_has_pieces():
    assert prints({"q2": [Passage(1, "q2 = a * b")]}) == {}
    long = "\n".join(f"x = y.a{n} + y.b{n} - g.h{n}" for n in range(60))
    found = prints({"q2": [Passage(1, long)]})["q2"]
    assert len(found.pieces) > 1
    assert all(LEAST <= len(piece) <= PIECE for piece in found.pieces)


def test_broken_code_has_them_too():
    assert marks("def f(:\n  return a + b * (c\n'''never closed")
