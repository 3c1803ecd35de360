"""APEX: products, exchanges and batches, replayed against measured serving."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.apex import replay as lab
from perfmodel.labs.serving.apex.fourth_run import (
    candidates,
    recorded as recorded_fourths,
    with_fourth,
)
from perfmodel.labs.serving.apex.measured_runs import accounted, alone, runs, server_run
from perfmodel.labs.serving.apex.plans import (
    GIB,
    LLAMA_70B,
    Plan,
    cache_tokens,
    fits,
    plans,
    weight_bytes,
)
from perfmodel.labs.serving.apex.products import (
    ASKED,
    FAMILIES,
    SPLITS,
    Products,
    Score,
    conclusion,
    contest,
    measured,
    moved,
    of,
    own_contest,
    pairs,
    predictor,
    rates,
    recorded,
    split,
    time_products,
    work,
)
from perfmodel.labs.serving.apex.replay import (
    FITTED_TO,
    PAPER,
    AllReduce,
    Constants,
    all_reduce,
    bus_bandwidth,
    cache_capacity,
    decoder_steps,
    fitted,
    lengthened,
    loaded,
    looked_up,
    means,
    predicted,
    relative_first,
    replay,
    since_start,
    slopes,
)
from perfmodel.labs.serving.apex.step_chart import CONTEXT, LONGEST, plan_step, step_parts
from perfmodel.labs.serving.apex.step_errors import StepErrors
from perfmodel.labs.serving.apex.summaries import (
    context_summary,
    fit_summary,
    rate_summary,
    trace_summary,
)
from perfmodel.live.drawing import Box
from perfmodel.roofline import LLAMA_2_7B
from perfmodel.serving import Requests


def test_line_of_eight_by_hand():
    line = all_reduce(8)
    assert 1e6 * line.latency == pytest.approx(18.3, rel=0.06)
    assert 1e-9 / line.byte_time == pytest.approx(187, rel=0.02)
    assert all_reduce(1) == (0, 0)


def test_bus_bandwidth_by_hand():
    """2 x 7/8 x 134,217,728 bytes / 597 us, and of 2 and 4 GPUs."""
    assert bus_bandwidth(8) == pytest.approx(2 * 7 / 8 * 134_217_728 / 597e-6)
    assert [round(bus_bandwidth(ranks) / 1e9) for ranks in (2, 4, 8)] == [289, 330, 393]


def test_lookup_holds_measured_points_and_goes_straight_between():
    assert looked_up(8, [1024, 2048]) * 1e6 == pytest.approx([15, 16])
    assert float(looked_up(8, 1536)) * 1e6 == pytest.approx(15.5)


def test_more_gpus_wait_longer():
    assert all_reduce(2).latency < all_reduce(4).latency < all_reduce(8).latency


def test_what_was_recorded_comes_out_again():
    """Writing on four GPUs, printed with chat, as the fourth run."""
    run = server_run("creation_05", 4)
    again = with_fourth(run)
    kept = next(one for one in recorded_fourths() if one.run == run)
    assert tuple(again)[1:] == pytest.approx(tuple(kept)[1:], rel=0.02)


def test_every_other_run_was_the_fourth_once():
    assert [one.run for one in recorded_fourths()] == list(candidates())
    ours = next(
        one for one in recorded_fourths() if (one.run.trace, one.run.tensor) == FITTED_TO[3]
    )
    assert tuple(ours)[1:4] == pytest.approx(fitted()[:3], rel=0.01)


def test_slopes_have_the_signs_of_their_constants():
    """More of the bandwidth is faster, more beside is slower; writing has the larger batches."""
    slope = slopes(tuple(server_run(*key) for key in FITTED_TO), fitted())
    assert (slope[:, 0] < 0).all()
    assert (slope[:, 1:] > 0).all()
    assert slope[3, 2] > 2 * np.max(slope[:3, 2])


def simulated(shape, precision, threads, runs, seconds):
    """A processor of 10 GFLOP/s with 2 us a call, without noise."""
    m, n, k = shape
    one = 2e-6 + 2 * m * n * k / 1e10
    return SimpleNamespace(seconds=np.full(runs, 4 * one), work=4.0 * 2 * m * n * k)


def test_times_are_those_of_one_product():
    own = time_products(measure=simulated)
    assert own.spread == pytest.approx(0, abs=1e-9)
    assert len(own.products.seconds) == 64
    work = 2 * own.products.sizes.prod(axis=1)
    assert own.products.seconds == pytest.approx(2e-6 + work / 1e10)
    assert rates(own).max() < 1e10


def test_contest_on_a_machine_that_is_a_roofline():
    scores = own_contest(time_products(measure=simulated))
    assert [score[:2] for score in scores] == [
        (name, family) for name in ("at random", "larger") for family in ASKED
    ]
    assert scores[4].errors.mean < 0.01
    assert "The forest's error goes from" in conclusion(scores)
    assert scores[6].errors.mean > 0.3


def test_verdict_says_when_it_cannot_tell():
    def one(mean, half):
        return StepErrors(mean, mean - half, mean + half, mean, mean - half, mean + half)

    def board(half):
        means = dict(zip(ASKED, (0.2, 0.25, 0.6, 0.3), strict=True))
        return [
            Score(name, family, one(mean, half))
            for name in ("at random", "larger")
            for family, mean in means.items()
        ]

    assert "but these products can't separate it from the table" in conclusion(board(0.05))
    assert "the next, the table, has 25 %" in conclusion(board(0.01))


def test_real_products_are_measured():
    own = time_products(3, 1e-5)
    assert (own.products.seconds > 0).all()
    assert own.spread >= 0


def test_parameters_of_a_layer_as_configured():
    assert LLAMA_70B.attention_parameters == 150_994_944
    assert LLAMA_70B.feed_forward_parameters == 704_643_072


def test_cache_by_hand():
    """(80 - 63.75 - 1) GiB over 163,840 bytes."""
    assert cache_tokens(Plan(1, 1, 2)) == pytest.approx(15.25 * GIB / 163_840)
    assert cache_tokens(Plan(1, 1, 2)) == pytest.approx(99_942, abs=1)


def test_four_copies_have_a_quarter_of_the_cache():
    whole, quarter = (cache_tokens(Plan(copies, 1, 8 // copies)) for copies in (1, 4))
    assert quarter / whole == pytest.approx(0.25, abs=0.01)
    assert not fits(Plan(8, 1, 1))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([2, 4, 8, 16]), st.booleans())
def test_all_weights_are_somewhere(gpus, tables):
    for plan in plans(gpus):
        held = weight_bytes(plan, tables=tables) * plan.tensor * plan.pipeline
        words = 2 * 2 * LLAMA_70B.vocab_size * LLAMA_70B.hidden_size * tables
        assert held == pytest.approx(2 * LLAMA_70B.layer_parameters + words * plan.pipeline)
        assert plan.data * plan.pipeline * plan.tensor == gpus
        assert fits(plan) == (cache_tokens(plan) >= 1)


def test_enumeration_against_brute_force():
    result = {
        (d, s, p)
        for d in range(1, 9)
        for s in range(1, 9)
        for p in range(1, 9)
        if d * s * p == 8 and 80 % s == 0 and 8 % p == 0
    }
    assert set(plans(8)) == result
    assert len(plans(8)) == len(result)
    assert Plan(1, 3, 2) not in plans(6, LLAMA_2_7B)


def test_stages_and_parts_take_the_same_memory_and_copies_take_all_room():
    assert weight_bytes(Plan(1, 2, 1)) == weight_bytes(Plan(1, 1, 2))
    assert cache_tokens(Plan(2, 1, 4)) < cache_tokens(Plan(1, 1, 8))
    assert not fits(Plan(8, 1, 1))


def test_names_of_plans():
    assert [plan.name for plan in plans(4)] == [
        "TP4", "TP2 x PP2", "TP1 x PP4", "2 x TP2", "2 x TP1 x PP2", "4 x TP1",
    ]  # fmt: skip


SIZES = np.array([(m, k, n) for m in (1, 8, 64) for k in (1, 8, 64) for n in range(1, 17)], float)
TRUE = 1e-5 + np.maximum(work(SIZES) / 1e9, moved(SIZES) / 1e9)


def test_recorded_errors_of_the_cheap_families_come_out_again(third_party):
    folder = third_party("apex", "v100_gemm.csv").parents[1]
    products = measured(folder)
    assert len(products.seconds) == 92_191
    again = contest(products, ("at random", "larger"), ("power law", "roofline", "table"))
    for score in again:
        assert score.errors == pytest.approx(of(recorded(), score.split, score.family), rel=0.005)


def test_forest_on_a_tenth_is_near_what_is_recorded_of_all(third_party):
    """Held out by size it fails as badly, with less to learn from."""
    folder = third_party("apex", "v100_gemm.csv").parents[1]
    products = measured(folder)
    rows = np.random.default_rng(1).permutation(len(products.seconds))[:9000]
    part = Products(products.sizes[rows], products.seconds[rows])
    score = contest(part, ("larger",), ("forest",), trees=20)[0]
    assert score.errors.mean == pytest.approx(of(recorded(), "larger", "forest").mean, abs=0.06)


def test_recorded_is_whole():
    assert [score[:2] for score in recorded()] == [(s, f) for s in SPLITS for f in FAMILIES]
    for score in recorded():
        assert score.errors.mean_low < score.errors.mean < score.errors.mean_high


def test_splits_by_hand():
    products = SIZES
    random, unseen, larger = (split(name, products, large=1000.0) for name in SPLITS)
    assert random.sum() == len(products) // 5
    assert (split("at random", products) == random).all()
    assert set(pairs(products)[unseen]).isdisjoint(pairs(products)[~unseen])
    assert len(set(pairs(products)[unseen])) == 9 // 5
    assert work(products)[larger].min() >= 1000 > work(products)[~larger].max()


def test_counts_by_hand():
    assert work([[2, 3, 4]]).tolist() == [48]
    assert moved([[2, 3, 4]]).tolist() == [2 * (6 + 12 + 8)]


@pytest.mark.parametrize("family", ["roofline", "roofline x forest"])
def test_families_with_the_right_structure_go_beyond(family):
    test = work(SIZES) > 5000
    seen = Products(SIZES[~test], TRUE[~test])
    guess = predictor(family, seen, SIZES[test], trees=5)(SIZES[test])
    assert guess == pytest.approx(TRUE[test], rel=0.02)
    forest = predictor("forest", seen, SIZES[test], trees=5)(SIZES[test])
    assert forest.max() <= seen.seconds.max()


def test_power_law_is_least_squares_of_logarithms():
    law = 1e-9 * SIZES[:, 0] ** 0.5 * SIZES[:, 2]
    guess = predictor("power law", Products(SIZES, law), SIZES)(SIZES)
    assert guess == pytest.approx(law)


def test_a_lone_request_by_hand():
    """One prompt of 300, five tokens: four steps that read weights and 300 to 303 tokens."""
    run = replay(Requests([0.0], [300], [5]), 4)
    steps = decoder_steps(4)
    after = sum(float(steps.seconds(0, 1, 300 + made)) for made in range(4))
    assert means(run).token == pytest.approx(after / 5, rel=1e-3)
    prompt = float(steps.seconds(300, 0, 0, 300 * 301 / 2))
    assert means(run).first == pytest.approx(prompt, rel=0.01)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 40), st.integers(0, 50))
def test_sum_of_times_is_accounted_for(count, seed):
    rng = np.random.default_rng(seed)
    arrival = np.sort(rng.uniform(0, 5, count))
    run = replay(Requests(arrival, rng.integers(1, 900, count), rng.integers(1, 60, count)), 8)
    own = means(run)
    assert count * own.first + run.requests.tokens * own.token == pytest.approx(own.total)


def test_context_costs_time():
    requests = Requests([0.0, 0.1], [2000, 4000], [50, 50])
    assert means(replay(requests, 8)).token > means(replay(requests, 8, context=False)).token


def test_room_is_the_plans_but_for_what_vllm_counts():
    """97 % of 80 GB less all weights, tables included."""
    left = 0.97 * 80e9 - 2 * 70_553_436_160 / 2
    assert cache_capacity(2) == pytest.approx(left / 163_840, rel=0.001)
    assert cache_capacity(2) < cache_capacity(4) < cache_capacity(8)


def test_fitted_constants_do_not_move_any_more():
    """One more step of Newton's method with slopes taken here changes them by less than 1 %."""
    runs = [server_run(*key) for key in FITTED_TO]
    target = np.array([run.printed.token for run in runs])
    logs = np.log(fitted()[:3])

    def errors(at):
        return np.array([predicted(run, Constants(*np.exp(at))).token for run in runs]) / target - 1

    here = errors(logs)
    slope = np.stack([(errors(logs + 0.02 * unit) - here) / 0.02 for unit in np.eye(3)], axis=1)
    step = np.linalg.lstsq(slope, here, rcond=None)[0]
    assert np.abs(step).max() < 0.01
    assert np.abs(here).max() < 0.02


def test_half_of_the_data_sheet_is_missing_without_constants():
    run = server_run("lmsys_05", 8)
    assert predicted(run, PAPER).token < 0.6 * run.printed.token


def test_a_slow_exchange_turns_the_order_round(monkeypatch):
    """With an all-reduce of 100 us on eight GPUs, four are faster: the order could be otherwise."""

    def slow(ranks, gpu="H100"):
        line = all_reduce(ranks, gpu)
        return AllReduce(1e-4 if ranks == 8 else line.latency, line.byte_time)

    requests = Requests([0.0], [100], [20])
    assert means(replay(requests, 8)).token < means(replay(requests, 4)).token
    monkeypatch.setattr(lab, "all_reduce", slow)
    assert means(replay(requests, 8)).token > means(replay(requests, 4)).token


def test_since_start_weighs_by_tokens():
    run, chat = server_run("creation_05", 4), server_run("lmsys_05", 4)
    both, own, before = since_start(run), predicted(run), predicted(chat)
    weight = run.output_tokens / (run.output_tokens + chat.output_tokens)
    assert both.token == pytest.approx(weight * own.token + (1 - weight) * before.token)
    assert both.total == pytest.approx(own.total + before.total)
    assert since_start(chat) == before


def test_first_tokens_are_compared_with_those_taken_apart():
    run, chat = server_run("creation_05", 4), server_run("lmsys_05", 4)
    first = [predicted(one).first for one in (run, chat)]
    assert first == pytest.approx(
        (1 + relative_first((run, chat), PAPER)) * [alone(run).first, chat.printed.first]
    )
    assert alone(run).first != pytest.approx(run.printed.first)


def test_context_lengthens_a_token_more_where_texts_are_longer():
    """Chat has 150 tokens a request, summaries have 2,900."""
    chat, summaries = (
        lengthened(server_run(trace, 8), PAPER) for trace in ("lmsys_05", "summarization_05")
    )
    assert 0 < 5 * chat < summaries < 0.2


def test_loaded_has_the_rate_asked_for_and_waits_more_the_higher_it_is():
    run = server_run("creation_05", 8)
    slow, fast = (loaded(run, rate, 2, PAPER, count=80) for rate in (0.2, 20.0))
    assert (slow.requests.rate, fast.requests.rate) == pytest.approx((0.2, 20.0))
    assert slow.requests.tokens == fast.requests.tokens == run.offered().output[:80].sum()
    assert fast.response.mean() > slow.response.mean()
    assert set(fast.replica.tolist()) == {0, 1, 2, 3}


RATES = (0.5, 1.0, 2.0, 8.0)


def test_the_fit_and_how_far_it_reaches():
    words = fit_summary(
        Constants(0.75, 4e-3, 5e-4), [0.01, 0.02, 0.06], (0.0257, 0.0262), [-0.4, 0.12]
    )
    assert words == (
        "The 3 held-out runs are 3.0 % off on average and at most 6.0 %. The constants: e = 0.75, "
        "f = 4.0 ms, g = 0.50 ms. Writing on four GPUs, taken apart, took 25.7 ms; the prediction "
        "is 26.2 ms. Times to the first token were not fitted, and are -40 to +12 % off."
    )


@pytest.mark.parametrize(
    ("by_eight", "by_four", "by_two", "said"),
    [
        ([10, 11, 12, 13], [12, 13, 14, 15], 20, "1 x TP8 {} and at all other rates."),
        (
            [10, 11, 22, 99],
            [12, 13, 14, 50],
            20,
            "1 x TP8 {}. {} 2 requests/s, and at 8 it is 4 x TP2.",
        ),
        (
            [20, 20, 20, 20],
            [12, 21, 14, 15],
            99,
            "2 x TP4 {}. {} 1 requests/s, and at 8 it is again 2 x TP4.",
        ),
        ([10, 11, 12, 99], [12, 13, 14, 50], 99, "1 x TP8 {}. At 8 requests/s it is 2 x TP4."),
    ],
)
def test_plans_may_change_places(by_eight, by_four, by_two, said):
    words = said.format("is best at 0.5 requests/s", "The best plan changes at")
    assert rate_summary(RATES, {8: by_eight, 4: by_four, 2: 4 * [by_two]}) == words


@pytest.mark.parametrize(
    ("most", "fits"), [(8000, "fits."), (5120.4, "does not fit; 5,120 tokens per sequence do.")]
)
def test_a_context_may_not_fit(most, fits):
    assert context_summary(8000, 0.125, most) == (
        f"After 8,000 tokens a step takes 12 % longer than the lookup says. That context {fits}"
    )


@pytest.mark.parametrize(
    ("longest", "says"),
    [
        (0.049, "4.9 % to the tokens of the measured traces, which hardly matters."),
        (0.05, "5.0 % to the tokens of the measured traces, which matters."),
    ],
)
def test_context_may_matter_in_the_traces(longest, says):
    assert trace_summary([0.02, longest, 0.011]) == (f"On eight GPUs context adds 1.1 to {says}")


def test_requests_are_those_that_were_counted():
    for run in runs():
        offered = run.offered()
        assert len(offered) == run.requests
        assert offered.prompt.sum() == run.prompt_tokens
        assert offered.tokens == run.output_tokens


def test_sums_of_times_are_accounted_for_but_where_a_server_was_not_started_anew():
    """n TTFT + m TPOT is the printed sum to a millionth for all, or for all since the start."""
    odd = [run for run in runs() if abs(accounted(run) - 1) > 1e-6]
    assert {(run.trace, run.tensor, run.replicas) for run in odd} == {
        ("creation_05", 4, 1),
        ("summarization_05", 4, 1),
    }
    for run in odd:
        parts = [*(server_run(trace, 4) for trace in run.before), run]
        n, m = sum(part.requests for part in parts), sum(part.output_tokens for part in parts)
        assert n * run.printed.first + m * run.printed.token == pytest.approx(run.printed.total)
        assert accounted(run, since_start=True) == pytest.approx(1, abs=1e-6)


def test_what_is_left_of_the_odd_ones_adds_up():
    for trace in ("creation_05", "summarization_05"):
        run = server_run(trace, 4)
        left = alone(run)
        total = run.requests * left.first + run.output_tokens * left.token
        assert total == pytest.approx(left.total)
    assert alone(server_run("lmsys_05", 4)) == server_run("lmsys_05", 4).printed


def test_first_tokens_are_in_order_only_when_taken_apart():
    """As printed, four GPUs were faster to the first token of summaries than eight."""
    eight, four, two = (server_run("summarization_05", tensor) for tensor in (8, 4, 2))
    assert four.printed.first < eight.printed.first < two.printed.first
    assert eight.printed.first < alone(four).first < two.printed.first


def test_traces_by_their_published_sums():
    creation = server_run("creation_05", 8).offered()
    assert (len(creation), creation.prompt.sum()) == (512, 157_563)
    assert creation.rate == pytest.approx(0.467, abs=0.002)
    assert server_run("creation_025", 8).offered().rate == pytest.approx(0.246, abs=0.002)
    chat = server_run("lmsys_05", 8).offered()
    assert chat.rate == pytest.approx(0.506, abs=0.001)
    gaps = np.diff(creation.arrival)
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(0.93, abs=0.01)


def test_names_of_runs():
    assert server_run("creation_025", 8).name == "writing, 8 GPUs, half the rate"
    assert server_run("lmsys_05", 2, 4, 3).name == "chat, 4 x 2 GPUs"


def test_a_run_that_nobody_made_is_refused():
    with pytest.raises(ValueError, match="must be those of a run, got"):
        server_run("creation_05", 2)


@pytest.mark.parametrize("tensor", [2, 4, 8])
def test_parts_are_the_step(tensor):
    steps = decoder_steps(tensor, fitted())
    for sequences in (1, 40):
        whole = float(steps.seconds(0, sequences, sequences * CONTEXT))
        assert step_parts(tensor, sequences).sum() == pytest.approx(whole)


@pytest.mark.parametrize("tensor", [2, 4, 8])
@pytest.mark.parametrize("sequences", [1, 3, 8, 32, 64])
def test_boxes_stay_on_the_sheet_and_idle_copies_have_none(tensor, sequences):
    scene = plan_step(tensor, sequences)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
    assert all(box.x + box.width <= 351 for box in boxes)
    assert scene.values["step (ms)"] <= LONGEST
    busy = min(sequences, 8 // tensor) * tensor
    rows = {box.y for box in boxes if box.x == pytest.approx(50)}
    assert len(rows) == busy


def test_copies_share_the_sequences():
    one, four = plan_step(8, 32), plan_step(2, 32)
    assert four.values["step (ms)"] > one.values["step (ms)"]
    alone = step_parts(2, 8).sum()
    assert four.values["tokens/s"] == pytest.approx(4 * 8 / alone)
