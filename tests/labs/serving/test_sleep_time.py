"""Sleep-time compute: when work ahead pays."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse.csgraph import floyd_warshall

from perfmodel.labs.serving.sleep_time import headlines, index_race
from perfmodel.labs.serving.sleep_time.claims import SHEET
from perfmodel.labs.serving.sleep_time.contexts import (
    ELEMENTS,
    Subject,
    best_rows,
    choices,
    context_cost,
    covered_fraction,
    exponential_scale,
    random_graph,
    range_sums,
    shortest_paths,
)
from perfmodel.labs.serving.sleep_time.headlines import EXAMPLE, FACTOR, QUERIES, SAVING, WEIGHT
from perfmodel.labs.serving.sleep_time.index_race import (
    IndexRace,
    conclusion,
    crossing,
    race,
    race_summary,
)
from perfmodel.labs.serving.sleep_time.timeline import (
    END,
    GAPS,
    PLAN,
    QUESTIONS,
    answer_times,
    played,
    sleep_timeline,
)
from perfmodel.live.drawing import Box
from perfmodel.offloading import zipf_popularity
from perfmodel.serving import remaining_work


def test_both_contexts_answer_alike_by_an_independent_method():
    sums = range_sums(500)
    index = sums.build()
    rng = np.random.default_rng(4)
    for question in sums.ask(rng, 50):
        assert sums.look_up(index, question) == sums.scratch(question)
    paths = shortest_paths(nodes=40)
    table = paths.build()
    lengths = [[paths.scratch((i, j)) for j in range(40)] for i in range(40)]
    assert np.array(lengths) == pytest.approx(table)
    assert floyd_warshall(random_graph(40, 0)) == pytest.approx(table)


def test_covered_share_is_that_of_the_questions_drawn():
    subject = shortest_paths(rows=10, exponent=1.0, nodes=80)
    asked = subject.ask(np.random.default_rng(0), 20_000)
    assert np.mean([source < 10 for source, _ in asked]) == pytest.approx(subject.covered, abs=0.02)
    index = subject.build()
    assert subject.look_up(index, (9, 3)) is not None
    assert subject.look_up(index, (10, 3)) is None
    assert shortest_paths(nodes=50, rows=50).covered == pytest.approx(1)


ONES = np.ones(8)
SPREAD = np.linspace(0.95, 1.05, 8)


def race_of_rounds(forecast, raced, ahead=1.0):
    """Return rounds with these medians, raced within 5 %; an answer saves nine tenths."""
    fresh = ahead / forecast / 0.9
    return IndexRace("x", 1.0, ahead * ONES, fresh * ONES, fresh * ONES / 10, raced * SPREAD)


GOOD = race_of_rounds(100, 100, ahead=10.0), race_of_rounds(90, 90), race_of_rounds(20, 20)


def test_all_forecasts_held():
    words = race_summary(race_of_rounds(40, 40), *GOOD)
    assert "predicted 3 questions for the array; the race took 40.0, 13 times as many" in words
    assert "Of 4 forecasts from seconds, 4 agree with the race." in words
    assert "took 10 times less work than the whole table" in words
    assert "the small table paid after 90 questions, with unequal ones after 20." in words
    assert "you know what will be asked" in words


def test_counting_additions_may_be_right():
    as_counted = IndexRace(
        "x", 1.0, ELEMENTS * ONES, ELEMENTS / 3 * ONES, ELEMENTS / 3e6 * ONES, 3.0 * ONES
    )
    words = race_summary(as_counted, *GOOD)
    assert "the race took 3.0, about as many. An addition in the table took at most" in words
    slow = race_summary(race_of_rounds(40, 40), *GOOD)
    assert "An addition in the table took 12 times as long" in slow


def test_forecasts_may_be_off_or_unknown():
    words = race_summary(race_of_rounds(40, 60), *GOOD)
    assert "3 agree with the race, 1 does not." in words
    spread = np.geomspace(4, 400, 8)
    unknown = IndexRace("x", 1.0, ONES, ONES / 36, ONES / 360, spread)
    words = race_summary(
        unknown, race_of_rounds(10, 30), race_of_rounds(10, 30), race_of_rounds(10, 10)
    )
    assert "1 agrees with the race, 2 do not, and 1 can't be decided." in words


def test_a_table_that_never_pays():
    words = race_summary(
        race_of_rounds(40, np.inf),
        race_of_rounds(100, 100),
        race_of_rounds(90, np.inf),
        race_of_rounds(20, 20),
    )
    assert "in most rounds of the race the table never paid" in words
    assert "can't be compared" in words
    assert "inf" not in words


def test_popular_sources_may_not_help():
    words = race_summary(
        race_of_rounds(40, 40),
        race_of_rounds(100, 100),
        race_of_rounds(90, 90),
        race_of_rounds(80, 80),
    )
    assert "Here popular sources did not halve this number." in words
    assert "you know what will be asked" not in words


def test_two_headlines_by_hand():
    """10 (1 / 2.5 - 1 / 5) = 2 answers; 2 / 0.8 = 2.5 questions."""
    assert headlines.implied_ahead().value == pytest.approx(2.0)
    assert headlines.implied_break_even().value == pytest.approx(2.5)


@given(saving=st.floats(2.45, 2.55), factor=st.floats(4.5, 5.5))
def test_ends_hold_whatever_was_rounded(saving, factor):
    """Any two numbers that are printed as 2.5 and 5 imply work between the ends."""
    work = QUERIES * (1 / saving - 1 / factor)
    _, low, high = headlines.implied_ahead()
    assert low - 1e-9 <= work <= high + 1e-9
    _, least, most = headlines.implied_break_even()
    assert least - 1e-9 <= work / (1 - 1 / factor) <= most + 1e-9
    queries = np.array([0.5, 1.0, 3.0, 10.0, 50.0])
    below, above = headlines.saving_band(queries)
    curve = 1 / (work / queries + 1 / factor)
    assert (below <= curve + 1e-9).all()
    assert (curve <= above + 1e-9).all()


def test_the_way_back_leads_to_the_headline_and_so_is_no_test():
    plan = headlines.plan(headlines.implied_ahead().value, FACTOR)
    assert plan.saving(QUERIES) == pytest.approx(SAVING)


def test_round_example_is_not_the_papers():
    assert EXAMPLE.weight == WEIGHT
    assert EXAMPLE.cost_without == pytest.approx(100_000)
    assert EXAMPLE.cost([1, 10]) == pytest.approx([28_000, 20_800])
    assert EXAMPLE.relative_work < headlines.implied_ahead().low / 10


def test_nothing_is_claimed_and_the_sheet_says_why():
    assert not SHEET.claims
    assert "A third number would be a test" in SHEET.unheld


class Bench:
    """A context whose every step takes a stated time, on a clock of its own."""

    def __init__(self, ahead=10.0, fresh=1.0, looked_up=0.1, covered=1.0, later=1.0):
        self.now, self.builds = 0.0, 0
        self.ahead, self.fresh, self.looked_up = ahead, fresh, looked_up
        self.covered, self.later = covered, later

    def passes(self, seconds, result=0.0):
        self.now += seconds
        return result

    def build(self):
        self.builds += 1
        return self.passes(self.ahead * (self.later if self.builds % 2 == 0 else 1))

    def look_up(self, index, question):
        known = question[0] < 100 * self.covered
        return self.passes(self.looked_up if known else 0.0, 0.0 if known else None)

    def subject(self):
        return Subject(
            "bench",
            self.build,
            lambda question: self.passes(self.fresh),
            self.look_up,
            lambda rng, many: [(int(i), 0) for i in rng.integers(0, 100, many)],
            self.covered,
        )


def run(**times):
    bench = Bench(**times)
    return race(bench.subject(), rounds=8, clock=lambda: bench.now)


def test_known_times_give_the_known_break_even():
    result = run()
    assert result.forecast == pytest.approx(10 / 0.9)
    assert result.raced == pytest.approx(10 / 0.9)
    assert result.ratio == pytest.approx((1, 1, 1))
    assert result.factor == pytest.approx(10)


def test_a_race_that_takes_longer_to_build_is_seen():
    """Twice the work ahead in the race than in the forecast: paid after twice as many."""
    result = run(later=2.0)
    assert result.ratio == pytest.approx((2, 2, 2))
    assert conclusion(result) == "paid 100.0 % later"
    assert conclusion(run(later=0.5)) == "paid 50.0 % earlier"


def test_questions_not_covered_delay_it():
    result = run(ahead=200.0, covered=0.25)
    assert result.forecast == pytest.approx(200 / 0.25 / 0.9)
    assert np.mean(result.raced) == pytest.approx(200 / 0.25 / 0.9, rel=0.1)


def test_an_index_that_saves_nothing_never_pays():
    result = run(looked_up=2.0)
    assert np.isinf(result.raced).all()
    assert np.isinf(result.forecast).all()
    assert conclusion(result) == "didn't pay often enough to tell"


def test_verdicts():
    def of(ratios):
        ones = np.full(len(ratios), 1.0)
        return conclusion(IndexRace("x", 1.0, ones * 9, ones, ones * 0.1, np.array(ratios) * 10))

    assert of([0.9, 0.95, 1.0, 1.0, 1.0, 1.05, 1.1, 1.1]) == "agrees"
    assert of([0.3, 0.4, 0.9, 1.0, 1.1, 1.8, 2.0, 3.0]) == "can't tell: interval too wide"
    assert of([1.2] * 8) == "paid 20.0 % later"


def test_a_few_spoilt_rounds_do_not_matter():
    ones = np.ones(25)
    raced = np.append(np.full(23, 10.0), [np.inf, 500.0])
    ratio = IndexRace("x", 1.0, ones * 9, ones, ones * 0.1, raced).ratio
    assert ratio == pytest.approx((1, 1, 1))
    most = IndexRace("x", 1.0, ones * 9, ones, ones * 0.1, np.full(25, np.inf))
    assert most.ratio == (np.inf, 0.0, np.inf)


def test_a_clock_that_stands_still_spoils_nothing():
    """As where seconds are counted in ticks longer than a round."""
    bench = Bench()
    result = race(bench.subject(), rounds=8, clock=lambda: 0.0)
    assert (result.fresh > 0).all()
    assert conclusion(result) == "didn't pay often enough to tell"


def test_a_spoilt_forecast_ends_the_race():
    """It takes a million questions to pay: the race gives up long before."""
    bench = Bench(ahead=1e6)
    asked = []
    subject = bench.subject()
    counted = Subject(
        "counted",
        subject.build,
        subject.scratch,
        subject.look_up,
        lambda rng, many: asked.append(many) or subject.ask(rng, many),
    )
    result = race(counted, rounds=8, clock=lambda: bench.now)
    assert np.isinf(result.raced).all()
    assert max(asked) <= index_race.LONGEST + 1


def test_no_round_begins_after_the_limit():
    bench = Bench()
    result = race(bench.subject(), rounds=500, clock=lambda: bench.now, limit=1e-9)
    assert result.raced.size == 8
    assert result.ratio == pytest.approx((1, 1, 1))


def test_a_clock_in_ticks_is_replaced(monkeypatch):
    assert index_race.processor_clock() in (index_race.thread_time, index_race.perf_counter)
    monkeypatch.setattr(index_race, "thread_time", lambda: 0.015625)
    assert index_race.processor_clock() is index_race.perf_counter


def test_wrong_answers_are_refused():
    bench = Bench()
    subject = bench.subject()
    wrong = Subject(
        "wrong", subject.build, subject.scratch, lambda index, question: 1.0, subject.ask
    )
    with pytest.raises(RuntimeError, match="wrong: the index must give the same answers"):
        race(wrong, rounds=8, clock=iter(np.arange(1e6)).__next__)


def test_crossing_by_hand():
    assert crossing(5.0, [2.0, 2.0, 2.0]) == pytest.approx(2.5)
    assert crossing(5.0, [6.0]) == pytest.approx(5 / 6)
    assert crossing(2.0, [3.0, -2.0, 5.0]) == pytest.approx(2 / 3)
    assert crossing(1.0, []) == np.inf


def test_real_subjects_run(monkeypatch):
    monkeypatch.setattr(index_race, "CALIBRATION", 5)
    result = race(shortest_paths(rows=3, exponent=1.0, nodes=20), rounds=8)
    assert result.raced.shape == (8,)
    assert (result.fresh > 0).all()


@given(
    sources=st.integers(1, 60),
    exponent=st.floats(0, 3),
    queries=st.floats(0, 1e4),
    row=st.floats(0.1, 100),
    fresh=st.floats(0.1, 100),
)
def test_best_rows_cost_least_of_all(sources, exponent, queries, row, fresh):
    shares = zipf_popularity(sources, exponent)
    costs = context_cost(shares, queries, row, fresh, np.arange(sources + 1))
    best = int(best_rows(shares, queries, row, fresh))
    assert costs[best] <= costs.min() * (1 + 1e-9) + 1e-9


def test_cost_by_playing_questions():
    """Draw questions, count those about sources without a row."""
    shares = zipf_popularity(20, 1.0)
    asked = np.random.default_rng(3).choice(20, (20_000, 10), p=shares)
    played = 5 * 2.0 + 3.0 * (asked >= 5).sum(axis=1)
    error = played.std(ddof=1) / np.sqrt(played.size)
    assert abs(played.mean() - context_cost(shares, 10, 2.0, 3.0, 5)) < 4 * error


def test_alike_it_is_all_or_nothing():
    shares = np.full(10, 0.1)
    assert best_rows(shares, [9.9, 10.1], 1.0, 1.0).tolist() == [0, 10]


def test_covered_share_ends():
    shares = zipf_popularity(7, 1.3)
    assert covered_fraction(shares, 0) == 0
    assert covered_fraction(shares, 7) == pytest.approx(1)


@given(sources=st.integers(2, 60), exponent=st.floats(0, 3))
def test_exponential_meets_the_covered_share(sources, exponent):
    shares = zipf_popularity(sources, exponent)
    scale = exponential_scale(shares, sources // 2)
    left = remaining_work(sources // 2, 1.0, 0.0, scale)
    assert left == pytest.approx(1 - covered_fraction(shares, sources // 2))


@given(sources=st.integers(3, 60), exponent=st.floats(0, 3), queries=st.floats(0.1, 1e4))
def test_the_guess_never_costs_less_than_the_best(sources, exponent, queries):
    shares = zipf_popularity(sources, exponent)
    result = choices(shares, [queries], sources // 2)
    costs = context_cost(shares, queries, 1.0, 1.0, np.arange(sources + 1))
    assert costs[result.best[0]] * result.excess[0] == pytest.approx(costs[result.guessed[0]])
    assert result.excess[0] >= 1 - 1e-9
    assert 0 <= result.guessed[0] <= sources


def test_best_number_is_a_power_of_the_questions():
    """i^-a qN / H > 1 holds for i up to (qN / H)^(1/a)."""
    for exponent in (0.5, 1.0, 2.0):
        shares = zipf_popularity(1000, exponent)
        queries = np.array([50.5, 200.5]) ** exponent / shares[0]
        assert choices(shares, queries, 20).best.tolist() == [50, 200]


def test_the_guess_goes_by_the_rows_that_were_tried():
    shares = zipf_popularity(200, 1.0)
    for tried in (5, 20):
        scale = -tried / np.log(1 - shares[:tried].sum())
        guess = round(scale * np.log(1000 / scale))
        assert choices(shares, [1000], tried).guessed.tolist() == [guess]


def test_an_exponential_needs_an_uncovered_share_and_falling_ones():
    with pytest.raises(ValueError, match="uncovered share must be above 0"):
        exponential_scale([0.5, 0.5], 2)
    with pytest.raises(ValueError, match="shares must fall"):
        best_rows([0.2, 0.8], 1, 1, 1)


@given(
    gaps=st.lists(st.floats(0, 10), min_size=1, max_size=20),
    each=st.floats(0.1, 10),
    busy=st.floats(0, 20),
)
def test_answers_are_those_of_one_after_the_other(gaps, each, busy):
    came = np.cumsum(gaps)
    free, ends = busy, []
    for time in came:
        free = max(free, time) + each
        ends.append(free)
    assert answer_times(came, each, busy).end == pytest.approx(ends)


def test_with_time_enough_nobody_waits_for_the_work_ahead():
    late = played(PLAN.ahead, True)
    assert late.response == pytest.approx(PLAN.fresh / PLAN.factor)
    early = played(0.0, True)
    assert early.response[0] == pytest.approx(PLAN.ahead + PLAN.fresh / PLAN.factor)
    assert played(0.0, False).response.tolist() == played(12.0, False).response.tolist()


def test_costs_are_those_of_the_plan_once_all_is_answered():
    values = sleep_timeline(12.0, END).values
    assert values["paid in time"] == pytest.approx(QUESTIONS * PLAN.cost_without)
    assert values["paid ahead"] == pytest.approx(QUESTIONS * PLAN.cost(QUESTIONS))


def test_work_ahead_while_somebody_waits_counts_in_full():
    paid = [sleep_timeline(gap, END).values["paid ahead"] for gap in GAPS]
    assert paid[0] - paid[1] == pytest.approx(4.0 * (PLAN.weight - 1))
    assert paid[2] == paid[3]


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("moment", np.arange(0, END + 1, 2).tolist())
def test_every_state_can_be_read(gap, moment):
    scene = sleep_timeline(gap, moment)
    assert scene.faults() == []
    if moment == 0:
        assert not any(isinstance(shape, Box) for shape in scene.shapes)
