"""A race on your machine between an index built ahead and answers from scratch.

First the work ahead and the two kinds of answer are timed, which gives a forecast of the
break-even; then other questions are asked until the index has paid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from perfmodel.labs.serving.sleep_time.contexts import ELEMENTS, NODES, ROWS, Question, Subject
from perfmodel.measurement import median_interval
from perfmodel.serving import Precomputation
from perfmodel.validation import Floats, positive, whole

LEAST = 8
"""Rounds, for a median to have an interval."""
CALIBRATION = 40
"""Questions that a forecast is made from."""
MOST = 6
"""A race ends, unpaid, after this many times the questions that were forecast,"""
LONGEST = 3000
"""or after this many in any case, because a pause of the machine can spoil a forecast."""
TICK = 1e-9
"""Seconds that pass at least between two readings of a clock."""
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class IndexRace:
    """What was timed of a subject in each round, shape (rounds,)."""

    name: str
    covered: float
    """Share of questions that the index covers."""
    ahead: Floats
    """Seconds of building the index, before the forecast."""
    fresh: Floats
    """Mean seconds of an answer from scratch, before the forecast."""
    looked_up: Floats
    """Mean seconds of a covered answer from the index, before the forecast."""
    raced: Floats
    """Questions after which the index had paid in the race; inf where it had not at its end."""

    @property
    def forecast(self) -> Floats:
        """Questions after which it was to pay, from the same round's calibration."""
        rows = zip(self.ahead, self.fresh, self.looked_up, strict=True)
        return np.array(
            [
                Precomputation(ahead, fresh, fresh / looked, covered=self.covered).break_even
                for ahead, fresh, looked in rows
            ]
        )

    @property
    def factor(self) -> float:
        """How many times less a covered answer took: median over rounds."""
        return float(np.median(self.fresh / self.looked_up))

    @property
    def ratio(self) -> tuple[float, float, float]:
        """Raced over forecast questions, medians over rounds, and an interval's ends (95 %).

        The ends are those of the two medians' intervals at 97.5 %, so that it is wide enough
        however the two hang together. Single rounds that a pause of the machine spoilt don't
        matter; where half of them never paid, the ratio is infinite and its interval starts at 0.
        """
        raced, forecast = _median(self.raced), _median(self.forecast)
        if not np.isfinite([raced[0], forecast[0]]).all():
            return float("inf"), 0.0, float("inf")
        return raced[0] / forecast[0], raced[1] / forecast[2], raced[2] / forecast[1]


def race(
    subject: Subject,
    rounds: int = 15,
    seed: int = 1,
    clock: Clock | None = None,
    limit: float | None = None,
) -> IndexRace:
    """Forecast when an index pays, and ask other questions until it has; this many times.

    Both ways answer the same questions, first all by one way and then all by the other, in random
    order. (If they alternated, the second answer to a question would find it in the caches.) The
    seconds are added, and the crossing of the sums is interpolated within a question.

    One more round is played first and left out. After `limit` seconds of wall time no further round
    begins if 8 were played. Different answers raise a `RuntimeError`.
    """
    rng = np.random.default_rng(seed)
    used = processor_clock() if clock is None else clock
    at_most = whole("rounds", rounds, LEAST)
    ends = np.inf if limit is None else perf_counter() + float(positive("limit", limit))
    played = [_round(subject, rng, used)]
    while len(played) <= LEAST or (len(played) <= at_most and perf_counter() < ends):
        played.append(_round(subject, rng, used))
    ahead, fresh, looked_up, raced = (np.array(column) for column in zip(*played[1:], strict=True))
    return IndexRace(subject.name, subject.covered, ahead, fresh, looked_up, raced)


def processor_clock() -> Clock:
    """Return the clock of seconds in which the processor worked for this program.

    Other programs take no time from it. Where it moves only now and then, as on some systems, the
    clock on the wall is returned instead.

    >>> processor_clock() in (thread_time, perf_counter)
    True
    """
    readings = {thread_time() for _ in range(200)}
    return thread_time if len(readings) > 100 else perf_counter


def crossing(ahead: float, saved: Sequence[float]) -> float:
    """Return after how many questions their savings have paid for the work ahead; inf if never.

    Seconds; a question's saving is below 0 where it takes longer. The first crossing counts,
    interpolated within its question.

    >>> crossing(5.0, [2.0, 2.0, 2.0]), crossing(5.0, [1.0])
    (2.5, inf)
    """
    sums = np.cumsum(saved)
    paid = np.flatnonzero(sums >= positive("ahead", ahead))
    if not paid.size:
        return float("inf")
    index = int(paid[0])
    return float(index + 1 - (sums[index] - ahead) / saved[index])


def conclusion(race: IndexRace) -> str:
    """Return in words whether the forecast held, as far as the rounds can tell."""
    middle, low, high = race.ratio
    if not np.isfinite(high):
        return "didn't pay often enough to tell"
    if high / low > 1.5:
        return "can't tell: interval too wide"
    if low <= 1 <= high:
        return "agrees"
    return f"paid {100 * abs(middle - 1):.1f} % {'later' if low > 1 else 'earlier'}"


def _median(values: Floats) -> tuple[float, float, float]:
    """Return the median and its interval's ends at 97.5 %, of values that may be infinite."""
    most = np.finfo(float).max
    finite = np.minimum(values, most)
    low, high = (np.inf if end == most else end for end in median_interval(finite, 0.975))
    return float(np.median(values)), float(low), float(high)


def _round(
    subject: Subject, rng: np.random.Generator, clock: Clock
) -> tuple[float, float, float, float]:
    """Return seconds of building, of both kinds of answer, and the questions raced."""
    ahead, index = _timed(subject.build, clock)
    questions = subject.ask(rng, CALIBRATION)
    fresh = _timed(lambda: [subject.scratch(q) for q in questions], clock)[0] / CALIBRATION
    known = [q for q in questions if subject.look_up(index, q) is not None] or questions
    looked_up = _timed(lambda: [subject.look_up(index, q) for q in known], clock)[0] / len(known)
    plan = Precomputation(ahead, fresh, fresh / looked_up, covered=subject.covered)
    hoped = plan.break_even
    most = MOST * CALIBRATION if np.isinf(hoped) else int(min(MOST * hoped, LONGEST)) + 1
    paid, index = _timed(subject.build, clock)
    saved: list[float] = []
    while len(saved) < most and sum(saved) < paid:
        questions = subject.ask(rng, int(max(CALIBRATION, min(1.5 * hoped, most))))
        runs = [subject.scratch, lambda question: subject.answer(index, question)]
        turned = bool(rng.integers(2))
        first, second = (_laps(run, questions, clock) for run in (runs[::-1] if turned else runs))
        if first[1] != second[1]:
            raise RuntimeError(f"{subject.name}: the index must give the same answers as no index")
        alone, helped = (second[0], first[0]) if turned else (first[0], second[0])
        saved += [without - using for without, using in zip(alone, helped, strict=True)]
    return ahead, fresh, looked_up, crossing(paid, saved)


def _laps(
    run: Callable[[Question], float], questions: Sequence[Question], clock: Clock
) -> tuple[list[float], list[float]]:
    """Return the seconds of each question, and the answers."""
    answers, laps = [], []
    began = clock()
    for question in questions:
        answers.append(run(question))
        ended = clock()
        laps.append(ended - began)
        began = ended
    return laps, answers


def _timed(run: Callable[[], Any], clock: Clock) -> tuple[float, Any]:
    began = clock()
    result = run()
    return max(clock() - began, TICK), result


def race_summary(sums: IndexRace, full: IndexRace, few: IndexRace, popular: IndexRace) -> str:
    """Return a paragraph on the races of an array's sums and of three tables of paths.

    Tables of all sources, and of `ROWS` sources: equally likely ones, and the most likely ones.
    """
    return " ".join([_counted(sums), _held([sums, full, few, popular]), _small(full, few, popular)])


def _counted(sums: IndexRace) -> str:
    """Say what counting additions was worth: it forecast 3 questions."""
    counted, raced = 3.0, _middle(sums.raced)
    words = f"Counting additions predicted {counted:.0f} questions for the array; "
    if not np.isfinite(raced):
        words += "in most rounds of the race the table never paid. "
    elif 0.8 <= raced / counted <= 1.25:
        words += f"the race took {raced:.1f}, about as many. "
    else:
        words += f"the race took {raced:.1f}, {raced / counted:.2g} times as many. "
    slower = _middle(sums.ahead) / ELEMENTS / (_middle(sums.fresh) / (ELEMENTS / 3))
    if slower <= 1.5:
        return words + "An addition in the table took at most 1.5 times as long as one in a sum."
    return words + (
        f"An addition in the table took {slower:.2g} times as long as one in a sum. It has to wait "
        "for the addition before it and is written to memory, which may be the reason."
    )


def _held(races: Sequence[IndexRace]) -> str:
    """Count the forecasts that agree, that don't, and that the race can't decide."""
    verdicts = [conclusion(race) for race in races]
    agree = verdicts.count("agrees")
    off = sum(words.startswith("paid") for words in verdicts)
    unknown = len(verdicts) - agree - off
    words = (
        f"Of {len(races)} forecasts from seconds, {agree} agree{'s' * (agree == 1)} with the race"
    )
    if off:
        words += f", {off} {'does' if off == 1 else 'do'} not"
    return words + (f", and {unknown} can't be decided." if unknown else ".")


def _small(full: IndexRace, few: IndexRace, popular: IndexRace) -> str:
    """Compare the small tables with the whole one, and with each other."""
    whole, alike, likely = (_middle(race.raced) for race in (full, few, popular))
    if not np.isfinite([whole, alike, likely]).all():
        return "Not all tables of paths paid in most rounds, so they can't be compared."
    words = (
        f"A table of paths from {ROWS} of {NODES} sources took "
        f"{_middle(full.ahead) / _middle(few.ahead):.2g} times less work than the whole table, "
        f"which paid after {whole:.0f} questions. With equally popular sources the small table "
        f"paid after {alike:.0f} questions, with unequal ones after {likely:.0f}. "
    )
    if likely < 0.5 * alike:
        return words + (
            "Only the questions differ between these two: working ahead pays early if you know "
            "what will be asked."
        )
    return words + "Here popular sources did not halve this number."


def _middle(values: Floats) -> float:
    return float(np.median(values))
