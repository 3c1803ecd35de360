"""One program: the index against brute force, and forecasts of times whose truth is known."""

import json
import re
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.measurement.one_program import (
    forecast_record,
    larger_corpus,
    scan_roofline,
    service,
    unseen_queries,
    workers,
)
from perfmodel.labs.measurement.one_program.corpus import (
    CHUNK,
    VOCABULARY,
    WORDS_EACH,
    Query,
    draw_queries,
    read_documents,
    zipf_words,
)
from perfmodel.labs.measurement.one_program.forecast_record import (
    PARTS,
    ForecastRecord,
    Outcome,
    sentence,
)
from perfmodel.labs.measurement.one_program.inverted_index import (
    POSTING_BYTES,
    InvertedIndex,
    block_bounds,
    build,
    build_blocks,
    index_block,
    merge_blocks,
)
from perfmodel.labs.measurement.one_program.posting_lists import POSTINGS, posting_lists
from perfmodel.labs.measurement.one_program.search import BEST, Searcher, everything
from perfmodel.queueing.operational_analysis import loopback
from perfmodel.queueing.operational_analysis.load_forecast import (
    Calibration,
    formulas,
    measured_interval,
    replay,
)
from perfmodel.queueing.operational_analysis.timetable import MeasuredRun

SIZE = 2 * CHUNK


@pytest.fixture(scope="module")
def words():
    return read_documents(0, SIZE)


@pytest.fixture(scope="module")
def searcher():
    return Searcher(build(SIZE))


def test_words_follow_zipf_s_law():
    drawn = zipf_words(np.random.default_rng(2), 200_000)
    assert drawn.min() == 0
    assert drawn.max() < VOCABULARY
    for rank in (1, 2, 10):
        expected = np.log1p(1 / rank) / np.log1p(VOCABULARY)
        error = np.sqrt(expected / drawn.size)
        assert (drawn == rank - 1).mean() == pytest.approx(expected, abs=5 * error)


def test_a_larger_corpus_starts_with_a_smaller_one_and_another_seed_is_another_corpus(words):
    np.testing.assert_array_equal(read_documents(0, 3 * CHUNK)[:SIZE], words)
    assert (read_documents(0, CHUNK, seed=2) != words[:CHUNK]).any()
    assert words.shape == (SIZE, WORDS_EACH)


def test_index_holds_what_counting_each_document_finds(words, searcher):
    index = searcher.index
    truth = {}
    for number, document in enumerate(words.tolist()):
        for word, count in Counter(document).items():
            truth[word, number] = count
    lists = np.repeat(np.arange(VOCABULARY), index.lengths)
    found = dict(
        zip(zip(lists.tolist(), index.documents.tolist(), strict=True), index.counts.tolist(),
            strict=True)
    )  # fmt: skip
    assert found == truth
    assert index.postings == len(truth)
    assert int(index.counts.sum()) == words.size


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=9),
    cut=st.integers(0, 9),
)
def test_merged_blocks_are_the_index_of_all(rows, cut):
    words, at = np.array(rows, dtype=np.int32), min(cut, len(rows))
    merged = merge_blocks([index_block(words[:at]), index_block(words[at:], at)])
    whole = index_block(words)
    for name in ("starts", "documents", "counts"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


def brute_force(words, query, weights):
    scores = np.zeros(len(words))
    for word, count in zip(query.words, query.counts, strict=True):
        scores += weights[word] * count * (words == word).sum(axis=1)
    return scores


@pytest.mark.parametrize("seed", range(5))
def test_search_returns_the_best_documents_of_brute_force(words, searcher, seed):
    for query in draw_queries(4, seed):
        truth = brute_force(words, query, searcher.weights)
        found = searcher.search(query)
        assert len(set(found.tolist())) == found.size == min(BEST, (truth > 0).sum())
        highest = np.sort(truth)[::-1][: found.size]
        np.testing.assert_allclose(truth[found], highest, rtol=1e-4)


def test_a_search_leaves_no_score_behind(searcher):
    query = draw_queries(1, 9)[0]
    first = searcher.search(query)
    searcher.scan(everything())
    assert not searcher.scores.any()
    np.testing.assert_array_equal(searcher.search(query), first)


def test_word_that_no_document_holds_finds_nothing(searcher):
    absent = np.flatnonzero(searcher.index.lengths == 0)[:1].astype(np.int32)
    assert searcher.search(Query(absent, np.ones(1))).size == 0


def test_postings_scanned_equal_the_documents_counted_word_by_word(words, searcher):
    for query in draw_queries(5, 3):
        counted = sum(int((words == word).any(axis=1).sum()) for word in query.words)
        assert searcher.index.scanned(query) == counted
    assert searcher.index.lengths[everything()].sum() == searcher.index.postings


def test_bytes_of_a_posting_are_those_of_the_arrays(searcher):
    index = searcher.index
    stored = index.documents.nbytes + index.counts.nbytes
    assert scan_roofline.list_bytes(index) == stored == POSTING_BYTES * index.postings
    work = scan_roofline.scan_kernel(index.postings)
    assert (work.bytes, work.flops) == (stored, 2.0 * index.postings)


@given(st.floats(1e8, 1e11), st.floats(1e7, 1e10))
def test_bound_of_a_scan_is_the_longer_time_and_at_least_half_of_the_sum(bandwidth, rate):
    bound = scan_roofline.scan_bound(1000, bandwidth, rate)
    assert bound.overlapped <= bound.in_turn * (1 + 1e-9)
    assert bound.in_turn <= 2 * bound.overlapped * (1 + 1e-9)
    assert (bound.bound_by == "memory") == (5 * rate > bandwidth)


def test_long_and_short_lists_are_all_lists(searcher):
    long, short = scan_roofline.long_and_short(searcher.index)
    assert sorted([*long.tolist(), *short.tolist()]) == everything().tolist()
    lengths = searcher.index.lengths
    assert lengths[long].min() >= SIZE / scan_roofline.DENSE > lengths[short].max()


def test_rate_in_the_cache_weighs_long_and_short_lists_by_their_postings(searcher, monkeypatch):
    index, costs = searcher.index, {True: 1e-9, False: 3e-9}
    long, short = scan_roofline.long_and_short(index)

    def simulated(run, seconds, runs):
        words = run.args[0]
        return 10, np.full(3, 10 * index.lengths[words].sum() * costs[words.size == 1])

    monkeypatch.setattr(scan_roofline, "short_runs", simulated)
    expected = 1e-9 * index.lengths[long].sum() + 3e-9 * index.lengths[short].sum()
    assert index.postings / scan_roofline.cached_scan_rate(searcher) == pytest.approx(expected)


def test_index_survives_being_saved(searcher, tmp_path):
    searcher.index.save(tmp_path)
    loaded = InvertedIndex.load(tmp_path)
    assert loaded.size == searcher.index.size
    np.testing.assert_array_equal(loaded.documents, searcher.index.documents)


def test_service_answers_what_the_index_answers(searcher):
    try:
        with service.saved(searcher) as folder:
            command = service.command(folder, 6, 4, 10, 30)
            with loopback.server(command) as shop:
                answers = [shop.ask(f"/{i}/query/{i}").decode() for i in range(6)]
    except loopback.LoopbackUnavailableError:
        pytest.skip("no loopback interface")
    queries = draw_queries(6, 4, 10, 30)
    assert answers == [",".join(map(str, searcher.search(query))) for query in queries]


def test_every_query_under_load_is_answered_in_order(searcher):
    with service.saved(searcher) as folder:
        run = service.serve(folder, searcher, 400, count=20, seed=1)
    assert run.responses.size == 20
    assert (run.starts[1:] >= run.ends[:-1] - 1e-9).all()
    assert (run.services > 0).all()


def test_without_a_loopback_the_same_queries_run_inside(searcher, monkeypatch, tmp_path):
    def nowhere(command):
        raise loopback.LoopbackUnavailableError("no server can be opened")

    monkeypatch.setattr(loopback, "server", nowhere)
    run = service.serve(tmp_path, searcher, 400, count=5, seed=1)
    assert run.where.startswith("a worker inside this process")
    assert run.responses.size == 5


def test_response_forecast_covers_simulated_services_of_the_same_distribution():
    rng = np.random.default_rng(5)
    known = Calibration(rng.exponential(0.002, 400), 0.0, 0.0)
    rate = 0.6 / known.mean_service
    held = 0
    for seed in range(6):
        plan = service.timetable(rate, draw_queries(100, seed), seed)
        low, high = service.response_interval(known, plan, runs=20)
        truth = replay(plan.arrivals, rng.choice(known.services, 100)).mean()
        held += low <= truth <= high
    assert held >= 5
    assert formulas(known, rate)["M/G/1"] > 2 * known.mean_service


def test_a_server_that_is_never_idle_gives_no_interval():
    plan = service.timetable(1000.0, draw_queries(5, 1), 1)
    ends = 10.0 + np.arange(1, 6)
    run = MeasuredRun(plan, ends - 1, ends, ends, plan.arrivals, "made up")
    assert measured_interval(run) == (0.0, np.inf)


@given(st.floats(0.1, 10), st.floats(0.01, 2), st.integers(1, 16))
def test_build_forecast_is_amdahl_s_law(blocks, merging, count):
    profile = workers.BuildProfile(np.full(3, blocks), np.full(3, merging))
    time, low, high = profile.forecast(count)
    assert time == pytest.approx(merging + blocks / count)
    assert low == pytest.approx(time)
    assert high == pytest.approx(time)


def test_build_profile_refuses_times_that_do_not_pair():
    with pytest.raises(ValueError, match="merging"):
        workers.BuildProfile(np.ones(3), np.ones(2))


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_shares_of_workers_build_the_same_index(count):
    size = 8 * CHUNK
    bounds = block_bounds(size)
    shares = workers.shared_out(bounds, count)
    assert [block for share in shares for block in share] == bounds
    assert sum(number for _, number in bounds) == size
    blocks = [block for share in shares for block in build_blocks(share)]
    assert workers.checksum(merge_blocks(blocks).documents) == workers.checksum(
        build(size).documents
    )


def test_checksum_changes_with_the_order():
    assert workers.checksum([1, 2, 3]) != workers.checksum([2, 1, 3])


def test_sizes_must_be_whole_chunks():
    with pytest.raises(ValueError, match="size"):
        block_bounds(CHUNK + 1)
    with pytest.raises(ValueError, match="count"):
        read_documents(0, 7)


def test_contest_on_times_of_known_truth(searcher):
    queries = draw_queries(160, 1)
    features = unseen_queries.describe(queries, searcher.index)
    assert features["words"].tolist() == [len(set(query.words.tolist())) for query in queries]
    times = 1e-4 + 2e-9 * features["postings"].to_numpy()
    split = unseen_queries.two_tests(features["length"])
    longest = features["length"].to_numpy()[split.train].max()
    assert (features["length"].to_numpy()[split.tests["longer"]] >= longest).all()
    errors = unseen_queries.contest(features, times, split)
    assert errors.loc[unseen_queries.WHITEBOX].max() < 1e-6
    assert errors.loc[unseen_queries.LEARNER, "longer"] > 0.02
    assert errors.loc[unseen_queries.REGRESSION, "as long"] > 1e-3


def test_forecast_of_unseen_queries_covers_the_truth_of_noisy_times():
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        postings, asked = rng.uniform(1, 10, 80), rng.uniform(10, 20, 40)
        times = (1 + 0.5 * postings) * rng.lognormal(0, 0.1, 80)
        truth = (1 + 0.5 * asked.mean()) * np.exp(0.1**2 / 2)
        _, low, high = unseen_queries.forecast_mean(postings, times, asked)
        held += low <= truth <= high
    assert held >= 34


def test_mean_of_medians_ignores_a_disturbed_round_and_knows_none():
    rounds = np.tile([[1.0], [3.0]], (1, 7))
    assert unseen_queries.mean_of_medians(rounds) == (2.0, 2.0, 2.0)
    rounds[:, 3] *= 50
    value, low, high = unseen_queries.mean_of_medians(rounds)
    assert (value, low) == (2.0, 2.0)
    assert high >= 2.0
    with pytest.raises(ValueError, match="rounds"):
        unseen_queries.mean_of_medians([1.0, 2.0])


def test_contest_needs_queries_to_test_on():
    with pytest.raises(ValueError, match="lengths"):
        unseen_queries.two_tests(np.arange(100.0))


@pytest.mark.parametrize("exponent", [1.0, 1.15])
def test_growth_forecast_covers_the_truth(exponent):
    sizes, held = [12_500, 25_000, 50_000, 100_000], 0
    for seed in range(12):
        noise = np.random.default_rng(seed).lognormal(0, 0.02, (4, 7))
        times = 1e-8 * np.power(sizes, exponent)[:, None] * noise
        value, low, high, found = larger_corpus.growth_forecast(sizes, times, 400_000)
        held += low <= 1e-8 * 400_000**exponent <= high
        assert low <= value <= high
        assert found == pytest.approx(exponent, abs=0.05)
    assert held >= 11


def test_growth_forecast_refuses_times_of_other_sizes():
    with pytest.raises(ValueError, match="times"):
        larger_corpus.growth_forecast([1, 2, 3], np.ones((2, 5)), 10)


@pytest.mark.parametrize(
    ("measured", "waited", "conclusion"),
    [
        ((1.1, 1.0, 1.2), 0.0, "held"),
        ((1.6, 1.5, 1.7), 0.0, "too low"),
        ((0.5, 0.4, 0.55), 0.0, "too high"),
        ((1.1, 0.6, 1.9), 0.0, "too wide"),
        ((1.1, 0.0, np.inf), 0.0, "too wide"),
        ((1.6, 1.5, 1.7), 0.4, "busy"),
    ],
)
def test_conclusion_and_its_sentence(measured, waited, conclusion):
    outcome = Outcome((1.0, 0.8, 1.3), measured, waited)
    assert outcome.conclusion == conclusion
    said = sentence(outcome, guess=2.0)
    tells = conclusion in ("busy", "too wide")
    assert said.startswith("**Can't tell" if tells else f"**The forecast {conclusion}"[:15])
    assert ("Your own number" in said) != tells
    assert "inf" not in said


def test_own_number_is_judged_by_its_ratio():
    outcome = Outcome((1.0, 0.8, 1.3), (1.0, 0.95, 1.05), 0.0)
    assert "close" in sentence(outcome, 1.1)
    assert "too high, by a factor of 3" in sentence(outcome, 3.0)
    assert "too low, by a factor of 4" in sentence(outcome, 0.25)
    assert "prefix" not in sentence(outcome, 3.0) + sentence(outcome, 1.1)


@pytest.mark.parametrize("waited", [0.0, 0.4])
def test_a_number_in_another_unit_is_sent_to_its_prefix_and_stands(waited, tmp_path):
    record = ForecastRecord(tmp_path / "one-program.json")
    record.commit("query", 1100)
    record.waited = waited
    said = record.add("query", (1e-3, 0.8e-3, 1.3e-3), (1e-3, 0.95e-3, 1.05e-3)).text
    assert said.endswith("Check the unit's prefix.")
    assert waited or "too high, by a factor of 1,100." in said
    assert record.guesses["query"] == pytest.approx(1.1)


def test_a_wide_interval_names_what_to_raise_in_its_cell(tmp_path):
    record = ForecastRecord(tmp_path / "one-program.json")
    notebook = Path(__file__).parents[3] / "notebooks/measurement/one-program.ipynb"
    cells = [cell.source for cell in nbformat.read(notebook, 4).cells]
    for name in PARTS:
        said = record.add(name, (1.0, 0.9, 1.1), (1.0, 0.5, 2.0)).text
        longer = re.search(r"raise (?:<code>)?`?(\w+)", said)[1]
        (cell,) = [cell for cell in cells if f'record.add("{name}"' in cell]
        assert longer in cell


def test_first_number_stands_and_only_parts_with_a_number_are_kept(tmp_path):
    file = tmp_path / "one-program.json"
    record = ForecastRecord(file)
    assert "Not done yet" in record.commit("query", ...).text
    record.add("build", (1.0, 0.9, 1.1), (1.0, 0.95, 1.05))
    assert not file.exists()
    assert "is kept" in record.commit("query", 3).text
    assert "first number stands" in record.commit("query", 9).text
    assert "first number stands" in record.commit("query", ...).text
    record.add("query", (0.001, 0.0005, 0.002), (0.0011, 0.001, 0.0012))
    again = ForecastRecord(file)
    assert again.guesses == {"query": pytest.approx(0.003)}
    assert again.outcomes["query"] == record.outcomes["query"]
    kept = json.loads(file.read_text())
    assert set(kept) == {"query"}
    assert set(kept["query"]) == {"guess", "committed_at", "unit", "outcome"}
    assert kept["query"]["committed_at"] <= kept["query"]["outcome"]["measured_at"]


def test_guess_after_the_first_measurement_shows_in_the_dates(tmp_path, monkeypatch):
    dates = iter("abc")
    monkeypatch.setattr(forecast_record, "_now", lambda: next(dates))
    record = ForecastRecord(tmp_path / "one-program.json")
    record.add("scan", (1.0, 0.9, 1.1), (1.0, 0.95, 1.05))
    record.commit("scan", 500)
    record.add("scan", (1.0, 0.9, 1.1), (1.0, 0.95, 1.05))
    kept = json.loads(record.file.read_text())["scan"]
    assert (kept["outcome"]["measured_at"], kept["committed_at"]) == ("a", "b")
    assert ForecastRecord(record.file).outcomes["scan"].conclusion == "held"


def test_damaged_file_is_set_aside(tmp_path):
    file = tmp_path / "one-program.json"
    file.write_text("{")
    assert ForecastRecord(file).guesses == {}
    assert (tmp_path / "one-program.damaged-1.json").exists()


def test_table_and_picture_at_every_stage(tmp_path):
    record = ForecastRecord(tmp_path / "one-program.json")
    assert "6 rows" in record.table().text
    assert "0 of 0" in record.picture().text
    record.commit("response", 2.5)
    for name in PARTS:
        record.add(name, (1.0, 0.9, 1.2), (1.1, 0.0, np.inf) if name == "scan" else (9.0, 8.0, 9.5))
    assert record.picture().text == "0 of 6 forecasts held; for 1 the measurement can't tell."


def test_bad_numbers_and_parts_are_refused(tmp_path):
    record = ForecastRecord(tmp_path / "one-program.json")
    with pytest.raises(ValueError, match="guess"):
        record.commit("query", -1)
    with pytest.raises(ValueError, match="part"):
        record.commit("nothing", 1)


def test_watch_takes_the_busier_moment(monkeypatch, tmp_path):
    seen = iter([0.3, 0.05])
    monkeypatch.setattr(forecast_record, "waiting_fraction", lambda: next(seen))
    record = ForecastRecord(tmp_path / "one-program.json")
    with record.watch():
        pass
    record.add("query", (1.0, 0.9, 1.1), (1.0, 0.95, 1.05))
    assert record.outcomes["query"].conclusion == "busy"


@pytest.mark.parametrize("scanned", range(len(POSTINGS) + 1))
def test_drawing_adds_up_the_postings_read(scanned):
    scene = posting_lists(scanned)
    assert scene.values["postings read"] == scanned
    counts = Counter(number for _, number in POSTINGS[:scanned])
    assert scene.values["highest score"] == max(counts.values(), default=0)


@pytest.mark.parametrize(
    ("memory", "core", "said"),
    [(1.0, 3.0, "The core is the bound"), (3.0, 1.0, "The memory is"), (1.0, 0.9, "equally long")],
)
def test_conclusion_about_a_scan(memory, core, said):
    assert said in scan_roofline.conclusion(scan_roofline.ScanBound(memory, core))


def test_conclusion_about_families():
    import pandas as pd

    errors = pd.DataFrame({"longer": [0.05, 0.30, 0.20]}, index=["line", "forest", "curve"])
    said = unseen_queries.conclusion(errors, disturbed=False)
    assert "**line** is the most accurate" in said
    assert "curve, is off by 20 %" in said
    assert "Can't tell" in unseen_queries.conclusion(errors, disturbed=True)
    errors.loc["curve"] = 0.055
    assert "equally accurate" in unseen_queries.conclusion(errors, disturbed=False)


def test_worst_forecast_is_the_largest_ratio_among_parts_that_tell(tmp_path):
    record = ForecastRecord(tmp_path / "one-program.json")
    assert "No forecast is tested yet" in record.worst().text
    record.add("query", (1.0, 0.9, 1.1), (1.0, 0.95, 1.05))
    assert "No forecast missed" in record.worst().text
    record.add("scan", (1.0, 0.9, 1.1), (2.0, 1.95, 2.05))
    record.add("build", (1.0, 0.9, 1.1), (0.25, 0.24, 0.26))
    record.add("larger", (1.0, 0.9, 1.1), (9.0, 1.0, 20.0))
    assert "part 2, building on 2 workers" in record.worst().text
    assert "0.25 times" in record.worst().text


@pytest.mark.parametrize(
    "entry",
    [[1], {"guess": "x"}, {"guess": -1.0}, {"guess": 1e-3, "outcome": {"forecast": [1.0]}}],
)
def test_a_damaged_entry_counts_as_missing(tmp_path, entry):
    file = tmp_path / "one-program.json"
    file.write_text(json.dumps({"query": entry, "scan": {"guess": 2e-3}}))
    kept = ForecastRecord(file)
    assert kept.outcomes == {}
    assert kept.guesses["scan"] == 2e-3
    assert kept.guesses.get("query") in (None, 1e-3)
