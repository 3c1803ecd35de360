"""The contest of model families, repeated: how often each is closest on this machine.

Each repeat measures three light loads and the target load again, in short runs. All predictions are
compared with the median of the repeats' target runs, which a single run with a long pause doesn't
change. On an ideal server the median is 8 % below the mean that formulas give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from perfmodel.measurement import median_interval
from perfmodel.queueing.distributions.service import Service
from perfmodel.queueing.operational_analysis.load_forecast import calibrate, formulas
from perfmodel.queueing.operational_analysis.timetable import MeasuredRun, Timetable, measure, plan
from perfmodel.validation import Floats, positive, whole

LIGHT, TARGET = (0.25, 0.4, 0.55), 0.7
"""Loads that a repeat sees, and the one that it is asked for."""

WARM_UP = 0.25
"""Share of a target run that is left out: it starts with an empty queue, which formulas don't."""

VAGUE = 0.25
"""Largest half interval of the median, as a fraction of the median, that allows a ranking."""

PAUSE = 0.02
"""Seconds between the runs of a repeat, in which the queue empties."""

WHITEBOX, GRAYBOX = "whitebox: M/G/1", "graybox: one factor fitted"
REGRESSION, LEARNED = "regression: parabola", "learned: forest"


def predictions(learn: Sequence[MeasuredRun], rate: float) -> dict[str, float]:
    """Return each family's prediction of the mean response at another load, in seconds.

    `learn` has three or more light loads, `rate` is in requests per second. The whitebox uses the
    services of the runs alone; the graybox keeps its shape and fits one factor to their mean
    responses, the regression a parabola through these; the learned model is a random forest over
    all requests, from rate to response. If services took so long that the requested load is
    above 1, the first two are infinite.
    """
    from sklearn.ensemble import RandomForestRegressor

    if len(learn) < 3:
        raise ValueError(f"learn must be three runs or more, got {len(learn)}")
    known = calibrate(learn)
    mean, base = known.mean_service, known.mean_service + known.outside
    rates_seen = np.array([run.plan.rate for run in learn])
    responses = np.array([run.responses.mean() for run in learn])
    rho, utilization = rates_seen * mean, rate * mean
    whitebox = formulas(known, rate)["M/G/1"] if utilization < 1 else np.inf
    factor = float(np.mean((responses - base) * (1 - rho) / rho))
    every = np.concatenate([run.responses for run in learn])
    rates = np.repeat(rates_seen, [run.responses.size for run in learn])[:, np.newaxis]
    forest = RandomForestRegressor(random_state=0).fit(rates, every)
    return {
        WHITEBOX: whitebox,
        GRAYBOX: base + factor * utilization / (1 - utilization) if utilization < 1 else np.inf,
        REGRESSION: float(np.polyval(np.polyfit(rates_seen, responses, 2), rate)),
        LEARNED: float(forest.predict([[rate]])[0]),
    }


@dataclass(frozen=True)
class RepeatedContest:
    """Predictions and target runs of all repeats, seconds."""

    names: tuple[str, ...]
    predicted: Floats
    """Shape (repeats, families)."""
    measured: Floats
    """Mean response of each repeat's own target run after its warm-up, shape (repeats,)."""
    pauses: Floats
    """The longest pause of each target run, shape (repeats,): see `longest_pause`."""

    @property
    def typical(self) -> float:
        """Median over the target runs."""
        return float(np.median(self.measured))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the median, by the order of the target runs; it needs 6 repeats."""
        return median_interval(self.measured)

    @property
    def errors(self) -> Floats:
        """Absolute, in per cent of the median run, shape (repeats, families)."""
        return np.asarray(100 * abs(self.predicted / self.typical - 1))

    @property
    def nearest(self) -> dict[str, int]:
        """Number of repeats in which each family was closest to the median run."""
        first = self.errors.argmin(axis=1)
        return {name: int((first == index).sum()) for index, name in enumerate(self.names)}


def longest_pause(run: MeasuredRun) -> float:
    """Return the longest that one request was held up beyond what it asked for, in seconds.

    What counts is how much too late a request was sent, how much longer than asked for it kept the
    server, and how long its answer was on the way back; waiting in the queue does not.

    >>> late = Timetable(np.array([1.0, 2.0]), np.array([0.5, 0.25]))
    >>> starts, ends = np.array([1.0, 2.0]), np.array([1.5, 2.75])
    >>> longest_pause(MeasuredRun(late, starts, ends, ends, late.arrivals, "made up"))
    0.5
    """
    longer, returning = run.services - run.plan.sizes, run.answers - run.ends
    return float(max(part.max() for part in (run.lateness, longer, returning)))


def repeated_contest(
    sizes: Service,
    mean_service: float,
    repeats: int = 20,
    requests: tuple[int, int] = (40, 100),
    run: Callable[[Timetable], MeasuredRun] = measure,
) -> RepeatedContest:
    """Measure and predict again and again, each repeat from new requests.

    `sizes` is the distribution of the seconds that a request asks for, and `mean_service` the
    seconds for which it is expected to keep the server, by which the rates are set. `requests` are
    those of each light load and of the target.
    """
    unit, (light, target) = float(positive("mean_service", mean_service)), requests
    counts = [light] * len(LIGHT) + [target]
    rates = [load / unit for load in (*LIGHT, TARGET)]
    predicted, measured, pauses = [], [], []
    for number in range(whole("repeats", repeats, low=2)):
        plans = [
            plan(rate, sizes, count, seed=100 * number + index)
            for index, (rate, count) in enumerate(zip(rates, counts, strict=True))
        ]
        *learn, aim = _one_after_the_other(plans, run)
        predicted.append(predictions(learn, rates[-1]))
        measured.append(float(aim.responses[int(WARM_UP * target) :].mean()))
        pauses.append(longest_pause(aim))
    table = np.array([list(row.values()) for row in predicted])
    return RepeatedContest(tuple(predicted[0]), table, np.array(measured), np.array(pauses))


def conclusion(contest: RepeatedContest) -> str:
    """Return sentences on how often each family was closest, and whether this could be luck."""
    repeats, (low, high) = contest.measured.size, contest.interval
    said = (
        f"The families predict the median of the runs' mean responses, {1e3 * contest.typical:.2f} "
        f"ms (95 % interval {1e3 * low:.2f} to {1e3 * high:.2f} ms). The mean over all runs is "
        f"{1e3 * contest.measured.mean():.2f} ms. "
    )
    if not (high - low) / 2 <= VAGUE * contest.typical:
        return said + "The median is too vague to rank the families."
    ranked = sorted(contest.nearest, key=lambda name: -contest.nearest[name])
    first, second = ranked[:2]
    ahead, behind = (contest.errors[:, contest.names.index(name)] for name in ranked[:2])
    closer = int((ahead < behind).sum())
    said += (
        f"**{first}** was closest to the median in {contest.nearest[first]} of {repeats} repeats, "
        f"and {second} in {contest.nearest[second]}. Of these two, the first was closer in {closer}"
    )
    # Which pair it is was seen first, so that chance had every pair to work on (Bonferroni).
    pairs = len(ranked) * (len(ranked) - 1) // 2
    if closer > repeats / 2 and stats.binomtest(closer, repeats).pvalue < 0.05 / pairs:
        return said + ", more often than by chance."
    return said + ". Chance alone could do this, so there is no winner here."


def pause(contest: RepeatedContest) -> str:
    """Return sentences on the longest pause of the target runs, and how well it is known."""
    index, longest = int(contest.pauses.argmax()), float(contest.pauses.max())
    return (
        f"The longest pause of a request outside its queue is {1e3 * longest:.2f} ms, in repeat "
        f"{index + 1}. In half of the {contest.pauses.size} runs the longest pause is at most "
        f"{1e3 * np.median(contest.pauses):.2f} ms. These times don't show the cause. The mean "
        f"response of repeat {index + 1} is {1e3 * contest.measured[index]:.2f} ms."
    )


def _one_after_the_other(
    plans: Sequence[Timetable], run: Callable[[Timetable], MeasuredRun]
) -> list[MeasuredRun]:
    """Run several timetables on one server, and return what became of each."""
    opening, opened = 0.0, []
    for timetable in plans:
        opened.append(opening)
        opening += float(timetable.arrivals[-1]) + float(timetable.sizes[-3:].sum()) + PAUSE
    joint = Timetable(
        np.concatenate(
            [at + timetable.arrivals for at, timetable in zip(opened, plans, strict=True)]
        ),
        np.concatenate([timetable.sizes for timetable in plans]),
    )
    joint_run = run(joint)
    parts, first = [], 0
    for at, timetable in zip(opened, plans, strict=True):
        part = slice(first, first + timetable.sizes.size)
        instants = (joint_run.starts, joint_run.ends, joint_run.answers, joint_run.sent)
        starts, ends, answers, sent = (when[part] - at for when in instants)
        parts.append(MeasuredRun(timetable, starts, ends, answers, sent, joint_run.where))
        first = part.stop
    return parts
