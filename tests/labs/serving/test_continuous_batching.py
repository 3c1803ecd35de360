"""Continuous batching: the chat, lengths of answers, the reader's own server."""

import math
import random
import re
import threading
import time
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel import live
from perfmodel.labs.serving.continuous_batching import chat, own_server
from perfmodel.labs.serving.continuous_batching.chat import (
    CUT,
    POLICIES,
    UNCUT,
    capacity,
    chat_run,
    interrupted_fraction,
    interrupted_latency,
    policy_summary,
    sustains,
)
from perfmodel.labs.serving.continuous_batching.claims import mixed
from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNKED_SECONDS,
    DECODE_SECONDS,
    FOUR_SECONDS,
    MIXED_SECONDS,
    PROMPT_SECONDS,
    STRICT,
    WHOLE,
    chat_lengths,
    sent_requests,
)
from perfmodel.labs.serving.continuous_batching.iteration_times import (
    MODELS,
    chunked_seconds,
    fit_errors,
    rivals,
    yi_steps,
)
from perfmodel.labs.serving.continuous_batching.lengths import (
    DISTRIBUTIONS,
    LOAD,
    MEAN,
    effect,
    length_in_batch,
    static_steps,
    token_time,
)
from perfmodel.labs.serving.continuous_batching.own_server import (
    SEATS,
    STEPS,
    Forecast,
    LoadTest,
    OwnResult,
    StepLine,
    afterwards,
    conclusion,
    forecast,
    lengthened,
    load_test,
    matrix_step,
    plan,
    rows,
    slowdown,
    time_steps,
)
from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    mean_length_in_batch,
    serving_iterations,
    simulate_serving,
)


def test_pauses_are_as_many_as_tokens_after_the_first():
    seen = chat_run(rate=0.3, count=60)
    answers = seen.run.requests.output
    assert seen.inter_token_latencies.size == (answers - 1).sum()
    sums = np.bincount(seen.owner, seen.inter_token_latencies, minlength=60)
    np.testing.assert_allclose(sums, seen.run.finish - seen.run.first_token_time)


def test_without_company_pauses_are_steps_of_one_sequence():
    seen = chat_run(rate=1e-4, count=20)
    assert seen.inter_token_latency(100) == pytest.approx(float(yi_steps().seconds(sequences=1)))


def test_a_limit_is_kept_on_average_or_by_every_pause():
    """One request at a time, counted by hand; its mean is below the limit more often."""
    seen = chat_run(UNCUT, rate=0.6, count=60)
    pauses = [seen.inter_token_latencies[seen.owner == one] for one in range(60)]
    on_average = sum(one.size == 0 or one.mean() <= 0.15 for one in pauses)
    by_all = sum(one.size == 0 or one.max() <= 0.15 for one in pauses)
    assert seen.attainment_on_average(0.15) == pytest.approx(on_average / 60)
    assert seen.attainment_by_all(0.15) == pytest.approx(by_all / 60)
    assert 0 < by_all < on_average


def test_chunks_bound_the_pause_by_their_iteration():
    """At most 512 tokens, the last of a long prompt: the pairs of 8,192 tokens at most."""
    longest = float(yi_steps().seconds(512, 0, 0, 512 * 8192))
    assert chat_run(CUT, rate=0.8, count=100).inter_token_latency(100) <= longest * (1 + 1e-9)
    assert chat_run(UNCUT, rate=0.8, count=100).inter_token_latency(99) > longest


@pytest.mark.parametrize("seats", [16, 32, 64])
def test_theory_of_interrupted_pauses_meets_the_run_where_seats_are_full(seats):
    run = chat_run(UNCUT, slots=seats, rate=10.0, count=25 * seats)
    assert interrupted_latency(seats) == pytest.approx(run.inter_token_latency(99), rel=0.15)
    share = np.mean(run.inter_token_latencies > float(yi_steps().seconds(sequences=seats)) + 1e-6)
    assert float(interrupted_fraction(seats, run.run.requests.output.mean())) == pytest.approx(
        share, rel=0.2
    )


def test_few_seats_leave_more_than_99_of_100_pauses_alone():
    assert interrupted_latency(4) == float(yi_steps().seconds(sequences=4))
    prompt, output = chat_lengths()
    reading = yi_steps().seconds(prompt, 1, 0, prompt * (prompt + 1) / 2)
    share = 20 / output.mean()
    cut = interrupted_latency(20, percent=95.0) - float(yi_steps().seconds(sequences=20))
    beyond = share * np.mean(reading > cut)
    assert beyond == pytest.approx(0.05, rel=0.2)


@given(st.integers(1, 400), st.integers(1, 400))
def test_more_seats_never_shorten_the_pause(one, other):
    low, high = sorted((one, other))
    assert interrupted_latency(low) <= interrupted_latency(high)


def test_capacity_is_the_last_rate_that_is_sustained(monkeypatch):
    capacity.cache_clear()
    for most, result in ((0.725, 0.72), (-1.0, 0.0), (9.0, 2.0)):
        monkeypatch.setattr(chat, "sustains", lambda policy, rate, limit, most=most: rate <= most)
        assert capacity("any") == result
        capacity.cache_clear()


def test_a_load_is_sustained_by_chunks_and_not_by_whole_prompts():
    assert sustains(CUT, 0.4)
    assert not sustains(UNCUT, 0.4)
    assert not sustains(CUT, 1.8)


def test_the_ablation_is_of_the_requests_that_the_script_sends():
    """Its own lines, with its own libraries: a shuffled table, gaps one by one."""
    prompt, output = chat_lengths()
    table = pd.DataFrame({"p": prompt, "o": output}).sample(frac=1, random_state=42)
    random.seed(42)
    clock, arrivals = 0.0, []
    for _ in range(128):
        clock += min(-math.log(1.0 - random.random()) / 0.5, 3.0 / 0.5)
        arrivals.append(clock)
    ours = sent_requests(0.5, 128)
    np.testing.assert_allclose(ours.arrival, arrivals)
    assert ours.prompt.tolist() == table.p.head(128).tolist()
    assert ours.output.tolist() == table.o.head(128).tolist()
    assert (ours.prompt > 3000).sum() == 35  # said in the ledger


def test_other_draws_do_not_bring_the_printed_pause_of_uncut_prompts():
    pauses = [chat_run(CUT, chunk=WHOLE, seed=seed).inter_token_latency(99) for seed in range(10)]
    assert min(pauses) > 1.2  # said in the ledger


def test_answers_shorter_than_the_batch_are_refused():
    with pytest.raises(ValueError, match="slots / output must be"):
        interrupted_fraction(200, 100)


def test_the_mixed_iteration_was_not_fitted_and_is_near():
    assert 0.8 < mixed() / MIXED_SECONDS < 1.2


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_theory_lies_in_the_interval_of_the_run_at_one_seat(distribution):
    seen = effect(distribution)
    assert not seen.wait_run.too_short
    assert seen.wait_run.covers(seen.wait)


def test_one_seat_waits_as_pollaczek_and_khinchine_say():
    alike, _, spread = (effect(distribution) for distribution in DISTRIBUTIONS)
    assert spread.wait / alike.wait == pytest.approx(1 + spread.scv)
    service = MEAN * float(yi_steps().seconds(sequences=1))
    assert alike.wait == pytest.approx(LOAD / (1 - LOAD) * service / 2)


def test_seats_for_all_do_not_feel_the_spread():
    times = [effect(distribution).token_run for distribution in DISTRIBUTIONS]
    theory = [effect(distribution).token for distribution in DISTRIBUTIONS]
    np.testing.assert_allclose(times, theory, rtol=0.03)
    assert theory[0] == pytest.approx(theory[2])


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_a_look_at_every_token_finds_that_length(lengths):
    requests = Requests(np.zeros(len(lengths)), 1, lengths)
    rules = BatchRules(max_num_seqs=4, policy="decode first")
    played = serving_iterations(requests, yi_steps(), rules)
    seen = [lengths[one] for each in played for one in (*each.decoding, *each.prefill)]
    assert length_in_batch(lengths) == pytest.approx(np.mean(seen))
    scv = np.var(lengths) / np.mean(lengths) ** 2
    assert length_in_batch(lengths) == pytest.approx(
        float(mean_length_in_batch(np.mean(lengths), scv))
    )


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.integers(1, 4))
def test_a_static_batch_lasts_as_long_as_its_longest_answer(lengths, seats):
    longest = [max(drawn) for drawn in product(lengths, repeat=seats)]
    assert static_steps(lengths, seats) == pytest.approx(np.mean(longest))


def test_time_of_a_token_is_a_mean_over_tokens_not_over_requests():
    run = simulate_serving(Requests([0, 0], 1, [3, 2]), yi_steps(), BatchRules(max_num_seqs=2))
    two, one = yi_steps().seconds(sequences=[2, 1])
    assert token_time(run) == pytest.approx((2 * two + one) / 3)


LINE = StepLine(np.array([1.0e-3, 1.1e-3, 1.05e-3]), np.array([2e-5, 2e-5, 2e-5]))


class Ticks:
    """A clock that only steps move; the first step waits until all requests were sent."""

    def __init__(self, count):
        self.now, self.count, self.begun = 0.0, count, threading.Event()
        self.main, self.asked = threading.get_ident(), 0

    def step(self, batch):
        self.begun.set()
        while self.now == 0 and self.asked < self.count + 2:
            time.sleep(0.001)
        if self.now == 0:
            time.sleep(0.05)
        self.now += 1.0 + 0.25 * batch

    def clock(self):
        """Count what the sender asks: twice beforehand and once for each request."""
        self.asked += threading.get_ident() == self.main
        return self.now

    def sleep(self, seconds):
        """Wait for the first step, into which the later requests fall."""
        self.begun.wait()


@given(st.lists(st.integers(1, 9), min_size=2, max_size=10), st.integers(1, 5))
@settings(max_examples=12, deadline=None)
def test_step_by_step_it_is_the_run_of_the_simulator(outputs, seats):
    arrivals = np.append(0.0, np.full(len(outputs) - 1, 1e-3))
    requests, ticks = Requests(arrivals, 1, outputs), Ticks(len(outputs))
    seen = load_test(requests, ticks.step, seats, 1e12, ticks.clock, ticks.sleep)
    rules = BatchRules(max_num_seqs=seats, policy="decode first")
    run = simulate_serving(requests, StepPieces(1.0, 0.0, 0.25, 0.0), rules)
    np.testing.assert_allclose(seen.response, run.response, rtol=1e-6)
    assert seen.batches.sum() == sum(outputs)
    assert seen.step.sum() == pytest.approx(run.busy)


def test_real_time_everybody_is_served_after_as_many_steps():
    requests = Requests([0.0, 0.002, 0.004, 0.006], 1, [3, 1, 2, 4])
    seen = load_test(requests, lambda batch: time.sleep(0.001), slots=2)
    assert seen.batches.sum() == 10
    assert (seen.response >= 0.001 * requests.output).all()
    assert seen.step.size == seen.batches.size


def test_a_server_that_is_too_slow_is_cut_off():
    requests = Requests([0.0, 0.001], 1, [10**6, 1])
    seen = load_test(requests, lambda batch: time.sleep(0.05), slots=1, patience=1e-3)
    assert np.isnan(seen.response).all()


def test_lines_are_recovered_and_never_fall():
    line = time_steps(lambda batch: None, rounds=2, each=2)
    assert (line.fixed >= 0).all()
    assert (line.each >= 0).all()
    assert line.pieces(0).seconds(sequences=1) <= line.pieces(100).seconds(sequences=1) + 1e-3


def test_a_slow_machine_is_timed_for_a_second_and_a_half_and_a_round():
    now = [0.0]

    def step(batch):
        now[0] += 0.05

    line = time_steps(step, clock=lambda: now[0])
    assert 1 <= line.fixed.size < 5
    assert line.fixed[0] == pytest.approx(0.05)
    assert now[0] < 2.5


def test_even_a_test_of_no_steps_gets_a_verdict():
    nothing = LoadTest(np.full(3, np.nan), np.zeros(0, int), np.zeros(0))
    assert np.isnan(slowdown(nothing, LINE))
    said = OwnResult(LINE, plan(LINE), Forecast((0.03, 0.033), (0.06, 0.07)), (nothing,))
    assert conclusion(said).startswith("Can't tell. A load test was cut off")
    assert rows(said)[0] == ("mean", "30", "33", "cut off", "not run")
    live.table(["", "from", "to", "one", "two"], rows(said), "shown without an error")


def test_the_table_holds_both_tests():
    assert rows(session([[0.03, 0.05], [0.06, 0.06]])) == [
        ("mean", "30", "33", "40", "60"),
        ("95th percentile", "60", "70", "49", "60"),
    ]


def test_after_a_test_that_was_cut_off_none_is_run(monkeypatch):
    sent = []
    monkeypatch.setattr(own_server, "matrix_step", lambda: lambda batch: None)
    monkeypatch.setattr(own_server, "time_steps", lambda step: LINE)
    cut = LoadTest(np.array([np.nan]), np.zeros(0, int), np.zeros(0))
    monkeypatch.setattr(own_server, "load_test", lambda *_: sent.append(1) or cut)
    assert len(own_server.measure_here().tests) == len(sent) == 1


def test_a_longer_step_lengthens_the_response_by_more_than_itself_in_a_queue():
    apart = plan(LINE)
    few = Requests(1e3 * np.arange(1, 9), 1, np.full(8, 5))
    said = Forecast((0.03, 0.033), (0.06, 0.07))
    assert lengthened(OwnResult(LINE, few, said, ())) == pytest.approx(0.1)
    assert lengthened(OwnResult(LINE, apart, said, ())) > 0.1


def test_matrix_step_does_a_row_for_each_sequence(monkeypatch):
    step, rows = matrix_step(width=8, slots=4), []
    monkeypatch.setattr(np, "matmul", lambda some, weights, out: rows.append(len(some)))
    for batch in (1, 2, 4):
        step(batch)
    # A single row would be a product of a matrix and a vector, by other code.
    assert rows == [2, 2, 4]


def test_the_plan_offers_the_load():
    requests = plan(LINE)
    full = 1.05e-3 + 2e-5 * SEATS
    offered = requests.rate * STEPS * full / SEATS
    assert offered == pytest.approx(0.75, rel=0.2)
    assert requests.output.mean() == pytest.approx(STEPS, rel=0.2)


def test_the_forecast_is_that_of_the_fastest_and_slowest_round():
    requests = plan(LINE)
    said = forecast(requests, LINE)
    rules = BatchRules(max_num_seqs=SEATS, policy="decode first")
    slow = simulate_serving(requests, StepPieces(1.1e-3, 0, 2e-5, 0), rules).response
    assert said.mean[1] == pytest.approx(slow.mean())
    assert said.tail[1] == pytest.approx(np.percentile(slow, 95))
    assert said.mean[0] < said.mean[1] < said.tail[0]


def session(responses, slow=1.0):
    batches = np.full(10, 16)
    steps = slow * (1.05e-3 + 2e-5 * batches)
    tests = tuple(LoadTest(np.asarray(each, float), batches, steps) for each in responses)
    return OwnResult(LINE, plan(LINE), Forecast((0.030, 0.033), (0.060, 0.070)), tests)


@pytest.mark.parametrize(
    ("responses", "slow", "words"),
    [
        ([[0.03, np.nan]], 1.0, "cut off"),
        ([[0.031] * 9], 1.3, "1.3 times as long"),
        ([[0.031] * 9], 0.7, "0.7 times as long"),
        ([[0.02] * 18 + [0.065] * 2 + [0.1] * 2], 1.0, "95th percentile"),
        ([[0.05] * 9], 1.0, "measured 50 ms, 59 % above"),
        (
            [[0.031] * 9, [0.032] * 9],
            1.0,
            "mean, forecast 30 to 33 ms, measured 31 to 32 ms, inside",
        ),
        ([[0.031] * 9, [0.05] * 9], 1.0, "measured 31 to 50 ms: they overlap, can't tell"),
    ],
)
def test_the_verdict_can_come_out_each_way(responses, slow, words):
    assert re.search(words, conclusion(session(responses, slow)))


def test_slowdown_is_of_the_same_batches():
    assert slowdown(session([[0.03]], 1.2).tests[0], LINE) == pytest.approx(1.2)


def test_afterwards_the_step_of_the_tests_is_known():
    """With the plan and the middle line alone, and steps as long as told, it is that forecast."""
    middle = StepLine(LINE.fixed[2:], LINE.each[2:])
    message = afterwards(session([[0.05]]))
    assert message.mean[0] == pytest.approx(forecast(plan(LINE), middle).mean[0])
    assert message.mean[0] == message.mean[1]
    assert afterwards(session([[0.05]], 1.1)).mean[0] > 1.1 * message.mean[0]
    assert "would have said" in conclusion(session([[0.05]]))


def test_the_whitebox_has_the_errors_of_the_ledger_rows():
    ours = [chunked_seconds(yi_steps(), prompt, 512) for prompt in CHUNKED_SECONDS]
    ours += [mixed(), float(yi_steps().seconds(sequences=4))]
    measured = [*CHUNKED_SECONDS.values(), MIXED_SECONDS, FOUR_SECONDS]
    off = [abs(a / b - 1) for a, b in zip(ours, measured, strict=True)]
    white = rivals()[0]
    assert abs(white.unseen - sum(off) / len(off)) < 1e-12
    assert abs(white.worst - max(off)) < 1e-12


def test_a_learned_model_is_nearest_where_it_was_fitted():
    assert [one.model for one in rivals()] == list(MODELS)
    fitted = [one.fitted for one in rivals()]
    assert fitted[2] == min(fitted)
    assert all(one.worst >= one.unseen for one in rivals())


class Made:
    """A run with these seconds; 90 % keep the strict limit on average, 20 % in all pauses."""

    def __init__(self, first, pause):
        self.first, self.long = first, pause

    def first_token(self, percent):
        return {50: self.first}[percent]

    def inter_token_latency(self, percent):
        return {99: self.long}[percent]

    def per_token(self, percent):
        return {99: 0.25}[percent]

    def attainment_on_average(self, limit):
        return {STRICT: 0.9}[limit]

    def attainment_by_all(self, limit):
        return {STRICT: 0.2}[limit]


def said(static, whole, cut):
    """Return the words on three runs, each a median first token and a 99th percentile (s)."""
    seconds = {"static": static, UNCUT: whole, CUT: cut}
    return policy_summary({policy: Made(*seconds[policy]) for policy in POLICIES})


def test_static_smooth_and_late():
    assert said((300.0, 0.1), (0.5, 2.0), (0.75, 0.2)) == (
        "Requests under static have the shortest pauses, but wait longest for the first token. "
        "With chunks the 99th percentile of the pauses is 10 times shorter than with "
        "prefill first. The median first token comes later (0.75 s against 0.50 s). Don't confuse "
        "two percentiles. Under prefill first, 99 % of the requests have a mean pause below 0.25 "
        "s, but 1 % of all pauses exceed 2.00 s. A limit of 0.2 s is met on average by 90 % of the "
        "requests, and at every pause by 20 %."
    )


@pytest.mark.parametrize(
    ("static", "cut", "says"),
    [
        ((0.6, 0.1), (0.7, 0.2), "Requests under static have the shortest pauses. With"),
        ((300.0, 0.3), (0.7, 0.2), "Requests under chunked prefill have the shortest pauses. With"),
        ((300.0, 3.0), (0.7, 2.5), "Requests under prefill first have the shortest pauses. With"),
    ],
)
def test_others_may_be_smoothest_and_later(static, cut, says):
    assert said(static, (0.5, 2.0), cut).startswith(says)


@pytest.mark.parametrize("cut", [0.5, 0.4])
def test_chunks_need_not_delay_the_first_token(cut):
    words = said((300.0, 0.1), (0.5, 2.0), (cut, 0.2))
    assert f"The median first token comes no later ({cut:.2f} s against 0.50 s)" in words


def test_no_other_constants_nearby_fit_better():
    steps = yi_steps()
    constants = np.array(
        [steps.fixed[0], steps.sequence[0], steps.prompt_token[1], steps.prompt_pair[1]]
    )
    new = np.append(np.zeros(8), list(PROMPT_SECONDS))
    sequences = np.append(list(DECODE_SECONDS), np.ones(7))
    measured = np.array([*DECODE_SECONDS.values(), *PROMPT_SECONDS.values()])

    def misfit(values):
        f, s, a, d = values
        ours = np.maximum(f + s * sequences, a * (new + sequences) + d * new * (new + 1) / 2)
        return (np.log(ours / measured) ** 2).sum()

    best = misfit(constants)
    assert best == pytest.approx((np.log1p(fit_errors()) ** 2).sum())
    for one in range(4):
        for factor in (0.98, 1.02):
            other = constants.copy()
            other[one] *= factor
            assert misfit(other) > best


def test_the_fit_is_as_near_as_the_measurements_repeat():
    assert np.abs(fit_errors()).max() < 0.2
    assert np.abs(fit_errors()).mean() < 0.1


def test_decoding_is_bound_by_memory_and_prompts_by_computing():
    steps = yi_steps()
    assert steps.seconds(sequences=128) == pytest.approx(steps.fixed[0] + 128 * steps.sequence[0])
    computing = 1024 * steps.prompt_token[1] + 1024 * 1025 / 2 * steps.prompt_pair[1]
    ours = steps.seconds(prompt_tokens=1024, sequences=1, pairs=1024 * 1025 / 2)
    assert ours == pytest.approx(computing + steps.sequence[1])


@given(st.integers(1, 3000), st.integers(1, 700))
def test_a_prompt_in_chunks_is_the_simulators(prompt, chunk):
    steps = yi_steps()
    rules = BatchRules(max_num_seqs=1, policy="chunked prefill", chunk_size=chunk)
    run = simulate_serving(Requests([0.0], prompt, 1), steps, rules)
    assert chunked_seconds(steps, prompt, chunk) == pytest.approx(run.first_token[0])


def test_chunks_never_take_less_and_one_chunk_is_the_prompt():
    steps = yi_steps()
    for prompt in CHUNKED_SECONDS:
        uncut = chunked_seconds(steps, prompt, prompt)
        pairs = prompt * (prompt + 1) / 2
        assert uncut == pytest.approx(float(steps.seconds(prompt, 1, 0, pairs)))
        assert chunked_seconds(steps, prompt, 100) > chunked_seconds(steps, prompt, 512) >= uncut


def test_the_lengths_are_those_that_the_paper_prints():
    prompt, output = chat_lengths()
    assert prompt.size == output.size == 30731
    assert (np.median(prompt), np.median(output)) == (1730, 415)
    assert (np.quantile(prompt, 0.9), np.quantile(output, 0.9)) == (5696, 834)
    assert (prompt + output).max() <= 8192


def test_text_on_the_answers_in_a_batch_is_true():
    output = chat_lengths()[1]
    assert round(output.mean()) == 439
    assert round(length_in_batch(output)) == 600


def test_text_on_the_measured_iterations_is_true():
    assert round(DECODE_SECONDS[128] / DECODE_SECONDS[1]) == 4
    assert int(PROMPT_SECONDS[16_384] / DECODE_SECONDS[128]) == 23
