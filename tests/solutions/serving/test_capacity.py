"""Rates, waiting and money: against the package's limits, a fixed point, simulated servers."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.disaggregation.pools import Work, fluid
from perfmodel.serving import (
    BatchRules,
    RequestMix,
    StepPieces,
    max_running_requests,
    poisson_requests,
    simulate_serving,
    unbatched_queue,
)
from tests.solutions.serving.exercise import STUDENTS, drawn, reference, wrong


@given(
    st.lists(st.tuples(st.floats(0.001, 0.1), st.floats(0.001, 0.5)), min_size=1, max_size=4).map(
        np.array
    ),
    st.floats(0, 0.9),
)
@settings(max_examples=40)
def test_steady_step_is_where_steps_do_what_comes_while_they_last(resources, load):
    fixed, work = resources.T
    rate, step = load / work.max(), 0.0
    for _ in range(400):
        step = (fixed + rate * step * work).max()
    assert reference("steady", rate, fixed, work) == pytest.approx(step)
    first = wrong("steady", "one round only")(rate, fixed, work)
    assert fixed.max() <= first * (1 + 1e-12) <= step * (1 + 1e-9)


@pytest.mark.parametrize("student", STUDENTS)
def test_limits_are_those_of_the_package(student):
    p = drawn("limits", student)
    n, prompt = p["output"], p["held"] - (p["output"] - 1) / 2
    if prompt < 0:
        pytest.skip("no prompt is that short")
    # all reads come from the cache, all arithmetic from the steps of the sequences
    per_read = p["reads"] / (n * p["held"] - prompt)
    pieces = StepPieces([0, p["fixed"]], 0.0, [p["computes"] / n, 0], [0, per_read])
    mix = RequestMix(prompt, n)
    assert mix.context == pytest.approx(p["held"])
    table = reference("limits", *p.values())
    found = max_running_requests(pieces, mix, token_time=p["gap"], cache_tokens=p["room"])
    assert found["piece 0"] == pytest.approx(table["arithmetic"])
    assert found["token time"] == pytest.approx(min(table["tokens"], table["arithmetic"]))
    assert found["cache"] == pytest.approx(min(table["cache"], table["arithmetic"]))


@pytest.mark.parametrize("student", STUDENTS[:4])
def test_one_seat_is_that_of_the_package(student):
    p = drawn("seat", student)
    outputs = np.array(p["outputs"])
    steps = StepPieces(0.0, p["first"], 0.0, 0.0)
    assert float(steps.seconds(1)) == p["first"]
    alone = StepPieces(p["step"], p["first"] - p["step"], 0.0, 0.0)
    theory = unbatched_queue(p["rate"], alone, np.ones(outputs.size), outputs)
    waited = float(theory.waiting_time) + p["first"]
    assert reference("seat", *p.values()) == pytest.approx(waited)


def test_one_seat_is_near_a_server_that_is_played():
    outputs = np.array([2, 10, 100])
    rate, first, step = 1.0, 0.05, 0.01
    exact = reference("seat", rate, first, step, outputs)
    load = poisson_requests(rate, 20_000, 1, outputs, seed=3)
    steps = StepPieces(step, first - step, 0.0, 0.0)
    run = simulate_serving(load, steps, BatchRules(max_num_seqs=1))
    assert run.interval("first_token", confidence=0.999).covers(exact)
    assert not run.interval("first_token").covers(
        wrong("seat", "mean for the variance")(rate, first, step, outputs)
    )


@pytest.mark.parametrize("student", STUDENTS)
def test_seats_for_all_have_the_product_form(student):
    p = drawn("shared", student)
    inside = np.arange(1, 1500)
    step = p["fixed"] + p["each"] * inside
    logs = np.cumsum(np.log(p["rate"] * p["output"] * step / inside))
    chances = np.exp(np.append(0, logs))
    chances /= chances.sum()
    table = reference("shared", *p.values())
    assert table["mean"] == pytest.approx(chances @ np.arange(1500))
    assert table["beyond"] == pytest.approx(chances[p["seats"] + 1 :].sum())


def test_seats_for_all_are_near_a_server_that_is_played():
    rate, output, fixed, each = 5.0, 100, 0.01, 0.001
    table = reference("shared", rate, output, 0.0, fixed, each, 10)
    load = poisson_requests(rate, 20_000, 1, output, seed=5)
    rules = BatchRules(max_num_seqs=4096, policy="decode first")
    run = simulate_serving(load, StepPieces(fixed, 0.0, each, 0.0), rules)
    inside = rate * run.response.mean()
    assert inside == pytest.approx(table["mean"], rel=0.05)


@pytest.mark.parametrize("student", STUDENTS)
def test_goodput_is_counted_one_by_one(student):
    p = drawn("goodput", student)
    pairs = [
        pair
        for server in "ab"
        for pair in zip(p[f"first_{server}"], p[f"token_{server}"], strict=True)
    ]
    kept = [f <= p["first_limit"] and t <= p["token_limit"] for f, t in pairs]
    table = reference("goodput", *p.values())
    assert table["goodput"] == pytest.approx(sum(kept) / p["seconds"])
    late = sum(first > table["p90"] for first, _ in pairs)
    assert late == pytest.approx(0.1 * len(pairs), abs=1)


@given(
    st.floats(1, 9), st.integers(1, 8), st.floats(0.5, 9), st.floats(0.1, 1), st.integers(1, 900)
)
@settings(max_examples=30)
def test_a_day_of_good_tokens_pays_for_the_day(hour, gpus, rate, good, output):
    tokens = 86_400 * rate * good * output
    cost = reference("price", hour, gpus, rate, good, 100, output)
    assert tokens / 1e6 * cost == pytest.approx(24 * gpus * hour)


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_pools_are_those_of_the_lab(student):
    servers, fixed, prompt, answer, gap, busy = drawn("pools", student).values()
    found = fluid(Work(fixed, prompt, answer), gap, servers, busy)
    given = reference("pools", servers, fixed, prompt, answer, gap, busy)
    assert given == pytest.approx({"one": found.mixed, "two": found.split})


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_gaps_are_those_of_the_tokens_one_by_one(student):
    prompt, kv_bytes, link, step, output = drawn("sent", student).values()
    times = [0.0, prompt * kv_bytes / link + step]
    while len(times) < output:
        times.append(times[-1] + step)
    gaps = np.diff(times)
    found = reference("sent", prompt, kv_bytes, link, step, output)
    assert found == pytest.approx({"largest": gaps.max(), "mean": gaps.mean()})
