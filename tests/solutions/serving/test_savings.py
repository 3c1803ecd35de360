"""Exits, guesses, work ahead, long thoughts, own steps: against tokens gone through one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.solutions.serving.exercise import BANK, STUDENTS, drawn, reference, wrong


@pytest.mark.parametrize("student", STUDENTS)
def test_exits_are_timed_token_by_token(student):
    p = drawn("exits", student)
    spent = sum(p["draft"] + sum(1 + p["check"] for _ in range(last)) for last in p["exits"])
    full = p["layers"] * len(p["exits"])
    assert reference("exits", *p.values()) == pytest.approx(full / spent)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4), st.integers(1, 4))
@settings(max_examples=30)
def test_last_to_leave_is_that_of_all_cases(counts, batch):
    counts = np.array(counts)
    counts[-1] += 1
    share = counts / counts.sum()
    cases = list(product(range(counts.size), repeat=batch))
    last = sum(np.prod(share[list(case)]) * (1 + max(case)) for case in cases)
    assert reference("together", counts, batch) == pytest.approx(last)
    first = sum(np.prod(share[list(case)]) * (1 + min(case)) for case in cases)
    assert wrong("together", "first to leave")(counts, batch) == pytest.approx(first)


@given(st.floats(0, 1), st.integers(1, 6))
@settings(max_examples=40)
def test_tokens_of_a_step_are_those_of_all_cases(chance, drafts):
    tokens = 0.0
    for guesses in product([True, False], repeat=drafts):
        kept = guesses.index(False) if False in guesses else drafts
        tokens += (kept + 1) * np.prod([chance if right else 1 - chance for right in guesses])
    assert float(reference("guesses", chance, drafts)) == pytest.approx(tokens)
    passed_over = wrong("guesses", "wrong guesses passed over")(chance, drafts)
    assert passed_over == pytest.approx(1 + drafts * chance)
    assert passed_over >= tokens - 1e-9


@pytest.mark.parametrize("student", STUDENTS)
def test_guesses_are_drawn_for_a_busy_server(student):
    p = drawn("pays", student)
    rng = np.random.default_rng(1)
    right = rng.random((100_000, p["drafts"])) < p["chance"]
    tokens = 1 + np.cumprod(right, axis=1).sum(axis=1).mean()
    through = p["batch"] * (p["drafts"] + 1)
    time = p["drafts"] * p["cost"] + max(through, p["ridge"]) / max(p["batch"], p["ridge"])
    assert reference("pays", *p.values())[1] == pytest.approx(tokens / time, rel=0.01)


@pytest.mark.parametrize("student", STUDENTS)
def test_work_ahead_costs_the_same_at_the_break_even(student):
    p = drawn("worked_ahead", student)
    table = reference("worked_ahead", *p.values())
    at = table["from"]
    without = at * p["weight"] * p["fresh"]
    ahead = p["ahead"] + at * p["weight"] * p["fresh"] / p["times"]
    assert without == pytest.approx(ahead)
    assert (table["saving"] > 1) == (p["questions"] > at)


@pytest.mark.parametrize("student", STUDENTS)
def test_a_thought_is_read_token_by_token(student):
    p = drawn("think", student)
    read = {
        name: sum(
            2e9 * p[name] / p["batch"] + p[f"{name}_kv"] * (token - 0.5)
            for token in range(1, p[f"{name}_tokens"] + 1)
        )
        for name in ("small", "large")
    }
    word, ratio = reference("think", *p.values())
    assert ratio == pytest.approx(read["small"] / read["large"])
    assert word == min(read, key=read.get)


@given(st.floats(1e-5, 1), st.floats(1e-6, 0.1))
def test_own_steps_on_a_line_give_the_line(fixed, each):
    batch = np.array([1.0, 2, 4, 8, 16])
    found = reference("own_steps", batch, fixed + each * batch)
    assert float(found) == pytest.approx(fixed / each, rel=1e-5, abs=1e-6)


def test_own_steps_off_the_line_give_the_least_squares():
    batch, seconds = np.array([1.0, 2, 4, 8, 16]), np.array([2.0, 3, 3, 6, 9])
    slope = np.cov(batch, seconds)[0, 1] / np.var(batch, ddof=1)
    fixed = seconds.mean() - slope * batch.mean()
    assert float(reference("own_steps", batch, seconds)) == pytest.approx(fixed / slope)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"seconds": np.zeros(5)}, "above 0"),
        ({"batch": np.array([0.5, 2, 4, 8, 16])}, "whole"),
        ({"batch": np.array([1.0, 2, 4, 4, 16])}, "five batches"),
        ({"batch": np.arange(1.0, 6)}, "eight times"),
        ({"seconds": np.array([9.0, 8, 7, 6, 5])}, "no longer"),
        ({"seconds": np.array([0.1, 0.2, 0.4, 9, 19])}, "no fixed part"),
    ],
)
def test_what_cannot_be_measured_is_told_so(change, complaint):
    batch = np.array([1.0, 2, 4, 8, 16])
    said = BANK.question("own_steps").plausible(
        **{"batch": batch, "seconds": 3.0 + batch, **change}
    )
    assert (complaint in said) if complaint else said == ""
