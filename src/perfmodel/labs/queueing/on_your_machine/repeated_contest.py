"""The contest of families, repeated: who comes nearest how often on this machine.

One run of some hundred requests is one throw. Here each repeat measures three light loads and the
target load anew, in short runs, and each family predicts the target from that repeat's own light
loads. All are held against the mean of all target runs together, which is known better than any one
of them, with its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from perfmodel.labs.queueing.on_your_machine.load_forecast import calibrate, formulas
from perfmodel.labs.queueing.on_your_machine.timetable import MeasuredRun, Timetable, measure, plan
from perfmodel.queueing.distributions.service import Service
from perfmodel.validation import Floats, positive, whole

LIGHT, TARGET = (0.25, 0.4, 0.55), 0.7
"""Loads that a repeat sees, and the one that it is asked for."""

WARM_UP = 0.25
"""Share of a target run that is left out: it starts with an empty queue, which formulas don't."""

VAGUE = 0.25
"""Half the interval of the truth, as a share of it, from which on nobody can be ranked."""

PAUSE = 0.02
"""Seconds between the runs of a repeat, in which the queue empties."""

WHITEBOX, GRAYBOX = "whitebox: M/G/1", "graybox: one factor fitted"
REGRESSION, LEARNED = "regression: parabola", "learned: forest"


def predictions(learn: Sequence[MeasuredRun], rate: float) -> dict[str, float]:
    """Return what each family says of another load, in seconds of mean response.

    Parameters
    ----------
    learn : sequence of MeasuredRun
        Three or more light loads.
    rate : float
        Requests per second of the load that is asked for.

    Returns
    -------
    dict
        The whitebox uses the services of the runs alone; the graybox keeps its shape and fits one
        factor to their mean responses, the regression a parabola through these; the learned model
        is a random forest over all requests, from rate to response. Where services took so long
        that the load asked for is above 1, the first two say infinity.

    Raises
    ------
    ValueError
        If there are fewer than three runs.
    """
    from sklearn.ensemble import RandomForestRegressor

    if len(learn) < 3:
        raise ValueError(f"learn must be three runs or more, got {len(learn)}")
    known = calibrate(learn)
    mean, base = known.mean_service, known.mean_service + known.outside
    seen = np.array([run.plan.rate for run in learn])
    responses = np.array([run.responses.mean() for run in learn])
    rho, asked = seen * mean, rate * mean
    whitebox = formulas(known, rate)["M/G/1"] if asked < 1 else np.inf
    factor = float(np.mean((responses - base) * (1 - rho) / rho))
    every = np.concatenate([run.responses for run in learn])
    rates = np.repeat(seen, [run.responses.size for run in learn])[:, np.newaxis]
    forest = RandomForestRegressor(random_state=0).fit(rates, every)
    return {
        WHITEBOX: whitebox,
        GRAYBOX: base + factor * asked / (1 - asked) if asked < 1 else np.inf,
        REGRESSION: float(np.polyval(np.polyfit(seen, responses, 2), rate)),
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

    @property
    def truth(self) -> float:
        """Mean over all target runs."""
        return float(self.measured.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Of the truth, 95 %, from the spread of the target runs (Student's t)."""
        count = self.measured.size
        error = self.measured.std(ddof=1) / np.sqrt(count)
        half = float(stats.t.ppf(0.975, count - 1) * error)
        return self.truth - half, self.truth + half

    @property
    def errors(self) -> Floats:
        """Absolute, in per cent of the truth, shape (repeats, families)."""
        return np.asarray(100 * abs(self.predicted / self.truth - 1))

    @property
    def nearest(self) -> dict[str, int]:
        """In how many repeats each family was nearest to the truth."""
        first = self.errors.argmin(axis=1)
        return {name: int((first == place).sum()) for place, name in enumerate(self.names)}


def repeated_contest(
    law: Service,
    mean_service: float,
    repeats: int = 20,
    requests: tuple[int, int] = (40, 100),
    run: Callable[[Timetable], MeasuredRun] = measure,
) -> RepeatedContest:
    """Measure and predict again and again, each repeat from new requests.

    Parameters
    ----------
    law : Service
        Of the seconds that a request asks for.
    mean_service : float
        Seconds for which a request is expected to keep the server; the rates are set by it.
    repeats : int
        2 or more.
    requests : tuple of int
        Of each light load and of the target, 2 or more.
    run : callable
        Runs a timetable; by default on a real server.

    Returns
    -------
    RepeatedContest

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    unit, (light, target) = float(positive("mean_service", mean_service)), requests
    counts = [light] * len(LIGHT) + [target]
    rates = [load / unit for load in (*LIGHT, TARGET)]
    told, measured = [], []
    for number in range(whole("repeats", repeats, low=2)):
        plans = [
            plan(rate, law, count, seed=100 * number + place)
            for place, (rate, count) in enumerate(zip(rates, counts, strict=True))
        ]
        *learn, aim = _one_after_the_other(plans, run)
        told.append(predictions(learn, rates[-1]))
        measured.append(float(aim.responses[int(WARM_UP * target) :].mean()))
    table = np.array([list(each.values()) for each in told])
    return RepeatedContest(tuple(told[0]), table, np.array(measured))


def verdict(contest: RepeatedContest) -> str:
    """Return sentences on who was nearest how often, and whether that could be chance."""
    ranked = sorted(contest.nearest, key=lambda name: -contest.nearest[name])
    first, second = ranked[:2]
    places = [contest.names.index(name) for name in (first, second)]
    ahead, behind = contest.errors[:, places].T
    closer, repeats = int((ahead < behind).sum()), contest.measured.size
    low, high = contest.interval
    said = (
        f"The mean response over all target runs is {1e3 * contest.truth:.2f} ms "
        f"({1e3 * low:.2f} to {1e3 * high:.2f}). "
    )
    if (high - low) / 2 > VAGUE * contest.truth:
        return said + (
            "That is too vague to rank anybody: a few long pauses carry the mean. Something else "
            "used the machine; run the cell again when it doesn't."
        )
    said += (
        f"**{first}** was nearest to it in "
        f"{contest.nearest[first]} of {repeats} repeats, {second} in {contest.nearest[second]}. "
        f"Of the two, the first was closer in {closer}"
    )
    if stats.binomtest(closer, repeats).pvalue < 0.05 and closer > repeats / 2:
        return said + ", more often than chance would have it."
    return said + ", which chance alone could bring about: there is no winner here."


def _one_after_the_other(
    plans: Sequence[Timetable], run: Callable[[Timetable], MeasuredRun]
) -> list[MeasuredRun]:
    """Run several timetables on one server, and return what became of each."""
    opening, opened = 0.0, []
    for each in plans:
        opened.append(opening)
        opening += float(each.arrivals[-1]) + float(each.sizes[-3:].sum()) + PAUSE
    joint = Timetable(
        np.concatenate([at + each.arrivals for at, each in zip(opened, plans, strict=True)]),
        np.concatenate([each.sizes for each in plans]),
    )
    seen = run(joint)
    parts, first = [], 0
    for at, each in zip(opened, plans, strict=True):
        part = slice(first, first + each.sizes.size)
        instants = (seen.starts, seen.ends, seen.answers, seen.sent)
        starts, ends, answers, sent = (when[part] - at for when in instants)
        parts.append(MeasuredRun(each, starts, ends, answers, sent, seen.where))
        first = part.stop
    return parts
