"""HybriMoE: experts on CPU and GPU, the router's cache, the learned rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from perfmodel.labs.offloading.hybrimoe import claims, router
from perfmodel.labs.offloading.hybrimoe.expert_times import (
    ExpertTimes,
    conclusion,
    expert_product,
    time_expert,
)
from perfmodel.labs.offloading.hybrimoe.inputs import (
    DEVICE,
    FETCH,
    MODELS,
    PRINTED_SPEEDUPS,
    START_UP,
)
from perfmodel.labs.offloading.hybrimoe.layers import (
    CACHED,
    LOADS,
    READINGS,
    RULES,
    CacheReading,
    LearnedRule,
    all_fetched,
    decode_speedups,
    expert_jobs,
    features,
    fixed_mapping,
    heavy_tail,
    layer_times,
    mean_layer_time,
    race,
    random_layer,
    ratios_to_optimum,
)
from perfmodel.labs.offloading.hybrimoe.placement_chart import NAMES, placement_steps
from perfmodel.labs.offloading.hybrimoe.router import (
    POLICIES,
    RouterTrace,
    causes_summary,
    fitted_hits,
    fitted_trace,
    hit_ratio,
    recent_scores,
    router_trace,
)
from perfmodel.live.drawing import Box
from perfmodel.offloading import best_split, two_ended_list


def test_a_fixed_quarter_by_hand():
    before, schedule, *_ = decode_speedups(CacheReading(0.25))
    assert before == pytest.approx(5.59309e-3, rel=1e-5)
    assert schedule == pytest.approx(0.21 / (0.21 - 28 * (5.59309e-3 - 3.01902e-3)), rel=1e-5)


def test_whole_layers_by_hand():
    """Eight on the GPU take 4 ms, none 7.19 ms; by the list 3 and 3.19 ms."""
    before, schedule, *_ = decode_speedups(READINGS["a quarter of the layers, whole"])
    assert before == pytest.approx(0.25 * 4e-3 + 0.75 * 7.19e-3)
    assert schedule == pytest.approx(0.21 / (0.21 - 28 * (before - 0.25 * 3e-3 - 0.75 * 3.19e-3)))


def test_readings_differ_and_none_makes_the_cache_worth_much():
    """As the text says: what comes out depends on the reading, the order of gains doesn't."""
    result = [decode_speedups(reading) for reading in READINGS.values()]
    assert [round(s.schedule, 2) for s in result] == [1.52, 1.23, 1.76]
    assert [round(s.cache, 2) for s in result] == [1.27, 1.06, 1.47]
    assert all(s.both >= s.schedule > s.cache > 1 for s in result)
    on_top = PRINTED_SPEEDUPS["all"] / PRINTED_SPEEDUPS["schedule"]
    assert all(s.both / s.schedule < 1 + (on_top - 1) / 4 for s in result)
    assert max(s.both / s.schedule for s in result) == pytest.approx(1.035, abs=5e-4)
    assert on_top == pytest.approx(1.27, abs=5e-3)


def test_nothing_changed_is_no_speedup_of_the_cache():
    same = decode_speedups(CacheReading(0.528))
    assert same.cache == pytest.approx(1)
    assert same.both == pytest.approx(same.schedule)


HITS = [claim for claim in claims.SHEET.claims if claim.kind == "same-method"]


@pytest.mark.parametrize("claim", HITS)
def test_hits_of_lru_are_refused(claim):
    printed = claim.published.value
    lru = {**{m.mrs_hits: m.lru_hits for m in MODELS.values()}, "83.3 %": 0.806}[claim.printed]
    half = (printed - lru) / 2
    assert not replace(claim, compute=lambda: lru).check().met
    assert not replace(claim, compute=lambda: printed - 1.01 * half).check().met
    assert replace(claim, compute=lambda: printed - 0.99 * half).check().met


def test_hits_are_the_mean_over_five_traces(monkeypatch):
    seen = {}

    def hits(model, by, policy, share):
        seen[model, by, policy, share] = np.array([0.3, 0.5, 0.4, 0.2, 0.6])
        return seen[model, by, policy, share]

    monkeypatch.setattr(claims, "fitted_hits", hits)
    assert [claim.compute() for claim in HITS] == pytest.approx([0.4] * 4)
    quarter = [(model, "persistence", "MRS", 0.25) for model in MODELS]
    assert list(seen) == [*quarter, ("Mixtral", "persistence", "MRS", 0.75)]


def test_seeds_that_hold_a_row_are_counted(monkeypatch):
    made = {"Mixtral": [0.33, 0.34], "DeepSeek": [0.5, 0.51], "Qwen2": [0.4, 0.45]}
    monkeypatch.setattr(claims, "fitted_hits", lambda model, *_: np.array(made[model]))
    assert claims.seeds_summary() == (
        "Seeds that would hold the row of a quarter by themselves: 1 of 2 for Mixtral (33.0 to "
        "34.0 %, held from 33.2 % on); 1 of 2 for DeepSeek (50.0 to 51.0 %, held from 50.2 % on); "
        "0 of 2 for Qwen2 (40.0 to 45.0 %, held from 48.9 % on)."
    )


def test_trends_can_fail(monkeypatch):
    hits = {("MRS", 0.25): 0.4, ("LRU", 0.25): 0.3, ("MRS", 0.75): 0.9, ("LRU", 0.75): 0.7}
    monkeypatch.setattr(claims, "_hits", lambda _, policy, share: hits[policy, share])
    assert claims.gains_by_size() == (False, "10.0 points at 25 %, 20.0 points at 75 %")
    monkeypatch.setattr(claims, "decode_speedups", lambda _: (1.0, 1.2, 1.3, 1.4))
    assert not claims.schedule_over_cache()[0]


MEASURED_LOADS = (1, 2, 4, 8)


def made(start: float, slope: float, size: float = 1e6) -> ExpertTimes:
    """Return times on a line, without scatter."""
    seconds = start + slope * np.array(MEASURED_LOADS)
    return ExpertTimes(MEASURED_LOADS, np.repeat(seconds[:, None], 5, axis=1), np.ones(5), size)


def test_product_by_loops():
    rng = np.random.default_rng(0)
    tokens, gate, up, down = (rng.standard_normal(s) for s in ((2, 3), (3, 4), (3, 4), (4, 3)))
    for i in range(2):
        left, right = tokens[i] @ gate, tokens[i] @ up
        inner = [a / (1 + np.exp(-a)) * b for a, b in zip(left, right, strict=True)]
        assert expert_product(tokens, (gate, up, down))[i] == pytest.approx(inner @ down)


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_expert([1, 3], 8, 4, repeats=3, clock=lambda: float(next(ticks)))
    assert times.seconds.tolist() == [[1.0] * 3] * 2
    assert times.copying.tolist() == [1.0] * 3
    assert times.size == 3 * 8 * 4 * 4


def test_line_and_its_interval():
    start, slope = made(2e-4, 1e-4).line()
    assert start == pytest.approx([2e-4] * 3)
    assert slope == pytest.approx([1e-4] * 3)
    rng = np.random.default_rng(1)
    noisy = 2e-4 + 1e-4 * np.array(MEASURED_LOADS)[:, None] + 5e-5 * rng.random((4, 9))
    fit, low, high = ExpertTimes(MEASURED_LOADS, noisy, np.ones(9), 1e6).line()[1]
    assert low < fit < high


def test_largest_load_that_the_cpu_keeps():
    times = made(2e-4, 1e-4)
    assert times.largest_cpu_load(link=1e6 / 6.5e-4) == 4
    assert times.largest_cpu_load(link=1e6 / 2e-4) == 0
    dip = ExpertTimes(
        MEASURED_LOADS, np.repeat([[1.0], [9.0], [2.0], [9.0]], 3, 1), np.ones(3), 1.0
    )
    assert dip.largest_cpu_load(link=1 / 3) == 1


def test_verdict_says_what_came_out():
    good = made(2e-4, 1e-4)
    assert conclusion(good, 1e6 / 6.5e-4).startswith("A line fits: 0.2 ms to begin")
    kept = conclusion(good, 1e6 / 6.5e-4)
    assert "done with 4 tokens in its own memory" in kept
    assert kept.endswith("the link is slower than the core reads them.")
    assert "done with 8 tokens or more" in conclusion(good, 1e6)
    assert "done with 1 token in" in conclusion(good, 1e6 / 3.5e-4)
    late = conclusion(good, 1e12)
    assert "A link of 1000 GB/s has the weights there (0.001 ms) before one core" in late
    assert "slower than" not in late
    assert "scatter" in conclusion(made(1e-3, -1e-4))


def test_a_bent_line_says_no_constants():
    bent = ExpertTimes(
        MEASURED_LOADS, np.repeat([[1.0], [9.0], [9.0], [10.0]], 3, 1), np.ones(3), 1.0
    )
    assert conclusion(bent).startswith("No line fits: at worst it is 3")
    assert "to begin" not in conclusion(bent)
    assert not bent.fits()
    assert bent.worst_off() > 3
    seconds = np.array([1.0, 2.0, 1.6, 3.0])[:, None]
    badly = ExpertTimes(MEASURED_LOADS, np.repeat(seconds, 3, 1), np.ones(3), 1.0)
    assert conclusion(badly).startswith("A line fits badly: ")
    assert badly.fits()


def test_a_line_fits_only_if_it_rises():
    assert made(2e-4, 1e-4).fits()
    assert made(2e-4, 1e-4).worst_off() == pytest.approx(0)
    assert not made(1e-3, -1e-4).fits()
    assert made(1e-3, -1e-4).worst_off() is None


@pytest.mark.parametrize(
    ("copy", "words"),
    [(6e-4, "near enough that memory may"), (1e-5, "so far below that something else than memory")],
)
def test_what_bounds_one_token(copy, words):
    """3e-4 s for 1 MB are 3.3 GB/s; a copy moves 2 MB."""
    line = made(2e-4, 1e-4)
    times = ExpertTimes(MEASURED_LOADS, line.seconds, np.full(5, copy), 1e6)
    rate = f"{2e-3 / copy:.2g}"
    said = f"reads weights at 3.3 GB/s; a copy reads and writes {rate} GB/s: {words}"
    assert said in conclusion(times)


PER_TOKEN = (0.2e-3, 0.5e-3, 1e-3)


@pytest.mark.parametrize("per_token", PER_TOKEN)
@pytest.mark.parametrize("placed", range(7))
def test_every_state_can_be_read(placed, per_token):
    scene = placement_steps(placed, per_token)
    assert scene.faults() == []
    assert scene.height == placement_steps(0, 1e-3).height
    left = [b.label for b in scene.shapes if isinstance(b, Box) and ":" in b.label]
    assert len(left) == len(LOADS) - placed


@pytest.mark.parametrize("per_token", PER_TOKEN)
def test_the_end_is_the_makespan(per_token):
    scene = placement_steps(6, per_token)
    schedule = two_ended_list(expert_jobs(LOADS, CACHED, per_token))
    assert scene.values["finished (ms)"] == pytest.approx(1e3 * schedule.makespan)
    bars = [b for b in scene.shapes if isinstance(b, Box) and b.label in tuple(NAMES)]
    fetched = int((schedule.fetched > 0).sum())
    assert len(bars) == len(LOADS) + fetched


def test_worked_example_by_hand():
    jobs = expert_jobs(LOADS, CACHED, 1e-3)
    schedule = two_ended_list(jobs)
    assert schedule.makespan == pytest.approx(2.5e-3)
    assert np.flatnonzero(schedule.on_host).tolist() == [4]
    assert all_fetched(jobs).makespan == pytest.approx(3e-3)
    assert fixed_mapping(jobs).makespan == pytest.approx(6.79e-3)


def test_two_ends_miss_the_best_of_the_example_on_a_faster_cpu():
    """Best: C, F, D on the GPU by 1.5 ms; A and B, though cached, and E on the CPU by 1.39 ms."""
    jobs = expert_jobs(LOADS, CACHED, 0.2e-3)
    assert two_ended_list(jobs).makespan == pytest.approx(1.99e-3)
    assert best_split(jobs).makespan == pytest.approx(1.5e-3)


def test_eight_experts_of_qwen2_take_three_milliseconds_whatever_is_cached():
    fixed = 1e3 * layer_times("Qwen2", "fixed")
    assert fixed[:6] == pytest.approx(0.79 + 0.8 * np.arange(8, 2, -1))
    assert fixed[7:] == pytest.approx([3.5, 4.0])
    assert 1e3 * layer_times("Qwen2", "two ends") == pytest.approx([3.19] + [3.0] * 8)
    assert 1e3 * layer_times("Qwen2", "all fetched")[0] == pytest.approx(8 * 0.5 + 0.41791)


@pytest.mark.parametrize("model", MODELS)
def test_one_token_is_placed_best_by_the_two_ends(model):
    assert layer_times(model, "two ends") == pytest.approx(layer_times(model, "best"))


def test_mean_over_chance_hits():
    counts = np.arange(9)
    by_hand = sum(binom.pmf(n, 8, 0.25) * layer_times("Qwen2", "fixed")[n] for n in counts)
    assert mean_layer_time("Qwen2", "fixed", 0.25) == pytest.approx(by_hand)
    assert mean_layer_time("Qwen2", "fixed", [0, 1]) == pytest.approx([7.19e-3, 4e-3])


def test_whole_layers_are_all_or_nothing():
    mean = mean_layer_time("Qwen2", "fixed", 0.25, whole_layers=True)
    assert mean == pytest.approx(0.25 * 4.0e-3 + 0.75 * 7.19e-3)


@pytest.mark.parametrize("fetch", [0.1e-3, 0.2e-3, FETCH, 0.6e-3, 0.8e-3])
def test_no_rule_is_below_the_two_ends_for_one_token(fetch):
    """As the text under the figure says."""
    times = {rule: layer_times("Qwen2", rule, fetch) for rule in RULES}
    assert times["two ends"] == pytest.approx(times["best"])
    assert (times["two ends"] <= np.minimum(times["fixed"], times["all fetched"]) + 1e-12).all()


def test_a_single_token_is_fetched_but_for_deepseek_for_the_start_up_alone():
    """As the text at the end says."""
    slower = {name: m.per_token > FETCH + DEVICE for name, m in MODELS.items()}
    assert slower == {"Mixtral": False, "DeepSeek": True, "Qwen2": False}
    assert all(m.per_token + START_UP > FETCH + DEVICE for m in MODELS.values())


def test_more_light_experts_are_worse_for_the_two_ends():
    ratios = [
        two_ended_list(jobs).makespan / best_split(jobs).makespan
        for jobs in map(heavy_tail, (3, 6, 12))
    ]
    assert ratios == pytest.approx([2.0 / 0.91791, 3.5 / 0.91791, 6.5 / 0.91791])


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 99), st.sampled_from(list(MODELS)))
def test_random_layers(tokens, share, seed, model):
    shape = MODELS[model]
    jobs = random_layer(np.random.default_rng(seed), tokens, share, model)
    loads = jobs.host / shape.per_token
    assert loads.sum() == pytest.approx(tokens * shape.active)
    assert (loads <= tokens + 1e-9).all()
    assert jobs.count <= shape.experts
    assert jobs.cached.sum() <= round(share * shape.experts)


def test_gap_to_the_optimum_on_a_thousand_layers():
    """Means of 200 other draws were 1.016, 1.064 and 1.132, known to within 0.03."""
    for share, expected in ((0.25, 1.015), (0.5, 1.058), (0.75, 1.131)):
        ratios = ratios_to_optimum(32, share)
        assert ratios["two ends"].mean() == pytest.approx(expected, abs=1e-3)
        assert ratios["two ends"].max() < 1.5
        assert all((r >= 1 - 1e-12).all() for r in ratios.values())


@given(st.floats(0, 2e-3), st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_best_is_best(per_token, loads):
    jobs = expert_jobs(loads, np.arange(len(loads)) % 2 == 0, per_token, FETCH)
    spans = {name: rule(jobs).makespan for name, rule in RULES.items()}
    assert spans["best"] == pytest.approx(min(spans.values()))


def test_features_by_hand():
    table = features(expert_jobs([1, 4, 2], [True, False, True], 1e-3))
    assert table[:, 1].tolist() == [1, 0, 1]
    assert table[:, 2].tolist() == [2, -1, 1]
    assert table[:, 3].tolist() == [-1, 0, -1]
    assert table[0, 4:] == pytest.approx([3, 2, 7e-3])


def test_race():
    result = race(60)
    assert len(result.learned) == len(result.two_ends) == len(result.regression) == 60
    assert (result.learned >= 1 - 1e-12).all()
    assert result.two_ends.mean() < result.learned.mean() < 1.5


def test_the_regression_knows_more_than_a_mean():
    result = race(60)
    line, mean = (np.abs(errors).mean() for errors in (result.regression, result.mean))
    assert mean > 0.2
    assert line < mean / 3


def test_what_is_said_of_it():
    ones = np.ones(4)
    good = LearnedRule(1.2 * ones, 1.1 * ones, 0.05 * ones, -0.25 * ones).says()
    assert "the layers learned from is 25 % off" in good
    assert "5.0 % off, so it has learned what makes a layer long." in good
    assert "20.0 % longer than the best on average, worse than the list's 10.0 %" in good
    bad = LearnedRule(1.1 * ones, 1.2 * ones, 0.012 * ones, 0.013 * ones).says()
    assert "learned nothing" in bad
    assert "no worse than the list's 20.0 %" in bad


def test_noise_keeps_what_it_should():
    trace = router_trace(4, 1, 0.7, tokens=20_000)
    logits = np.log(trace.scores)
    logits -= logits.mean(axis=1, keepdims=True)
    assert logits.std() == pytest.approx(np.sqrt(3 / 4), rel=0.03)
    assert np.corrcoef(logits[1:, 0], logits[:-1, 0])[0, 1] == pytest.approx(0.7, abs=0.02)


@given(st.integers(2, 12), st.floats(0, 0.9), st.floats(0, 2))
def test_the_highest_are_chosen(experts, persistence, spread):
    trace = router_trace(experts, 2, persistence, spread, tokens=20)
    assert trace.scores.sum(axis=1) == pytest.approx(1)
    worst = np.take_along_axis(trace.scores, trace.chosen, 1).min(axis=1)
    assert ((trace.scores > worst[:, None]).sum(axis=1) == 1).all()


def test_running_score_by_hand():
    scores = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]])
    trace = RouterTrace(scores, np.array([[0], [3]]))
    assert recent_scores(trace) == pytest.approx(
        np.array([[0.25, 0.15, 0, 0], [0.125, 0.075, 0.15, 0.2]])
    )
    assert recent_scores(trace, 1.0)[1] == pytest.approx([0, 0, 0.3, 0.4])


def test_without_memory_hits_are_the_cached_share():
    trace = router_trace(64, 6, 0.0, tokens=4000)
    assert hit_ratio(trace, 16, "LRU") == pytest.approx(0.22, abs=0.02)
    assert hit_ratio(trace, 64, "LRU") == pytest.approx(1, abs=0.01)


@settings(max_examples=20)
@given(st.integers(1, 8), st.floats(0, 0.95), st.floats(0, 2), st.integers(0, 99))
def test_nothing_beats_the_optimal(size, persistence, spread, seed):
    trace = router_trace(8, 2, persistence, spread, tokens=60, seed=seed)
    ratios = {policy: hit_ratio(trace, size, policy) for policy in POLICIES}
    assert max(ratios.values()) == ratios["optimal"]
    assert hit_ratio(trace, size, "LRU") <= hit_ratio(trace, min(size + 1, 8), "LRU")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("by", ["persistence", "spread"])
def test_fitted_to_the_printed_hits(model, by):
    shape = MODELS[model]
    trace = fitted_trace(model, by)
    assert hit_ratio(trace, shape.experts // 4, "LRU") == pytest.approx(shape.lru_hits, abs=2e-3)
    assert hit_ratio(trace, shape.experts // 4, "MRS") > shape.lru_hits + 0.01


@pytest.mark.parametrize("model", MODELS)
def test_where_liking_lasts_the_score_is_between_lru_and_lfu(model):
    """And where it moves it is the best of the three, as the text says."""
    shape = MODELS[model]
    lasting, moving = (
        {policy: fitted_hits(model, cause, policy).mean() for policy in ("LRU", "MRS", "LFU")}
        for cause in ("spread", "persistence")
    )
    assert lasting["LRU"] < lasting["MRS"] < lasting["LFU"]
    assert max(moving.values()) == moving["MRS"]
    half = (shape.mrs_share - shape.lru_hits) / 2
    assert lasting["MRS"] == pytest.approx(shape.mrs_share, abs=half)


def test_hits_by_share_are_those_of_each_seed():
    traces = [fitted_trace("Mixtral", "spread", seed) for seed in range(router.SEEDS)]
    by_hand = [hit_ratio(trace, 6, "MRS") for trace in traces]
    assert fitted_hits("Mixtral", "spread", "MRS", 0.75) == pytest.approx(by_hand)


def test_summary_of_causes(monkeypatch):
    said = causes_summary()
    assert all(name in said for name in MODELS)
    assert said.startswith("The printed hits of MRS lie ")
    low = {"persistence": np.array([0.1, 0.3]), "spread": np.array([0.2, 0.4])}
    monkeypatch.setattr(router, "fitted_hits", lambda _, by, __: low[by])
    said = causes_summary()
    assert said == (
        "The printed hits of MRS lie at their edge, nearer than another seed changes for Mixtral; "
        "outside both for DeepSeek and Qwen2."
    )
