import gc
import sys
import threading

import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking.counting.bytecodes import CountExceeded, count_bytecodes
from tests.benchmarking.counting.hand import HANDS, straight, total


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.function.__name__)
def test_agrees_with_a_count_by_hand(hand):
    assert count_bytecodes(hand.function, *hand.args) == hand.count()


def test_same_in_20_runs():
    assert len({count_bytecodes(fib, 10) for _ in range(20)}) == 1


def test_same_while_another_thread_works():
    alone = count_bytecodes(fib, 12)
    done = threading.Event()

    def busy():
        while not done.is_set():
            fib(5)

    other = threading.Thread(target=busy)
    other.start()
    try:
        assert {count_bytecodes(fib, 12) for _ in range(5)} == {alone}
    finally:
        done.set()
        other.join()


@given(n=st.integers(0, 50), m=st.integers(0, 50))
def test_each_round_of_a_loop_costs_the_same(n, m):
    empty, one = count_bytecodes(total, 0), count_bytecodes(total, 1)
    assert count_bytecodes(total, n + m) == empty + (n + m) * (one - empty)


def test_sum_of_the_parts():
    both = count_bytecodes(lambda: (straight(1, 2), total(4)))
    glue = count_bytecodes(lambda: (abs(1), abs(4))) - count_bytecodes(lambda: None)
    parts = count_bytecodes(straight, 1, 2) + count_bytecodes(total, 4)
    assert 0 < both - parts < 2 * glue


def test_work_in_c_executes_none():
    assert count_bytecodes(sorted, range(1000)) == 0
    assert count_bytecodes(sorted, range(1000), key=lambda x: -x) > 2000


def test_generators_and_exceptions_are_counted():
    def generated(n):
        return sum(i for i in range(n))

    def caught(n):
        for i in range(n):
            try:
                raise KeyError(i)
            except KeyError:
                pass

    for function in (generated, caught):
        steps = {count_bytecodes(function, n + 1) - count_bytecodes(function, n) for n in (1, 2, 3)}
        assert len(steps) == 1
        assert steps.pop() > 3


def test_ends_what_goes_on_for_ever_and_counts_afterwards():
    def stubborn():
        while True:
            try:
                total(10)
            except Exception:
                continue

    before = count_bytecodes(total, 5)
    with pytest.raises(CountExceeded, match="more than 1000"):
        count_bytecodes(stubborn, limit=1000)
    assert count_bytecodes(total, 5) == before
    assert count_bytecodes(total, 5, limit=before) == before
    with pytest.raises(CountExceeded):
        count_bytecodes(total, 5, limit=before - 1)


def test_a_count_inside_a_count_and_an_error_leave_no_trace():
    before = count_bytecodes(total, 5)
    assert count_bytecodes(count_bytecodes, total, 5) > 0
    with pytest.raises(ZeroDivisionError):
        count_bytecodes(lambda: 1 // 0)
    assert count_bytecodes(total, 5) == before
    assert gc.isenabled()
    assert sys.gettrace() is None or sys.version_info >= (3, 12)
