"""Question bank of the topic forecasting: from small runs to one that nobody has made.

Twenty-three questions in four levels. Sizes and budgets have whatever unit the runs have; pass
rates, shares and chances run from 0 to 1. Logarithms are natural.
"""

from math import ceil, log, sqrt

import numpy as np
from scipy import optimize, special, stats

from perfcourse.bank import Bank, array, by_place, choice, function, measured, mistakes, number
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.forecasting.compute_optimal_training import TRAINING_FLOPS, lifetime_optimal
from perfmodel.validation import positive, within


def _line(x, y, at):
    """Return the least-squares line of (x, y) at other places."""
    return np.polyval(np.polyfit(x, y, 1), at)


def _log_line(x, y, at):
    """Return the straight line on log-log paper at other places."""
    return np.exp(_line(np.log(x), np.log(y), np.log(at)))


# Level 1: a ruler and a floor


def _three(rng):
    floor, gap, factor = rng.uniform(0.5, 2), rng.uniform(0.6, 3), rng.uniform(0.35, 0.75)
    return dict(zip(("y_1", "y_2", "y_3"), floor + gap * factor ** np.arange(3), strict=True))


def _three_or_no_floor(rng):
    """Draw three losses whose floor is below 0 once in three times."""
    if rng.random() < 2 / 3:
        return _three(rng)
    below, last, factor = -rng.uniform(0.1, 0.6), rng.uniform(0.3, 1.5), rng.uniform(0.35, 0.75)
    losses = below + (last - below) * factor ** np.arange(-2.0, 1)
    return dict(zip(("y_1", "y_2", "y_3"), losses, strict=True))


def _floor(y_1, y_2, y_3):
    one, two, three = (positive(f"y_{i + 1}", y) for i, y in enumerate((y_1, y_2, y_3)))
    if np.any(two >= one) or np.any(three >= two) or np.any(one - two <= two - three):
        raise ValueError(f"losses must fall, and less each time, got {y_1!r}, {y_2!r}, {y_3!r}")
    return (one * three - two**2) / (one + three - 2 * two)


floor = function(
    "floor",
    "Build the floor under three runs",
    answer="floor_under",
    reference=_floor,
    inputs=_three_or_no_floor,
    points=4,
    mistakes=mistakes(
        lambda a, b, c: 0 * a,
        "no floor: You returned a floor of 0: a power law without a floor, which is a straight "
        "line on log-log paper. Are these three losses on one line?",
        lambda a, b, c: np.maximum(0, _floor(a, b, c)),
        "cut off at 0: You cut the floor off at 0. A floor below 0 means that the form is wrong or "
        "the noise large. Return it as it is.",
        lambda a, b, c: c,
        "last loss: That is the largest run's loss. Larger runs still fall below it.",
        lambda a, b, c: c - (b - c) ** 2 / (a - b),
        "one step further: That is the loss of the next run. More runs follow: add up all their "
        "steps.",
        lambda a, b, c: 2 * c - b,
        "same step again: You let the loss fall by the same amount once more and then stop. Each "
        "step is smaller than the previous one, and the steps don't stop.",
        lambda a, b, c: c * c / b,
        "same ratio again: You let the loss shrink by the same factor once more, as a straight "
        "line on log-log paper does. The distance to the floor shrinks by a constant factor.",
        lambda a, b, c: c - _floor(a, b, c),
        "distance to it: That is how far the last run is above the floor. Where is the floor?",
        lambda a, b, c: a * c - b * b,
        "not divided: You didn't divide. The floor appears three times in your equation: solve for "
        "it completely.",
        lambda a, b, c: (a * c - b * b) / (a - c),
        "divided by the whole fall: You divided by the whole fall. Multiply out your equation once "
        "more and collect all terms with the floor.",
    ),
    properties=[
        vectorised(
            (np.array([5.0, 9.0]), np.array([3.0, 5.0]), np.array([2.0, 3.0])),
            0.5,
            "Let NumPy do the loop: given three arrays, the function should return an array. Wrap "
            "the comparisons of your checks in np.any(...).",
        ),
        refuses(
            (2.0, 3.0, 1.0), 0.5, "A loss that rises should raise a ValueError.", "refuses a rise"
        ),
        refuses(
            (5.0, 4.0, 2.0),
            0.5,
            "If the second step is larger than the first, the runs show no floor: raise a "
            "ValueError.",
            "refuses growing steps",
        ),
    ],
)


def _ruler_runs(rng):
    first, step = 10 ** rng.uniform(0, 3), rng.uniform(3, 12)
    return {
        "sizes": first * step ** np.arange(3),
        "losses": np.array(list(_three(rng).values())),
        "target": first * step ** rng.uniform(3.6, 5.5),
    }


def _ruler(**changed):
    """Return a model of the table from functions of (losses, steps beyond the last)."""

    def model(sizes, losses, target):
        steps = log(target / sizes[2]) / log(sizes[2] / sizes[1])
        columns = {"line": _by_line, "law": _by_law} | changed
        return {name: float(of(losses, steps)) for name, of in columns.items()}

    return by_place(model)


def _by_line(y, steps):
    return y[2] * (y[2] / y[1]) ** steps


def _by_law(y, steps):
    lowest = _floor(*y)
    return lowest + (y[2] - lowest) * ((y[2] - lowest) / (y[1] - lowest)) ** steps


ruler = array(
    "ruler",
    "A ruler, and a law",
    reference=_ruler(),
    inputs=_ruler_runs,
    points=3,
    mistakes=mistakes(
        _ruler(law=_by_line),
        "log-log line through a saturating curve: Both of your forecasts are the straight line's. "
        "With a floor, the distance to the floor falls along a straight line.",
        _ruler(law=lambda y, steps: _by_law(y, steps) - _floor(*y)),
        "floor not added: Your law predicts the distance to the floor. Add the floor.",
        _ruler(law=lambda y, steps: _floor(*y)),
        "floor for forecast: Your law predicts the floor itself, which no finite size reaches. How "
        "much of the distance is left at the target?",
        _ruler(law=_by_line, line=_by_law),
        "exchanged: Your two forecasts are exchanged. Which one approaches 0 for large sizes?",
        _ruler(line=lambda y, steps: y[1] * (y[1] / y[0]) ** (1 + steps)),
        "first two runs: You put the line through the first two runs. The question asks for the "
        "last two.",
        _ruler(line=lambda y, steps: y[2] * (y[2] / y[0]) ** (steps / 2)),
        "first and last: You put the line through the first and the last run. The question asks "
        "for the last two.",
        by_place(
            lambda x, y, target: {
                "line": float(_log_line(x, y, target)),
                "law": _ruler()(x, y, target)["law"],
            }
        ),
        "line through all three: You fitted the line to all three runs. The question asks for the "
        "last two.",
        _ruler(
            line=lambda y, steps: _by_line(y, round(steps)),
            law=lambda y, steps: _by_law(y, round(steps)),
        ),
        "steps rounded: You rounded the number of steps. It need not be whole: a factor can have "
        "any power.",
        _ruler(line=lambda y, steps: y[2] + (y[2] - y[1]) * steps),
        "logarithm of the size only: You took the logarithm of the size only. On log-log paper, "
        "also take the logarithm of the loss.",
        by_place(
            lambda x, y, target: {
                "line": float(_line(x[1:], y[1:], target)),
                "law": _ruler()(x, y, target)["law"],
            }
        ),
        "plain paper: You used sizes and losses themselves. Take the logarithms of both first.",
        _ruler(line=lambda y, steps: _by_line(y, steps + 1), law=lambda y, s: _by_law(y, s + 1)),
        "a step too far: You count the steps to the target from the middle run, but start at the "
        "last one. How many steps are there from the last run?",
    ),
)


def _law_and_loss(rng):
    floor = rng.uniform(1.4, 1.9)
    return {
        "loss": floor + rng.uniform(0.15, 0.6),
        "E": floor,
        "A": 10 ** rng.uniform(2.2, 3),
        "B": 10 ** rng.uniform(2.4, 3.4),
        "alpha": rng.uniform(0.28, 0.42),
        "beta": rng.uniform(0.28, 0.42),
    }


def _budget(loss, E, A, B, alpha, beta):
    positive("alpha", alpha), positive("beta", beta)
    theta = {"E": E, "A": A, "B": B, "alpha": alpha, "beta": beta}
    best = lifetime_optimal(theta, loss, 0.0)
    return float(TRAINING_FLOPS * best.parameters * best.tokens)


def _spent(gap, a, b, alpha, beta, share, rest=None, flops=TRAINING_FLOPS):
    """Return the budget where the size leaves `share` of the gap, and the data the `rest`."""
    rest = 1 - share if rest is None else rest
    return flops * (a / (share * gap)) ** (1 / alpha) * (b / (rest * gap)) ** (1 / beta)


budget = function(
    "budget",
    "Build the smallest budget for a loss",
    answer="smallest_budget",
    reference=_budget,
    inputs=_law_and_loss,
    points=5,
    builds=("perfmodel.forecasting.compute_optimal", "perfmodel.forecasting.lifetime_optimal"),
    mistakes=mistakes(
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, 0.5),
        "two equal terms: You made the two terms equal. At the best split, their slopes against "
        "the logarithms of N and D are equal.",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, p / (p + q)),
        "shares exchanged: You exchanged the fractions of the two terms. A term with a large "
        "exponent falls quickly, so it is cheap to make it small.",
        lambda y, e, a, b, p, q: _spent(y, a, b, p, q, q / (p + q)),
        "floor forgotten: You let the two terms add up to the whole loss. What is left for them "
        "above the floor?",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, q / (p + q), flops=1.0),
        "six forgotten: That is the product of parameters and tokens. How many FLOP does each such "
        "pair take?",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, 1.0, 1.0),
        "gap spent twice: You let each term fill the whole loss above the floor. They share it.",
        lambda y, e, a, b, p, q: (a * (p + q) / (q * (y - e))) ** (1 / p),
        "size only: That is the number of parameters. How many FLOP does the training take?",
        lambda y, e, a, b, p, q: (b * (p + q) / (p * (y - e))) ** (1 / q),
        "tokens only: That is the number of tokens. How many FLOP does the training take?",
        lambda y, e, a, b, p, q: (
            6 * (a * (p + q) / (q * (y - e))) ** p * (b * (p + q) / (p * (y - e))) ** q
        ),
        "exponents not inverted: You didn't invert the exponents. Solve each term for its "
        "variable: the exponent becomes a root.",
        lambda y, e, a, b, p, q: 6 * _twenty(y - e, a, b, p, q),
        "twenty tokens a parameter: You took twenty tokens per parameter. That is a rule from "
        "another law; this law has its own best split.",
    ),
    properties=[
        limit(
            "symmetric law",
            (1.5, 1.0, 2.0, 2.0, 0.5, 0.5),
            0.5,
            "If N and D have the same effect, both terms should be half of the loss above the "
            "floor. Try A = B and alpha = beta.",
        ),
        monotone(
            "rises as the loss falls",
            0,
            [2.0, 1.9, 1.85],
            (2.0, 1.8, 400.0, 400.0, 0.35, 0.35),
            0.5,
            "A lower loss can't be cheaper. Try losses closer to the floor.",
        ),
        refuses(
            (1.7, 1.8, 400.0, 400.0, 0.35, 0.35),
            1,
            "No budget reaches a loss below the floor: raise a ValueError.",
            "refuses a loss below the floor",
        ),
    ],
)


def _twenty(gap, a, b, alpha, beta):
    """Return N times D at twenty tokens a parameter."""
    low, high = 1.0, 1e30
    for _ in range(200):
        size = sqrt(low * high)
        over = a / size**alpha + b / (20 * size) ** beta > gap
        low, high = (size, high) if over else (low, size)
    return 20 * low * high


# Level 2: which form, and what an interval must cover

FORMS = ("power law", "line")


def _nine(rng):
    sizes = np.geomspace(1, 10 ** rng.uniform(2.2, 3.2), 9) * np.exp(rng.normal(0, 0.1, 9))
    if rng.random() < 0.5:
        losses = rng.uniform(2, 4) * sizes ** -rng.uniform(0.1, 0.2)
    else:
        falls = rng.uniform(0.09, 0.12)
        losses = rng.uniform(2, 4) * (1 - falls * np.log(sizes))
    order = rng.permutation(9)
    return {
        "sizes": sizes[order],
        "losses": (losses * np.exp(rng.normal(0, 0.03, 9)))[order],
    }


def _half_log_line(x, y, at):
    return _line(np.log(x), y, np.log(at))


def _mean_size(errors):
    return np.mean(np.abs(errors))


def _forms(fitted, scored, error=_mean_size, rank=np.argsort, missed=np.subtract, pick=np.argmin):
    """Return a model of the choice: places, by size, that are fitted and that are scored."""

    def model(sizes, losses):
        order = rank(sizes)
        x, y = sizes[order], losses[order]
        errors = [
            abs(float(error(missed(form(x[fitted], y[fitted], x[scored]), y[scored]))))
            for form in (_log_line, _half_log_line)
        ]
        place = int(pick(errors))
        return FORMS[place], errors[place]

    return by_place(model)


SMALL, LARGE, ALL = slice(6), slice(6, 9), slice(9)

form = choice(
    "form",
    "Which form goes on?",
    choices=FORMS,
    reference=_forms(SMALL, LARGE),
    inputs=_nine,
    points=3,
    mistakes=mistakes(
        _forms(ALL, ALL),
        "fitted and scored on all: You fitted and scored on all nine runs. Hold the three largest "
        "out of the fit.",
        _forms(SMALL, SMALL),
        "in-sample error: You scored the forms on the six runs that they were fitted to. Score "
        "them on the other three.",
        _forms(SMALL, LARGE, pick=np.argmax),
        "chosen by the fit: You gave the other form and its error on the three. Did you choose by "
        "the errors on the six? Choose by the held-out runs.",
        _forms(ALL, LARGE),
        "seen before: You scored on the three largest runs, but the fit used them. Hold them out "
        "first.",
        _forms(SMALL, LARGE, rank=lambda sizes: np.arange(9)),
        "not sorted: You held out the last three of the list. The runs aren't sorted by size.",
        _forms(slice(3, 9), slice(3)),
        "small ones hidden: You held out the three smallest runs. Hold out the three largest.",
        _forms(SMALL, slice(8, 9)),
        "largest run only: You scored on a single run. All three held-out runs count.",
        _forms(SMALL, LARGE, error=np.mean),
        "errors cancel: You let errors above and below cancel. Take absolute values before the "
        "mean.",
        _forms(SMALL, LARGE, missed=lambda found, y: np.log(positive("found", found) / y)),
        "errors of logarithms: You took the errors of the logarithms. The question asks for errors "
        "of the losses.",
        _forms(SMALL, LARGE, error=lambda e: np.sqrt(np.mean(e**2))),
        "root mean square: That is the root mean square error. The question asks for the mean "
        "absolute error.",
    ),
)


def _nets(rng):
    def nets(count, low, high):
        seen = rng.uniform(low, high, count)
        return seen, slope * seen + level + rng.normal(0, 0.02, count)

    slope, level = rng.uniform(0.5, 0.8), rng.uniform(0.3, 0.4)
    known, new = nets(8, 0.25, 0.6), nets(6, 0.25, 0.5)
    return {"known_x": known[0], "known_y": known[1], "new_x": new[0], "new_y": new[1]}


def _share(errors, y, middle):
    return float(1 - np.sum(errors**2) / np.sum((y - middle) ** 2))


def _explained(known_x, known_y, new_x, new_y):
    if len(known_x) != len(known_y) or len(new_x) != len(new_y):
        raise ValueError("each x must have its y")
    if np.ptp(new_y) == 0:
        raise ValueError(f"new_y must differ from each other, got {new_y!r}")
    return _share(new_y - _line(known_x, known_y, new_x), new_y, np.mean(new_y))


def _own_line(x, y):
    return _share(y - _line(x, y, x), y, np.mean(y))


explained = function(
    "explained",
    "Build an honest R squared",
    answer="explained_share",
    reference=_explained,
    inputs=_nets,
    points=4,
    mistakes=mistakes(
        lambda kx, ky, x, y: _own_line(kx, ky),
        "in-sample R2: That is the R2 on the nets that the line was fitted to. It shows how well "
        "the line fits. The question asks how well it predicts new nets.",
        lambda kx, ky, x, y: _own_line(x, y),
        "fitted again: You fitted a line to the new nets, or squared a correlation, which is the "
        "same. This forgives predictions that are always too high.",
        lambda kx, ky, x, y: _share(
            y - _line(np.append(kx, x), np.append(ky, y), x), y, np.mean(y)
        ),
        "all nets fitted: Your fit used the final results of the new nets. They aren't known when "
        "the line is needed.",
        lambda kx, ky, x, y: _share(y - _line(kx, ky, x), y, np.mean(ky)),
        "mean of the known: You compared with the mean of the known nets. Compare with the mean of "
        "the new ones.",
        lambda kx, ky, x, y: 1 - _explained(kx, ky, x, y),
        "share left: That is the fraction of the variance that the line leaves unexplained.",
        lambda kx, ky, x, y: 1 - sqrt(1 - _explained(kx, ky, x, y)),
        "not squared: You compared standard deviations. R2 compares sums of squares.",
        lambda kx, ky, x, y: _share(y - x, y, np.mean(y)),
        "last value seen: You used the early result as the prediction. Results still change: use "
        "the fitted line.",
        lambda kx, ky, x, y: _share(y - _line(kx, ky, x), y, 0.0),
        "no mean taken off: You compared with a prediction of 0 for every net. Compare with the "
        "mean of the new results.",
    ),
    properties=[
        limit(
            "worse than the mean",
            (
                np.array([0.1, 0.2, 0.3]),
                np.array([0.5, 0.6, 0.7]),
                np.array([0.2, 0.3]),
                np.array([0.8, 0.7]),
            ),
            0.5,
            "Predictions can be worse than the mean: then the result is below 0.",
        ),
        refuses(
            (np.array([0.1, 0.2, 0.3]),) * 2 + (np.array([0.2, 0.3]), np.array([0.5, 0.5])),
            0.5,
            "If all new results are equal, there is no variance to explain: raise a ValueError.",
            "refuses ends that are all the same",
        ),
    ],
)


def _resampled(rng):
    sizes = np.geomspace(1, 10 ** rng.uniform(1.5, 2.5), 7) * np.exp(rng.normal(0, 0.15, 7))
    losses = rng.uniform(3, 8) * sizes ** -rng.uniform(0.2, 0.4) * np.exp(rng.normal(0, 0.06, 7))
    draws = []
    while len(draws) < 20:
        draw = rng.integers(0, 7, 7)
        if len(set(draw.tolist())) > 3:
            draws.append(draw)
    return {
        "sizes": sizes,
        "losses": losses,
        "draws": np.array(draws),
        "target": sizes.max() * rng.uniform(8, 40),
        "confidence": rng.uniform(0.75, 0.92),
    }


def _refits(summary, law=_log_line, at=None):
    """Return a model: a summary of (forecasts of all refits, confidence)."""

    def model(sizes, losses, draws, target, confidence):
        place = target if at is None else at(sizes)
        found = np.array([float(law(sizes[d], losses[d], place)) for d in draws])
        return np.asarray(summary(found, confidence))

    return by_place(model)


def _percentiles(found, confidence):
    return np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])


def _around(middle, half):
    return np.array([middle - half, middle + half])


def _z(confidence):
    return float(stats.norm.ppf((1 + confidence) / 2))


refits = array(
    "refits",
    "Twenty refits",
    reference=_refits(_percentiles),
    inputs=_resampled,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _refits(lambda f, c: _around(f.mean(), _z(c) * f.std(ddof=1))),
        "normal law: You used standard deviations, as if the predictions were normal. Use the "
        "quantiles of the twenty predictions.",
        _refits(lambda f, c: _around(f.mean(), _z(c) * f.std(ddof=1) / sqrt(f.size))),
        "error of the mean: You divided by the root of the number of refits. More refits don't "
        "make a prediction more certain: use their quantiles.",
        _refits(lambda f, c: np.array([f.min(), f.max()])),
        "all refits: You took the lowest and the highest of all predictions. How many must be left "
        "out on each side?",
        _refits(lambda f, c: np.quantile(f, [1 - c, c])),
        "both tails on each side: You left out the whole rest on each side. Half of it belongs to "
        "each side.",
        _refits(_percentiles, at=lambda sizes: sizes.max()),
        "at the largest run: These are predictions at the largest run. Predict at the target.",
        _refits(_percentiles, law=_half_log_line),
        "logarithm of the size only: You fitted the loss itself against the logarithm of the size. "
        "On log-log paper, both are logarithms.",
        _refits(lambda f, c: np.percentile(f, [(1 - c) / 2, (1 + c) / 2])),
        "shares for per cents: Both of your ends are close to the lowest prediction. "
        "`np.percentile` takes per cents, and you gave it fractions.",
        _refits(lambda f, c: _percentiles(f, c)[::-1]),
        "ends swapped: The lower end comes first.",
        by_place(
            lambda x, y, draws, target, c: _percentiles(
                _log_line(x, y, target) * (y / _log_line(x, y, x)), c
            )
        ),
        "scatter of single runs: You put the residuals of the runs around one prediction. This is "
        "the scatter of single runs; the effect of other draws on the line is missing.",
    ),
)


def _lucks(rng):
    lower = rng.uniform(1.5, 2.5)
    return {
        "forecast_a": lower + rng.uniform(0.1, 0.5),
        "forecast_b": lower,
        "fit_error": rng.uniform(0.04, 0.2),
        "run_error": rng.uniform(0.03, 0.12),
    }


total_spread = number(
    "total_spread",
    "Three kinds of luck",
    reference=by_place(lambda a, b, fit, run: sqrt(fit**2 + run**2 + ((a - b) / 2) ** 2)),
    inputs=_lucks,
    points=2,
    mistakes=mistakes(
        lambda a, b, fit, run: sqrt(fit**2 + run**2),
        "interval without form error: You left out the difference between the forms. Either form "
        "can be right: what does this add?",
        lambda a, b, fit, run: sqrt(fit**2 + ((a - b) / 2) ** 2),
        "luck of the run forgotten: You left out the scatter of the large run itself. It is made "
        "only once.",
        lambda a, b, fit, run: sqrt(run**2 + ((a - b) / 2) ** 2),
        "luck of the fit forgotten: You left out the error of the fit. Other small runs would have "
        "given other constants.",
        lambda a, b, fit, run: fit,
        "fit only: You have the error of the fit only. Add the difference between the forms and "
        "the scatter of the large run.",
        lambda a, b, fit, run: fit + run + abs(a - b) / 2,
        "added up: You added the three standard deviations. For independent errors, the variances "
        "add up.",
        lambda a, b, fit, run: sqrt(fit**2 + run**2 + (a - b) ** 2),
        "whole distance: You took the whole distance between the forms. How far is each from the "
        "mean of both?",
        lambda a, b, fit, run: fit**2 + run**2 + ((a - b) / 2) ** 2,
        "variance: That is the variance. Take its square root.",
        lambda a, b, fit, run: sqrt(fit**2 + run**2 + (a - b) ** 2 / 2),
        "sample of two: You treated the two predictions as a sample and divided by one fewer. How "
        "far is each from the mean of both?",
        lambda a, b, fit, run: sqrt((fit**2 + run**2) / 2 + ((a - b) / 2) ** 2),
        "averaged away: You halved the variances of fit and run, as if the two forms were two "
        "measurements. Only one form is right, and it has its whole error.",
    ),
)


def _finished(rng):
    while True:
        count, share = int(rng.integers(12, 25)), float(rng.choice([0.75, 0.8, 0.85, 0.9]))
        ranks = np.array([(count + 1) * share, count * share])
        clear = np.all(np.abs(ranks - np.round(ranks)) > 0.04)
        if clear and np.ceil(ranks[0]) > np.ceil(ranks[1]) and ranks[0] < count:
            break
    errors = rng.normal(rng.uniform(-0.025, -0.01), 0.03, count)
    return {"errors": np.round(errors, 4), "confidence": share}


def _ranked(errors, rank):
    return float(np.sort(errors)[int(rank) - 1])


borrowed = number(
    "borrowed",
    "An interval from experience",
    reference=lambda errors, confidence: _ranked(
        np.abs(errors), ceil((len(errors) + 1) * confidence)
    ),
    inputs=_finished,
    points=2,
    tolerance=0.005,
    mistakes=mistakes(
        lambda e, c: _ranked(np.abs(e), ceil(len(e) * c)),
        "the new run not counted: You counted the finished runs alone, or rounded the rank down. "
        "The new run is one more of the same kind: use n + 1 and round up.",
        lambda e, c: _ranked(np.abs(e), np.floor(len(e) * c)),
        "counted alone and rounded down: You counted the finished runs alone and rounded the rank "
        "down. Both make the interval too narrow.",
        lambda e, c: _ranked(np.abs(e), min(ceil((len(e) + 1) * c) + 1, len(e))),
        "place for rank: You used the rank as an index. Rank 1 has the index 0.",
        lambda e, c: float(np.quantile(np.abs(e), c)),
        "interpolated: You interpolated a quantile of the finished runs. Use the rank of the "
        "statement, rounded up.",
        lambda e, c: _ranked(e, ceil((len(e) + 1) * c)),
        "errors with a sign: You ranked the errors with their signs, so a prediction that is far "
        "too high counts as good. Rank the absolute errors.",
        lambda e, c: float(_z(c) * np.std(e, ddof=1)),
        "normal law: You used standard deviations, which assumes normal errors. Rank the absolute "
        "errors instead.",
        lambda e, c: float(np.mean(np.abs(e))),
        "mean error: That is the mean absolute error. About half of the runs are further off.",
        lambda e, c: float(np.max(np.abs(e))),
        "worst so far: That is the largest absolute error. It holds more often than necessary.",
        lambda e, c: float(2 * _ranked(np.abs(e), ceil((len(e) + 1) * c))),
        "whole width: That is the full width of the interval. How far does it reach to either "
        "side?",
    ),
)


def _held(rng):
    runs = int(rng.integers(7, 20))
    best, far = rng.uniform(0.001, 0.02), rng.uniform(0.8, 3.6)
    return {"best": best, "held": best * (1 + far**2 / (runs - 3)), "runs": runs}


def _profile_t(t, spare=3):
    """Return a model of the choice from a function of (rise, best, held, degrees of freedom)."""

    def model(best, held, runs):
        found = float(t(held - best, best, held, runs - spare))
        known = found > stats.t.ppf(0.975, runs - spare)
        return ("above 0" if known else "open"), found

    return by_place(model)


open_floor = choice(
    "open_floor",
    "Is there a floor at all?",
    choices=("above 0", "open"),
    reference=_profile_t(lambda rise, best, held, spare: sqrt(rise / (best / spare))),
    inputs=_held,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _profile_t(lambda rise, best, held, spare: rise / (best / spare)),
        "not rooted: You didn't take the root. Student's quantile counts standard errors, not "
        "squares.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (best / spare)), spare=0),
        "constants not counted: You divided by the number of runs. Three constants were fitted to "
        "them: how many runs are left for the noise?",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (best / spare)), spare=2),
        "two constants: You subtracted two constants. The law with a floor has three.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (held / spare))),
        "noise of the worse fit: You took the noise from the fit without a floor. If there is a "
        "floor, this contains its error as well.",
        _profile_t(lambda rise, best, held, spare: sqrt(held / best)),
        "ratio of the fits: You took the ratio of the two sums. Compare their difference with the "
        "noise variance of one run.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / best)),
        "sum for a run: You divided by the sum of squares of all runs. Divide by the variance of "
        "one run.",
    ),
)


def _two_recipes(rng):
    return {
        "spread_1": rng.uniform(0.005, 0.03),
        "spread_2": rng.uniform(0.005, 0.03),
        "correlation": rng.uniform(0.3, 0.9),
        "width": rng.uniform(0.004, 0.02),
        "z": rng.uniform(1.6, 2.6),
    }


def _pairs(spread_1, spread_2, correlation, width, z):
    one, two = positive("spread_1", spread_1), positive("spread_2", spread_2)
    alike = within("correlation", correlation, -1, 1)
    variance = one**2 + two**2 - 2 * alike * one * two
    return 4 * np.asarray(z) ** 2 * variance / positive("width", width) ** 2


pairs = function(
    "pairs",
    "Build the number of pairs",
    answer="pairs_needed",
    reference=_pairs,
    inputs=_two_recipes,
    points=5,
    mistakes=mistakes(
        lambda s, t, r, w, z: _pairs(s, t, 0 * r, w, z),
        "not paired: You treated the runs as independent. Runs with the same seed and data share "
        "some scatter, which cancels in the difference.",
        lambda s, t, r, w, z: _pairs(s, t, -r, w, z),
        "luck added: You added the common scatter. In a difference it cancels.",
        lambda s, t, r, w, z: _pairs(s, t, r, w, z) / 4,
        "half of the width: You used the full width for one side. The interval reaches to both "
        "sides of the mean.",
        lambda s, t, r, w, z: np.sqrt(_pairs(s, t, r, w, z)),
        "not squared: That is the square root of the number. The error of a mean falls with the "
        "root of the pairs, so half the width needs four times the pairs.",
        lambda s, t, r, w, z: 4 * z**2 * (s**2 + t**2 - 2 * r) / w**2,
        "correlation for covariance: You subtracted the correlation itself, which has no unit. "
        "Which covariance do two quantities with these standard deviations have?",
        lambda s, t, r, w, z: 4 * z**2 * (s - t) ** 2 / w**2,
        "perfectly alike: You subtracted the standard deviations, as if the correlation were 1.",
        lambda s, t, r, w, z: 4 * z**2 * (s**2 + t**2) * (1 - r**2) / w**2,
        "share explained: You subtracted the square of the correlation, as in a regression. The "
        "variance of a difference contains the covariance.",
        lambda s, t, r, w, z: _pairs(s, t, r, w, 1.0 + 0 * z),
        "z forgotten: With that number, one standard error fits on either side. Take z of them.",
        lambda s, t, r, w, z: 2 * _pairs(s, t, r, w, z),
        "runs for pairs: That is the number of runs of both recipes. How many pairs are they?",
        lambda s, t, r, w, z: np.ceil(_pairs(s, t, r, w, z)),
        "rounded up: You rounded up. Return the number without rounding.",
    ),
    properties=[
        vectorised(
            (np.array([0.01, 0.02]), 0.02, 0.5, 0.01, 2.0),
            0.5,
            "Let NumPy do the loop: given an array of spreads, the function should return an array "
            "of the same shape. Wrap the comparisons of your checks in np.any(...).",
        ),
        limit(
            "common luck only",
            (0.02, 0.02, 1.0, 0.01, 2.0),
            0.5,
            "If all scatter is common, the difference has none.",
        ),
        refuses(
            (0.01, 0.02, 1.2, 0.01, 2.0),
            0.5,
            "A correlation of 1.2 should raise a ValueError.",
            "refuses a correlation above 1",
        ),
        refuses(
            (0.01, 0.02, 0.5, 0.0, 2.0),
            0.5,
            "No number of pairs makes a width of 0: raise a ValueError.",
            "refuses a width of 0",
        ),
    ],
)

# Level 3: ceilings, crossings and stopping


def _recipes(rng):
    """Draw a fast recipe and one with a higher ceiling."""
    start = rng.uniform(0.1, 0.4)
    low = start + rng.uniform(0.15, 0.3)
    middle = 10 ** rng.uniform(2.5, 4)
    return {
        "start": start,
        "ceilings": np.array([low, low + rng.uniform(0.05, 0.25)]),
        "middles": np.array([middle, middle * rng.uniform(2.7, 5)]),
        "steepness": rng.uniform(1.2, 2.5),
    }


def _rate(hours, start, ceiling, middle, steepness):
    return start + (ceiling - start) / (1 + (middle / hours) ** steepness)


def _pair_of_recipes(rng):
    drawn = _recipes(rng)
    (low, high), (fast, slow) = drawn["ceilings"], drawn["middles"]
    return {
        "hours": fast * rng.uniform(0.4, 1.5),
        "start": drawn["start"],
        "ceiling_1": low,
        "middle_1": fast,
        "ceiling_2": high,
        "middle_2": slow,
        "steepness": drawn["steepness"],
    }


def _hours_to_match(hours, start, ceiling_1, middle_1, ceiling_2, middle_2, steepness):
    rate = _rate(positive("hours", hours), start, ceiling_1, middle_1, steepness)
    if not ceiling_2 > rate:
        raise ValueError(f"ceiling_2 must be above the pass rate {rate!r}, got {ceiling_2!r}")
    return middle_2 * ((rate - start) / (ceiling_2 - rate)) ** (1 / steepness)


def _gain(h, r0, a, m, b):
    return (a - r0) / (1 + (m / h) ** b)


match = function(
    "match",
    "Build the time to draw level",
    answer="hours_to_match",
    reference=_hours_to_match,
    inputs=_pair_of_recipes,
    points=5,
    mistakes=mistakes(
        lambda h, r0, a1, m1, a2, m2, b: h * m2 / m1,
        "same share of another gain: There, recipe 2 has made the same fraction of its gain, which "
        "is a larger gain. When does it have the same pass rate?",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_rate(h, r0, a1, m1, b) / (a2 - _rate(h, r0, a1, m1, b))) ** (1 / b)
        ),
        "share of the ceiling: You took the pass rate as a fraction of the ceiling. The curve "
        "begins at the start, not at 0.",
        lambda h, r0, a1, m1, a2, m2, b: _hours_to_match(h, 0.0, a1, m1, a2, m2, b),
        "start forgotten: You let both curves begin at 0. They begin at the start.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** b
        ),
        "steepness not inverted: You didn't invert the steepness. Solve for the hours: the power "
        "becomes a root.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (-1 / b)
        ),
        "odds upside down: Your odds are upside down. If recipe 2 has more than half of its gain, "
        "it needs more than its half-way point.",
        lambda h, r0, a1, m1, a2, m2, b: m2 * _gain(h, r0, a1, m1, b) / (a2 - r0),
        "in proportion: You let the gain grow in proportion to the hours. The curve bends: solve "
        "it for the hours.",
        lambda h, r0, a1, m1, a2, m2, b: m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0)) ** (1 / b),
        "share without odds: Your answer isn't the half-way point at half of the gain, but it must "
        "be. Solve recipe 2's curve once more.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (1 / b) / h
        ),
        "how many times as long: That is how many times the hours of recipe 1. How many hours are "
        "they?",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * ((a2 - r0) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (1 / b)
        ),
        "far-out law: You used the power law that the curve approaches far out. Here the curve "
        "still bends.",
    ),
    properties=[
        limit(
            "twice as slow",
            (300.0, 0.2, 0.6, 500.0, 0.6, 1000.0, 1.5),
            0.5,
            "With the same ceiling and twice the half-way point it should take twice as long.",
        ),
        refuses(
            (1e6, 0.2, 0.7, 500.0, 0.6, 100.0, 1.5),
            1,
            "A recipe never reaches a pass rate above its ceiling: raise a ValueError.",
            "refuses what is never reached",
        ),
        refuses(
            (0.0, 0.2, 0.5, 500.0, 0.6, 900.0, 1.5),
            0.5,
            "After 0 hours there is nothing to match: raise a ValueError.",
            "refuses 0 hours",
        ),
    ],
)


def _with_budget(rng):
    drawn = _recipes(rng)
    order = rng.permutation(2)
    tie = _tie(**drawn)
    drawn["ceilings"], drawn["middles"] = drawn["ceilings"][order], drawn["middles"][order]
    drawn["budget"] = tie * np.exp(rng.choice([-1, 1]) * rng.uniform(0.4, 1.5))
    return drawn


def _race(value):
    """Return a model of who is ahead, and by how much, from a function of one recipe's curve."""

    def model(r0, ceilings, middles, b, budget):
        one, two = (
            float(value(r0, a, m, b, budget)) for a, m in zip(ceilings, middles, strict=True)
        )
        return ("one" if one > two else "two"), abs(one - two)

    return by_place(model)


race = choice(
    "race",
    "Who is ahead at the budget?",
    choices=("one", "two"),
    reference=_race(lambda r0, a, m, b, c: _rate(c, r0, a, m, b)),
    inputs=_with_budget,
    points=3,
    mistakes=mistakes(
        _race(lambda r0, a, m, b, c: a),
        "higher ceiling: You compared the ceilings. The budget can end long before they matter.",
        _race(lambda r0, a, m, b, c: 1 / (1 + (m / c) ** b)),
        "shares of the gain: You compared which fraction of its own gain each recipe has made. The "
        "gains differ, so compare pass rates.",
        _race(lambda r0, a, m, b, c: a / (1 + (m / c) ** b)),
        "start left out: You let the curves begin at 0. They begin at the start.",
        _race(lambda r0, a, m, b, c: _rate(c, r0, a, m, 1.0)),
        "steepness left out: You left the steepness out of the curve.",
        _race(lambda r0, a, m, b, c: _rate(c, r0, a, m, -b)),
        "upside down: Your curves fall with the hours. Which of the two hours is in the numerator?",
        _race(lambda r0, a, m, b, c: _rate(c / 10, r0, a, m, b)),
        "at a tenth: That is the result at a tenth of the budget. Use the whole budget.",
    ),
)


def _tie(start, ceilings, middles, steepness):
    first, second = np.asarray(ceilings) - start
    one, two = np.asarray(middles) ** steepness
    return float(((first * two - second * one) / (second - first)) ** (1 / steepness))


def _on_gains(budget):
    """Return a model from a function of (gains, middles to the power, steepness)."""
    return by_place(
        lambda r0, ceilings, middles, b: float(budget(*(ceilings - r0), *(middles**b), b))
    )


crossing = number(
    "crossing",
    "Where two recipes change places",
    reference=_tie,
    inputs=_recipes,
    points=3,
    unit="h",
    mistakes=mistakes(
        lambda r0, a, m, b: _tie(0.0, a, m, b),
        "start left out: You let the curves begin at 0. With the start, each recipe's gain is less "
        "than its ceiling.",
        lambda r0, a, m, b: _hours_to_match(1e99, r0, a[0], m[0], a[1], m[1], b),
        "the other's ceiling: There, recipe 2 reaches the *ceiling* of recipe 1. It overtakes "
        "earlier, because recipe 1 never reaches its ceiling.",
        lambda r0, a, m, b: float(m[1]),
        "half-way point of the second: That is where recipe 2 has half of its gain. Where does it "
        "have the same pass rate as recipe 1?",
        _on_gains(lambda g, h, one, two, b: ((h * two - g * one) / (h - g)) ** (1 / b)),
        "far-out law: You used the power law that the curves approach far out. At the crossing "
        "they can still bend.",
        _on_gains(lambda g, h, one, two, b: (one * two) ** (1 / (2 * b))),
        "between the half-way points: That is the middle of the two half-way points on a "
        "logarithmic axis. It ignores the ceilings.",
        _on_gains(lambda g, h, one, two, b: ((g * two - h * one) / (h - g)) ** b),
        "power not inverted: You had the budget to the power of the steepness, and raised it to "
        "that power again. Take the root.",
        lambda r0, a, m, b: _tie(r0, a, m, 1.0),
        "steepness left out: You solved for curves of steepness one.",
        _on_gains(lambda g, h, one, two, b: (g * two - h * one) / (h - g)),
        "root forgotten: That is the budget to the power of the steepness. Take the root.",
    ),
)


def _one_run(rng):
    count = 8
    leverages = rng.uniform(0.1, 0.6, count)
    residuals = np.round(rng.normal(0, 0.02, count), 4)
    best, certainty = rng.uniform(0.7, 0.9), rng.uniform(0.75, 0.88)
    spread = _left_out(residuals, leverages)
    return {
        "best": best,
        "forecast": best - spread * rng.uniform(0.6, 1.8),
        "residuals": residuals,
        "leverages": leverages,
        "certainty": certainty,
    }


def _left_out(residuals, leverages):
    return sqrt(np.mean((residuals / (1 - leverages)) ** 2))


def _stop(chance):
    """Return a model of the decision from a chance of (lead, residuals, leverages)."""

    def model(best, forecast, residuals, leverages, certainty):
        found = float(chance(best - forecast, residuals, leverages))
        return ("stop" if found >= certainty else "go on"), found

    return by_place(model)


stop = choice(
    "stop",
    "Stop this run?",
    choices=("stop", "go on"),
    reference=_stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e, h))),
    inputs=_one_run,
    points=3,
    tolerance=0.001,
    mistakes=mistakes(
        _stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e, 0 * h))),
        "in-sample spread: You used the residuals as they are. The line was fitted to these runs, "
        "so it misses a new run by more.",
        _stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e * (1 - h) ** 2, h))),
        "leverage the wrong way: You made the residuals smaller by the leverage. A run left out is "
        "missed by more, so divide.",
        _stop(lambda d, e, h: stats.norm.cdf(-d / _left_out(e, h))),
        "chance of winning: That is the probability that the run beats the best. The question asks "
        "for the opposite.",
        _stop(lambda d, e, h: d / _left_out(e, h)),
        "distance for chance: That is the distance in standard deviations. Which probability "
        "belongs to it?",
        _stop(lambda d, e, h: 2 * stats.norm.cdf(d / _left_out(e, h)) - 1),
        "both sides: You subtracted the probability of ending far below as well. Only ending above "
        "the best counts.",
        _stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e, h) * sqrt(e.size))),
        "error of the mean: You divided the standard deviation by the root of the number of runs. "
        "You predict one run, not a mean.",
        _stop(lambda d, e, h: stats.norm.cdf(d / np.std(e / (1 - h)))),
        "mean taken off: You subtracted the mean of the errors first, as `np.std` does. It is part "
        "of a prediction's error.",
        _stop(lambda d, e, h: stats.norm.cdf(d / np.mean(np.abs(e / (1 - h))))),
        "mean error: You used the mean absolute error as the standard deviation. Take the root "
        "mean square.",
        _stop(lambda d, e, h: stats.norm.cdf(d / sqrt(np.mean(e**2 / (1 - h))))),
        "leverage rooted: You divided the squares by the remaining leverage once. Divide the error "
        "first, then square it.",
        _stop(lambda d, e, h: stats.norm.cdf(d / (sqrt(2) * _left_out(e, h)))),
        "two noisy ends: You gave the best run an error, too. It has finished, so its result is "
        "known.",
    ),
)


def _stopped(rng):
    count = int(rng.integers(8, 16))
    return {"chances": np.round(0.85 + 0.15 * rng.beta(0.8, 0.8, count), 4)}


winner = number(
    "winner",
    "What the rule may have cost",
    reference=lambda chances: float(1 - np.prod(chances)),
    inputs=_stopped,
    points=2,
    tolerance=0.001,
    mistakes=mistakes(
        lambda c: float(1 - np.mean(c) ** len(c)),
        "all like the mean: You replaced all probabilities by their mean. Multiply the "
        "probabilities of the single runs.",
        lambda c: float(np.sum(1 - c)),
        "chances added: You added the probabilities, which can exceed 1. What is the probability "
        "that none of them would have won?",
        lambda c: float(1 - np.min(c)),
        "worst one only: That is the risk of the single run with the lowest probability. All runs "
        "count.",
        lambda c: float(np.mean(1 - c)),
        "risk of one: That is the mean risk of a run. The risk was taken with each run.",
        lambda c: float(1 - np.min(c) ** len(c)),
        "all like the worst: You gave all runs the risk of the worst. Use the probability of each.",
        lambda c: float(np.prod(1 - c)),
        "all winners: That is the probability that every stopped run would have won. One is "
        "enough.",
    ),
)


def _search(rng):
    runs = int(rng.integers(200, 1000))
    first = int(rng.integers(30, runs // 4))
    epochs = int(rng.integers(20, 200))
    return {
        "runs": runs,
        "first": first,
        "epochs": epochs,
        "seen": int(epochs * rng.uniform(0.1, 0.3)) + 1,
        "stopped": int((runs - first) * rng.uniform(0.7, 0.95)),
    }


def _cost(spent):
    """Return a model of the ratio from a function of what the search spends, in epochs."""
    return by_place(lambda n, first, t, seen, out: float(n * t / spent(n, first, t, seen, out)))


saved = number(
    "saved",
    "How much cheaper was the search?",
    reference=_cost(lambda n, first, t, seen, out: (n - out) * t + out * seen),
    inputs=_search,
    points=2,
    tolerance=0.005,
    mistakes=mistakes(
        _cost(lambda n, first, t, seen, out: (n - first - out) * t + out * seen),
        "learned for nothing: You left out the runs that finished to learn from. They cost epochs, "
        "too.",
        _cost(lambda n, first, t, seen, out: n * seen),
        "all stopped: You stopped every run. Some finished.",
        _cost(lambda n, first, t, seen, out: first * t + (n - first) * seen),
        "survivors cheap: You let the runs that weren't stopped cost no more than the stopped "
        "ones. They take all epochs.",
        _cost(lambda n, first, t, seen, out: (n - out) * t + (n - first) * seen),
        "looked at twice: You let a run that goes on pay for its first epochs twice.",
        _cost(lambda n, first, t, seen, out: (n - out) * t),
        "stopped ones free: You let the stopped runs cost nothing. They took some epochs.",
        lambda n, first, t, seen, out: (
            (n - first) * t / ((n - first - out) * t + out * seen) * (n - first) / n
        ),
        "learners left out of both: You left the first runs out of both searches. They belong to "
        "both.",
        lambda n, first, t, seen, out: 1 - ((n - out) * t + out * seen) / (n * t),
        "share saved: That is the saved fraction of the epochs. How many times as many epochs "
        "would the search take without stopping?",
    ),
)

# Level 4: what the table leaves out


def _failing(rng):
    times = rng.uniform(5, 30)
    small = rng.uniform(2.5, 4) * np.exp(rng.normal(0, 0.06, 9))
    large = small.mean() * times ** -rng.uniform(0.1, 0.25) * np.exp(rng.normal(0, 0.09, 9))
    small_finished, large_finished = np.ones(9, dtype=bool), np.ones(9, dtype=bool)
    small_finished[rng.permutation(9)[: rng.integers(0, 2)]] = False
    large_finished[rng.permutation(9)[: rng.integers(2, 5)]] = False
    return {
        "small": np.round(small, 3) * small_finished,
        "small_finished": small_finished,
        "large": np.round(large, 3) * large_finished,
        "large_finished": large_finished,
        "times_larger": times,
    }


def _slope(typical):
    """Return a model of the exponent from the typical loss of (losses, which were finished)."""
    return by_place(
        lambda small, ok, large, fine, times: float(
            log(typical(small, ok) / typical(large, fine)) / log(times)
        )
    )


def _with_failures(losses, finished):
    return np.median(np.where(finished, losses, np.inf))


failures = number(
    "failures",
    "Runs that blew up",
    reference=_slope(_with_failures),
    inputs=_failing,
    points=3,
    mistakes=mistakes(
        _slope(lambda y, ok: np.median(y[ok])),
        "failed runs dropped: You left out the runs that diverged. More of the large ones did, so "
        "this flatters the large size.",
        _slope(lambda y, ok: np.median(y)),
        "nought for a failure: You used the 0 of a diverged run as its loss. Then it would be the "
        "best run. It counts as the worst.",
        _slope(lambda y, ok: np.mean(y[ok])),
        "mean of the survivors: You averaged the finished runs. A median has a place for diverged "
        "runs; a mean hasn't.",
        _slope(lambda y, ok: np.min(y[ok])),
        "best seed: You took the best seed of each size. You don't know beforehand which one this "
        "is.",
        _slope(lambda y, ok: np.max(y[ok])),
        "worst of the finished: You took the worst of the runs that were finished.",
        by_place(
            lambda y, ok, z, fine, times: float(
                (_with_failures(y, ok) - _with_failures(z, fine)) / log(times)
            )
        ),
        "loss not logged: You took the difference of the losses. On log-log paper, take the "
        "difference of their logarithms.",
        by_place(
            lambda y, ok, z, fine, times: float(
                log(_with_failures(y, ok) / _with_failures(z, fine)) / times
            )
        ),
        "size not logged: You divided by the ratio of the sizes. On log-log paper, divide by its "
        "logarithm.",
    ),
)

NAMES = ("A", "B", "C", "D")


def _tournament(rng):
    while True:
        first = rng.uniform(0.02, 0.06, 4)
        second = first * rng.uniform(0.9, 2.2, 4)
        fitted = rng.uniform(0.005, 0.02, 4)
        firsts = {int(np.argmin(errors)) for errors in (first, second, fitted, first + second)}
        if len(firsts) >= 3 and second[first.argmin()] > 1.2 * first.min():
            return {"fitted": fitted, "first": first, "second": second}


def _chosen(by, reported):
    """Return a model: the form chosen by one of the scores, and the error that is reported."""

    def model(*scores):
        place = int(np.argmin(by(*scores)))
        return NAMES[place], float(reported(*scores)[place])

    return by_place(model)


many_forms = choice(
    "many_forms",
    "The best of many forms",
    choices=NAMES,
    reference=_chosen(lambda f, a, b: a, lambda f, a, b: b),
    inputs=_tournament,
    points=3,
    mistakes=mistakes(
        _chosen(lambda f, a, b: a, lambda f, a, b: a),
        "choosing the best of many forms: You report the error by which you chose the form. It is "
        "the smallest of four, so partly luck. What do the runs say that you didn't use to choose?",
        _chosen(lambda f, a, b: b, lambda f, a, b: b),
        "chosen by the score: You chose by the runs that were kept for the test. Then nothing is "
        "left to test the choice.",
        _chosen(lambda f, a, b: f, lambda f, a, b: b),
        "chosen in-sample: You chose the form that fits best the runs it was fitted to. The form "
        "with most constants wins there.",
        _chosen(lambda f, a, b: f, lambda f, a, b: f),
        "in-sample throughout: You chose and reported the error on the fitted runs. Use the "
        "held-out groups.",
        _chosen(lambda f, a, b: a + b, lambda f, a, b: (a + b) / 2),
        "both together: You put both groups together, so the same runs choose and test. Keep them "
        "apart.",
        _chosen(lambda f, a, b: a, lambda f, a, b: (a + b) / 2),
        "half of it chosen by: Your form is right, but half of your reported error comes from the "
        "group by which you chose.",
        _chosen(lambda f, a, b: a, lambda f, a, b: f),
        "in-sample error reported: Your form is right, but you report its error on the fitted "
        "runs. Report the error on group 2.",
    ),
)


def _pilots(rng):
    first = 10 ** rng.uniform(2, 4)
    second = first * rng.uniform(1.5, 12)
    result = rng.uniform(0.3, 0.5)
    return {
        "x_0": first,
        "y_0": result,
        "x_1": second,
        "y_1": result + rng.uniform(0.03, 0.1),
        "error_0": rng.uniform(0.004, 0.02),
        "error_1": rng.uniform(0.004, 0.02),
        "x": second * rng.uniform(3, 60),
    }


def _steps(x_0, x_1, x):
    return log(x / x_1) / log(x_1 / x_0)


def _projection(forecast=None, error=None, steps=_steps):
    """Return a model of forecast and standard error, from functions of both pilots and steps."""
    forecast = forecast or (lambda y, z, s: (1 + s) * z - s * y)
    error = error or (lambda e, f, s: sqrt((s * e) ** 2 + ((1 + s) * f) ** 2))

    def model(x_0, y_0, x_1, y_1, error_0, error_1, x):
        s = steps(x_0, x_1, x)
        return np.array([forecast(y_0, y_1, s), error(error_0, error_1, s)])

    return by_place(model)


def _projected(x_0, y_0, x_1, y_1, error_0, error_1, x):
    if not 0 < x_0 < x_1:
        raise ValueError(f"x_0 must be above 0 and below x_1, got {x_0!r} and {x_1!r}")
    positive("x", x)
    return _projection()(x_0, y_0, x_1, y_1, error_0, error_1, x)


projection = function(
    "projection",
    "Build a line from two pilots, with its error",
    answer="projected",
    reference=_projected,
    inputs=_pilots,
    points=5,
    mistakes=mistakes(
        _projection(steps=lambda x_0, x_1, x: (x - x_1) / (x_1 - x_0)),
        "plain paper: You drew the line against the size itself. It is straight against the "
        "logarithm of the size.",
        _projection(error=lambda e, f, s: f),
        "error of the second pilot: You left the error of the second pilot as it was. The further "
        "the line goes, the larger the error.",
        _projection(error=lambda e, f, s: s * e + (1 + s) * f),
        "errors added: You added the errors. For independent errors, the variances add up.",
        _projection(error=lambda e, f, s: (1 + s) * f),
        "first pilot certain: You gave the first pilot no error. The slope depends on both pilots.",
        _projection(error=lambda e, f, s: sqrt(f**2 + s**2 * f**2 + s**2 * e**2)),
        "second pilot counted twice: You let the last point and the slope vary independently. The "
        "second pilot is in both: what is its total weight?",
        _projection(error=lambda e, f, s: abs((1 + s) * f - s * e)),
        "errors subtracted: You subtracted the errors like the values. Independent errors don't "
        "cancel because of a minus sign.",
        _projection(forecast=lambda y, z, s: (1 + s) * y - s * z),
        "wrong way: Your line runs from the second pilot to the first and on. Go the other way.",
        _projection(forecast=lambda y, z, s: y + s * (z - y)),
        "begins at the first: You count the steps from the second pilot, but start at the first.",
        _projection(steps=lambda x_0, x_1, x: log(x / x_0) / log(x_1 / x_0)),
        "steps counted from the first: You count the steps from the first pilot, but use weights "
        "for the second. What must the weights be at the second pilot?",
        _projection(
            forecast=lambda y, z, s: (1 - s) * y + s * z,
            error=lambda e, f, s: sqrt(((1 - s) * e) ** 2 + (s * f) ** 2),
        ),
        "weights of another count: Your weights 1 - s and s are for steps from the first pilot. "
        "You count from the second.",
        _projection(
            forecast=lambda y, z, s: (1 + s) * y - s * z,
            error=lambda e, f, s: sqrt(((1 + s) * e) ** 2 + (s * f) ** 2),
        ),
        "weights swapped: Your pilots have each other's weights, in the prediction and in its "
        "error. Which pilot is closer to the target?",
        _projection(error=lambda e, f, s: sqrt(((1 + s) * e) ** 2 + (s * f) ** 2)),
        "errors swapped: Your prediction is right. In its error the pilots have each other's "
        "weights.",
        _projection(forecast=lambda y, z, s: z * (z / y) ** s),
        "logarithm of the result: You used log-log paper. Here the result itself is straight "
        "against the logarithm of the size.",
        _projection(error=lambda e, f, s: (s * e) ** 2 + ((1 + s) * f) ** 2),
        "variance: Your second value is a variance. Take its square root.",
        _projection(
            forecast=lambda y, z, s: z,
            error=lambda e, f, s: f,
        ),
        "last value: You kept the last value and its error. Continue the line.",
        lambda *given: _projection()(*given)[::-1],
        "swapped: Your two values are exchanged. The prediction comes first.",
    ),
    properties=[
        limit(
            "at the second pilot",
            (100.0, 0.4, 1000.0, 0.5, 0.01, 0.02, 1000.0),
            0.5,
            "At the second pilot, the prediction is its result, with its error.",
        ),
        limit(
            "half-way between",
            (100.0, 0.4, 10_000.0, 0.5, 0.03, 0.04, 1000.0),
            0.5,
            "Between the pilots, the error is smaller than either. Try the middle, on a "
            "logarithmic axis.",
        ),
        refuses(
            (1000.0, 0.4, 1000.0, 0.5, 0.01, 0.01, 1e5),
            0.5,
            "Two pilots of one size make no line: raise a ValueError.",
            "refuses pilots of one size",
        ),
    ],
)


def _three_clusters(rng):
    return {
        "items": rng.permutation(rng.integers([20, 60, 120], [60, 150, 300])),
        "a": rng.permutation(rng.uniform([1, 5, 20], [2, 10, 60])),
        "b": rng.uniform(0.25, 0.5, 3),
        "c": rng.uniform(0.02, 0.3, 3),
        "compute": 10 ** rng.uniform(1.5, 3),
    }


def _clusters(success):
    """Return a model from a function of (items, losses of the clusters)."""
    return by_place(lambda n, a, b, c, x: float(success(n, a * x**-b + c)))


clusters = number(
    "clusters",
    "Easy items and hard ones",
    reference=_clusters(lambda n, loss: n @ np.exp(-loss) / n.sum()),
    inputs=_three_clusters,
    points=2,
    mistakes=[
        *mistakes(
            _clusters(lambda n, loss: np.exp(-(n @ loss) / n.sum())),
            "success at the mean loss: You averaged the losses first. Which is larger, the mean of "
            "the probabilities or the probability at the mean loss? Think of an easy and a "
            "hopeless item.",
            _clusters(lambda n, loss: np.exp(-loss.mean())),
            "success at the clusters' mean loss: You averaged the losses of the three clusters. "
            "Take the probability of each cluster first, then the mean over items.",
            _clusters(lambda n, loss: np.exp(-loss).mean()),
            "clusters alike: You let each cluster count once. Each item counts once.",
            _clusters(lambda n, loss: np.exp(-loss).max()),
            "easiest cluster only: That is the fraction solved in the easiest cluster. All items "
            "count.",
            _clusters(lambda n, loss: np.exp(-loss)[n.argmax()]),
            "largest cluster only: That is the fraction solved in the largest cluster. All items "
            "count.",
            _clusters(lambda n, loss: n @ (1 - loss) / n.sum()),
            "chance less loss: You used 1 minus the loss as the probability, which can be below 0. "
            "This is close for small losses only.",
        ),
        *mistakes(
            lambda n, a, b, c, x: float(n @ np.exp(-a * x**-b) / n.sum()),
            "floors left out: You left out the part of the losses that no compute removes.",
            lambda n, a, b, c, x: float(
                np.exp(-(n @ a / n.sum()) * x ** -(n @ b / n.sum()) - n @ c / n.sum())
            ),
            "mean constants: You averaged the constants of the clusters. No cluster follows this "
            "curve: compute each cluster first.",
            lambda n, a, b, c, x: float(n @ np.exp(-a * np.exp(-b) - c) / n.sum()),
            "compute left out: You used e instead of the compute as the base of the power. How do "
            "the losses fall?",
        ),
    ],
)

LEVELS = np.arange(1, 6)


def _graded(rng):
    items = np.sort(rng.integers([20, 60, 200, 300, 400], [60, 200, 600, 900, 1200]))
    items = items[::-1] if rng.random() < 0.5 else items
    odds = rng.uniform(0.9, 1.6) * (rng.uniform(2.6, 4) - LEVELS) + rng.normal(0, 0.6, 5)
    shares = np.clip(1 / (1 + np.exp(-odds)), 0.03, 0.97)
    return {
        "items": items,
        "shares": np.sort(shares)[::-1],
        "copies": int(rng.integers(20, 400)),
    }


COLUMNS = np.column_stack([np.ones(5), LEVELS])


def _logistic(shares, weights, penalty=0.0):
    """Return u and v of a weighted logistic regression on the level, by Newton's method."""
    theta = np.zeros(2)
    for _ in range(12):
        chance = special.expit(COLUMNS @ theta)
        slopes = COLUMNS.T @ (weights * (shares - chance)) - penalty * theta * [0, 1]
        bend = (COLUMNS.T * (weights * chance * (1 - chance))) @ COLUMNS
        theta = theta + np.linalg.solve(bend + np.diag([0, penalty]), slopes)
    return theta


def _by_squares(shares):
    """Return u and v of the logistic curve of least squared distances from the shares."""
    return optimize.least_squares(lambda u: special.expit(COLUMNS @ u) - shares, [3.0, -1.0]).x


def _half(u, v):
    return float(-u / v)


def _repeated(items, copies):
    return items * np.where(LEVELS == 5, copies, 1)


def _accuracy(items, shares, copies):
    return float(np.average(shares, weights=_repeated(items, copies)))


def _graded_table(accuracy=_accuracy, ability=lambda n, p, k: _half(*_logistic(p, np.ones(5)))):
    return by_place(
        lambda n, p, k: {"accuracy": accuracy(n, p, k), "ability": float(ability(n, p, k))}
    )


ability = array(
    "ability",
    "The hardest items, many times over",
    reference=_graded_table(),
    inputs=_graded,
    points=4,
    tolerance=0.002,
    mistakes=mistakes(
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, _repeated(n, k) / n.sum()))),
        "weighted by items: You weighted the levels by their items, copies included. Copies say "
        "nothing new about the model: let every level count equally.",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, n / n.sum()))),
        "weighted by items before: You weighted the levels by their original items. Then the "
        "ability depends on which items were collected: let every level count equally.",
        _graded_table(accuracy=lambda n, p, k: float(np.average(p, weights=n))),
        "accuracy before: That is the accuracy before the hardest items were copied.",
        _graded_table(accuracy=lambda n, p, k: float(np.mean(p))),
        "accuracy of levels: In your accuracy the levels count equally. An accuracy counts items.",
        _graded_table(ability=lambda n, p, k: _logistic(p, np.ones(5))[0]),
        "intercept: That is u, the log odds at level 0. At which level are the log odds 0?",
        _graded_table(ability=lambda n, p, k: _logistic(p, np.ones(5))[1]),
        "steepness: That is v, the slope of the curve. At which level is the curve one half?",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, np.ones(5))) - 1),
        "levels from 0: You counted the levels from 0, as Python does. They are 1 to 5.",
        _graded_table(ability=lambda n, p, k: np.interp(0.5, p[::-1], LEVELS[::-1])),
        "between two points: You drew a line between the two levels around one half. Fit the curve "
        "to all five.",
        _graded_table(
            ability=lambda n, p, k: np.polyval(np.polyfit(p, LEVELS, 1), 0.5),
        ),
        "straight line: You fitted a straight line. Fractions bend towards 0 and 1: fit a logistic "
        "curve.",
        _graded_table(ability=lambda n, p, k: _half(*_by_squares(p))),
        "least squares: You fitted the curve by least squares. The question asks for maximum "
        "likelihood.",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, np.ones(5), penalty=1.0))),
        "penalty left on: Your library adds a penalty that pulls the slope towards 0. Switch it "
        "off: with so few data it decides the result.",
        _graded_table(ability=lambda n, p, k: np.sum(p)),
        "area: That is the sum of the fractions, the area under the points. It is close to the "
        "ability only if the curve is steep and the levels reach far enough.",
        _graded_table(
            ability=lambda n, p, k: np.roots(np.polyfit(LEVELS, np.log(p / (1 - p)), 1))[0]
        ),
        "line through log odds: You fitted a line to the log odds, where fractions near 0 and 1 "
        "count most. Use maximum likelihood.",
    ),
)


def _descriptions(rng):
    count = int(rng.integers(9, 15))
    sure = rng.permutation(np.round(np.linspace(0.2, 0.95, count) + rng.normal(0, 0.01, count), 3))
    return {
        "confidence": sure,
        "errors": np.round(rng.exponential(12, count) * (1.3 - sure) + 0.5, 2),
        "least": round(rng.uniform(0.4, 0.75), 3),
    }


def _answered(confidence, errors, least):
    if len(confidence) != len(errors):
        raise ValueError("each confidence must have its error")
    given = np.asarray(confidence) >= least
    if not given.any():
        raise ValueError(f"least must leave something to answer, got {least!r}")
    return np.array([given.mean(), np.asarray(errors)[given].mean()])


def _selected(coverage=None, risk=None):
    """Return a model from functions of (errors, which are answered)."""
    coverage = coverage or (lambda e, given: given.mean())
    risk = risk or (lambda e, given: e[given].mean())
    return by_place(
        lambda sure, e, least: np.array([coverage(e, sure >= least), risk(e, sure >= least)])
    )


selective = function(
    "selective",
    "Build coverage and risk",
    answer="coverage_and_risk",
    reference=_answered,
    inputs=_descriptions,
    points=4,
    mistakes=mistakes(
        _selected(risk=lambda e, given: e.mean()),
        "risk of all: Your risk is the mean error over all questions. Use only those that are "
        "answered.",
        _selected(risk=lambda e, given: e[given].sum() / e.size),
        "divided by all: You divided by the number of all questions. Divide by those that are "
        "answered.",
        _selected(lambda e, given: (~given).mean(), lambda e, given: e[~given].mean()),
        "the unsure ones: You answered where the confidence is low. Answer where it is at least "
        "`least`.",
        _selected(coverage=lambda e, given: (~given).mean()),
        "share refused: Your coverage is the fraction that isn't answered.",
        _selected(coverage=lambda e, given: given.sum()),
        "count: Your coverage is a count. Divide by the number of questions.",
        _selected(risk=lambda e, given: np.sort(e)[: given.sum()].mean()),
        "looked at the errors: You answered where the errors turned out smallest. They aren't "
        "known beforehand: use the confidence.",
        _selected(risk=lambda e, given: e[given].max()),
        "worst error: Your risk is the largest error. The question asks for the mean.",
        _selected(risk=lambda e, given: e[given].sum()),
        "sum: Your risk is a sum. The question asks for the mean.",
        lambda sure, e, least: _selected()(sure, e, least)[::-1],
        "swapped: Your two values are exchanged. The coverage comes first.",
    ),
    properties=[
        limit(
            "at the edge",
            (np.array([0.5, 0.6, 0.7]), np.array([3.0, 2.0, 1.0]), 0.6),
            0.5,
            "A confidence equal to `least` is enough. Try one.",
        ),
        refuses(
            (np.array([0.5, 0.6]), np.array([3.0, 2.0]), 0.9),
            1,
            "If nothing is answered, there is no risk: raise a ValueError.",
            "refuses to answer nothing",
        ),
    ],
)


def _own_example(rng):
    sizes, noise = 50.0 * 2.0 ** np.arange(7), np.exp(rng.normal(0, 0.08, 7))
    scale = rng.uniform(1.5, 3)
    return {
        "size": sizes,
        "loss": scale * sizes ** -rng.uniform(0.2, 0.5) * noise + rng.uniform(0.02, 0.1),
    }


def _implausible(size, loss):
    if not ((size > 0).all() and (loss > 0).all()):
        return "Every size and every loss must be above 0."
    if len(set(size.tolist())) < len(size):
        return "Two runs have the same size. Average over seeds first."
    if size.max() < 8 * size.min():
        return "The largest size must be at least eight times the smallest."
    if np.ptp(loss) == 0:
        return "All losses are the same: measured ones never are."
    return ""


def _own_forecast(fitted, forecast=_log_line):
    """Return a model: a forecast of the largest run, from some of the runs by size, over it."""

    def model(size, loss):
        order = np.argsort(size)
        x, y = size[order], loss[order]
        return float(forecast(x[fitted], y[fitted], x[-1]) / y[-1])

    return by_place(model)


BUT_LAST = slice(-1)

own_runs = measured(
    "own_runs",
    "A forecast of your own",
    columns=("size", "loss"),
    reference=_own_forecast(BUT_LAST),
    example=_own_example,
    least=6,
    plausible=_implausible,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _own_forecast(slice(None)),
        "in-sample forecast: Your line was fitted to the run that it predicts. Leave this run out.",
        _own_forecast(slice(-3, -1)),
        "two runs only: You drew the line through the two largest of the other runs. Fit it to all "
        "of them.",
        _own_forecast(BUT_LAST, lambda x, y, at: _log_line(x[[0, -1]], y[[0, -1]], at)),
        "first and last: You drew the line through the smallest and the largest of the other runs. "
        "Fit it to all of them.",
        _own_forecast(BUT_LAST, _half_log_line),
        "loss not logged: You took the logarithm of the size only. On log-log paper, also take the "
        "logarithm of the loss.",
        _own_forecast(BUT_LAST, _line),
        "plain paper: You fitted a line to sizes and losses themselves. Take the logarithms of "
        "both.",
        _own_forecast(BUT_LAST, lambda x, y, at: y[-1]),
        "last value seen: You kept the last value. The line falls further.",
        lambda size, loss: _own_forecast(BUT_LAST)(size, loss) * float(loss[np.argmax(size)]),
        "forecast alone: That is the prediction. Divide it by the measured value.",
        lambda size, loss: (_own_forecast(BUT_LAST)(size, loss) - 1) * float(loss[np.argmax(size)]),
        "difference: You subtracted the measured value. Divide by it.",
        lambda size, loss: _own_forecast(BUT_LAST)(size, loss) - 1,
        "relative error: That is the relative error. The question asks for the prediction over the "
        "measured value.",
        lambda size, loss: 1 / _own_forecast(BUT_LAST)(size, loss),
        "measured over forecast: That is the measured value over the prediction. Divide the other "
        "way.",
    ),
)

bank = Bank(
    "forecasting",
    "Will it scale, before you pay?",
    [
        floor,
        ruler,
        budget,
        form,
        explained,
        refits,
        total_spread,
        borrowed,
        open_floor,
        pairs,
        match,
        race,
        crossing,
        stop,
        winner,
        saved,
        failures,
        many_forms,
        projection,
        clusters,
        ability,
        selective,
        own_runs,
    ],
)
