"""Question bank of the topic measurement: what a number says, and how sure one may be.

Fourteen questions in three levels. Units are SI: seconds, bytes, bytes/s, watts, joules. Shares
run from 0 to 1.
"""

from math import sqrt

import numpy as np
from scipy import stats

from perfcourse.bank import Bank, Mistake, array, choice, function, measured, number
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.labs.measurement.mixed_precision_energy.savings import (
    metered_run,
    paired_significance_of,
)

ARRAYS = (
    "Let NumPy do the loop: given an array of {}, the function should return an array of the "
    "same shape. Use np.sqrt, not math.sqrt, and wrap the comparisons of your checks in "
    "np.any(...)."
)

# Level 1: one number


def _streams(rng):
    elements = int(rng.uniform(1, 8) * 1e7)
    rate = rng.uniform(5, 40) * 1e9
    return {
        "elements": elements,
        "copy_seconds": 24 * elements / rate,
        "triad_seconds": 32 * elements / rate * rng.uniform(0.9, 1.2),
    }


def _rates(counted, moved):
    """Return a model of both columns from bytes an element, each for copy and triad."""

    def model(elements, copy_seconds, triad_seconds):
        seconds = np.array([copy_seconds, triad_seconds])
        return {
            "counted": elements * np.array(counted) / seconds,
            "moved": elements * np.array(moved) / seconds,
        }

    return model


stream = array(
    "stream",
    "Bytes counted and bytes moved",
    reference=_rates((16, 24), (24, 32)),
    inputs=_streams,
    points=3,
    unit="bytes/s",
    mistakes=[
        Mistake(
            "nothing read before writing",
            _rates((16, 24), (16, 24)),
            "Your two columns are equal. Before the processor writes a line, it reads the line. "
            "How many bytes does this add to each loop?",
        ),
        Mistake(
            "everything twice",
            _rates((16, 24), (32, 48)),
            "You read every array once more. Only the written array is read first.",
        ),
        Mistake(
            "numbers for bytes",
            _rates((2, 3), (3, 4)),
            "These are numbers per second. How many bytes has each number?",
        ),
        Mistake(
            "single precision",
            _rates((8, 12), (12, 16)),
            "You gave each number 4 bytes. It has 8.",
        ),
        Mistake(
            "written counted twice in both",
            _rates((24, 32), (24, 32)),
            "Your first column contains the additional read. The benchmark counts each array once; "
            "what the hardware adds belongs in the second column only.",
        ),
        Mistake(
            "columns swapped",
            _rates((24, 32), (16, 24)),
            "Your two columns are exchanged. Which one does the benchmark report, and which one "
            "has more bytes?",
        ),
        Mistake(
            "loops swapped",
            lambda elements, copy_seconds, triad_seconds: {
                name: rates[::-1]
                for name, rates in _rates((16, 24), (24, 32))(
                    elements, copy_seconds, triad_seconds
                ).items()
            },
            "Your columns begin with triad. Copy comes first.",
        ),
        Mistake(
            "two arrays in triad",
            _rates((16, 16), (24, 24)),
            "You counted two arrays in triad, as in copy. How many arrays does triad read, and how "
            "many does it write?",
        ),
    ],
)


def _clock(rng):
    resolution = rng.uniform(20, 2000) * 1e-9
    error = rng.uniform(0.002, 0.02)
    return {
        "resolution": resolution,
        "call_seconds": resolution * rng.uniform(0.05, 5),
        "error": error,
    }


inner_calls = number(
    "inner_calls",
    "How many calls between two clock readings?",
    reference=lambda resolution, call_seconds, error: resolution / (error * call_seconds),
    inputs=_clock,
    points=2,
    mistakes=[
        Mistake(
            "steps for calls",
            lambda resolution, call_seconds, error: 1 / error,
            "That is the number of clock steps that the total time must last. How many calls fill "
            "them?",
        ),
        Mistake(
            "error forgotten",
            lambda resolution, call_seconds, error: resolution / call_seconds,
            "Your calls last for one step of the clock. Then an error of one step is 100 %.",
        ),
        Mistake(
            "error multiplied",
            lambda resolution, call_seconds, error: resolution * error / call_seconds,
            "You multiplied by the error. One step must be a small fraction of the total time, so "
            "divide.",
        ),
        Mistake(
            "upside down",
            lambda resolution, call_seconds, error: call_seconds / (error * resolution),
            "With your formula a slower call needs more repetitions. It must need fewer.",
        ),
        Mistake(
            "half a step",
            lambda resolution, call_seconds, error: resolution / (2 * error * call_seconds),
            "You took half a step of the clock as the error. The statement says that the total "
            "time is known to within one step.",
        ),
        Mistake(
            "two steps",
            lambda resolution, call_seconds, error: 2 * resolution / (error * call_seconds),
            "You counted one step for each of the two readings. The statement says that the total "
            "time is known to within one step.",
        ),
        Mistake(
            "time for calls",
            lambda resolution, call_seconds, error: resolution / error,
            "That is the total time in seconds. How many calls fill it?",
        ),
    ],
)


def _overhead(rng):
    startup = rng.uniform(1, 200) * 1e-6
    bandwidth = rng.uniform(5, 200) * 1e9
    return {
        "bytes_moved": startup * bandwidth * 10 ** rng.uniform(-1.5, 1.5),
        "startup": startup,
        "bandwidth": bandwidth,
    }


def _rate(bytes_moved, startup, bandwidth):
    size = np.asarray(bytes_moved, dtype=float)
    if not (np.all(size > 0) and np.all(np.asarray(bandwidth) > 0)):
        raise ValueError(f"bytes_moved and bandwidth must be above 0, got {bytes_moved!r}")
    if np.any(np.asarray(startup) < 0):
        raise ValueError(f"startup must be 0 or more, got {startup!r}")
    return size / (startup + size / bandwidth)


observed_rate = function(
    "observed_rate",
    "Build the observed transfer rate",
    answer="observed_rate",
    reference=_rate,
    inputs=_overhead,
    points=4,
    mistakes=[
        Mistake(
            "overhead forgotten",
            lambda bytes_moved, startup, bandwidth: bandwidth + 0 * np.asarray(bytes_moved),
            "That is the bandwidth, whatever the size is. The observed time includes the startup.",
        ),
        Mistake(
            "rates added",
            lambda bytes_moved, startup, bandwidth: bandwidth + bytes_moved / startup,
            "You added rates. The two times follow each other, so times add up.",
        ),
        Mistake(
            "slower of two",
            lambda bytes_moved, startup, bandwidth: np.minimum(bandwidth, bytes_moved / startup),
            "You took the slower of two rates, as if startup and transfer happened at the same "
            "time. The transfer begins after the startup.",
        ),
        Mistake(
            "time for rate",
            lambda bytes_moved, startup, bandwidth: startup + bytes_moved / bandwidth,
            "That is the time. How many bytes are moved per second of it?",
        ),
        Mistake(
            "startup subtracted",
            lambda bytes_moved, startup, bandwidth: (
                bytes_moved / (bytes_moved / bandwidth - startup)
            ),
            "You subtracted the startup from the time. The startup comes before the bytes flow, so "
            "both times add up.",
        ),
    ],
    properties=[
        limit("no startup", (1e6, 0.0, 1e9), 0.5, "Without a startup, the rate is the bandwidth."),
        vectorised((np.array([1e3, 1e6, 1e9]), 1e-5, 1e10), 0.5, ARRAYS.format("sizes")),
        monotone(
            "rises with the size",
            0,
            [1e3, 1e5, 1e7, 1e9],
            (1e3, 1e-5, 1e10),
            0.5,
            "The more bytes are moved, the less the startup matters. Try growing sizes.",
        ),
        refuses((-1.0, 1e-5, 1e10), 0.5, "No transfer has negative bytes: raise a ValueError."),
    ],
)


def _share(rng):
    return {
        "startup": rng.uniform(1, 200) * 1e-6,
        "bandwidth": rng.uniform(5, 200) * 1e9,
        "share": rng.choice([rng.uniform(0.1, 0.45), rng.uniform(0.55, 0.95)]),
    }


size_needed = number(
    "size_needed",
    "Large enough to see the bandwidth",
    reference=lambda startup, bandwidth, share: share / (1 - share) * startup * bandwidth,
    inputs=_share,
    points=2,
    unit="bytes",
    mistakes=[
        Mistake(
            "half of it",
            lambda startup, bandwidth, share: startup * bandwidth,
            "At that size you observe half of the bandwidth. The question asks for another "
            "fraction.",
        ),
        Mistake(
            "in proportion",
            lambda startup, bandwidth, share: share * startup * bandwidth,
            "You multiplied the half-performance size by the fraction. The size grows without "
            "limit as the fraction approaches 1: solve the equation for the bytes.",
        ),
        Mistake(
            "shares exchanged",
            lambda startup, bandwidth, share: (1 - share) / share * startup * bandwidth,
            "With your formula a larger fraction needs a smaller size. It must need a larger one.",
        ),
        Mistake(
            "whole over the rest",
            lambda startup, bandwidth, share: startup * bandwidth / (1 - share),
            "You used the whole time, which is the startup over its fraction of it. Bytes flow "
            "only after the startup: for which fraction of the time?",
        ),
    ],
)

# Level 2: two numbers, and whether they differ


def _suite(rng):
    old = rng.uniform([0.5, 2, 10, 40], [2, 8, 30, 90])
    return {
        "old_seconds": old,
        "new_seconds": old / rng.uniform([2, 1, 0.8, 0.7], [6, 3, 1.5, 1.4]),
    }


total_speedup = number(
    "total_speedup",
    "How many times as fast is the suite?",
    reference=lambda old_seconds, new_seconds: float(old_seconds.sum() / new_seconds.sum()),
    inputs=_suite,
    points=2,
    mistakes=[
        Mistake(
            "mean of the speedups",
            lambda old_seconds, new_seconds: float((old_seconds / new_seconds).mean()),
            "You averaged four speedups, so a program of a second counts as much as one of a "
            "minute. How long do all four take together?",
        ),
        Mistake(
            "geometric mean",
            lambda old_seconds, new_seconds: float(stats.gmean(old_seconds / new_seconds)),
            "You took the geometric mean, which lets each speedup count equally. How long do all "
            "four programs take together?",
        ),
        Mistake(
            "harmonic mean",
            lambda old_seconds, new_seconds: float(stats.hmean(old_seconds / new_seconds)),
            "That is the harmonic mean of the speedups. It is right if all programs took equally "
            "long on the old machine. They don't, so weight by their times.",
        ),
        Mistake(
            "share of the time",
            lambda old_seconds, new_seconds: float(new_seconds.sum() / old_seconds.sum()),
            "That is the remaining time as a fraction of the old. How many times as fast is this?",
        ),
    ],
)


def _interleaved(rng):
    drift = rng.choice([-1, 1]) * rng.uniform(0.06, 0.12)
    effect = rng.choice([-1, 1]) * rng.uniform(0.03, 0.05)
    base = rng.uniform(0.2, 5)
    seconds = base * np.array([1, 1 + effect, 1 + effect, 1]) * (1 + drift * np.arange(4))
    return {"seconds": seconds}


def _verdict(ratio):
    """Return a model that decides by a ratio of B to A, from the four times."""

    def model(seconds):
        found = float(ratio(*seconds))
        return ("B faster" if found < 1 else "B slower"), found

    return model


abba = choice(
    "abba",
    "While the machine gets warmer",
    choices=("B faster", "B slower"),
    reference=_verdict(lambda a1, b1, b2, a2: (b1 + b2) / (a1 + a2)),
    inputs=_interleaved,
    points=3,
    tolerance=0.005,
    mistakes=[
        Mistake(
            "first pair",
            _verdict(lambda a1, b1, b2, a2: b1 / a1),
            "You compared the first two runs, or the faster run of each program. B ran later than "
            "A there, and the machine had changed meanwhile.",
        ),
        Mistake(
            "last pair",
            _verdict(lambda a1, b1, b2, a2: b2 / a2),
            "You compared the last two runs, or the faster run of each program. A ran later than B "
            "there, and the machine had changed meanwhile.",
        ),
        Mistake(
            "upside down",
            _verdict(lambda a1, b1, b2, a2: (a1 + a2) / (b1 + b2)),
            "You divided A's time by B's. The question asks for B's time over A's.",
        ),
        Mistake(
            "change for ratio",
            lambda seconds: (
                "B faster" if seconds[1:3].sum() < seconds[[0, 3]].sum() else "B slower",
                float(seconds[1:3].sum() / seconds[[0, 3]].sum() - 1),
            ),
            "You gave the relative change, which is 0 for no difference. The ratio is 1 then.",
        ),
        Mistake(
            "first half against second",
            _verdict(lambda a1, b1, b2, a2: (b2 + a2) / (a1 + b1)),
            "You compared the first two runs with the last two. Which runs are of B?",
        ),
        Mistake(
            "A B A B",
            _verdict(lambda a1, b1, b2, a2: (b1 + a2) / (a1 + b2)),
            "You read the runs in the order A, B, A, B. They ran in the order A, B, B, A. Which "
            "two runs are of B?",
        ),
    ],
)


def _groups(rng):
    runs = int(rng.integers(5, 9))
    mean, spread = rng.uniform(1, 9), rng.uniform(0.01, 0.04)
    wide = spread * stats.t.ppf(0.975, 2 * runs - 2) * sqrt(2 / runs)
    shift = rng.choice([-1, 0, 1]) * wide * rng.uniform(2.5, 4) + wide * rng.uniform(-0.3, 0.3)
    return {
        "runs": runs,
        "old_mean": mean,
        "new_mean": mean * (1 + shift),
        "spread": mean * spread,
    }


def _told(half_width):
    """Return a model that decides by the half width of the difference's interval."""

    def model(runs, old_mean, new_mean, spread):
        wide = float(half_width(runs, spread))
        difference = new_mean - old_mean
        if abs(difference) <= wide:
            return "can't tell", wide
        return ("new is slower" if difference > 0 else "new is faster"), wide

    return model


can_tell = choice(
    "can_tell",
    "Faster, slower, or can't you tell?",
    choices=("new is faster", "new is slower", "can't tell"),
    reference=_told(lambda n, s: stats.t.ppf(0.975, 2 * n - 2) * s * sqrt(2 / n)),
    inputs=_groups,
    points=4,
    unit="s",
    mistakes=[
        Mistake(
            "one standard error",
            _told(lambda n, s: s * sqrt(2 / n)),
            "That is the standard error of the difference. A 95 % interval is wider by a quantile.",
        ),
        Mistake(
            "normal for t",
            _told(lambda n, s: 1.959964 * s * sqrt(2 / n)),
            "You used the normal quantile, as if the standard deviation were known. It is "
            "estimated from a few runs, so use Student's t.",
        ),
        Mistake(
            "degrees of freedom of one group",
            _told(lambda n, s: stats.t.ppf(0.975, n - 1) * s * sqrt(2 / n)),
            "You counted the degrees of freedom of one group. The standard deviation was estimated "
            "from both: each group adds its runs minus one.",
        ),
        Mistake(
            "one-sided quantile",
            _told(lambda n, s: stats.t.ppf(0.95, 2 * n - 2) * s * sqrt(2 / n)),
            "Your quantile leaves 5 % on each side. A 95 % interval leaves 5 % on both sides "
            "together: which quantile is this?",
        ),
        Mistake(
            "difference for width",
            lambda runs, old_mean, new_mean, spread: (
                "new is slower" if new_mean > old_mean else "new is faster",
                abs(new_mean - old_mean),
            ),
            "That is the difference itself. How far does its interval reach to either side?",
        ),
        Mistake(
            "one group's error",
            _told(lambda n, s: stats.t.ppf(0.975, 2 * n - 2) * s / sqrt(n)),
            "You used the standard error of one mean. Both means are uncertain, and their "
            "variances add up.",
        ),
        Mistake(
            "spread of a run",
            _told(lambda n, s: stats.t.ppf(0.975, 2 * n - 2) * s * sqrt(2)),
            "You used the standard deviation of single runs. The mean of several runs varies less.",
        ),
        Mistake(
            "full width",
            _told(lambda n, s: 2 * stats.t.ppf(0.975, 2 * n - 2) * s * sqrt(2 / n)),
            "That is the full width of the interval. Give half of it.",
        ),
        Mistake(
            "quantile of a run",
            _told(lambda n, s: stats.t.ppf(0.975, 2 * n - 2) * s),
            "You multiplied the quantile by the standard deviation of one run. The interval is for "
            "the difference of two means: what is its standard error?",
        ),
    ],
)


def _two_samples(rng):
    mean_1, mean_2 = rng.permutation([rng.uniform(5, 9), rng.uniform(1, 4)])
    return {
        "mean_1": mean_1,
        "sd_1": rng.uniform(0.2, 2),
        "n_1": int(rng.integers(4, 12)),
        "mean_2": mean_2,
        "sd_2": rng.uniform(0.2, 2),
        "n_2": int(rng.integers(15, 60)),
    }


def _welch(mean_1, sd_1, n_1, mean_2, sd_2, n_2):
    if np.any(np.asarray(n_1) < 2) or np.any(np.asarray(n_2) < 2):
        raise ValueError(f"n_1 and n_2 must be 2 or more, got {n_1!r} and {n_2!r}")
    error = np.sqrt(np.asarray(sd_1) ** 2 / n_1 + np.asarray(sd_2) ** 2 / n_2)
    return (np.asarray(mean_1) - mean_2) / error


welch = function(
    "welch",
    "Build Welch's t",
    answer="welch",
    reference=_welch,
    inputs=_two_samples,
    points=4,
    mistakes=[
        Mistake(
            "deviations added",
            lambda m1, s1, n1, m2, s2, n2: (m1 - m2) / (s1 / np.sqrt(n1) + s2 / np.sqrt(n2)),
            "You added the two standard errors. For independent quantities the variances add up.",
        ),
        Mistake(
            "runs forgotten",
            lambda m1, s1, n1, m2, s2, n2: (m1 - m2) / np.sqrt(s1**2 + s2**2),
            "Your result doesn't depend on the number of runs. The mean of many runs is more "
            "certain.",
        ),
        Mistake(
            "not squared",
            lambda m1, s1, n1, m2, s2, n2: (m1 - m2) / np.sqrt(s1 / n1 + s2 / n2),
            "You used standard deviations where the formula has variances.",
        ),
        Mistake(
            "variance for error",
            lambda m1, s1, n1, m2, s2, n2: (m1 - m2) / (s1**2 / n1 + s2**2 / n2),
            "You divided by the variance of the difference. A t has no unit, so divide by a "
            "standard error.",
        ),
        Mistake(
            "one run fewer",
            lambda m1, s1, n1, m2, s2, n2: (m1 - m2) / np.sqrt(s1**2 / (n1 - 1) + s2**2 / (n2 - 1)),
            "You divided the variances by one run fewer. This was done when the standard "
            "deviations were estimated; a mean is over all its runs.",
        ),
        Mistake(
            "pooled",
            lambda m1, s1, n1, m2, s2, n2: (
                (m1 - m2)
                / np.sqrt(((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / (n1 + n2 - 2) * (1 / n1 + 1 / n2))
            ),
            "That is Student's t, with one standard deviation for both groups. Here each group "
            "keeps its own.",
        ),
        Mistake(
            "size of the difference",
            lambda m1, s1, n1, m2, s2, n2: np.abs(m1 - m2) / np.sqrt(s1**2 / n1 + s2**2 / n2),
            "You took the absolute value. The sign says which group takes longer, so keep it.",
        ),
        Mistake(
            "second minus first",
            lambda m1, s1, n1, m2, s2, n2: (m2 - m1) / np.sqrt(s1**2 / n1 + s2**2 / n2),
            "Your sign is reversed. Subtract the second mean from the first.",
        ),
    ],
    properties=[
        limit("equal means", (3.0, 1.0, 5, 3.0, 2.0, 9), 0.5, "Equal means differ by nothing."),
        vectorised(
            (np.array([1.0, 2.0, 3.0]), 1.0, 5, 2.0, 1.0, 5), 0.5, ARRAYS.format("first means")
        ),
        refuses(
            (3.0, 1.0, 1, 2.0, 2.0, 9),
            0.5,
            "A single run has no standard deviation: raise a ValueError.",
            "refuses a single run",
        ),
    ],
)


def _planned(rng):
    return {
        "effect": rng.uniform(0.01, 0.2),
        "spread": rng.uniform(0.02, 0.4),
        "z": rng.uniform(2.2, 4.2),
    }


def _runs(effect, spread, z):
    for name, value in (("effect", effect), ("spread", spread), ("z", z)):
        if not np.all(np.asarray(value) > 0):
            raise ValueError(f"{name} must be above 0, got {value!r}")
    return 2 * (np.asarray(z) * spread / np.asarray(effect)) ** 2


runs_needed = function(
    "runs_needed",
    "Build the number of runs",
    answer="runs_needed",
    reference=_runs,
    inputs=_planned,
    points=4,
    mistakes=[
        Mistake(
            "one group",
            lambda effect, spread, z: (z * spread / effect) ** 2,
            "That number makes one mean certain enough. You compare two means, and both vary.",
        ),
        Mistake(
            "not squared",
            lambda effect, spread, z: 2 * z * spread / effect,
            "You left out a square. The error of a mean falls with the root of the number of runs, "
            "so half the effect needs four times the runs.",
        ),
        Mistake(
            "effect over spread",
            lambda effect, spread, z: 2 * (z * effect / spread) ** 2,
            "With your formula a larger effect needs more runs. It must need fewer.",
        ),
        Mistake(
            "z forgotten",
            lambda effect, spread, z: 2 * (spread / effect) ** 2,
            "With that number, the effect is one standard error. It should be z of them.",
        ),
        Mistake(
            "all runs",
            lambda effect, spread, z: 4 * (z * spread / effect) ** 2,
            "That is the number of runs in both groups together. The question asks for one group.",
        ),
        Mistake(
            "rounded up",
            lambda effect, spread, z: np.ceil(2 * (z * spread / effect) ** 2),
            "You rounded up. Return the number without rounding.",
        ),
    ],
    properties=[
        vectorised((np.array([0.05, 0.1]), 0.2, 2.8), 0.5, ARRAYS.format("effects")),
        monotone(
            "falls with the effect",
            0,
            [0.01, 0.02, 0.05, 0.2],
            (0.1, 0.1, 2.8),
            0.5,
            "A larger effect needs fewer runs. Try growing effects.",
            rises=False,
        ),
        refuses(
            (0.0, 0.1, 2.8), 0.5, "No number of runs finds an effect of zero: raise a ValueError."
        ),
    ],
)


def _paired(rng):
    return {
        "difference": rng.uniform(2, 12),
        "spread": rng.uniform(5, 20),
        "pairs": int(rng.integers(4, 20)),
        "correlation": rng.uniform(0.55, 0.95),
    }


in_pairs = number(
    "in_pairs",
    "The same runs, in pairs",
    reference=lambda difference, spread, pairs, correlation: float(
        paired_significance_of(difference, spread, pairs, correlation)[0]
    ),
    inputs=_paired,
    points=2,
    mistakes=[
        Mistake(
            "as two groups",
            lambda difference, spread, pairs, correlation: difference / (spread * sqrt(2 / pairs)),
            "You left out the correlation, as for two independent groups. What the two runs of a "
            "pair have in common cancels in their difference.",
        ),
        Mistake(
            "correlation for its rest",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt(2 * correlation / pairs))
            ),
            "With your formula a stronger correlation makes the test weaker. The difference "
            "contains what the two runs don't have in common.",
        ),
        Mistake(
            "pairs forgotten",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt(2 * (1 - correlation)))
            ),
            "You divided by the standard deviation of one difference. You have the mean of several "
            "differences.",
        ),
        Mistake(
            "one pair fewer",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt(2 * (1 - correlation) / (pairs - 1)))
            ),
            "You divided the variance by one pair fewer. This is the number of degrees of freedom; "
            "the mean is over all pairs.",
        ),
        Mistake(
            "one run's variance",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt((1 - correlation) / pairs))
            ),
            "You used the variance of one run, without the common part. A difference contains the "
            "variation of two runs.",
        ),
        Mistake(
            "variance for error",
            lambda difference, spread, pairs, correlation: (
                difference / (spread**2 * 2 * (1 - correlation) / pairs)
            ),
            "You divided by the variance of the mean difference. A t has no unit, so divide by a "
            "standard error.",
        ),
        Mistake(
            "correlation added",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt(2 * (1 + correlation) / pairs))
            ),
            "You added the correlation. This is the variance of a sum. In a difference, what both "
            "runs have in common cancels.",
        ),
        Mistake(
            "correlation squared",
            lambda difference, spread, pairs, correlation: (
                difference / (spread * sqrt(2 * (1 - correlation**2) / pairs))
            ),
            "You squared the correlation, as in a regression. In the variance of a difference, the "
            "covariance is subtracted twice.",
        ),
    ],
)

# Level 3: joules and latencies


def _two_runs(rng):
    watts, seconds = rng.uniform(80, 300), rng.uniform(300, 3000)
    return {
        "old_watts": watts,
        "old_seconds": seconds,
        "new_watts": watts * rng.uniform(0.85, 1.2),
        "new_seconds": seconds * rng.uniform(0.5, 0.8),
    }


energy_saved = number(
    "energy_saved",
    "Watts are not joules",
    reference=lambda old_watts, old_seconds, new_watts, new_seconds: (
        1 - new_watts * new_seconds / (old_watts * old_seconds)
    ),
    inputs=_two_runs,
    points=2,
    mistakes=[
        Mistake(
            "watts only",
            lambda old_watts, old_seconds, new_watts, new_seconds: 1 - new_watts / old_watts,
            "That is the saved fraction of power. For how long does each run draw it?",
        ),
        Mistake(
            "seconds only",
            lambda old_watts, old_seconds, new_watts, new_seconds: 1 - new_seconds / old_seconds,
            "That is the saved fraction of time. The two runs draw different powers.",
        ),
        Mistake(
            "what is left",
            lambda old_watts, old_seconds, new_watts, new_seconds: (
                new_watts * new_seconds / (old_watts * old_seconds)
            ),
            "That is the remaining energy as a fraction of the old. How much is saved?",
        ),
        Mistake(
            "shares added",
            lambda old_watts, old_seconds, new_watts, new_seconds: (
                2 - new_watts / old_watts - new_seconds / old_seconds
            ),
            "You added the saved fractions of power and time. Energy is a product: multiply the "
            "remaining fractions.",
        ),
        Mistake(
            "share of the new",
            lambda old_watts, old_seconds, new_watts, new_seconds: (
                old_watts * old_seconds / (new_watts * new_seconds) - 1
            ),
            "You divided the saved energy by the new energy. Divide by the old energy.",
        ),
        Mistake(
            "joules",
            lambda old_watts, old_seconds, new_watts, new_seconds: (
                old_watts * old_seconds - new_watts * new_seconds
            ),
            "That is the saved energy in joules. Which fraction of the old energy is this?",
        ),
    ],
)


def _machine(rng):
    return {
        "static_watts": rng.uniform(20, 120),
        "work_joules": rng.uniform(10, 90) * 1e3,
        "old_seconds": rng.uniform(400, 2000),
        "times_as_fast": rng.uniform(1.3, 3),
    }


faster_power = number(
    "faster_power",
    "Faster, and what does the meter show?",
    reference=lambda static_watts, work_joules, old_seconds, times_as_fast: (
        metered_run(static_watts, work_joules, old_seconds / times_as_fast).watts
    ),
    inputs=_machine,
    points=2,
    unit="W",
    mistakes=[
        Mistake(
            "as before",
            lambda static_watts, work_joules, old_seconds, times_as_fast: (
                static_watts + work_joules / old_seconds
            ),
            "That is the mean power of the slower run. The same work is now done in less time.",
        ),
        Mistake(
            "all of it faster",
            lambda static_watts, work_joules, old_seconds, times_as_fast: (
                (static_watts + work_joules / old_seconds) * times_as_fast
            ),
            "You scaled all of the power. The static part is the same at any speed.",
        ),
        Mistake(
            "less power",
            lambda static_watts, work_joules, old_seconds, times_as_fast: (
                static_watts + work_joules / (old_seconds * times_as_fast)
            ),
            "You made the run longer. How long does the work take now?",
        ),
        Mistake(
            "static power forgotten",
            lambda static_watts, work_joules, old_seconds, times_as_fast: (
                work_joules * times_as_fast / old_seconds
            ),
            "That is the power of the work alone. The machine's static power is also on the meter.",
        ),
        Mistake(
            "joules for watts",
            lambda static_watts, work_joules, old_seconds, times_as_fast: (
                static_watts * old_seconds / times_as_fast + work_joules
            ),
            "These are the joules of the faster run. Over how many seconds does it use them?",
        ),
    ],
)


def _memory(rng):
    return {
        "bandwidth": rng.uniform(10, 900) * 1e9,
        "latency": rng.uniform(60, 700) * 1e-9,
        "line_bytes": int(rng.choice([32, 64, 128])),
    }


in_flight = number(
    "in_flight",
    "Little's law of memory",
    reference=lambda bandwidth, latency, line_bytes: bandwidth * latency / line_bytes,
    inputs=_memory,
    points=2,
    mistakes=[
        Mistake(
            "bytes for lines",
            lambda bandwidth, latency, line_bytes: bandwidth * latency,
            "That is the number of bytes under way. How many lines are they?",
        ),
        Mistake(
            "one at a time",
            lambda bandwidth, latency, line_bytes: line_bytes / latency,
            "That is the bandwidth if one line is fetched after the other. How many lines must be "
            "under way at once to reach the given bandwidth?",
        ),
        Mistake(
            "latency upside down",
            lambda bandwidth, latency, line_bytes: bandwidth / latency / line_bytes,
            "With your formula a longer latency needs fewer lines under way. It must need more.",
        ),
        Mistake(
            "words of 8 bytes",
            lambda bandwidth, latency, line_bytes: bandwidth * latency / 8,
            "You counted numbers of 8 bytes. The memory delivers whole lines. How many bytes has a "
            "line?",
        ),
    ],
)


def _timings(rng):
    shared = 1 + 0.1 * rng.random(12)
    first = rng.uniform(0.01, 2) * shared * (1 + 0.02 * rng.random(12))
    second = first * rng.uniform(1.15, 1.4) * (1 + 0.1 * rng.random(12))
    first[3] *= 3
    second[7] *= 6
    return {"first": first, "second": second}


def _odd(first, second):
    if not ((first > 0).all() and (second > 0).all()):
        return "Every time must be above 0."
    if np.ptp(first) == 0 and np.ptp(second) == 0:
        return "Measured times scatter; these are all the same."
    return ""


own_pairs = measured(
    "own_pairs",
    "Two programs on your own machine",
    columns=("first", "second"),
    reference=lambda first, second: float(np.median(second / first)),
    example=_timings,
    least=10,
    plausible=_odd,
    points=3,
    tolerance=0.01,
    mistakes=[
        Mistake(
            "mean of the ratios",
            lambda first, second: float(np.mean(second / first)),
            "You averaged the ratios, so a single interruption moves the result. Take the median.",
        ),
        Mistake(
            "ratio of the means",
            lambda first, second: float(second.mean() / first.mean()),
            "You divided two means. This ignores the pairs, and what the two runs of a pair have "
            "in common. Take the ratio of each pair first.",
        ),
        Mistake(
            "upside down",
            lambda first, second: float(np.median(first / second)),
            "You divided the first by the second. The question asks for the second over the first.",
        ),
    ],
)

bank = Bank(
    "measurement",
    "What a number says, and how sure can you be?",
    [
        stream,
        inner_calls,
        observed_rate,
        size_needed,
        total_speedup,
        abba,
        can_tell,
        welch,
        runs_needed,
        in_pairs,
        energy_saved,
        faster_power,
        in_flight,
        own_pairs,
    ],
)
