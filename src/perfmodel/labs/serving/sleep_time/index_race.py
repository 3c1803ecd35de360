"""A race on your machine: an index built ahead against answers from scratch.

First the work ahead and the two kinds of answer are timed, which gives a forecast of the
break-even; then other questions are asked until the index has paid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

from perfmodel.labs.serving.sleep_time.contexts import Question, Subject
from perfmodel.measurement import median_interval
from perfmodel.serving import Precomputation
from perfmodel.validation import Floats, positive, whole

CALIBRATION = 40
"""Questions that a forecast is made from."""
MOST = 6
"""A race ends, unpaid, after so many times the questions that were forecast."""
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
    subject: Subject, rounds: int = 15, seed: int = 1, clock: Clock = thread_time
) -> IndexRace:
    """Forecast when an index pays, and ask other questions until it has; so many times.

    In the race the same questions are answered by both ways, all by one and then all by the other,
    whose turn it is being drawn: the second of two answers to one question would find it in the
    machine's caches. Seconds are added up; within the question at which the sums cross, the
    crossing is interpolated.

    Parameters
    ----------
    subject : Subject
    rounds : int
        8 or more, so that a median has an interval. One more is played first and left out.
    seed : int
        Of the questions.
    clock : callable
        Returns seconds; without it those in which the processor worked for this program, so that
        other programs take no time from it.

    Returns
    -------
    IndexRace

    Raises
    ------
    RuntimeError
        If the two ways give different answers.
    """
    rng = np.random.default_rng(seed)
    played = [_round(subject, rng, clock) for _ in range(whole("rounds", rounds, 8) + 1)]
    ahead, fresh, looked_up, raced = (np.array(column) for column in zip(*played[1:], strict=True))
    return IndexRace(subject.name, subject.covered, ahead, fresh, looked_up, raced)


def crossing(ahead: float, saved: Sequence[float]) -> float:
    """Return after how many questions their savings have paid for the work ahead; inf if never.

    Parameters
    ----------
    ahead : float
        Seconds, above 0.
    saved : sequence of float
        Seconds that each question saves, in order; below 0 where it takes longer.

    Returns
    -------
    float
        The first crossing, interpolated within its question.

    Examples
    --------
    >>> crossing(5.0, [2.0, 2.0, 2.0]), crossing(5.0, [1.0])
    (2.5, inf)
    """
    sums = np.cumsum(saved)
    paid = np.flatnonzero(sums >= positive("ahead", ahead))
    if not paid.size:
        return float("inf")
    place = int(paid[0])
    return float(place + 1 - (sums[place] - ahead) / saved[place])


def verdict(race: IndexRace) -> str:
    """Return in words whether the forecast held, as far as the rounds can tell."""
    middle, low, high = race.ratio
    if not np.isfinite(high):
        return "didn't pay often enough to tell"
    if high / low > 1.5:
        return "can't tell: interval too wide"
    if low <= 1 <= high:
        return "agrees"
    return f"paid {100 * abs(middle - 1):.1f} % {'later' if low > 1 else 'sooner'}"


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
    most = int(MOST * hoped) + 1 if np.isfinite(hoped) else MOST * CALIBRATION
    paid, index = _timed(subject.build, clock)
    saved: list[float] = []
    while len(saved) < most and sum(saved) < paid:
        questions = subject.ask(rng, int(np.clip(1.5 * hoped, CALIBRATION, most)))
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
    return clock() - began, result
