"""Question bank of the topic benchmarking: from many results to one number, and back.

Twenty-two questions in four levels. Shares run from 0 to 1; ratios and speedups have no unit.
A speedup is the old time over the new one. Logarithms are natural.
"""

from math import comb, log, sqrt

import numpy as np
from scipy import stats

from perfcourse.bank import (
    Bank,
    array,
    by_place,
    choice,
    function,
    measured,
    mistakes,
    number,
    rounded,
)
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.benchmarking.means import geometric_mean, harmonic_mean
from perfmodel.benchmarking.pass_at_k_estimator import pass_at_k as tried
from perfmodel.benchmarking.proportions import PairedOutcomes
from perfmodel.validation import positive, within

# Level 1: one number out of many


def _means(**changed):
    """Return a model of the table from functions of (old seconds, new seconds)."""
    columns = {
        "arithmetic": lambda old, new: np.mean(old / new),
        "geometric": lambda old, new: geometric_mean(old / new),
        "harmonic": lambda old, new: harmonic_mean(old / new),
        "total": lambda old, new: old.sum() / new.sum(),
    } | changed
    return by_place(lambda old, new: {name: float(of(old, new)) for name, of in columns.items()})


def _suite(rng):
    old = rng.uniform([1, 3, 8, 20, 50], [3, 8, 20, 50, 90])
    return {
        "old_seconds": old,
        "new_seconds": old
        / rng.permutation(rng.uniform([5, 1.5, 0.9, 0.6, 0.3], [9, 3, 1.4, 0.9, 0.5])),
    }


suite_means = array(
    "suite_means",
    "Four answers to one question",
    reference=_means(),
    inputs=_suite,
    points=3,
    mistakes=mistakes(
        lambda old, new: _means()(new, old),
        "upside down: All four values divide the new time by the old one. A speedup is the old "
        "time over the new one.",
        _means(
            arithmetic=lambda old, new: harmonic_mean(old / new),
            harmonic=lambda old, new: np.mean(old / new),
        ),
        "two means swapped: Your arithmetic and harmonic means are exchanged. Which of the two is "
        "never the smaller?",
        _means(total=lambda old, new: new.sum() / old.sum()),
        "share of the time: Your total is the remaining time as a fraction of the old. How many "
        "times as fast is this?",
        _means(total=lambda old, new: np.mean(old / new)),
        "total of ratios: Your total adds ratios. Add up the seconds first, then divide.",
        _means(total=lambda old, new: np.sum(old * old / new) / old.sum()),
        "weighted the wrong way: Your total is the arithmetic mean of the speedups, weighted by "
        "the old times. With these weights, another mean gives the ratio of the sums.",
        _means(geometric=lambda old, new: np.mean(np.log(old / new))),
        "logarithm left: Your geometric mean is the mean of the logarithms. Take the exponential.",
        _means(geometric=lambda old, new: np.prod(old / new) ** 0.5),
        "root for two: You took the square root of the product. Which root belongs to five values?",
        _means(harmonic=lambda old, new: np.mean(new / old)),
        "reciprocal left: Your harmonic mean is the mean of the reciprocals. Take the reciprocal "
        "of it.",
        _means(geometric=lambda old, new: np.median(old / new)),
        "median for a mean: Your geometric mean is the median. It ignores how far the other "
        "speedups are: take the fifth root of the product.",
        _means(total=lambda old, new: 1 - new.sum() / old.sum()),
        "saved share: Your total is the saved fraction of the old time. How many times as fast is "
        "the suite?",
    ),
)


def _ratios(rng):
    """Draw ratios to an expert, two of them far below the clamp."""
    lowest = rng.uniform(0.005, 0.05)
    ratios = np.exp(rng.uniform(-1.8, 0.9, 9))
    ratios[[2, 6]] = lowest * 10 ** rng.uniform(-3, -0.5, 2)
    return {"ratios": ratios, "lowest": lowest}


def _clamped(ratios, lowest):
    raised = np.maximum(positive("ratios", ratios), positive("lowest", lowest))
    return float(harmonic_mean(raised))


clamped = function(
    "clamped",
    "Build a harmonic mean with a floor",
    answer="clamped_score",
    reference=_clamped,
    inputs=_ratios,
    points=5,
    builds="perfmodel.benchmarking.means.harmonic_mean",
    mistakes=mistakes(
        lambda ratios, lowest: harmonic_mean(ratios),
        "no floor: That is the harmonic mean of the ratios as they are. What happens to the ratios "
        "below the floor?",
        lambda ratios, lowest: max(harmonic_mean(ratios), lowest),
        "floor under the mean: You raised the mean to the floor. Raise the single ratios before "
        "you average them.",
        lambda ratios, lowest: harmonic_mean(ratios[ratios >= lowest]),
        "dropped: You left out the ratios below the floor. Then a bad failure would improve the "
        "score. Raise them instead.",
        lambda ratios, lowest: harmonic_mean(np.minimum(ratios, lowest)),
        "ceiling for floor: You cut off ratios above the limit. A floor raises the ratios below "
        "it.",
        lambda ratios, lowest: float(np.mean(np.maximum(ratios, lowest))),
        "arithmetic mean: You took the arithmetic mean of the raised ratios. In it, one huge ratio "
        "makes up for all failures. The score is a harmonic mean.",
        lambda ratios, lowest: geometric_mean(np.maximum(ratios, lowest)),
        "geometric mean: You took the geometric mean of the raised ratios. Which mean is the "
        "reciprocal of the mean of the reciprocals?",
        lambda ratios, lowest: float(np.mean(1 / np.maximum(ratios, lowest))),
        "reciprocal left over: That is the mean of the reciprocals. Take the reciprocal of it.",
        lambda ratios, lowest: float(1 / np.sum(1 / np.maximum(ratios, lowest))),
        "number of tasks forgotten: You divided 1 by the sum of the reciprocals. Any number of "
        "tasks with ratio 1 should score 1.",
        lambda ratios, lowest: harmonic_mean(ratios + lowest),
        "floor added: You added the floor to every ratio. Ratios above the floor stay as they are.",
        lambda ratios, lowest: harmonic_mean(np.clip(ratios, lowest, 1)),
        "ceiling as well: You also lowered ratios above 1. Only ratios below the floor change.",
    ),
    properties=[
        limit(
            "all at parity",
            (np.ones(5), 0.01),
            0.5,
            "Five tasks as fast as the expert should score 1.",
        ),
        monotone(
            "rises with the floor",
            1,
            [0.001, 0.01, 0.1],
            (np.array([1.0, 0.0005]), 0.001),
            0.5,
            "A higher floor can't lower the score. Try growing floors.",
        ),
        refuses(
            (np.array([1.0, 0.0]), 0.01),
            0.5,
            "A ratio of 0 means infinite time: raise a ValueError, even though a floor would hide "
            "it.",
            "refuses a ratio of 0",
        ),
        refuses(
            (np.array([1.0, 0.5]), 0.0),
            0.5,
            "A floor of 0 has no effect: raise a ValueError.",
            "refuses a floor of 0",
        ),
    ],
)


def _two_machines(rng):
    a = rng.uniform(1, 50, 4)
    logs = rng.permutation([-1.6, -0.5, 0.4, 1.7]) * rng.uniform(0.8, 1.2) + rng.normal(0, 0.25, 4)
    return {"a_seconds": a, "b_seconds": a * np.exp(logs)}


def _faster(ratio):
    """Return a model that decides by how many times as fast B is."""

    def model(a, b):
        found = float(ratio(a, b))
        return ("B is faster" if found > 1 else "A is faster"), found

    return by_place(model)


baseline = choice(
    "baseline",
    "Who chooses the baseline?",
    choices=("A is faster", "B is faster"),
    reference=_faster(lambda a, b: geometric_mean(a / b)),
    inputs=_two_machines,
    points=3,
    mistakes=mistakes(
        _faster(lambda a, b: np.mean(a / b)),
        "mean of B's speedups: You averaged how many times as fast B is. If you average how many "
        "times as fast A is, A wins as well. Which mean says the same both ways?",
        _faster(lambda a, b: harmonic_mean(a / b)),
        "mean of A's speedups: You averaged how many times as fast A is and took the reciprocal: a "
        "harmonic mean that favours A. Which mean says the same both ways?",
        _faster(lambda a, b: a.sum() / b.sum()),
        "totals: You compared the totals, where the longest program decides. Here all four "
        "programs count equally.",
        _faster(lambda a, b: np.median(a / b)),
        "median: You took the median, which two of the four ratios decide alone. All four should "
        "count.",
        lambda a, b: (
            "B is faster" if geometric_mean(a / b) > 1 else "A is faster",
            geometric_mean(b / a),
        ),
        "how long B takes: Your choice is right, but your number is B's time over A's. How many "
        "times as fast is B?",
    ),
)


def _experts(rng):
    low, high = [1.02, 1.2, 1.7, 3, 7, 15], [1.1, 1.5, 2.5, 5, 12, 28]
    return {
        "expert_speedups": rng.permutation(rng.uniform(low, high)),
        "matched": int(rng.integers(2, 4)),
    }


def _gave_up(mean, unchanged=lambda s: 1 / s):
    """Return a model: a mean of the ratios, 1 where matched and else a function of the expert's."""
    return by_place(
        lambda s, matched: float(mean(np.append(np.ones(matched), unchanged(s[matched:]))))
    )


gave_up = number(
    "gave_up",
    "What does giving up score?",
    reference=_gave_up(harmonic_mean),
    inputs=_experts,
    points=2,
    mistakes=mistakes(
        lambda s, matched: 0.0,
        "zero: You gave unchanged programs a speedup of 0. Their speedup is 1. What is this over "
        "the expert's?",
        lambda s, matched: matched / s.size,
        "share matched: That is the fraction of programs on which the agent is as good as the "
        "expert. The others have a ratio above 0, too.",
        lambda s, matched: 1.0,
        "one: You gave unchanged programs a ratio of 1. Their speedup is 1; the ratio divides by "
        "the expert's speedup.",
        lambda s, matched: s.size / s.sum(),
        "gave up throughout: That is the score of an agent that changes nothing. This one has some "
        "ratios of 1.",
        lambda s, matched: (s.size - matched) / s[matched:].sum(),
        "matched left out: That is the score on the unchanged programs alone. All six count.",
        lambda s, matched: harmonic_mean(np.append(s[:matched], np.ones(s.size - matched))),
        "speedups for ratios: That is the harmonic mean of the agent's speedups. First divide each "
        "by the expert's speedup.",
        _gave_up(harmonic_mean, lambda s: s),
        "upside down: You divided the expert's speedups by the agent's. A worse agent must have a "
        "ratio below 1.",
        _gave_up(np.mean),
        "arithmetic mean of the ratios: You averaged the ratios arithmetically. The leaderboard "
        "takes their harmonic mean.",
        _gave_up(geometric_mean),
        "geometric mean of the ratios: You took the geometric mean of the ratios. The leaderboard "
        "takes their harmonic mean.",
        _gave_up(np.mean, lambda s: s),
        "reciprocal left: That is the mean of the reciprocals of the ratios. Take the reciprocal "
        "of it.",
        lambda s, matched: s.size / (matched + s[: s.size - matched].sum()),
        "the wrong ones: You gave the last programs the expert's speedup. The agent reaches it on "
        "the first ones.",
    ),
)


def _score_and_worst(rng):
    tasks = int(rng.integers(8, 25))
    others, share = rng.uniform(0.2, 0.7), rng.uniform(0.2, 0.6)
    reciprocals = (tasks - 1) / others
    worst = (1 - share) / (share * reciprocals)
    return {"tasks": tasks, "score": tasks / (reciprocals + 1 / worst), "worst": worst}


without_worst = number(
    "without_worst",
    "One task left out",
    reference=lambda tasks, score, worst: (tasks - 1) / (tasks / score - 1 / worst),
    inputs=_score_and_worst,
    points=2,
    tolerance=0.002,
    mistakes=mistakes(
        lambda n, score, worst: n / (n / score - 1 / worst),
        "still so many: You removed the worst task from the sum of the reciprocals, but kept it in "
        "the number of tasks.",
        lambda n, score, worst: (n * score - worst) / (n - 1),
        "arithmetic: You removed the task as from an arithmetic mean. In a harmonic mean, "
        "reciprocals add up.",
        lambda n, score, worst: n / (n / score - 1 / worst + 1),
        "at parity instead: You gave the worst task a ratio of 1. Leave it out instead.",
        lambda n, score, worst: score / (n * worst),
        "its share: That is the task's part of the sum of the reciprocals. What is the score of "
        "the others?",
        lambda n, score, worst: (n - 1) / (1 / score - 1 / worst),
        "one reciprocal: The reciprocal of the score is the mean of the reciprocals. You need "
        "their sum.",
        lambda n, score, worst: score - worst / n,
        "share taken off: You subtracted the worst ratio's part of an arithmetic mean. In a "
        "harmonic mean, reciprocals add up.",
    ),
)

# Level 2: which tasks, against whom


def _repositories(rng):
    sizes = rng.permutation([5, 3, 1])
    centres = rng.uniform([-1.6, -0.6, 0.3], [-1.0, 0.0, 0.9])[rng.permutation(3)]
    repository = np.repeat([1, 2, 3], sizes)
    return {
        "ratios": np.exp(centres[repository - 1] + rng.normal(0, 0.4, 9)),
        "repository": repository,
    }


def _by_group(inner, outer):
    """Return a model that averages within each repository and then over them."""
    return by_place(
        lambda ratios, repository: float(
            outer(np.array([inner(ratios[repository == r]) for r in np.unique(repository)]))
        )
    )


by_repository = number(
    "by_repository",
    "Nine tasks, three repositories",
    reference=_by_group(geometric_mean, geometric_mean),
    inputs=_repositories,
    points=2,
    mistakes=mistakes(
        lambda ratios, repository: geometric_mean(ratios),
        "all tasks alike: That is the geometric mean over all tasks, where the largest repository "
        "counts most. Let each repository count once.",
        _by_group(geometric_mean, np.mean),
        "arithmetic between: Between the repositories you took the arithmetic mean. Take the "
        "geometric mean.",
        _by_group(np.mean, geometric_mean),
        "arithmetic within: Within the repositories you took the arithmetic mean. Take the "
        "geometric mean.",
        _by_group(np.mean, np.mean),
        "arithmetic throughout: You took arithmetic means within and between the repositories. "
        "Take geometric means.",
        lambda ratios, repository: geometric_mean(
            ratios[repository == np.bincount(repository).argmax()]
        ),
        "largest only: That is the largest repository alone. The other two count as well.",
        _by_group(geometric_mean, np.median),
        "middle repository: That is the repository in the middle. All three count.",
    ),
)

LEADERS = ("A", "B", "C")


def _four_systems(rng):
    """Draw a system that is best at memory, one at time, one at neither, and a terrible fourth."""
    order = rng.permutation(3)
    memory, seconds = np.empty(4), np.empty(4)
    memory[order] = rng.uniform([20, 32, 45], [28, 42, 50])
    seconds[order] = rng.uniform([0.17, 0.1, 0.4], [0.35, 0.15, 0.45])
    memory[3], seconds[3] = rng.uniform(100, 250), rng.uniform(0.2, 0.4)
    return {"memory": memory, "seconds": seconds}


def _leader(score):
    """Return a model of the leader among the first three, and of its score."""

    def model(memory, seconds):
        scores = score(memory, seconds)[:3]
        return LEADERS[int(np.argmax(scores))], float(np.max(scores))

    return by_place(model)


def _min_max(values, pool=slice(None)):
    low, high = values[pool].min(), values[pool].max()
    return (high - values) / (high - low)


loser = choice(
    "loser",
    "A terrible method is added",
    choices=LEADERS,
    reference=_leader(lambda m, s: (_min_max(m) + _min_max(s)) / 2),
    inputs=_four_systems,
    points=3,
    mistakes=mistakes(
        _leader(lambda m, s: (_min_max(m, slice(3)) + _min_max(s, slice(3))) / 2),
        "without the fourth: You normalised over the first three systems. The fourth system's "
        "value changes the range for all.",
        _leader(lambda m, s: (2 - m / m.max() - s / s.max()) / 2),
        "divided by the largest: You divided by the largest value. The normalisation divides by "
        "the distance from best to worst.",
        _leader(lambda m, s: (m.min() / m + s.min() / s) / 2),
        "best over value: You divided the best value by each system's. The leaderboard uses the "
        "distance from the worst over the whole range.",
        _leader(lambda m, s: _min_max(m)),
        "memory only: That is the score for memory. The score is the mean of two metrics.",
        _leader(lambda m, s: _min_max(m) + _min_max(s)),
        "sum for mean: You added the scores of the two metrics. Their mean runs from 0 to 1.",
        _leader(lambda m, s: 1 - (_min_max(m) + _min_max(s)) / 2),
        "worst for best: Your scale runs from 1 for the worst to 0 for the best. Look at the "
        "formula: less memory and fewer seconds score more.",
    ),
)


def _times(rng):
    """Draw times with two runs stopped before their target, one of them early, one late."""
    fastest = rng.uniform(100, 5000, 8)
    ratios = np.concatenate([[1.0], rng.uniform(1.05, 2.5, 3), rng.uniform(4.5, 9, 2)])
    ratios = np.concatenate([ratios, rng.uniform([1.2, 4.5], [2.5, 9])])
    order = rng.permutation(8)
    return {
        "times": fastest * ratios[order],
        "reached": order < 6,
        "fastest": fastest,
        "r_max": rng.uniform(3, 4),
    }


def _profile(times, reached, fastest, r_max):
    if not r_max > 1:
        raise ValueError(f"r_max must be above 1, got {r_max!r}")
    ratios = np.asarray(times, dtype=float) / np.asarray(fastest)
    reached = np.asarray(reached, dtype=bool)
    if not np.all(ratios[reached] >= 1 - 1e-12):
        raise ValueError(f"times must be no shorter than the fastest, got {times!r}")
    return float(np.mean(reached * np.clip((r_max - ratios) / (r_max - 1), 0, 1)))


def _on_ratios(score):
    """Return a model from a score of (ratios, reached, r_max)."""
    return by_place(
        lambda times, reached, fastest, r_max: float(
            score(np.asarray(times) / fastest, np.asarray(reached, dtype=bool), r_max)
        )
    )


def _credit(ratios, r_max):
    return np.clip((r_max - ratios) / (r_max - 1), 0, 1)


profile = function(
    "profile",
    "Build the area under a performance profile",
    answer="profile_score",
    reference=_profile,
    inputs=_times,
    points=5,
    mistakes=mistakes(
        _on_ratios(lambda r, done, end: np.mean(_credit(r, end))),
        "stopped taken for done: You gave credit to runs that stopped before they reached their "
        "target. The time at which a run gives up is no result.",
        _on_ratios(lambda r, done, end: np.mean(done * (r <= end))),
        "height for area: That is the profile's height at the end: the fraction of workloads "
        "within the limit. Their speed counts as well.",
        _on_ratios(lambda r, done, end: np.mean(_credit(r, end)[done])),
        "failures dropped: You left out the workloads that never reached their target. They count "
        "with 0.",
        _on_ratios(lambda r, done, end: np.mean(_credit(r, end)[done & (r <= end)])),
        "mean over those within: You averaged over the workloads within the limit. All workloads "
        "count.",
        _on_ratios(lambda r, done, end: np.mean(done * np.clip((end - r) / end, 0, 1))),
        "divided by the end: You divided by the end of the range. The range begins at 1, so divide "
        "by its length.",
        _on_ratios(lambda r, done, end: np.mean(done * (end - r) / (end - 1))),
        "below nothing: You gave workloads beyond the limit a negative area. They add 0.",
        _on_ratios(lambda r, done, end: np.sum(done * _credit(r, end))),
        "sum over workloads: You added up the workloads. The score is their mean.",
        _on_ratios(lambda r, done, end: np.mean(done / r)),
        "mean of best over time: You averaged the fastest time over the own time. In the profile, "
        "a workload's credit falls along a straight line from 1 to 0 at the limit.",
        _on_ratios(lambda r, done, end: np.mean(done * (r < 1 + 1e-3))),
        "wins: That is the fraction of workloads won: the profile's height at its beginning.",
    ),
    properties=[
        limit(
            "fastest everywhere",
            (np.array([3.0, 5.0]), np.array([True, True]), np.array([3.0, 5.0]), 4.0),
            0.5,
            "An optimiser that is fastest everywhere should score 1.",
        ),
        limit(
            "nothing reached",
            (np.array([4.0, 6.0]), np.array([False, False]), np.array([3.0, 5.0]), 4.0),
            0.5,
            "An optimiser that never reaches a target should score 0.",
        ),
        refuses(
            (np.array([2.0]), np.array([True]), np.array([1.0]), 1.0),
            0.5,
            "A range from 1 to 1 has no area: raise a ValueError.",
            "refuses an empty range",
        ),
        refuses(
            (np.array([1.0]), np.array([True]), np.array([2.0]), 4.0),
            0.5,
            "No run reaches a target before the fastest: a time below `fastest` should raise a "
            "ValueError.",
            "refuses a time below the fastest",
        ),
    ],
)


def _scored(rng):
    difficulty = rng.uniform(30, 95, 9)
    lead = rng.choice([-1, 1]) * rng.uniform(1, 6)
    a = np.clip(difficulty + lead + rng.normal(0, 3, 9), 5, 100)
    b = np.clip(difficulty + rng.normal(0, 3, 9), 5, 100)
    hard = np.argsort(difficulty)
    a_solved, b_solved = np.ones(9, dtype=bool), np.ones(9, dtype=bool)
    weak, other = (a_solved, b_solved) if rng.random() < 0.5 else (b_solved, a_solved)
    weak[hard[:3]], other[hard[[0, 4]]] = False, False
    return {
        "a": np.round(a * a_solved, 1),
        "a_solved": a_solved,
        "b": np.round(b * b_solved, 1),
        "b_solved": b_solved,
    }


def _lead(difference):
    """Return a model of who leads, and by how much, from (a, a's tasks, b, b's tasks)."""

    def model(a, a_solved, b, b_solved):
        found = float(difference(a, a_solved, b, b_solved))
        return ("A leads" if found > 0 else "B leads"), abs(found)

    return by_place(model)


def _on_both(of):
    return _lead(lambda a, by_a, b, by_b: of((a - b)[by_a & by_b]))


common = choice(
    "common",
    "Each on the tasks that it solved",
    choices=("A leads", "B leads"),
    reference=_on_both(np.mean),
    inputs=_scored,
    points=3,
    mistakes=mistakes(
        _lead(lambda a, by_a, b, by_b: a[by_a].mean() - b[by_b].mean()),
        "each on its own: You compared the means over each model's own tasks. A model that fails "
        "on hard tasks keeps only the easy ones. Use the tasks that both solved.",
        _lead(lambda a, by_a, b, by_b: np.mean(a - b)),
        "nought for unsolved: You counted an unsolved task as 0 points. This mixes whether a task "
        "was solved with how efficient the program is. Use the tasks that both solved.",
        _on_both(np.sum),
        "sum: You added up the differences. The lead is their mean.",
        _on_both(lambda differences: differences.sum() / 9),
        "over all tasks: You divided by the number of all tasks. How many tasks have both scores?",
        _on_both(np.median),
        "median difference: That is the median difference. The question asks for the mean.",
        _on_both(lambda differences: np.mean(np.sign(differences))),
        "wins less losses: That is the fraction of tasks won minus the fraction lost. By how many "
        "points does the leader lead?",
        _lead(lambda a, by_a, b, by_b: np.mean((a - b)[by_a | by_b])),
        "solved by either: You took the tasks that either model solved. A difference needs both "
        "scores.",
    ),
)

# Level 3: how sure?


def _two_shares(rng):
    first = rng.uniform(0.15, 0.6)
    return {
        "share_1": first,
        "share_2": first + rng.uniform(0.05, 0.3),
        "z": rng.uniform(2.2, 4),
    }


def _tasks(share_1, share_2, z):
    one, two = within("share_1", share_1, 0, 1), within("share_2", share_2, 0, 1)
    if np.any(one == two):
        raise ValueError(f"share_2 must differ from share_1, got {share_2!r}")
    return np.asarray(z) ** 2 * (one * (1 - one) + two * (1 - two)) / (one - two) ** 2


tasks_needed = function(
    "tasks_needed",
    "Build the number of tasks",
    answer="tasks_needed",
    reference=_tasks,
    inputs=_two_shares,
    points=4,
    mistakes=mistakes(
        lambda p, q, z: z**2 * p * (1 - p) / (p - q) ** 2,
        "one of two: You counted the variance of the first fraction alone. Both fractions are "
        "estimated.",
        lambda p, q, z: z**2 * q * (1 - q) / (p - q) ** 2,
        "the other of two: You counted the variance of the second fraction alone. Both fractions "
        "are estimated.",
        lambda p, q, z: z * np.sqrt(p * (1 - p) + q * (1 - q)) / np.abs(p - q),
        "not squared: That is the square root of the number. An error falls with the root of the "
        "tasks, so half the difference needs four times the tasks.",
        lambda p, q, z: z**2 * (p * (1 - p) + q * (1 - q)) / np.abs(p - q),
        "difference not squared: You divided by the difference itself. Half the difference should "
        "need four times the tasks.",
        lambda p, q, z: (p * (1 - p) + q * (1 - q)) / (p - q) ** 2,
        "z forgotten: With this number, the difference is one standard error. It should be z of "
        "them.",
        lambda p, q, z: z**2 * (np.sqrt(p * (1 - p)) + np.sqrt(q * (1 - q))) ** 2 / (p - q) ** 2,
        "deviations added: You added standard deviations. For independent quantities the variances "
        "add up.",
        lambda p, q, z: z**2 * (p + q) / (p - q) ** 2,
        "counts: You used the fraction as its own variance, as for rare events. A fraction near "
        "one half varies most, a fraction near 1 hardly at all.",
        lambda p, q, z: z**2 * (p * (1 - p) - q * (1 - q)) / (p - q) ** 2,
        "variances subtracted: You subtracted one variance from the other. The means are "
        "subtracted, but the variances add up.",
        lambda p, q, z: np.ceil(_tasks(p, q, z)),
        "rounded up: You rounded up. Return the number without rounding.",
        lambda p, q, z: 2 * _tasks(p, q, z),
        "both systems' runs: That is the number for both systems together. How many tasks does "
        "each system need?",
        lambda p, q, z: z**2 * (p + q) * (1 - (p + q) / 2) / (p - q) ** 2,
        "pooled share: You used the mean fraction for both systems, as if they were equally good. "
        "Each system has the variance of its own fraction.",
    ),
    properties=[
        vectorised(
            (np.array([0.5, 0.55]), 0.6, 2.8),
            0.5,
            "Let NumPy do the loop: given an array of first shares, the function should return an "
            "array of the same shape. Wrap the comparisons of your checks in np.any(...).",
        ),
        refuses(
            (0.5, 0.5, 2.8),
            0.5,
            "No number of tasks can distinguish equal fractions: raise a ValueError.",
            "refuses equal shares",
        ),
        refuses(
            (0.5, 1.2, 2.8),
            0.5,
            "A fraction of 1.2 should raise a ValueError.",
            "refuses a share above 1",
        ),
    ],
)


def _few_solved(rng):
    return {"solved": int(rng.integers(2, 16)), "tasks": int(rng.integers(150, 400))}


def _wilson(z=1.959963985, centred=True):
    """Return a model of the interval's two ends."""

    def model(k, n):
        share = k / n
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n) if centred else share
        half = z * sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / (1 + z**2 / n)
        return np.array([middle - half, middle + half])

    return by_place(model)


def _wald(k, n, add=0):
    share, count = (k + add) / (n + 2 * add), n + 2 * add
    half = 1.959963985 * sqrt(share * (1 - share) / count)
    return np.array([share - half, share + half])


rare = array(
    "rare",
    "A handful solved",
    reference=_wilson(),
    inputs=_few_solved,
    points=3,
    tolerance=0.002,
    mistakes=mistakes(
        _wald,
        "plus or minus: You went two standard errors to either side of the measured fraction, "
        "which can end below 0. Use Wilson's formula.",
        lambda k, n: _wald(k, n, 2),
        "two added: You added two successes and two failures and went to either side. This is "
        "close, but it is another interval. Use Wilson's formula.",
        lambda k, n: np.array(
            [stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)]
        ),
        "Clopper and Pearson: That is the interval of Clopper and Pearson, which is never too "
        "narrow and usually too wide. Use Wilson's formula.",
        _wilson(1.644853627),
        "one-sided quantile: Your quantile leaves 5 % on each side, so 10 % in total. A 95 % "
        "interval leaves 5 % in total.",
        _wilson(centred=False),
        "centre not moved: Your interval is centred on the measured fraction. Wilson's interval is "
        "shifted towards one half.",
        lambda k, n: _wilson()(k, n)[::-1],
        "ends swapped: Your ends are exchanged. The lower end comes first.",
        lambda k, n: n * _wilson()(k, n),
        "counts for shares: You gave numbers of tasks. Give fractions.",
    ),
)


def _paired_counts(rng):
    return {
        "both": int(rng.integers(20, 90)),
        "only_a": int(rng.integers(9, 22)),
        "only_b": int(rng.integers(2, 9)),
        "neither": int(rng.integers(40, 200)),
    }


def _unpaired(both, a, b, neither):
    n = both + a + b + neither
    first, second = (both + a) / n, (both + b) / n
    pooled = (first + second) / 2
    return float(2 * stats.norm.sf((first - second) / sqrt(2 * pooled * (1 - pooled) / n)))


discordant = number(
    "discordant",
    "Two systems on the same tasks",
    reference=by_place(lambda *counts: PairedOutcomes(*counts).p_value),
    inputs=_paired_counts,
    points=3,
    mistakes=mistakes(
        lambda both, a, b, neither: float(stats.binom.cdf(b, a + b, 0.5)),
        "one side: That is the probability for one direction. The split could have been uneven in "
        "either direction.",
        lambda both, a, b, neither: float(2 * stats.norm.sf((a - b) / sqrt(a + b))),
        "normal law: You used the normal distribution instead of the binomial one. With so few "
        "tasks, count.",
        lambda both, a, b, neither: float(stats.chi2.sf((abs(a - b) - 1) ** 2 / (a + b), 1)),
        "chi square: That is the chi-square test with a continuity correction. With so few tasks, "
        "use the exact distribution of the number of heads.",
        _unpaired,
        "not paired: You compared two fractions as if each system had its own tasks. They had the "
        "same tasks. Tasks that both or neither solve don't show which system is better.",
        lambda both, a, b, neither: float(
            stats.fisher_exact([[both + a, b + neither], [both + b, a + neither]]).pvalue
        ),
        "Fisher's test: You used Fisher's test, which assumes different tasks for the two systems. "
        "They had the same tasks. Which of them distinguish the systems?",
        lambda both, a, b, neither: float(stats.binom.pmf(b, a + b, 0.5)),
        "just this split: That is the probability of exactly this split. Add all splits that are "
        "at least as uneven, in both directions.",
        lambda both, a, b, neither: float(stats.binomtest(both + a, 2 * both + a + b).pvalue),
        "shared successes counted: You counted the tasks that both solve twice over. Only tasks "
        "that one system alone solves are coin tosses.",
    ),
)


def _raters(rng):
    counts = rng.integers(3, 14, (3, 3))
    counts[np.arange(3), np.arange(3)] += rng.integers(12, [60, 40, 20])
    counts[0] += rng.integers(0, 12)
    return {"counts": counts}


def _kappa(chance=None, divide=True, agree=None):
    """Return a model of kappa from a table of counts."""

    def model(counts):
        table = np.asarray(counts) / np.sum(counts)
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        by_chance = float(rows @ columns) if chance is None else chance(rows, columns)
        agreed = np.trace(table) if agree is None else agree(table)
        return float((agreed - by_chance) / (1 - by_chance if divide else 1))

    return by_place(model)


def _relaxed(table):
    tie = table[2].sum() + table[:, 2].sum() - 2 * table[2, 2]
    return np.trace(table) + tie / 2


def _kappa_ratio(counts):
    table = counts / counts.sum()
    return float(np.trace(table) / (table.sum(0) @ table.sum(1)))


kappa = number(
    "kappa",
    "Two readers",
    reference=_kappa(),
    inputs=_raters,
    points=3,
    tolerance=0.002,
    mistakes=mistakes(
        _kappa(lambda rows, columns: 0.0),
        "raw agreement: That is the observed agreement. Two readers who guess also agree "
        "sometimes. How often?",
        _kappa(divide=False),
        "not divided: That is the agreement above chance. Divide it by the most there could be.",
        _kappa(lambda rows, columns: 1 / 3),
        "a third by chance: You used 1/3 as the agreement by chance, as if all answers were "
        "equally common. Use each reader's own fractions.",
        _kappa(lambda rows, columns: float(np.sum(((rows + columns) / 2) ** 2))),
        "one habit for both: You gave both readers the same fractions, the mean of both. Each "
        "has its own.",
        _kappa(lambda rows, columns: float(rows @ rows)),
        "first reader twice: You computed the probability that reader 1 agrees with itself. Reader "
        "2 has other fractions.",
        _kappa(agree=_relaxed),
        "ties count half: You gave half a point if one reader said tie. Only identical answers "
        "count as agreement.",
        _kappa_ratio,
        "ratio of agreements: You divided the observed agreement by the agreement by chance. "
        "Subtract it, and divide by the most there could be.",
    ),
)


def _samples(rng):
    n = int(rng.integers(10, 40))
    return {"n": n, "correct": int(rng.integers(2, n // 2)), "k": int(rng.integers(2, 6))}


pass_at_k = function(
    "pass_at_k",
    "Build pass at k",
    answer="pass_at_k",
    reference=tried,
    inputs=_samples,
    points=5,
    builds="perfmodel.benchmarking.pass_at_k_estimator.pass_at_k",
    mistakes=mistakes(
        lambda n, c, k: 1 - (1 - c / n) ** k,
        "with replacement: You drew with repetition. This uses the estimated fraction as if it "
        "were the true one, and is too low on average.",
        lambda n, c, k: c / n,
        "one try: That is the probability for a single draw. How many are there?",
        lambda n, c, k: k * c / n,
        "chances added: You added the probabilities of the draws, which can exceed 1. What is the "
        "probability that none of them is correct?",
        lambda n, c, k: comb(n - c, k) / comb(n, k),
        "none right: That is the probability that none is correct. You need at least one.",
        lambda n, c, k: comb(c, k) / comb(n, k),
        "all right: That is the probability that all are correct. One is enough.",
        lambda n, c, k: 1 - comb(c, k) / comb(n, k),
        "not all right: That is the probability that not all are correct. You need at least one.",
        lambda n, c, k: c * comb(n - c, k - 1) / comb(n, k),
        "exactly one: That is the probability that exactly one is correct. More than one is also a "
        "success.",
        lambda n, c, k: 1 - (comb(n - c, k) / comb(n, k)) ** (1 / k),
        "root taken: You took a root, as if to get back to a single draw. The question asks about "
        "all draws together.",
        lambda n, c, k: min(1.0, k * c / n),
        "chances cut at one: You added the probabilities of the draws and cut the sum off at 1. "
        "What is the probability that none of them is correct?",
    ),
    properties=[
        limit(
            "more tries than wrong samples",
            (5, 3, 3),
            0.5,
            "Two of five programs are wrong: three draws can't miss.",
        ),
        limit(
            "none correct", (5, 0, 3), 0.5, "If no program is correct, no number of draws helps."
        ),
        refuses(
            (5, 2, 6),
            0.5,
            "Six programs can't be drawn from five: raise a ValueError.",
            "refuses more tries than samples",
        ),
        refuses(
            (5, 6, 2),
            0.5,
            "Six of five can't be correct: raise a ValueError.",
            "refuses more correct than samples",
        ),
    ],
)

# Level 4: chosen, and designed


def _null(rng):
    runs = int(rng.integers(3, 7))
    threshold = rng.uniform(1.05, 1.2)
    z = rng.uniform(0.5, 2)
    return {
        "spread": log(threshold) * sqrt(runs / 2) / z,
        "runs": runs,
        "threshold": threshold,
    }


def _above(z):
    return by_place(
        lambda spread, runs, threshold: float(stats.norm.sf(z(spread, runs, threshold)))
    )


false_gains = number(
    "false_gains",
    "A program against itself",
    reference=_above(lambda spread, runs, threshold: log(threshold) * sqrt(runs / 2) / spread),
    inputs=_null,
    points=2,
    tolerance=0.005,
    mistakes=mistakes(
        _above(lambda s, m, h: log(h) * sqrt(m) / s),
        "one of two: You counted the noise of one program. Both are measured.",
        _above(lambda s, m, h: (h - 1) * sqrt(m / 2) / s),
        "difference for logarithm: You used the threshold itself. The noise is in logarithms, so "
        "use the logarithm of the threshold.",
        _above(lambda s, m, h: log(h) / (s * sqrt(2))),
        "a single run of each: You used the standard deviation of a single run. The mean of "
        "several runs has a smaller one.",
        _above(lambda s, m, h: log(h) * m / (s * sqrt(2))),
        "runs not rooted: You divided by the number of runs. The error of a mean falls with the "
        "root of this number.",
        _above(lambda s, m, h: log(h) * sqrt(m) / (2 * s)),
        "twice the spread: You doubled the standard deviation. For two independent times the "
        "variances add up.",
        lambda s, m, h: float(2 * stats.norm.sf(log(h) * sqrt(m / 2) / s)),
        "both sides: You counted losses as well. Only gains count.",
    ),
)


def _chosen(rng):
    mean = rng.uniform(0.5, 3)
    true, noise = rng.uniform(1, 4), rng.uniform(1, 5)
    return {
        "measured_gain": mean + rng.uniform(1.5, 2.5) * sqrt(true**2 + noise**2),
        "mean_gain": mean,
        "true_spread": true,
        "noise": noise,
    }


again = number(
    "again",
    "Measured once more",
    reference=lambda measured_gain, mean_gain, true_spread, noise: (
        mean_gain + (measured_gain - mean_gain) * true_spread**2 / (true_spread**2 + noise**2)
    ),
    inputs=_chosen,
    points=2,
    unit="%",
    mistakes=mistakes(
        lambda g, m, t, s: g,
        "as before: That is the first measurement. It was the largest of many, so part of it is "
        "luck.",
        lambda g, m, t, s: m,
        "back to the mean: You gave the mean of all versions, as if only noise had chosen this "
        "one. Part of the difference is real.",
        lambda g, m, t, s: m + (g - m) * t / (t + s),
        "not squared: You weighted by standard deviations. Variances add up to the variance of the "
        "measured gains.",
        lambda g, m, t, s: m + (g - m) * s**2 / (t**2 + s**2),
        "the noise's share: You kept the fraction that is noise. Keep the other one.",
        lambda g, m, t, s: g * t**2 / (t**2 + s**2),
        "back to nothing: You shrank the whole gain towards zero. It moves towards the mean of the "
        "versions.",
        lambda g, m, t, s: (g + m) / 2,
        "half way: You went half of the way. This is right only if true gains and noise have the "
        "same standard deviation.",
        lambda g, m, t, s: g - s,
        "noise subtracted: You subtracted one standard deviation of the noise. The expected luck "
        "also depends on how much the true gains vary.",
    ),
)


def _patches(rng):
    return {
        "true_share": rng.uniform(0.01, 0.2),
        "crash_share": rng.uniform(0.2, 0.7),
        "clean_runs": int(rng.integers(2, 7)),
    }


lucky = number(
    "lucky",
    "Clean by luck",
    reference=lambda true_share, crash_share, clean_runs: (
        true_share / (true_share + (1 - true_share) * (1 - crash_share) ** clean_runs)
    ),
    inputs=_patches,
    points=3,
    mistakes=mistakes(
        lambda q, p, n: 1 - (1 - p) ** n,
        "a bad one is caught: That is the probability that a bad patch is caught. The question "
        "asks: among the patches that pass, how many are real fixes?",
        lambda q, p, n: 1 / (1 + (1 - p) ** n),
        "as many good as bad: You assumed that half of all patches are real fixes. Which fraction "
        "does the statement give?",
        lambda q, p, n: q / (q + (1 - q) * (1 - p)),
        "one run: You let a bad patch pass after one run. It must pass all runs.",
        lambda q, p, n: q / (q + (1 - q) * p**n),
        "crash in every run: You let a bad patch crash in every run to be caught. One crash is "
        "enough.",
        lambda q, p, n: q + (1 - q) * (1 - p) ** n,
        "all that pass: That is the fraction of patches that pass. Which part of them are real "
        "fixes?",
        lambda q, p, n: (1 - q) * (1 - p) ** n,
        "bad ones that pass: That is the fraction of all patches that are bad and pass. The "
        "question asks for the real fixes among those that pass.",
        lambda q, p, n: q / (q + (1 - p) ** n),
        "all of them bad: You treated all patches as bad. Only those that aren't real fixes are.",
        lambda q, p, n: q / (q + (1 - q) * (1 - n * p if n * p < 1 else 0.0)),
        "chances added: You added the probabilities of a crash in each run, which can exceed 1. "
        "What is the probability of no crash?",
    ),
)

ORDER = np.array([[1 if i >> j & 1 else -1 for j in range(3)] for i in range(8)])
"""The 2^3 design in standard order: the first factor changes fastest."""
A, B, C = ORDER.T


def _contrast(signs, rates):
    return float(signs @ rates / 4)


def _effects(of=_contrast, first=A, last=C, pair=A * B, **changed):
    """Return a model of the table of effects."""
    columns = {
        "a": lambda y: of(first, y),
        "c": lambda y: of(last, y),
        "ab": lambda y: of(pair, y),
    } | changed
    return by_place(lambda y: {name: float(column(y)) for name, column in columns.items()})


def _eight(rng):
    size = rng.permutation([1.0, 0.6, 0.35]) * rng.choice([-1, 1], 3)
    pairs = rng.uniform(0.15, 0.5, 3) * rng.choice([-1, 1], 3)
    logs = ORDER @ size + np.column_stack([A * B, A * C, B * C]) @ pairs
    return {"rates": np.round(50 + 9 * logs + rng.normal(0, 1.5, 8), 1)}


effects = array(
    "effects",
    "Eight runs, three switches",
    reference=_effects(),
    inputs=_eight,
    points=4,
    mistakes=mistakes(
        _effects(
            a=lambda y: y[1] - y[0],
            c=lambda y: y[4] - y[0],
            ab=lambda y: (y[3] - y[2] - y[1] + y[0]) / 2,
        ),
        "one at a time: You compared a few runs with the first one and left out the others. Use "
        "all eight runs for each effect.",
        _effects(lambda signs, y: signs @ y / 8),
        "coefficients: These are half of the effects, for signs of -1 and 1. An effect is the mean "
        "with the switch on minus the mean with it off.",
        _effects(lambda signs, y: signs @ y),
        "sums for means: You took sums of four runs. An effect is a difference of means.",
        _effects(first=C, last=A, pair=B * C),
        "order reversed: You read the runs as if the last switch changed fastest. In which run is "
        "only A on?",
        _effects(ab=lambda y: _contrast(A * B, y) * 2),
        "interaction doubled: Your interaction is the change of A's effect by B. The definition "
        "here is half of that.",
        _effects(ab=lambda y: _contrast(A, y) + _contrast(B, y)),
        "effects added: You compared both switches on with both off. This is the sum of their two "
        "effects. The interaction compares equal with different settings.",
        _effects(pair=A * C),
        "another pair: That is the interaction of A and C.",
    ),
)


def _squares(y):
    signs = np.column_stack([A, B, C, A * B, A * C, B * C, A * B * C])
    return (signs.T @ y / 8) ** 2


variation = number(
    "variation",
    "How much of it is A?",
    reference=by_place(lambda y: float(_squares(y)[0] / _squares(y).sum())),
    inputs=lambda rng: {"rates": _eight(rng)["rates"]},
    points=2,
    mistakes=mistakes(
        lambda y: float(sqrt(_squares(y)[0]) / np.sqrt(_squares(y)).sum()),
        "not squared: You compared the effects themselves. The variation is a sum of squares.",
        lambda y: float(_squares(y)[0] / (_squares(y).sum() + np.mean(y) ** 2)),
        "mean included: You counted the square of the mean as variation. It doesn't vary.",
        lambda y: float(_squares(y)[0] / _squares(y)[:3].sum()),
        "interactions left out: You compared with the three main effects alone. Interactions add "
        "to the variation as well.",
        lambda y: float(2 * sqrt(_squares(y)[0]) / np.ptp(y)),
        "share of the range: You divided the effect by the range of the rates. Divide sums of "
        "squares.",
        lambda y: float(_squares(y)[0] / np.var(y, ddof=1)),
        "divided by one fewer: You divided by the variance with one run fewer. Use sums of squares "
        "over the same eight runs.",
        lambda y: float(_squares(y)[2] / _squares(y).sum()),
        "the last switch: That is the fraction of C, or you read the runs in reverse order. In "
        "which run is only A on?",
        lambda y: float(_squares(y)[0] / _squares(y).sum() / 8),
        "mean square: You counted A's movement in one run, but the variation of all eight. The "
        "effect moves each of the eight runs.",
        lambda y: float(4 * _squares(y)[0] / _squares(y).sum()),
        "whole effect: You moved each run by the whole effect. A run lies half of the effect "
        "above or below the mean.",
    ),
)


def _true_effects(rng):
    ab, ac, bd, cd = (rng.uniform(1, 9, 4) * rng.choice([-1, 1], 4)).tolist()
    a, b = rng.uniform(5, 20, 2).tolist()
    return {"a": a, "b": b, "ab": ab, "ac": ac, "bd": bd, "cd": cd}


confounded = number(
    "confounded",
    "Half of the runs",
    reference=lambda a, b, ab, ac, bd, cd: ab + cd,
    inputs=_true_effects,
    points=2,
    unit="%",
    mistakes=mistakes(
        lambda a, b, ab, ac, bd, cd: ab,
        "alone: You gave the true interaction alone. With half of the runs, another effect has the "
        "same column of signs. Which one?",
        lambda a, b, ab, ac, bd, cd: ab - cd,
        "other sign: You subtracted. With D = ABC, what is the product of the signs of A, B, C and "
        "D in every run?",
        lambda a, b, ab, ac, bd, cd: (ab + cd) / 2,
        "mean of two: You averaged the two. Both act in every run, so they add up.",
        lambda a, b, ab, ac, bd, cd: ab / 2,
        "half of it: You halved the sum. Half of the runs don't halve an effect: it is a "
        "difference of means.",
        lambda a, b, ab, ac, bd, cd: ab + ac + bd + cd,
        "all pairs: You added up all pairs. Which of them have the same column of signs?",
        lambda a, b, ab, ac, bd, cd: ac + bd,
        "another column: That is what the experiment reports for AC. Multiply the signs of A and "
        "B.",
        lambda a, b, ab, ac, bd, cd: a + b + ab,
        "main effects added: You added the effects of A and B. Their columns of signs are "
        "different ones.",
    ),
)


def _search(rng):
    return {"best_share": rng.uniform(0.01, 0.1), "confidence": rng.uniform(0.8, 0.99)}


def _tries(best_share, confidence):
    return float(log(1 - confidence) / log(1 - best_share))


tries = number(
    "tries",
    "How many settings at random?",
    reference=_tries,
    inputs=_search,
    points=2,
    tolerance=0.001,
    mistakes=[
        *mistakes(
            lambda share, sure: 1 / share,
            "one on average: With this number you find one on average. This is far from certain.",
            lambda share, sure: sure / share,
            "in proportion: You scaled by the probability. What is the probability that all tries "
            "miss?",
            lambda share, sure: float(log(sure) / log(1 - share)),
            "all miss so often: You set the probability that all miss to the probability of a hit. "
            "Subtract it from 1.",
            lambda share, sure: float(log(1 - sure) / log(share)),
            "all hit: You used the probability that all tries hit. Use the probability that all of "
            "them miss.",
            lambda share, sure: float(-log(1 - sure) / share),
            "small shares: You approximated the logarithm by the fraction itself. This isn't "
            "accurate enough here.",
        ),
        *rounded(_tries),
    ],
)


def _own_times(rng):
    old = np.geomspace(1e-3, 0.2, 7) * rng.uniform(0.9, 1.1, 7)
    return {"old": old, "new": old / (rng.uniform(0.96, 1.04, 7) * [9, 1.3, 0.9, 1.5, 30, 1.1, 3])}


def _odd(old, new):
    if not ((old > 0).all() and (new > 0).all()):
        return "Every time must be above 0."
    if np.allclose(old, new, rtol=1e-9):
        return "Old and new times are all the same: two measurements never are."
    if np.ptp(old / new) == 0:
        return "All speedups are the same: measured ones never are."
    return ""


own_suite = measured(
    "own_suite",
    "A suite of your own",
    columns=("old", "new"),
    reference=lambda old, new: geometric_mean(old / new),
    example=_own_times,
    least=6,
    plausible=_odd,
    points=3,
    tolerance=0.01,
    mistakes=mistakes(
        lambda old, new: float(np.mean(old / new)),
        "arithmetic mean of your own: You averaged the speedups arithmetically, so the largest "
        "decides. Take the geometric mean.",
        lambda old, new: harmonic_mean(old / new),
        "harmonic mean of your own: That is the harmonic mean of the speedups. Take the geometric "
        "mean.",
        lambda old, new: float(old.sum() / new.sum()),
        "totals of your own: You divided the totals, so the longest program decides. Here all "
        "tasks count equally.",
        lambda old, new: float(np.median(old / new)),
        "middle of your own: That is the speedup in the middle. All of them count.",
        lambda old, new: geometric_mean(new / old),
        "upside down: That is the new time over the old one. Take old over new.",
        lambda old, new: float(np.mean(np.log(old / new))),
        "logarithm of your own: That is the mean of the logarithms. Take the exponential.",
    ),
)

bank = Bank(
    "benchmarking",
    "What may one number say?",
    [
        suite_means,
        clamped,
        baseline,
        gave_up,
        without_worst,
        by_repository,
        loser,
        profile,
        common,
        tasks_needed,
        rare,
        discordant,
        kappa,
        pass_at_k,
        false_gains,
        again,
        lucky,
        effects,
        variation,
        confounded,
        tries,
        own_suite,
    ],
)
