"""Lines that failed, stubs and copies are told by their source."""

import pytest

from perfmodel.tasks.source import is_stub, unchanged, where
from perfmodel.validation import positive


def given(units):
    """Return a sum."""
    total = 0
    for i in range(units):
        total += i
    return total


def test_a_copy_is_unchanged_whatever_its_name_types_and_comments():
    def mine(units: int) -> int:
        # copied
        total = 0
        for i in range(units):
            total += i
        return total

    assert unchanged(mine, given)
    assert unchanged(given, given)


def test_any_other_code_is_changed():
    def mine(units):
        total = 0
        for i in range(1, units):
            total += i
        return total

    assert not unchanged(mine, given)
    assert not unchanged(lambda units: sum(range(units)), given)
    assert not unchanged(sum, given)
    assert not unchanged(eval("lambda units: 3"), given)


def test_stubs():
    def documented(x):
        """Return x."""

    assert is_stub(documented)
    assert not is_stub(given)
    assert not is_stub(len)


def test_no_line_of_an_error_elsewhere():
    with pytest.raises(ValueError, match="tolerance") as caught:
        positive("tolerance", 0)
    inside = caught.value.with_traceback(caught.tb.tb_next)
    assert where(inside, given) == ""
    assert where(inside, len) == ""
