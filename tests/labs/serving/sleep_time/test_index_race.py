"""The race on a clock that the subject itself moves, so that every time is known."""

import numpy as np
import pytest

from perfmodel.labs.serving.sleep_time import index_race
from perfmodel.labs.serving.sleep_time.contexts import Subject, range_sums, shortest_paths
from perfmodel.labs.serving.sleep_time.index_race import IndexRace, crossing, race, verdict


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
    assert verdict(result) == "paid 100.0 % later"
    assert verdict(run(later=0.5)) == "paid 50.0 % sooner"


def test_questions_not_covered_delay_it():
    result = run(ahead=200.0, covered=0.25)
    assert result.forecast == pytest.approx(200 / 0.25 / 0.9)
    assert np.mean(result.raced) == pytest.approx(200 / 0.25 / 0.9, rel=0.1)


def test_an_index_that_saves_nothing_never_pays():
    result = run(looked_up=2.0)
    assert np.isinf(result.raced).all()
    assert np.isinf(result.forecast).all()
    assert verdict(result) == "didn't pay often enough to tell"


def test_verdicts():
    def of(ratios):
        ones = np.full(len(ratios), 1.0)
        return verdict(IndexRace("x", 1.0, ones * 9, ones, ones * 0.1, np.array(ratios) * 10))

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
    assert verdict(result) == "didn't pay often enough to tell"


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


def test_refuses():
    with pytest.raises(ValueError, match="rounds must be a whole number, 8 or more, got 3"):
        race(range_sums(10), rounds=3)
    with pytest.raises(ValueError, match="limit must be above 0, got 0"):
        race(range_sums(10), limit=0)
    with pytest.raises(ValueError, match="ahead must be above 0, got 0"):
        crossing(0.0, [1.0])
