"""Disaggregation: pools for prefill and decode, measured steps and traces."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.continuous_batching.inputs import chat_lengths
from perfmodel.labs.serving.disaggregation import pools
from perfmodel.labs.serving.disaggregation.inputs import (
    KV_TOKEN,
    OPT_LIMITS,
    OPT_TOKENS,
    VLLM_OPT_13B,
    Trace,
    profile,
    prompt_seconds,
    read_trace,
    token_seconds,
    trace,
)
from perfmodel.labs.serving.disaggregation.pools import (
    MIXED,
    Constants,
    Work,
    attained,
    fit_errors,
    fitted,
    fluid,
    guesses,
    least_busy,
    most,
    opt_attainment,
    recorded,
    roofline_steps,
    rules,
    sampled_requests,
    serve,
    work,
)
from perfmodel.labs.serving.disaggregation.two_pools_chart import DESIGNS, two_pools
from perfmodel.serving import poisson_requests

STEPS = fitted().steps()
SECONDS = st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000)


def test_constants_of_measured_iterations():
    one = fitted()
    assert 1e3 * one.fixed == pytest.approx(29.89, abs=0.01)
    assert 1e3 * one.sequence == pytest.approx(0.199, abs=1e-3)
    assert 1e6 * one.cache_token == pytest.approx(0.178, abs=1e-3)
    assert fit_errors() == pytest.approx((0.019, 0.220), abs=1e-3)
    other = fitted("llama2-70b", "a100-80gb")
    assert 1e3 * other.fixed == pytest.approx(44.07, abs=0.01)
    assert fit_errors("llama2-70b", "a100-80gb")[0] == pytest.approx(0.018, abs=1e-3)


def test_work_of_the_traces():
    assert [1e3 * part for part in work("conversation")] == pytest.approx(
        [29.9, 80.9, 87.9], abs=0.1
    )
    assert [1e3 * part for part in work("code")] == pytest.approx([29.9, 157.7, 15.6], abs=0.1)


@given(SECONDS, SECONDS, SECONDS, SECONDS, st.integers(1, 40))
def test_the_verdict_is_that_of_the_two_capacities(fixed, reading, writing, more, servers):
    """In exact fractions: two pools serve more where u is above (1 + F/pi)(1 - F/T)."""
    limit = fixed + more
    rest = 1 - fixed / limit
    mixed = servers * rest / (reading + writing)
    read, decode = 1 / (reading + fixed), rest / writing
    split = servers * read * decode / (read + decode)
    least = (1 + fixed / reading) * rest
    assert (split > mixed) == (least < 1)
    result = fluid(Work(float(fixed), float(reading), float(writing)), float(limit), servers)
    assert result.mixed == pytest.approx(float(mixed))
    assert result.split == pytest.approx(float(split))
    one = Work(float(fixed), float(reading), float(writing))
    assert least_busy(one, float(limit)) == pytest.approx(float(least))


@given(st.sampled_from(["conversation", "code"]), st.floats(0.035, 1.0))
def test_at_the_least_busy_fraction_both_serve_the_same(name, limit):
    least = least_busy(work(name), limit)
    if least <= 1:
        result = fluid(work(name), limit, busy=least)
        assert result.split == pytest.approx(result.mixed)
    balanced = fluid(work(name), limit)
    read = balanced.prefill / (work(name).prompt + work(name).fixed)
    assert balanced.split == pytest.approx(read)


@pytest.mark.parametrize(
    ("name", "ratios", "prefill"),
    [
        ("conversation", [1.46, 1.27, 1.18, 1.07, 1.02, 0.93], [1.9, 2.7, 3.1, 3.5, 3.8, 4.1]),
        ("code", [2.75, 1.90, 1.58, 1.30, 1.18, 0.99], [6.0, 6.6, 6.9, 7.1, 7.2, 7.3]),
    ],
)
def test_capacities_over_the_limit(name, ratios, prefill):
    result = [fluid(work(name), limit) for limit in (0.04, 0.05, 0.06, 0.08, 0.1, 0.2)]
    assert [one.split / one.mixed for one in result] == pytest.approx(ratios, abs=6e-3)
    assert [one.prefill for one in result] == pytest.approx(prefill, abs=0.06)


def test_simulated_gain_of_the_chat_is_that_of_the_fluid_limit():
    one = most("conversation", STEPS, "decode first", 0.05, (16, 17, 18)).rate
    two = most("conversation", STEPS, 3, 0.05, (21, 22, 23)).rate
    assert two / one == pytest.approx(1.29, abs=0.03)
    assert two / one == pytest.approx(
        fluid(work("conversation"), 0.05).split / fluid(work("conversation"), 0.05).mixed, rel=0.05
    )


def test_simulated_gain_of_short_answers_is_larger():
    one = most("code", STEPS, "decode first", 0.05, (9, 10)).rate
    two = most("code", STEPS, 6, 0.05, (29, 30, 31)).rate
    assert two / one == pytest.approx(3.1, abs=0.15)


def test_one_server_off_costs_more_than_splitting_gains():
    shares = [
        attained(serve(sampled_requests("conversation", 20, 1000), STEPS, n), 0.05)
        for n in (2, 3, 4)
    ]
    one = attained(serve(sampled_requests("conversation", 20, 1000), STEPS, "decode first"), 0.05)
    assert shares[1] > 0.9 > max(shares[0], shares[2])
    assert shares[1] > one


def test_the_verdict_turns_with_the_step():
    requests = sampled_requests("conversation", 150, 1000)
    chunks, split = (
        attained(serve(requests, roofline_steps(), design, 4), 0.01, 0.5)
        for design in ("chunks of 512", 3)
    )
    assert chunks > 0.99
    assert split < 0.9


def test_one_link_makes_transfers_queue():
    requests = sampled_requests("code", 24, 800)
    free, queued = (serve(requests, STEPS, 6, transfer_links=links) for links in (10**6, 1))
    assert attained(free, 0.05) > attained(queued, 0.05) + 0.05
    assert np.quantile(queued.largest_inter_token_latency, 0.9) > np.quantile(
        free.largest_inter_token_latency, 0.9
    )
    load = KV_TOKEN * requests.prompt.sum() / requests.arrival[-1]
    assert 0.5 < load / 25e9 < 0.8


def test_chunks_have_the_smallest_gap_and_not_the_smallest_mean():
    requests = sampled_requests("code", 24, 800)
    chunks, split = (serve(requests, STEPS, design) for design in ("chunks of 512", 6))
    assert np.quantile(chunks.largest_inter_token_latency, 0.9) < np.quantile(
        split.largest_inter_token_latency, 0.9
    )
    assert np.median(chunks.per_token) > np.median(split.per_token)


def test_recorded_arrivals_burst():
    burst, even = recorded(False), recorded(True)
    assert burst == pytest.approx((0.66, 0.32), abs=0.015)
    assert even[0] > 0.99


def test_traces_and_profile():
    chat, code = trace("conversation"), trace("code")
    assert (chat.prompt.size, code.prompt.size) == (19_366, 8_819)
    assert [np.median(chat.prompt), np.median(chat.output)] == [1020, 129]
    assert [np.median(code.prompt), np.median(code.output)] == [1469, 13]
    assert chat.prompt.mean() == pytest.approx(1155, abs=0.5)
    assert min(chat.output.min(), code.output.min()) > 1
    assert profile("llama2-70b", "a100-80gb").prompt.size == 19
    six = [
        prompt_seconds("bloom-176b", hardware, 1500) / token_seconds("bloom-176b", hardware, 1)
        for hardware in ("h100-80gb", "a100-80gb")
    ]
    assert six == pytest.approx([5.2, 8.3], abs=0.2)


def test_guesses_are_computed():
    text = " ".join(row[2] for row in guesses())
    for said in (
        "1.27 times at 50 ms",
        "0.93 times at 200 ms",
        "1.90 times",
        "0.39 s",
        "100 %",
        "55 % of 100",
    ):
        assert said in text


@settings(deadline=None)
@given(st.sampled_from(DESIGNS), st.sampled_from([10_000, 20_000, 50_000]))
def test_every_state_can_be_read(design, link):
    assert two_pools(design, link).faults() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prompt_seconds("llama2-70b", "h100-80gb", 1), "tokens must be between 128 and"),
        (lambda: token_seconds("llama2-70b", "h100-80gb", 3), "batch must be one of"),
        (lambda: fluid(work("code"), 0.02), "per_token - fixed must be above 0"),
        (lambda: least_busy(work("code"), 0.02), "per_token - fixed must be above 0"),
    ],
)
def test_what_was_not_measured_or_cannot_be_met_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_policies_and_constants():
    assert [rules(policy).chunk_size for policy in MIXED[2:]] == [512, 1024]
    assert isinstance(fitted("bloom-176b"), Constants)


def played_by_hand(arrival, prompt, output):
    """Return first-token times and mean gaps: whole prompts first, all that wait and fit in."""
    first, last = np.zeros(arrival.size), np.zeros(arrival.size)
    running: dict[int, int] = {}
    now, coming = 0.0, 0
    while running or coming < arrival.size:
        if not running and arrival[coming] > now:
            now = arrival[coming]
        new, tokens = [], 0
        while (
            coming < arrival.size
            and arrival[coming] <= now
            and tokens + prompt[coming] <= OPT_TOKENS
        ):
            new.append(coming)
            tokens += prompt[coming]
            coming += 1
        if new:
            pairs = sum(prompt[i] * (prompt[i] + 1) / 2 for i in new)
            now += float(VLLM_OPT_13B.seconds(tokens, len(new), 0, pairs))
            for i in new:
                first[i] = last[i] = now
                if output[i] > 1:
                    running[i] = 1
            continue
        cached = sum(prompt[i] + done for i, done in running.items())
        now += float(VLLM_OPT_13B.seconds(0, len(running), cached))
        for i in list(running):
            running[i] += 1
            last[i] = now
            if running[i] == output[i]:
                del running[i]
    with np.errstate(invalid="ignore"):
        return first - arrival, (last - first) / (output - 1)


def test_attainment_above_capacity_is_that_of_the_run_length():
    assert opt_attainment(1.0, 100, 5) == pytest.approx(opt_attainment(1.0, 1000), abs=0.03)
    assert opt_attainment(4.0, 100, 5) > 0.45
    assert opt_attainment(4.0, 4000) < 0.02
    prompt, output = chat_lengths()
    short = prompt + output <= OPT_TOKENS
    alone = VLLM_OPT_13B.seconds(prompt[short], 1, 0, prompt[short] * (prompt[short] + 1) / 2)
    assert (alone > OPT_LIMITS[0]).mean() == pytest.approx(1 / 6, abs=0.01)


def test_one_server_of_prompts_first_by_a_second_simulator():
    prompt, output = chat_lengths()
    short = prompt + output <= OPT_TOKENS
    requests = poisson_requests(4.0, 100, prompt[short], output[short], 0)
    first, gap = played_by_hand(requests.arrival, requests.prompt, requests.output)
    kept = (first <= OPT_LIMITS[0]) & ~(gap > OPT_LIMITS[1])
    assert kept.mean() == pytest.approx(opt_attainment(4.0, 100), abs=0.03)


FILES = {
    "Azure 2023": "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:48.1805900,4808,1\n",
    "Azure 2024": "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2024-05-12 00:00:01.500000+00:00,4808,1\n2024-05-12 00:00:00+00:00,374,44\n",
    "BurstGPT": "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,374,44,418,API log\n6.5,GPT-4,4808,1,4809,API log\n",
    "Vidur": "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n1.5,4808,1\n",
    "this lab": "arrival_s,prompt,output\n0,374,44\n1.5,4808,1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_traces_of_others_are_read_in_seconds(tmp_path, name):
    file = tmp_path / "trace.csv"
    file.write_text(FILES[name])
    read = read_trace(file)
    assert read.arrival == pytest.approx([0, 1.5])
    assert read.prompt.tolist() == [374, 4808]
    assert read.output.tolist() == [44, 1]
    assert work(read).prompt > 0
    run = serve(sampled_requests(read, 2.0, 50), STEPS, 3)
    assert 0 <= attained(run, 0.05) <= 1


def test_failed_requests_are_left_out_only_if_asked(tmp_path):
    file = tmp_path / "trace.csv"
    file.write_text(FILES["BurstGPT"] + "7,GPT-4,100,0,100,API log\n")
    with pytest.raises(ValueError, match="got less in 1 of 3 requests, which failed"):
        read_trace(file)
    assert read_trace(file, drop_failed=True).output.tolist() == [44, 1]
    file.write_text("Timestamp,Request tokens,Response tokens\n7,100,0\n")
    with pytest.raises(ValueError, match="a request that didn't fail, got none"):
        read_trace(file, drop_failed=True)
    file.write_text("when,in,out\n7,100,0\n")
    with pytest.raises(ValueError, match="path must have the columns of one of: TIMESTAMP"):
        read_trace(file)
    file.write_text("arrival_s,prompt,output\n7,100,\n")
    with pytest.raises(ValueError, match="output must be finite"):
        read_trace(file)


def test_this_labs_own_file_is_read_as_the_lab_reads_it():
    for name in ("conversation", "code"):
        path = Path(pools.__file__).parent / f"{name}.csv"
        for read, own in zip(read_trace(path), trace(name), strict=True):
            assert read == pytest.approx(own)


def test_answers_of_one_token_need_prefill_servers_only():
    alone = Trace(np.array([0.0, 1.0]), np.array([1000, 2000]), np.array([1, 1]))
    capacity = fluid(work(alone), 0.05)
    assert capacity.prefill == pytest.approx(8)
    assert capacity.split == pytest.approx(8 / (work(alone).prompt + work(alone).fixed))
