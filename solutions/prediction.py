"""Question bank of the topic prediction: whitebox, regression, machine learning, or a mixture.

Twenty-four questions in four levels. Units are SI. Errors and other shares run from 0 to 1; an
error is relative to what was measured. Logarithms are natural.
"""

from math import exp, expm1, log, log1p, pi, sqrt

import numpy as np
from scipy import stats
from scipy.optimize import nnls

from perfcourse.bank import Bank, array, by_place, choice, function, measured, mistakes, number
from perfcourse.bank.properties import limit, refuses, vectorised
from perfmodel.prediction.arena.contest import FAMILIES
from perfmodel.prediction.arena.metrics import log_error, mape, median_ape, r2
from perfmodel.validation import finite, positive

# Level 1: how wrong is it?


def _runs(rng, n=7, bias=0.25, spread=0.35):
    """Draw measured seconds over four decades, none of them 1 s, and predictions of them."""
    decades = rng.uniform(-3, 1, n)
    actual = 10 ** (decades + 0.02 * np.sign(decades))
    lean = rng.choice([-1, 1]) * rng.uniform(0.5, 1) * bias
    return actual, actual * np.exp(lean + spread * rng.standard_normal(n))


def _actual_and_predicted(rng):
    actual, predicted = _runs(rng)
    return {"actual": actual, "predicted": predicted}


build_mape = function(
    "build_mape",
    "Build the mean absolute percentage error",
    answer="mean_error",
    reference=mape,
    inputs=_actual_and_predicted,
    points=5,
    builds="perfmodel.prediction.arena.metrics.mape",
    mistakes=mistakes(
        lambda y, guess: np.mean(np.abs(guess - y) / guess),
        "divided by the prediction: You divided by the prediction, so a model that predicts too "
        "much looks better. Divide by the measured time.",
        lambda y, guess: 100 * mape(y, guess),
        "per cent for share: Your result is in per cent. Errors are fractions in this exercise.",
        lambda y, guess: np.mean((guess - y) / y),
        "signs cancel: You averaged errors with their signs, so one prediction that is too high "
        "cancels another that is too low. Take absolute values first.",
        lambda y, guess: np.mean(np.abs(np.log(guess) - np.log(y)) / np.abs(np.log(y))),
        "MAPE on logarithms: You took logarithms first and then the relative error of those. A "
        "run of 1 second has the logarithm 0, and the error would change with the unit of time. "
        "Go back to seconds before you compare.",
        lambda y, guess: log_error(y, guess),
        "logarithm of the ratio: That is the mean log error. It agrees for small errors, but a "
        "prediction of twice the time counts less than 1. What does it count here?",
        lambda y, guess: np.sum(np.abs(guess - y)) / np.sum(y),
        "sum over sum: You divided the sum of the errors by the sum of the times, so the longest "
        "run decides. Each run has its own relative error, and all count equally.",
        lambda y, guess: np.mean(np.abs(guess - y)),
        "seconds for shares: That is the mean error in seconds, where long runs count most. Divide "
        "each error by its own run's time.",
        lambda y, guess: np.max(np.abs(guess - y) / y),
        "worst for mean: That is the largest of the errors. The question asks for their mean.",
        lambda y, guess: np.abs(np.mean((guess - y) / y)),
        "absolute value too late: You took the mean before the absolute value, so errors up and "
        "down have canceled already.",
        lambda y, guess: median_ape(y, guess),
        "median for mean: That is the median: half of the errors could be anything above it. The "
        "question asks for the mean.",
        lambda y, guess: np.sqrt(np.mean(((guess - y) / y) ** 2)),
        "root of the mean square: You squared the errors before you took the mean, which gives "
        "the largest one most weight.",
    ),
    properties=[
        limit(
            "twice and half",
            (np.array([1.0, 1.0]), np.array([2.0, 0.5])),
            0.5,
            "Try a prediction of twice and one of half the time: errors of 1 and 0.5.",
        ),
        refuses(
            (np.array([1.0, 0.0]), np.array([1.0, 1.0])),
            0.5,
            "A measured time of 0 has no relative error: raise a ValueError rather than return "
            "inf or nan.",
            "refuses a time of 0",
        ),
        refuses(
            (np.array([1.0, 2.0, 3.0]), np.array([1.0])),
            1,
            "You gave one prediction for three runs. NumPy repeats it silently. Raise a "
            "ValueError.",
            "refuses predictions of another number",
        ),
    ],
)


def _scores(**changed):
    """Return a model of the table from functions of (measured, predicted)."""
    columns = {"mape": mape, "median_ape": median_ape, "log_error": log_error, "r2": r2} | changed
    return by_place(lambda y, guess: {name: float(of(y, guess)) for name, of in columns.items()})


def _seconds_and_predicted(rng):
    seconds, predicted = _runs(rng, 9)
    return {"seconds": seconds, "predicted": predicted}


scores = array(
    "scores",
    "Four scores of one predictor",
    reference=_scores(),
    inputs=_seconds_and_predicted,
    points=3,
    mistakes=mistakes(
        _scores(r2=lambda y, guess: np.corrcoef(y, guess)[0, 1] ** 2),
        "squared correlation: Your R2 is the squared correlation. A model that is always twice "
        "too high has a correlation of 1. Use the definition in the statement.",
        _scores(r2=lambda y, guess: r2(guess, y)),
        "measured and predicted swapped: In your R2, predictions and measurements are exchanged. "
        "The variance in the denominator is that of the measured seconds.",
        _scores(log_error=lambda y, guess: np.mean(np.abs(np.log10(guess / y)))),
        "base ten: Your log error uses base ten. Logarithms are natural here.",
        _scores(log_error=lambda y, guess: abs(np.mean(np.log(guess / y)))),
        "logarithms cancel: In your log error, too high and too low cancel: take the absolute "
        "value of each run's before the mean, not after.",
        _scores(mape=lambda y, guess: np.mean(np.abs(guess - y)) / np.mean(y)),
        "mean over mean: Your MAPE divides the mean error by the mean time, so short runs hardly "
        "count. Divide run by run.",
        _scores(median_ape=lambda y, guess: np.median(np.abs(guess - y)) / np.median(y)),
        "median over median: Your median error divides two medians, which can belong to different "
        "runs. First compute each run's relative error, then the median.",
        _scores(
            mape=lambda y, guess: 100 * mape(y, guess),
            median_ape=lambda y, guess: 100 * median_ape(y, guess),
        ),
        "per cent in the table: Your first two values are in per cent. Errors are fractions here.",
        _scores(log_error=lambda y, guess: np.median(np.abs(np.log(guess / y)))),
        "median of logarithms: Your log error is a median. The statement asks for the mean.",
        _scores(mape=lambda y, guess: np.sqrt(np.mean((guess / y - 1) ** 2))),
        "root mean square: Your MAPE is the root of a mean square. Take the mean of the absolute "
        "values.",
    ),
)


def _two_predictors(rng):
    seconds = 10 ** np.arange(-3.0, 2.1) * rng.uniform(1, 3, 6)
    signs = rng.choice([-1, 1], 6)
    even = seconds * (1 + signs * rng.uniform(0.15, 0.3, 6))
    at_top = seconds * (1 + np.array([2.0, 1.6, 1.2, 0.9, 0.5, 0.01]) * rng.uniform(0.7, 1, 6))
    first, second = (even, at_top) if rng.random() < 0.5 else (at_top, even)
    return {"seconds": seconds, "first": first, "second": second}


def _better(decides, said=None):
    """Return a model that takes the predictor of the lower `decides` and says its `said`."""

    def model(seconds, first, second):
        values = [decides(seconds, guess) for guess in (first, second)]
        best = int(np.argmin(values))
        return ("first", "second")[best], float((said or decides)(seconds, (first, second)[best]))

    return model


def _total(y, guess):
    return np.sum(np.abs(guess - y)) / np.sum(y)


which_score = choice(
    "which_score",
    "Nearly all of the variance, and wrong",
    choices=("first", "second"),
    reference=_better(mape),
    inputs=_two_predictors,
    points=3,
    mistakes=mistakes(
        _better(lambda y, guess: -r2(y, guess), r2),
        "R2 alone: You chose by R2. Its sums are over squared seconds, so one long run outweighs "
        "all the others. What does this predictor say about the shortest run?",
        _better(lambda y, guess: -r2(y, guess), mape),
        "R2 decides, error quoted: You chose by R2. Your error is of the right kind, but the other "
        "predictor's is lower.",
        _better(mape, r2),
        "error decides, R2 quoted: Your predictor is right, but you gave its R2. Give its MAPE.",
        _better(_total),
        "seconds decide: You added up seconds, so long runs decide. For the scheduler each run "
        "counts, short ones as well.",
        _better(lambda y, guess: np.mean(np.abs(guess - y) / guess)),
        "divided by the predicted time: You divided by the predicted times. Divide by the measured "
        "times.",
    ),
)

noise_floor = number(
    "noise_floor",
    "The least error that anyone can have",
    reference=by_place(lambda spread: spread / sqrt(pi)),
    inputs=lambda rng: {"spread": rng.uniform(0.08, 0.35)},
    points=3,
    mistakes=mistakes(
        lambda spread: 0.0,
        "perfect means no error: You assumed that a perfect predictor has no error. It can't know "
        "the noise of the next run. How far is this run from the noise-free time, on average?",
        lambda spread: spread,
        "difference of two runs: That is the standard deviation of the difference of two noisy "
        "runs. The predictor has no noise, and the question asks for a mean absolute value.",
        lambda spread: spread * sqrt(2 / pi),
        "noise of both runs: You gave the predictor the noise of both runs. Variances add up: "
        "which part of the difference's variance belongs to one run?",
        lambda spread: spread / sqrt(2),
        "deviation for mean distance: That is the standard deviation of one run's noise. The "
        "question asks for the mean of the absolute value, which is smaller.",
        lambda spread: spread / 2,
        "half of both: You took half of the standard deviation of the difference. Variances are "
        "halved, not standard deviations, and the question asks for a mean absolute value.",
        lambda spread: spread / sqrt(2 * pi),
        "standard deviation halved: You halved the standard deviation. The variance of the "
        "difference is the sum of two variances: halve the variance.",
    ),
)


def _skewed(rng):
    skewed = np.append(rng.uniform(0.02, 0.08, 7), rng.uniform(1.5, 9, 2))
    even = rng.uniform(0.1, 0.35, 9)
    first, second = rng.permutation(skewed), even
    if rng.random() < 0.5:
        first, second = second, first
    return {"first": first, "second": second}


def _lower(summary):
    """Return a model that takes the errors whose `summary` is lower."""

    def model(first, second):
        values = [float(summary(first)), float(summary(second))]
        return ("first", "second")[int(np.argmin(values))], min(values)

    return model


middle = choice(
    "middle",
    "A typical error, or a bad day",
    choices=("first", "second"),
    reference=_lower(np.median),
    inputs=_skewed,
    points=2,
    mistakes=mistakes(
        _lower(np.mean),
        "mean for a skewed error: You took the mean, so two extreme errors decide. The question "
        "asks about a run in the middle.",
        _lower(np.max),
        "worst run: You compared the largest errors. The question asks about a run in the middle.",
        _lower(lambda errors: np.sqrt(np.mean(errors**2))),
        "root mean square: You squared the errors, so the largest ones decide. The question asks "
        "about a run in the middle.",
        _lower(np.min),
        "best run: You compared the smallest errors. Sort the errors and take the fifth of nine.",
    ),
)

# Level 2: who has seen what?


def _features(rng):
    seconds = 10 ** rng.uniform(-1, 2, 8)
    columns = [
        rng.uniform(200, 5000) / seconds,
        seconds * rng.uniform(2, 5) * np.exp(0.25 * rng.standard_normal(8)),
        10 ** rng.uniform(0, 3, 8),
        rng.uniform(1, 4, 8),
    ]
    order = rng.permutation(4)
    table = {f"f{k + 1}": columns[place] for k, place in enumerate(order)}
    at_new = 10 ** rng.uniform(0.5, 2, 4)
    return {"seconds": seconds, **table, "new_run": at_new}


def _read_off(column, told):
    """Return a model of a feature's place from `column` and of the new seconds from `told`."""

    def model(seconds, f1, f2, f3, f4, new_run):
        table = [f1, f2, f3, f4]
        place = column(seconds, table)
        return f"f{place + 1}", float(told(seconds, table[place], new_run[place]))

    return model


def _leaking(seconds, table):
    return int(np.argmin([np.std(f * seconds) / np.mean(f * seconds) for f in table]))


def _most_correlated(seconds, table):
    return int(np.argmax([np.corrcoef(f, seconds)[0, 1] for f in table]))


leak = choice(
    "leak",
    "Too good to be known",
    choices=("f1", "f2", "f3", "f4"),
    reference=_read_off(_leaking, lambda s, f, new: np.mean(f * s) / new),
    inputs=_features,
    points=3,
    mistakes=mistakes(
        _read_off(_most_correlated, lambda s, f, new: new * np.mean(s / f)),
        "highest correlation: You took the feature with the highest correlation. A leak fits all "
        "runs exactly, and it can fall when the time rises.",
        _read_off(_leaking, lambda s, f, new: new * np.mean(s / f)),
        "in proportion: You found the leak, but you let the time grow with it. Print it next to "
        "the seconds: in which direction does it go?",
        _read_off(_leaking, lambda s, f, new: np.mean(s)),
        "mean of the times: You gave the mean time, which needs no feature. Which exact rule leads "
        "from the leaking feature to the time?",
    ),
)


def _repeats(rng):
    return {"repeats": int(rng.integers(3, 7)), "train_share": rng.uniform(0.25, 0.6)}


both_sides = number(
    "both_sides",
    "Repeats on both sides",
    reference=by_place(lambda repeats, share: 1 - (1 - share) ** (repeats - 1)),
    inputs=_repeats,
    points=3,
    mistakes=mistakes(
        lambda repeats, share: share,
        "one other repeat: That is the probability that one given repeat is in training. There are "
        "several other repeats, and one is enough.",
        lambda repeats, share: 1 - (1 - share) ** repeats,
        "tested row counted: You counted the tested row among those that can be in training. It is "
        "in the test.",
        lambda repeats, share: share ** (repeats - 1),
        "all repeats: That is the probability that all other repeats are in training. One is "
        "enough.",
        lambda repeats, share: (repeats - 1) * share,
        "chances added: You added the probabilities of the other repeats, which can exceed 1. What "
        "is the probability that none is in training?",
        lambda repeats, share: 1 - share ** (repeats - 1),
        "not all of them: That is the probability that not all other repeats are in training. The "
        "question asks for at least one.",
        lambda repeats, share: (1 - share) ** (repeats - 1),
        "honest rows: That is the fraction of test rows whose run is not in training. The question "
        "asks for the others.",
        lambda repeats, share: share * (repeats - 1) / repeats,
        "share of repeats: You multiplied two fractions. For a test row, what is the probability "
        "that none of its other repeats is in training?",
    ),
)


def _use(rng):
    largest = int(rng.integers(1000, 4000))
    order = rng.permutation(3)
    return {
        "trained_machines": [1, 2, 3],
        "trained_largest": largest,
        "asked_machine": np.array([*rng.integers(1, 4, 2), 4])[order],
        "asked_size": (largest * rng.uniform([0.2, 2, 0.2], [0.9, 8, 0.9])).astype(int)[order],
        "error_random": rng.uniform(0.03, 0.1),
        "error_larger": rng.uniform(0.12, 0.8),
        "error_unseen": rng.uniform(0.12, 0.8),
        "predicted_seconds": rng.uniform(5, 500, 3),
    }


def _by_split(error, seconds=lambda error, predicted: error * predicted):
    """Return a model: an error chosen from (new machine?, larger?, errors), then made seconds."""

    def model(machines, largest, machine, size, random, larger, unseen, predicted):
        new, large = ~np.isin(machine, machines), size > largest
        return seconds(error(new, large, (random, larger, unseen)) + 0 * predicted, predicted)

    return by_place(model)


def _matching(new, large, errors):
    return np.where(new, errors[2], np.where(large, errors[1], errors[0]))


right_split = array(
    "right_split",
    "Which test asks your question?",
    reference=_by_split(_matching),
    inputs=_use,
    points=3,
    mistakes=mistakes(
        _by_split(lambda new, large, errors: errors[0]),
        "random split for extrapolation: You used the random split for all three runs. It fits "
        "only runs whose machine and size are within the training data.",
        _by_split(lambda new, large, errors: _matching(large, new, errors)),
        "other extrapolation: You saw that some runs differ from the training runs, but not how. "
        "Compare their machines and sizes with those of training.",
        _by_split(lambda new, large, errors: max(errors)),
        "worst case for all: You took the largest error for all three runs. One run is of a kind "
        "that the predictor knows.",
        _by_split(lambda new, large, errors: np.mean(errors)),
        "mean of all splits: You averaged the three errors. Each run fits one of the tests.",
        _by_split(_matching, lambda error, predicted: error),
        "share for seconds: Your errors are right, but they are fractions. Multiply by the "
        "predicted seconds.",
    ),
)


def _standard(rng):
    train = rng.uniform(1, 9, 6)
    return {"train": train, "test": rng.uniform(6, 20, 4)}


def _scaled(middle, width):
    """Return a model that shifts and scales the test rows by functions of (train, test)."""

    def model(train, test):
        return (test - middle(train, test)) / width(train, test)

    return model


standardise = array(
    "standardise",
    "Standardise without looking",
    reference=_scaled(lambda a, b: a.mean(), lambda a, b: a.std()),
    inputs=_standard,
    points=2,
    mistakes=mistakes(
        _scaled(lambda a, b: np.append(a, b).mean(), lambda a, b: np.append(a, b).std()),
        "standardised with test rows: You used the mean and the standard deviation of all rows, so "
        "the test rows influenced the features. What was known at training?",
        _scaled(lambda a, b: b.mean(), lambda a, b: b.std()),
        "test rows by themselves: You standardised the test rows by their own mean. Use the "
        "constants of the training rows.",
        _scaled(lambda a, b: a.mean(), lambda a, b: a.var()),
        "variance for deviation: You divided by the variance. Divide by the standard deviation.",
        _scaled(lambda a, b: 0.0, lambda a, b: a.std()),
        "mean not taken off: You scaled, but you didn't subtract the mean.",
        _scaled(lambda a, b: a.mean(), lambda a, b: a.std(ddof=1)),
        "divided by one less: Your standard deviation divides by one less than the number of rows, "
        "as pandas does. Use plain np.std.",
        _scaled(lambda a, b: a.min(), lambda a, b: np.ptp(a)),
        "range for deviation: You scaled by the smallest value and the range. Standardising uses "
        "the mean and the standard deviation.",
    ),
)


def _nearest(sizes, seconds, itself=False):
    """Return the seconds of the nearest run for each run."""
    distance = np.abs(sizes[:, None] - sizes[None, :]).astype(float)
    if not itself:
        np.fill_diagonal(distance, np.inf)
    return seconds[distance.argmin(axis=1)]


def _one_out(sizes, seconds):
    x, y = finite("sizes", sizes), positive("seconds", seconds)
    if x.shape != y.shape or y.size < 2:
        raise ValueError(f"sizes and seconds must have 2 runs or more each, got {x.size}, {y.size}")
    return mape(y, _nearest(x, y))


def _sizes_and_seconds(rng):
    sizes = np.sort(rng.uniform(1, 100, 8))
    return {"sizes": sizes, "seconds": 0.3 * sizes**1.3 * np.exp(0.2 * rng.standard_normal(8))}


def _others_mean(sizes, seconds):
    return mape(seconds, (seconds.sum() - seconds) / (seconds.size - 1))


def _neighbours_time(sizes, seconds):
    guess = _nearest(sizes, seconds)
    return float(np.mean(np.abs(guess - seconds) / guess))


one_out = function(
    "one_out",
    "Build a test by leaving one out",
    answer="leave_one_out",
    reference=_one_out,
    inputs=_sizes_and_seconds,
    points=4,
    mistakes=mistakes(
        lambda sizes, seconds: mape(seconds, _nearest(sizes, seconds, itself=True)),
        "scored on training data: In your test each run is its own nearest neighbour, so the error "
        "is always 0. Which run must be left out?",
        _others_mean,
        "mean of the others: You left each run out, but predicted it by the mean of all others. "
        "Use the run with the closest size.",
        _neighbours_time,
        "divided by the neighbour: You divided by the neighbour's time, which is the prediction. "
        "Divide by the measured time.",
        lambda sizes, seconds: float(np.median(np.abs(_nearest(sizes, seconds) / seconds - 1))),
        "median of the rows: You took the median of the errors. The question asks for the mean.",
    ),
    properties=[
        limit(
            "two runs",
            (np.array([1.0, 2.0]), np.array([1.0, 2.0])),
            0.5,
            "Try two runs: each can only be predicted by the other.",
        ),
        refuses(
            (np.array([1.0]), np.array([1.0])),
            0.5,
            "A single run has no other run to learn from: raise a ValueError.",
            "refuses a single run",
        ),
    ],
)

# Level 3: three families


def _prices(counts, seconds):
    counted, y = finite("counts", counts), positive("seconds", seconds)
    if counted.ndim != 2 or counted.shape[0] != y.size or y.size < counted.shape[1]:
        raise ValueError(f"counts must have a row a run, and runs enough, got {counted.shape}")
    return np.linalg.lstsq(counted / y[:, None], np.ones(y.size), rcond=None)[0]


def _counted(rng):
    counts = 10 ** rng.uniform(0, 3, (9, 2))
    price = rng.uniform(0.2, 2, 2)
    if rng.random() < 0.5:  # as cache hits do, the second kind saves time: its price is below 0
        counts[:, 1], price[1] = counts[:, 0] * rng.uniform(0.1, 0.9, 9), -0.8 * price[0]
    seconds = counts @ price * np.exp(0.2 * rng.standard_normal(9))
    return {"counts": counts, "seconds": seconds}


def _never_below_0(counts, seconds):
    return nnls(counts / seconds[:, None], np.ones(seconds.size))[0]


def _weighted(weight):
    """Return a model: prices by least squares after both sides are multiplied by a weight."""

    def model(counts, seconds):
        w = weight(seconds)
        return np.linalg.lstsq(counts * w[:, None], seconds * w, rcond=None)[0]

    return model


def _logs_of_counts(counts, seconds):
    return np.linalg.lstsq(np.log(counts), np.log(seconds), rcond=None)[0]


prices = function(
    "prices",
    "Build a whitebox fit by relative errors",
    answer="fit_prices",
    reference=_prices,
    inputs=_counted,
    points=5,
    mistakes=mistakes(
        _weighted(np.ones_like),
        "errors in seconds: You minimised errors in seconds, so the longest run decides the "
        "prices. Divide each run's equation by its own time first.",
        _weighted(lambda y: 1 / np.sqrt(y)),
        "half-way weights: You divided squared errors by the time. Divide the errors by the time "
        "before you square them.",
        _logs_of_counts,
        "logarithms of the counts: You fitted a power law, which is a product of counts. This "
        "whitebox is a sum of costs.",
        _never_below_0,
        "no price below 0: You kept the prices at 0 or above, as nnls does. Negative prices are "
        "allowed: for example, a cache hit saves time.",
        lambda counts, seconds: np.maximum(_prices(counts, seconds), 0),
        "prices cut at 0: You fitted, and then set negative prices to 0. Then the other prices no "
        "longer fit, and negative prices are allowed.",
        lambda counts, seconds: np.mean(seconds[:, None] / counts, axis=0),
        "each count pays all: You fitted each count by itself, so the counts together explain the "
        "time twice. Fit all prices at once.",
    ),
    properties=[
        limit(
            "exact costs",
            (np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 5.0]]), np.array([8.0, 9.0, 19.0])),
            0.5,
            "Try runs that obey the model exactly: prices of 2 and 3 seconds must come back.",
        ),
        refuses(
            (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 0.0])),
            0.5,
            "A run of 0 seconds has no relative error: raise a ValueError.",
            "refuses a time of 0",
        ),
        refuses(
            (np.array([[1.0, 2.0]]), np.array([1.0])),
            1,
            "One run can't determine two prices, although least squares returns some: raise a "
            "ValueError.",
            "refuses fewer runs than prices",
        ),
    ],
)


def _kernels(rng):
    peak, bandwidth = rng.uniform(5e10, 5e11), rng.uniform(1e10, 6e10)
    flops = 10 ** rng.uniform(8, 10, 6)
    moved = flops / (peak / bandwidth) * np.array([0.1, 0.3, 0.7, 1.5, 4, 9])
    bound = np.maximum(flops / peak, moved / bandwidth)
    return {
        "flops": flops,
        "bytes_moved": moved,
        "seconds": bound * rng.uniform(0.8, 1.9, 6),
        "peak": peak,
        "bandwidth": bandwidth,
    }


def _roofline(combine, score=mape):
    """Return a model: a score of times combined from those of arithmetic and of moving."""

    def model(flops, moved, seconds, peak, bandwidth):
        return float(score(seconds, combine(flops / peak, moved / bandwidth)))

    return by_place(model)


def _by_prediction(y, guess):
    return np.mean(np.abs(guess - y) / guess)


def _root_mean_square(y, guess):
    return np.sqrt(np.mean((guess / y - 1) ** 2))


roofline_error = number(
    "roofline_error",
    "A roofline against its data",
    reference=_roofline(np.maximum),
    inputs=_kernels,
    points=3,
    mistakes=mistakes(
        _roofline(np.add),
        "times added: You added the two times. In the roofline, arithmetic and data movement "
        "overlap.",
        _roofline(np.minimum),
        "shorter of the two: You took the shorter time. The longer one is the prediction.",
        _roofline(lambda compute, move: compute),
        "arithmetic only: You used the peak alone. Some of these kernels wait for memory.",
        _roofline(np.maximum, _by_prediction),
        "divided by the bound: You divided by the model's time. Divide by the measured time.",
        _roofline(np.maximum, median_ape),
        "median of six: You took the median of the six errors. The question asks for the mean.",
        _roofline(np.maximum, lambda y, guess: 100 * mape(y, guess)),
        "per cent for share of time: Your result is in per cent. Errors are fractions here.",
        _roofline(np.maximum, _root_mean_square),
        "root mean square: You took the root of the mean square of the errors. MAPE is the mean "
        "of their absolute values.",
    ),
)


def _useful(m, n, tile, units):
    m, n = positive("m", m), positive("n", n)
    tiles = np.ceil(m / tile) * np.ceil(n / tile)
    return m * n / (tile**2 * units * np.ceil(tiles / units))


def _gemm(rng):
    m, n = rng.integers(100, 3000, 2)
    return {
        "m": int(m),
        "n": int(n),
        "tile": int(rng.choice([64, 128, 256])),
        "units": int(rng.integers(4, 30)),
    }


def _full_waves(m, n, tile, units):
    tiles = np.ceil(m / tile) * np.ceil(n / tile)
    return m * n / (tile**2 * tiles)


def _tiles_of_area(m, n, tile, units):
    return m * n / (tile**2 * units * np.ceil(np.ceil(m * n / tile**2) / units))


def _whole_tiles(m, n, tile, units):
    tiles = np.ceil(m / tile) * np.ceil(n / tile)
    return tiles / (units * np.ceil(tiles / units))


tiles = function(
    "tiles",
    "Build the steps that no straight line sees",
    answer="useful_share",
    reference=_useful,
    inputs=_gemm,
    points=4,
    mistakes=mistakes(
        _full_waves,
        "last wave full: You counted the waste at the edges of the matrix, but your last wave is "
        "always full. What do the idle units do meanwhile?",
        _tiles_of_area,
        "tiles from the area: You divided areas and rounded up once, as if tiles could be cut. How "
        "many tiles cover the height? And the width?",
        lambda m, n, tile, units: 1 / _useful(m, n, tile, units),
        "upside down: That is how many times as long it takes as without waste. The question asks "
        "for the useful fraction, at most 1.",
        _whole_tiles,
        "edges forgotten: You counted the idle units of the last wave, but every tile as full. "
        "Which part of the tiles at the edges belongs to the matrix?",
    ),
    properties=[
        limit(
            "all full",
            (512, 512, 128, 16),
            0.5,
            "Try 512 by 512 in tiles of 128 on 16 units: one full wave, so everything is useful.",
        ),
        vectorised(
            (np.array([128, 129, 512]), 128, 128, 4),
            0.5,
            "Let NumPy do the loop: given an array of heights, return an array of the same shape. "
            "np.ceil rounds arrays up.",
        ),
        refuses((0, 128, 128, 4), 0.5, "A matrix without rows: raise a ValueError."),
    ],
)


def _law(rng):
    sizes = np.sort(10 ** rng.uniform(1, 3, 9))
    spread = rng.uniform(0.5, 0.9)
    seconds = rng.uniform(1e-4, 1e-2) * sizes ** rng.uniform(1.2, 2.4)
    return {
        "sizes": sizes,
        "seconds": seconds * np.exp(spread * rng.standard_normal(9)),
        "new_size": 10 ** rng.uniform(3.2, 3.8),
    }


def _fitted_law(sizes, seconds, new_size):
    """Return exponent, median at the new size, and variance of the residuals."""
    slope, shift = np.polyfit(np.log(sizes), np.log(seconds), 1)
    left = np.log(seconds) - shift - slope * np.log(sizes)
    return slope, exp(shift + slope * log(new_size)), left @ left / (left.size - 2)


def _transformed(mean):
    """Return a model of the table whose mean is a function of (median, variance)."""

    def model(sizes, seconds, new_size):
        exponent, median, variance = _fitted_law(sizes, seconds, new_size)
        return {"exponent": exponent, "median": median, "mean": mean(median, variance)}

    return model


def _raw_line(sizes, seconds, new_size):
    slope, shift = np.polyfit(sizes, seconds, 1)
    at_new = shift + slope * new_size
    return {"exponent": slope, "median": at_new, "mean": at_new}


def _left_in_logs(sizes, seconds, new_size):
    exponent, median, variance = _fitted_law(sizes, seconds, new_size)
    return {"exponent": exponent, "median": log(median), "mean": log(median) + variance / 2}


power_law = array(
    "power_law",
    "A straight line on logarithms, and the way back",
    reference=_transformed(lambda median, variance: median * exp(variance / 2)),
    inputs=_law,
    points=4,
    mistakes=mistakes(
        _transformed(lambda median, variance: median),
        "mean is the median: Your mean equals the median. The noise is symmetric on logarithms, so "
        "in seconds its upper half is larger and lifts the mean.",
        _transformed(lambda median, variance: median * exp(variance)),
        "half forgotten: Your correction is too large. Check the mean of e to the power of a "
        "normal variable in the hint.",
        _transformed(lambda median, variance: median * exp(variance / 2 / log(10) ** 2)),
        "base ten in the noise: Your exponent and median are right, but your variance is for base "
        "ten. The correction needs natural logarithms.",
        _transformed(lambda median, variance: median * exp(variance / 2 * 7 / 9)),
        "divided by the runs: Your variance divides by the number of runs. Two constants were "
        "fitted: read once more what to divide by.",
        _transformed(lambda median, variance: median * exp(-variance / 2)),
        "wrong direction: You corrected downwards. Rare long runs raise the mean.",
        _raw_line,
        "line on raw numbers: You fitted a straight line to seconds against size. A power law is "
        "straight on logarithms of both.",
        _left_in_logs,
        "left in logarithms: Your median and mean are still logarithms. Take the exponential.",
    ),
)


def _tree(rng):
    sizes = np.sort(rng.uniform(100, 2000, 10))
    return {
        "sizes": sizes,
        "seconds": 1e-6 * sizes ** rng.uniform(1.8, 2.6),
        "runs_per_leaf": int(rng.integers(2, 5)),
        "asked_size": rng.uniform(6000, 20000),
    }


def _end_of_line(sizes, seconds, runs_per_leaf, asked_size):
    return float(np.polyval(np.polyfit(sizes, seconds, 1), asked_size))


tree_range = number(
    "tree_range",
    "What a tree can't say",
    reference=by_place(lambda sizes, seconds, leaf, asked: float(np.sort(seconds)[-leaf:].mean())),
    inputs=_tree,
    points=3,
    mistakes=mistakes(
        lambda sizes, seconds, leaf, asked: float(seconds.max()),
        "leaf of one run: That is the longest run. A leaf answers with the mean of its runs. How "
        "many runs must the leaf with the longest one hold?",
        lambda sizes, seconds, leaf, asked: float(seconds.max() * asked / sizes.max()),
        "grows in proportion: You let the tree continue beyond its data. It only asks on which "
        "side of a threshold a size is.",
        _end_of_line,
        "straight line: You continued a straight line. A tree has no slope: it answers with the "
        "mean of a leaf.",
        lambda sizes, seconds, leaf, asked: float(seconds.mean()),
        "root of the tree: That is the mean of all runs: a tree without questions. Into which leaf "
        "does the largest size fall?",
        lambda sizes, seconds, leaf, asked: float(np.sort(seconds)[-leaf]),
        "least in the leaf: That is the shortest run of the last leaf. A leaf answers with the "
        "mean.",
    ),
)

# Level 4: mixed, compared, decided


def _two_groups(rng):
    model = 10 ** rng.uniform(-2, 1, 8)
    large = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    factor = np.where(large == 1, rng.uniform(1.1, 1.4), rng.uniform(1.8, 3))
    seconds = model * factor * np.exp(0.45 * rng.standard_normal(8))
    return {
        "model_seconds": model,
        "seconds": seconds,
        "large": large,
        "new_model_seconds": 10 ** rng.uniform(-2, 2, 2),
        "new_large": np.array([0, 1]),
    }


def _mixed(learned, apply=lambda model, value: model * value):
    """Return a model: what is learned of (modelled, measured) in a group, applied to new runs."""

    def model(modelled, seconds, large, new_model, new_large):
        values = [learned(modelled[large == g], seconds[large == g]) for g in (0, 1)]
        return apply(new_model, np.array(values)[new_large])

    return by_place(model)


def _geometric(modelled, seconds):
    return exp(np.mean(np.log(seconds / modelled)))


def _one_factor(modelled, seconds, large, new_model, new_large):
    return new_model * _geometric(modelled, seconds)


graybox = array(
    "graybox",
    "A model, and what it leaves",
    reference=_mixed(_geometric),
    inputs=_two_groups,
    points=4,
    mistakes=mistakes(
        _mixed(lambda model, y: np.mean(y - model), lambda model, value: model + value),
        "difference for ratio: You learned differences in seconds. The longest runs dominate them, "
        "and a short new run can even get a negative time. Use ratios.",
        _mixed(lambda model, y: np.mean(y / model)),
        "mean of ratios: You averaged the ratios themselves. Average their logarithms, so that "
        "twice and half cancel.",
        _mixed(lambda model, y: 1 / _geometric(model, y)),
        "ratio upside down: You divided where you should multiply. A prediction that is too low "
        "must be raised.",
        _mixed(lambda model, y: exp(np.mean(np.log(y))), lambda model, value: value),
        "learner without the model: You learned the time itself, so all new runs of a group get "
        "the same time. Learn the ratio to the whitebox.",
        _one_factor,
        "group not seen: You used one factor for all runs. The error of the whitebox differs "
        "between the two groups.",
        _mixed(lambda model, y: np.median(y / model)),
        "median ratio: You took the median ratio of a group. The learner in the statement takes "
        "the mean of the logarithms.",
    ),
)


def _one_point(rng):
    modelled = rng.uniform(0.5, 5)
    return {
        "modelled_there": modelled,
        "measured_there": modelled * rng.uniform(1.6, 3),
        "modelled_here": rng.uniform(6, 30),
        "distance": rng.uniform(0.3, 1.3),
        "length": rng.uniform(0.7, 1.2),
        "noise": rng.uniform(0.15, 0.4),
    }


def _gp(exponent):
    """Return a model: the time here, corrected by e to `exponent(log ratio, weight, noise)`."""

    def model(modelled_there, measured_there, modelled_here, distance, length, noise):
        weight = exp(-(distance**2) / (2 * length**2))
        ratio = log(measured_there / modelled_there)
        return modelled_here * exp(exponent(ratio, weight, noise))

    return model


def _zero_prior(modelled_there, measured_there, modelled_here, distance, length, noise):
    weight = exp(-(distance**2) / (2 * length**2)) / (1 + noise)
    return exp(weight * log(measured_there))


def _seconds_weighted(modelled_there, measured_there, modelled_here, distance, length, noise):
    weight = exp(-(distance**2) / (2 * length**2)) / (1 + noise)
    return modelled_here + weight * (measured_there - modelled_there)


prior_mean = number(
    "prior_mean",
    "How far does one measurement reach?",
    reference=_gp(lambda ratio, weight, noise: weight / (1 + noise) * ratio),
    inputs=_one_point,
    points=3,
    mistakes=mistakes(
        _zero_prior,
        "prior mean of nothing: Far from the measured run your prediction is 1 second, because g "
        "is 0 and the whitebox is missing. It must be the whitebox's prediction.",
        _gp(lambda ratio, weight, noise: ratio),
        "reaches everywhere: You corrected in full, as if the new run were the measured one. "
        "Multiply by the weight.",
        _gp(lambda ratio, weight, noise: log(1 + weight / (1 + noise) * ratio)),
        "logarithm as a share: You added g to 1 as if it were a fraction. It is a logarithm: take "
        "the exponential.",
        _seconds_weighted,
        "seconds weighted: You weighted a difference in seconds. The process predicts a logarithm "
        "of a ratio, which multiplies.",
        _gp(lambda ratio, weight, noise: -weight / (1 + noise) * ratio),
        "wrong direction of the ratio: You corrected in the other direction. If the measured run "
        "took longer than the whitebox says, the new one probably does, too.",
        _gp(lambda ratio, weight, noise: weight * ratio),
        "noise forgotten: You left out the noise of the measurement.",
        _gp(lambda ratio, weight, noise: weight**2 / (1 + noise) * ratio),
        "square of the kernel: Your correction falls too fast. There is a 2 under the squared "
        "distance.",
        _gp(lambda ratio, weight, noise: 0.0),
        "nothing learned: That is the whitebox alone. The measurement also says something about "
        "the new run.",
        _gp(lambda ratio, weight, noise: log1p(weight / (1 + noise) * expm1(ratio))),
        "factor weighted: You weighted the factor itself. The process weights its logarithm: "
        "multiply the logarithm by the weight, then take the exponential.",
    ),
)


def _curve(rng):
    fewer = int(rng.integers(10, 30))
    floor = rng.uniform(0.02, 0.05)
    constant, exponent = rng.uniform(0.6, 1.5), rng.uniform(0.3, 0.6)
    errors = [floor + constant * n**-exponent for n in (fewer, 3 * fewer)]
    return {
        "fewer_runs": fewer,
        "more_runs": 3 * fewer,
        "error_fewer": errors[0],
        "error_more": errors[1],
        "floor": floor,
        "whitebox_error": floor + (errors[1] - floor) * rng.uniform(0.4, 0.8),
    }


def _meets(n1, n2, e1, e2, floor, whitebox):
    slope = log((e1 - floor) / (e2 - floor)) / log(n2 / n1)
    return n1 * ((e1 - floor) / (whitebox - floor)) ** (1 / slope)


def _meets_in_logs(n1, n2, e1, e2, floor, whitebox):
    return n1 * (n2 / n1) ** ((e1 - whitebox) / (e1 - e2))


overtake = number(
    "overtake",
    "When has ML seen enough?",
    reference=by_place(_meets),
    inputs=_curve,
    points=4,
    unit="runs",
    mistakes=mistakes(
        lambda n1, n2, e1, e2, floor, whitebox: _meets(n1, n2, e1, e2, 0.0, whitebox),
        "floor forgotten: Your curve falls to 0. Only the part above the floor falls as a power of "
        "the runs.",
        lambda n1, n2, e1, e2, floor, whitebox: n1 + (n2 - n1) * (e1 - whitebox) / (e1 - e2),
        "straight learning curve: You drew a straight line through two points of the curve. Each "
        "further run helps less than the previous one.",
        _meets_in_logs,
        "line against the logarithm: You let the error fall by the same amount each time the runs "
        "double. The part above the floor falls by the same factor.",
        lambda n1, n2, e1, e2, floor, whitebox: _meets(
            n1, n2, e1 - floor, e2 - floor, 0.0, whitebox
        ),
        "floor on one side: You subtracted the floor from the curve, but not from the whitebox's "
        "error.",
    ),
)


def _seeds(rng):
    first = rng.uniform(0.1, 0.3) * np.exp(0.3 * rng.standard_normal(6))
    shift = rng.choice([-1, 0, 1]) * rng.uniform(0.01, 0.03)
    return {"first": first, "second": first + shift + 0.008 * rng.standard_normal(6)}


def _told(interval):
    """Return a model that decides by the mean difference and its half interval."""

    def model(first, second):
        difference = float(np.mean(first - second))
        half = float(interval(first, second))
        if abs(difference) <= half:
            return "can't tell", half
        return ("first" if difference < 0 else "second"), half

    return model


def _half(values, quantile):
    return quantile * np.std(values, ddof=1) / sqrt(values.size)


def _mean_decides(first, second):
    difference = float(np.mean(first - second))
    return ("first" if difference < 0 else "second"), abs(difference)


T_5 = float(stats.t.ppf(0.975, 5))

paired = choice(
    "paired",
    "Better, or luck?",
    choices=("first", "second", "can't tell"),
    reference=_told(lambda a, b: _half(a - b, T_5)),
    inputs=_seeds,
    points=4,
    tolerance=0.005,
    mistakes=mistakes(
        _mean_decides,
        "mean decides: You compared the means only. Other seeds could reverse the result, so use "
        "the interval.",
        _told(lambda a, b: np.hypot(_half(a, T_5), _half(b, T_5))),
        "not paired: You compared two independent samples. Both predictors had the same splits: "
        "the effect of a hard split cancels in the difference.",
        _told(lambda a, b: _half(a - b, 1.96)),
        "normal for t: You used the normal quantile, as if the standard deviation were known. It "
        "is estimated from six differences, so use Student's t.",
        _told(lambda a, b: T_5 * np.std(a - b) / sqrt(a.size)),
        "divided by six: Your standard deviation divides by six, as np.std does by default. Divide "
        "by five.",
        _told(lambda a, b: 2 * _half(a - b, T_5)),
        "whole interval: That is the length of the whole interval. Give half of it.",
        _told(lambda a, b: T_5 * np.std(a - b, ddof=1)),
        "deviation of one seed: You used the standard deviation of one difference. The mean of six "
        "varies less.",
        _told(lambda a, b: _half(a - b, float(stats.t.ppf(0.975, 6)))),
        "six degrees of freedom: That is the standard deviation of the differences, or (by chance "
        "it is the same number) the half width with six degrees of freedom. The error of the mean "
        "is smaller than the one, and one degree is used up by the mean.",
        _told(lambda a, b: _half(a - b, 1.0)),
        "one standard error: That is the standard error of the mean difference. A 95 % interval is "
        "wider by a quantile.",
        _told(lambda a, b: _half(a - b, float(stats.t.ppf(0.95, 5)))),
        "one-sided quantile: Your quantile leaves 5 % on each side. A 95 % interval leaves 5 % on "
        "both sides together: which quantile is this?",
        _told(lambda a, b: _half(a - b, float(stats.t.ppf(0.975, 10)))),
        "ten degrees of freedom: You counted twelve errors. There are six differences: how many "
        "degrees of freedom are left after their mean is subtracted?",
    ),
)


def _changed(rng):
    window = int(rng.integers(20, 60))
    return {
        "window": window,
        "since_change": int(window * rng.uniform(0.2, 0.8)),
        "gain": rng.uniform(0.4, 0.8),
    }


def _stale(slope, error=lambda fitted, true: 1 - fitted / true):
    """Return a model: error of a slope that is a function of (share of new rows, true slope)."""

    def model(window, since_change, gain):
        return error(slope(since_change / window, 1 / gain), 1 / gain)

    return model


def _mix(new, true):
    return 1 - new + new * true


change = number(
    "change",
    "The window still remembers",
    reference=_stale(_mix),
    inputs=_changed,
    points=3,
    mistakes=mistakes(
        _stale(_mix, lambda fitted, true: true / fitted - 1),
        "divided by the fitted slope: You divided by the fitted slope. Divide by the true slope.",
        _stale(lambda new, true: 1 / (1 - new + new / true)),
        "speeds averaged: You averaged speeds. The fitted slope is in seconds, the reciprocal of a "
        "speed.",
        _stale(lambda new, true: 1.0),
        "nothing learned yet: That is the error right after the change, when all transfers in the "
        "window are old.",
        _stale(_mix, lambda fitted, true: true - fitted),
        "difference for share: That is by how much the fitted slope is too small. Divide by the "
        "true slope.",
        lambda window, since_change, gain: 1 - since_change / window,
        "share of old rows: That is the fraction of old transfers in the window. How wrong is the "
        "slope because of them?",
        _stale(lambda new, true: 1 - new + new * true, lambda fitted, true: fitted),
        "slope for error: That is the fitted slope itself. By which fraction of the true slope is "
        "it too small?",
        _stale(lambda new, true: new + (1 - new) * true),
        "old and new swapped: You weighted the old slope by the fraction of new transfers. "
        "Exchange the weights.",
    ),
)


def _line(x, t, at):
    """Return at `at` the least-squares line through (x, t)."""
    off = x - x.mean()
    return t.mean() + off @ t / (off @ off) * (at - x.mean())


def _lines(x, t, rows, window):
    """Return a prediction of each row from `window` on, by a line through `rows(i)`."""
    return np.array([_line(x[rows(i)], t[rows(i)], x[i]) for i in range(window, len(x))])


def _forecast(x, t, window):
    x, t = finite("x", x), positive("t", t)
    if x.shape != t.shape or not 2 <= window < x.size:
        raise ValueError(f"window must be 2 or more and below {x.size}, got {window}")
    return _lines(x, t, lambda i: slice(i - window, i), window)


def _transfers(rng):
    n = 12
    x = rng.uniform(5, 60, n)
    slope = np.where(np.arange(n) < n // 2, 1.0, 1 / rng.uniform(0.4, 0.8))
    t = (1.5 + slope * x) * np.exp(0.05 * rng.standard_normal(n))
    return {"x": x, "t": t, "window": int(rng.integers(3, 6))}


def _through_origin(x, t, window):
    slopes = [
        x[i - window : i] @ t[i - window : i] / (x[i - window : i] @ x[i - window : i])
        for i in range(window, len(x))
    ]
    return np.array(slopes) * x[window:]


forecast = function(
    "forecast",
    "Build a regression that forgets",
    answer="forecasts",
    reference=_forecast,
    inputs=_transfers,
    points=5,
    cases=6,
    mistakes=mistakes(
        lambda x, t, window: _lines(x, t, lambda i: slice(i - window + 1, i + 1), window),
        "has seen the answer: Your line is fitted to rows up to the predicted one. When the "
        "transfer starts, its time isn't known.",
        lambda x, t, window: _lines(x, t, lambda i: slice(0, i), window),
        "never forgets: You fitted to all rows so far. After a change, old rows affect the line "
        "for ever. Use the last `window` rows.",
        lambda x, t, window: _lines(x, t, lambda i: slice(0, window), window),
        "frozen: You fitted once, to the first rows. Fit again before each prediction.",
        _through_origin,
        "no start-up time: Your line goes through the origin. A transfer also has a start-up time: "
        "fit two constants.",
        lambda x, t, window: np.array([t[i - window : i].mean() for i in range(window, len(x))]),
        "mean time: You averaged the last times and ignored the ideal time of the next transfer.",
    ),
    properties=[
        limit(
            "an exact line",
            (np.array([10.0, 20.0, 30.0, 40.0]), np.array([13.5, 25.5, 37.5, 49.5]), 2),
            0.5,
            "Try rows on one line: the predictions must lie on it, 37.5 and 49.5 seconds.",
        ),
        refuses(
            (np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), 1),
            1,
            "A window of one row can't determine a line of two constants: raise a ValueError.",
            "refuses a window of one",
        ),
    ],
)

NETWORKS = np.array([[1, 1, 2, 1], [0, 2, 1, 3], [2, 0, 3, 0], [3, 1, 0, 2], [0, 0, 5, 1]])
NETWORKS = np.vstack([NETWORKS, [[2, 3, 1, 0], [1, 2, 0, 1]]])


def _networks(rng):
    prices = rng.uniform([0, 1, 4, 1], [0.6, 3, 9, 3])
    return {
        "counts": NETWORKS,
        "milliseconds": rng.uniform(4, 12) + NETWORKS @ prices,
        "new_counts": rng.integers([0, 1, 0, 0], [2, 3, 2, 2]),
    }


def _solved(columns, answer):
    """Return a model: least squares on columns made of the counts, then an answer."""

    def model(counts, milliseconds, new_counts):
        weights = np.linalg.lstsq(columns(counts), milliseconds, rcond=None)[0]
        return float(answer(weights, columns(new_counts[None, :])[0]))

    return model


def _with_base(counts):
    return np.column_stack([np.ones(len(counts)), counts])


def _all_operators(counts):
    return np.column_stack([np.ones(len(counts)), counts.sum(axis=1)])


additive = number(
    "additive",
    "Seven measurements, five prices",
    reference=_solved(_with_base, lambda w, row: row @ w),
    inputs=_networks,
    points=3,
    unit="ms",
    mistakes=mistakes(
        _solved(lambda counts: counts.astype(float), lambda w, row: row @ w),
        "no base: You left out the constant, the time without any operators: add a column of ones.",
        _solved(_all_operators, lambda w, row: row @ w),
        "all operators alike: You gave all operators one price. One of them is far more expensive "
        "than the others.",
        _solved(_with_base, lambda w, row: row[1:] @ w[1:]),
        "base left out: You fitted a constant, but you didn't add it to the new network's time.",
        lambda counts, milliseconds, new_counts: float(
            milliseconds[np.argmin(np.abs(counts - new_counts).sum(axis=1))]
        ),
        "nearest network: You gave the time of the most similar network. A model can do better: "
        "what does each different operator cost?",
        lambda counts, milliseconds, new_counts: float(milliseconds.mean()),
        "mean network: You gave the mean time, which ignores the network's operators.",
    ),
)


def _situation(rng):
    at_ten = rng.uniform([0.22, 0.25, 0.35, 0.2], [0.3, 0.4, 0.8, 0.35])
    return {
        "budget": int(rng.choice([20, 50, 100, 300, 1000])),
        "error_at_10": at_ten,
        "floors": rng.uniform([0.08, 0.08, 0.02, 0.03], [0.2, 0.25, 0.05, 0.09]),
        "exponents": rng.uniform([0.8, 0.8, 0.4, 0.4], [1.2, 1.2, 0.8, 0.8]),
        "growth": rng.uniform([1.0, 1.0, 1.2, 1.1], [1.5, 1.6, 4.0, 2.5]),
    }


def _chosen(error):
    """Return a model: the family of the least `error(n, at ten, floor, exponent, growth)`."""

    def model(budget, error_at_10, floors, exponents, growth):
        errors = error(budget, error_at_10, floors, exponents, growth)
        best = int(np.argmin(errors))
        return FAMILIES[best], float(errors[best])

    return model


def _inside(n, at_ten, floor, exponent, growth):
    return floor + (at_ten - floor) * (10 / n) ** exponent


def _beyond(n, at_ten, floor, exponent, growth):
    return growth * _inside(n, at_ten, floor, exponent, growth)


family = choice(
    "family",
    "Choose a family, and defend it",
    choices=FAMILIES,
    reference=_chosen(_beyond),
    inputs=_situation,
    points=5,
    mistakes=mistakes(
        _chosen(_inside),
        "random split where the use is extrapolation: You compared the errors within the range. "
        "You predict runs beyond it: by which factor does each family's error grow there?",
        _chosen(lambda n, at_ten, floor, exponent, growth: growth * floor),
        "endless runs: You compared the families with unlimited training runs. How large is each "
        "error with your budget?",
        _chosen(lambda n, at_ten, floor, exponent, growth: growth * at_ten),
        "ten runs: You compared the families at ten training runs. Use your budget.",
        _chosen(lambda n, at_ten, floor, exponent, growth: growth * at_ten * (10 / n) ** exponent),
        "no floor: You let the whole error fall with the runs. The floor stays.",
        _chosen(lambda n, at_ten, floor, exponent, growth: growth - 1),
        "steadiest: You chose the family whose error grows least. A large error that doesn't grow "
        "is still large: compare the errors themselves.",
    ),
)


def _own_example(rng):
    sizes = np.geomspace(64, 1024, 10)
    law = rng.uniform(0.5, 2) * 1e-10 * sizes ** rng.uniform(2.5, 3)
    return {"sizes": sizes, "seconds": law * np.exp(0.25 * rng.standard_normal(10)) + 2e-5}


def _own_split(sizes, seconds):
    order = np.argsort(sizes)
    return sizes[order], seconds[order], len(sizes) // 2


def _from_small(score=mape, fit=None, test=None):
    """Return a model: a power law fitted to the smaller half, scored on the larger one."""

    def model(sizes, seconds):
        x, y, half = _own_split(sizes, seconds)
        learned, tested = fit or slice(0, half), test or slice(half, None)
        line = np.polyfit(np.log(x[learned]), np.log(y[learned]), 1)
        return float(score(y[tested], np.exp(np.polyval(line, np.log(x[tested])))))

    return model


def _inside_only(sizes, seconds):
    half = len(sizes) // 2
    return _from_small(test=slice(0, half))(sizes, seconds)


def _error_of_logs(y, guess):
    return np.mean(np.abs(np.log(guess) - np.log(y)) / np.abs(np.log(y)))


def _no_measurement(sizes, seconds):
    if len(set(sizes)) < len(sizes):
        return "Each size once: put the best time of its repeats."
    if not ((sizes > 0).all() and (seconds > 0).all()):
        return "Sizes and seconds must be above 0."
    if sizes.max() < 8 * sizes.min():
        return "Let the largest size be eight times the smallest, or more."
    if np.corrcoef(np.log(sizes), np.log(seconds))[0, 1] < 0.7:
        return "Larger products should take longer: measure each several times, take the best."
    return ""


own_law = measured(
    "own_law",
    "Predict your own machine, then measure it",
    columns=("sizes", "seconds"),
    reference=_from_small(),
    example=_own_example,
    least=8,
    plausible=_no_measurement,
    points=4,
    mistakes=mistakes(
        _from_small(fit=slice(None)),
        "fitted to all: Your law was fitted to the large sizes as well, on which it is tested. Fit "
        "it to the smaller half alone.",
        _inside_only,
        "tested where it was fitted: You scored the law on the sizes that it was fitted to. Score "
        "it on the others.",
        _from_small(score=_error_of_logs),
        "error of logarithms: You compared logarithms of seconds. Convert to seconds first: the "
        "error must not depend on the unit.",
        _from_small(score=_by_prediction),
        "share of the predicted: You divided by the predicted times. Divide by the measured times.",
        _from_small(score=lambda y, guess: 100 * mape(y, guess)),
        "per cent of your own: Your result is in per cent. Errors are fractions here.",
    ),
)

bank = Bank(
    "prediction",
    "Whitebox, regression or machine learning?",
    [
        build_mape,
        scores,
        which_score,
        noise_floor,
        middle,
        leak,
        both_sides,
        right_split,
        standardise,
        one_out,
        prices,
        roofline_error,
        tiles,
        power_law,
        tree_range,
        graybox,
        prior_mean,
        overtake,
        paired,
        change,
        forecast,
        additive,
        family,
        own_law,
    ],
)
