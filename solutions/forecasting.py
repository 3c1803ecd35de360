"""Question bank of the topic forecasting: from small runs to one that nobody has made.

Twenty-three questions in four levels. Sizes and budgets have whatever unit the runs have; pass
rates, shares and chances run from 0 to 1. Logarithms are natural.
"""

from math import ceil, log, sqrt

import numpy as np
from scipy import optimize, special, stats

from perfcourse.bank import Bank, array, by_place, choice, function, measured, mistakes, number
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.forecasting.frontier import TRAINING_FLOPS, lifetime_optimal
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
        "no floor: That is a floor of nought: a power law without one, which is a straight line on "
        "log-log paper. Are these three on one?",
        lambda a, b, c: np.maximum(0, _floor(a, b, c)),
        "cut off at 0: Right where the floor is above 0. A floor below 0 may come out, and says "
        "that the form is wrong or the noise large: don't hide it.",
        lambda a, b, c: c,
        "last loss: That is the largest run's loss. Larger runs will still fall below it.",
        lambda a, b, c: c - (b - c) ** 2 / (a - b),
        "one step further: That is the loss of the next run. After it come others: add up all "
        "their steps.",
        lambda a, b, c: 2 * c - b,
        "same step again: You let the loss fall by as much once more, and then stop. Each step is "
        "smaller than the one before, and they don't stop.",
        lambda a, b, c: c * c / b,
        "same ratio again: You let the loss shrink by the same factor once more, as a ruler on "
        "log-log paper does. It is the distance to the floor that shrinks by the same factor.",
        lambda a, b, c: c - _floor(a, b, c),
        "distance to it: That is how far the last run is above the floor. Where is the floor?",
        lambda a, b, c: a * c - b * b,
        "not divided: Solve to the end: the floor stands in your equation three times.",
        lambda a, b, c: (a * c - b * b) / (a - c),
        "divided by the whole fall: You divided by the whole fall. Multiply your equation out once "
        "more and collect what stands beside the floor.",
    ),
    properties=[
        vectorised(
            (np.array([5.0, 9.0]), np.array([3.0, 5.0]), np.array([2.0, 3.0])),
            0.5,
            "Let NumPy do the loop: given three arrays, the function should return an array. Wrap "
            "the comparisons of your checks in np.any(...).",
        ),
        refuses((2.0, 3.0, 1.0), 0.5, "A loss that rises deserves a ValueError.", "refuses a rise"),
        refuses(
            (5.0, 4.0, 2.0),
            0.5,
            "Where the second step is larger than the first, the runs show no floor: raise a "
            "ValueError instead of returning one above them.",
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
        "log-log line through a saturating curve: Both of your forecasts are the ruler's. With a "
        "floor, what falls in a straight line is not the loss: what is?",
        _ruler(law=lambda y, steps: _by_law(y, steps) - _floor(*y)),
        "floor not added: Your law forecasts the distance to the floor. What is the loss?",
        _ruler(law=lambda y, steps: _floor(*y)),
        "floor for forecast: Your law gives the floor, which no finite size reaches. How much is "
        "left of the distance to it at the target?",
        _ruler(law=_by_line, line=_by_law),
        "exchanged: Your two forecasts have changed places. Which one goes to nought in the end?",
        _ruler(line=lambda y, steps: y[1] * (y[1] / y[0]) ** (1 + steps)),
        "first two runs: You laid the ruler on the first two runs. The last two are nearer to the "
        "target.",
        _ruler(line=lambda y, steps: y[2] * (y[2] / y[0]) ** (steps / 2)),
        "first and last: You laid the ruler on the first run and the last. It goes through the "
        "last two here, where the curve is flattest.",
        by_place(
            lambda x, y, target: {
                "line": float(_log_line(x, y, target)),
                "law": _ruler()(x, y, target)["law"],
            }
        ),
        "line through all three: You fitted the line to all three runs. The first one tilts it "
        "towards where the curve was steeper: lay it through the last two.",
        _ruler(
            line=lambda y, steps: _by_line(y, round(steps)),
            law=lambda y, steps: _by_law(y, round(steps)),
        ),
        "steps rounded: You rounded the number of steps. The target lies between two of them: a "
        "factor can be raised to any power.",
        _ruler(line=lambda y, steps: y[2] + (y[2] - y[1]) * steps),
        "logarithm of the size only: Your line is straight against the logarithm of the size, but "
        "the loss itself is on the other axis. On log-log paper its logarithm is.",
        by_place(
            lambda x, y, target: {
                "line": float(_line(x[1:], y[1:], target)),
                "law": _ruler()(x, y, target)["law"],
            }
        ),
        "plain paper: You drew the line on plain paper. Take logarithms of both first.",
        _ruler(line=lambda y, steps: _by_line(y, steps + 1), law=lambda y, s: _by_law(y, s + 1)),
        "a step too far: You count the steps to the target from the run in the middle, and begin "
        "at the last. How many are there from the last one?",
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
        "two equal terms: You made the two terms as large as each other. It is their slopes that "
        "are equal at the best split, each against the logarithm of its variable.",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, p / (p + q)),
        "shares exchanged: You gave the size's share of the gap to the data. A term with a large "
        "exponent falls quickly: is it worth leaving it large?",
        lambda y, e, a, b, p, q: _spent(y, a, b, p, q, q / (p + q)),
        "floor forgotten: You let the two terms add up to the whole loss. What is left for them "
        "above the floor?",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, q / (p + q), flops=1.0),
        "six forgotten: That is the product of parameters and tokens. How many operations does "
        "each pair of them take?",
        lambda y, e, a, b, p, q: _spent(y - e, a, b, p, q, 1.0, 1.0),
        "gap spent twice: You let each term fill the whole gap. They have to share it.",
        lambda y, e, a, b, p, q: (a * (p + q) / (q * (y - e))) ** (1 / p),
        "size only: That is the number of parameters. What does the run cost?",
        lambda y, e, a, b, p, q: (b * (p + q) / (p * (y - e))) ** (1 / q),
        "tokens only: That is the number of tokens. What does the run cost?",
        lambda y, e, a, b, p, q: (
            6 * (a * (p + q) / (q * (y - e))) ** p * (b * (p + q) / (p * (y - e))) ** q
        ),
        "exponents not inverted: Solve each term for its variable: the exponent goes to the other "
        "side as a root.",
        lambda y, e, a, b, p, q: 6 * _twenty(y - e, a, b, p, q),
        "twenty tokens a parameter: You took twenty tokens for each parameter. That is somebody's "
        "rule for somebody's law; here the law is given, and it has a best split of its own.",
    ),
    properties=[
        limit(
            "symmetric law",
            (1.5, 1.0, 2.0, 2.0, 0.5, 0.5),
            0.5,
            "Where size and data do the same, both should leave half of the gap: try A = B and "
            "alpha = beta.",
        ),
        monotone(
            "rises as the loss falls",
            0,
            [2.0, 1.9, 1.85],
            (2.0, 1.8, 400.0, 400.0, 0.35, 0.35),
            0.5,
            "A lower loss can't be cheaper: try losses nearer to the floor.",
        ),
        refuses(
            (1.7, 1.8, 400.0, 400.0, 0.35, 0.35),
            1,
            "No budget buys a loss below the floor: raise a ValueError.",
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
        "fitted and scored on all: You fitted all nine runs and scored on all nine. Nothing was "
        "left that a form had to foresee.",
        _forms(SMALL, SMALL),
        "in-sample error: You scored the forms on the six runs that they were fitted to. There "
        "both do well; the question is how they go on.",
        _forms(SMALL, LARGE, pick=np.argmax),
        "chosen by the fit: That is the other form, and how far off it is on the three. Did you "
        "choose by the errors on the six? Then the runs that were hidden had no say.",
        _forms(ALL, LARGE),
        "seen before: You scored on the three largest, but the fit has seen them. Hide them first.",
        _forms(SMALL, LARGE, rank=lambda sizes: np.arange(9)),
        "not sorted: You hid the last three in the list, and the runs aren't in the order of their "
        "sizes.",
        _forms(slice(3, 9), slice(3)),
        "small ones hidden: You hid the three smallest runs. The forecast will go the other way.",
        _forms(SMALL, slice(8, 9)),
        "largest run only: You scored on a single run. All three that were hidden count.",
        _forms(SMALL, LARGE, error=np.mean),
        "errors cancel: You let errors above and below cancel. Take their sizes before the mean.",
        _forms(SMALL, LARGE, missed=lambda found, y: np.log(positive("found", found) / y)),
        "errors of logarithms: You took the errors of the logarithms. Those of the losses "
        "themselves were asked for, whatever a form was fitted to.",
        _forms(SMALL, LARGE, error=lambda e: np.sqrt(np.mean(e**2))),
        "root mean square: That is the root of the mean square. The mean of the absolute errors "
        "was asked for.",
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
        "in-sample R2: That is the share explained of the nets that the line was fitted to. They "
        "say how well it fits, not how well it forecasts.",
        lambda kx, ky, x, y: _own_line(x, y),
        "fitted again: You fitted a line to the new nets, or took the square of a correlation, "
        "which does the same. It forgives a forecast that is always too high.",
        lambda kx, ky, x, y: _share(
            y - _line(np.append(kx, x), np.append(ky, y), x), y, np.mean(y)
        ),
        "all nets fitted: Your line has seen the new nets' ends. Nobody knows these when it is "
        "needed.",
        lambda kx, ky, x, y: _share(y - _line(kx, ky, x), y, np.mean(ky)),
        "mean of the known: You compared with the mean of the known nets. Compare with the mean of "
        "those that are scored; the other one makes the line look better than it is.",
        lambda kx, ky, x, y: 1 - _explained(kx, ky, x, y),
        "share left: That is the share of the variance that the line leaves.",
        lambda kx, ky, x, y: 1 - sqrt(1 - _explained(kx, ky, x, y)),
        "not squared: You compared standard deviations. The share is one of variance.",
        lambda kx, ky, x, y: _share(y - x, y, np.mean(y)),
        "last value seen: You took the value seen for the forecast. Curves go on: fit the line.",
        lambda kx, ky, x, y: _share(y - _line(kx, ky, x), y, 0.0),
        "no mean taken off: You compared with a forecast of nought for every net. Whoever knows "
        "nothing forecasts the mean.",
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
            "A forecast can be worse than the mean of what came out: the share is then below 0.",
        ),
        refuses(
            (np.array([0.1, 0.2, 0.3]),) * 2 + (np.array([0.2, 0.3]), np.array([0.5, 0.5])),
            0.5,
            "Where all new nets end alike, there is no variance to explain: raise a ValueError.",
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
        "normal law: You went so many standard deviations to either side, as if the forecasts were "
        "normal. The refits say themselves where they lie.",
        _refits(lambda f, c: _around(f.mean(), _z(c) * f.std(ddof=1) / sqrt(f.size))),
        "error of the mean: You divided by the root of the number of refits. More refits are free, "
        "and make no forecast surer: it is their spread that tells.",
        _refits(lambda f, c: np.array([f.min(), f.max()])),
        "all refits: You took the lowest and the highest of all refits. How many are to be left "
        "out on each side?",
        _refits(lambda f, c: np.quantile(f, [1 - c, c])),
        "both tails on each side: You left the whole of what may be missed out on each side. It is "
        "for both sides together.",
        _refits(_percentiles, at=lambda sizes: sizes.max()),
        "at the largest run: Those are the refits at the largest run. The interval is to be that "
        "of a forecast.",
        _refits(_percentiles, law=_half_log_line),
        "logarithm of the size only: You refitted a line of the loss itself against the logarithm "
        "of the size. On log-log paper both are logarithms.",
        _refits(lambda f, c: np.percentile(f, [(1 - c) / 2, (1 + c) / 2])),
        "shares for per cents: Both of your ends lie next to the lowest forecast: `np.percentile` "
        "takes per cents, and you gave it shares.",
        _refits(lambda f, c: _percentiles(f, c)[::-1]),
        "ends swapped: The lower end comes first.",
        by_place(
            lambda x, y, draws, target, c: _percentiles(
                _log_line(x, y, target) * (y / _log_line(x, y, x)), c
            )
        ),
        "scatter of single runs: You put the residuals of the runs around one forecast. That is "
        "the luck of one run; what other draws of runs would have done to the line is missing.",
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
        "interval without form error: You have the luck of the runs and of the one to come. Two "
        "forms that nobody can rule out go to different places: what does that add?",
        lambda a, b, fit, run: sqrt(fit**2 + ((a - b) / 2) ** 2),
        "luck of the run forgotten: The large run has a seed, too, and will be made only once.",
        lambda a, b, fit, run: sqrt(run**2 + ((a - b) / 2) ** 2),
        "luck of the fit forgotten: Other small runs would have given other constants. What does "
        "that do to each forecast?",
        lambda a, b, fit, run: fit,
        "fit only: That is what the bootstrap of one form tells. It knows neither the other form "
        "nor the luck of the large run.",
        lambda a, b, fit, run: fit + run + abs(a - b) / 2,
        "added up: You added the three, as if all luck were bad at once. Of independent things it "
        "is the variances that add up.",
        lambda a, b, fit, run: sqrt(fit**2 + run**2 + (a - b) ** 2),
        "whole distance: You took the whole distance between the forms. How far is each from the "
        "middle between them?",
        lambda a, b, fit, run: fit**2 + run**2 + ((a - b) / 2) ** 2,
        "variance: That is the variance. Its root was asked for.",
        lambda a, b, fit, run: sqrt(fit**2 + run**2 + (a - b) ** 2 / 2),
        "sample of two: You took the forms' forecasts for a sample and divided by one fewer. They "
        "are all the forms there are: how far is each from the middle between them?",
        lambda a, b, fit, run: sqrt((fit**2 + run**2) / 2 + ((a - b) / 2) ** 2),
        "averaged away: You halved the variances of fit and run, as if two forms were two "
        "measurements. One of them is right, and its error is the whole one.",
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
        "The new one is one more of the same kind, and can fall into any of the gaps between "
        "them; and to be sure the rank is rounded up.",
        lambda e, c: _ranked(np.abs(e), np.floor(len(e) * c)),
        "counted alone and rounded down: You counted the finished runs alone, and rounded the "
        "rank down as well. Both make the interval hold too rarely.",
        lambda e, c: _ranked(np.abs(e), min(ceil((len(e) + 1) * c) + 1, len(e))),
        "place for rank: You took the rank for a place in the array. The smallest has rank 1 and "
        "the place 0.",
        lambda e, c: float(np.quantile(np.abs(e), c)),
        "interpolated: You took a quantile of the finished runs, between two of them. The new run "
        "is one more of the same kind, and the rank is rounded up to be sure.",
        lambda e, c: _ranked(e, ceil((len(e) + 1) * c)),
        "errors with a sign: You ranked the errors with their signs, so that forecasts far too "
        "high count as good ones.",
        lambda e, c: float(_z(c) * np.std(e, ddof=1)),
        "normal law: You took so many standard deviations, which trusts in normal errors without a "
        "bias. Rank them instead: that trusts in nothing but that the new run is like the old.",
        lambda e, c: float(np.mean(np.abs(e))),
        "mean error: That is the mean size of the errors. About half of all runs are farther off.",
        lambda e, c: float(np.max(np.abs(e))),
        "worst so far: That is the largest error so far, and holds more often than it has to.",
        lambda e, c: float(2 * _ranked(np.abs(e), ceil((len(e) + 1) * c))),
        "whole width: That is the width of the interval. How far does it go to either side?",
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
        "not rooted: You compared a ratio of squares with Student's quantile, which is one of "
        "standard errors.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (best / spare)), spare=0),
        "constants not counted: You divided by the number of runs. Three constants have been "
        "fitted to them: how many runs are left to tell the noise?",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (best / spare)), spare=2),
        "two constants: You took off two constants. The law with a floor has three.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / (held / spare))),
        "noise of the worse fit: You took the noise from the fit without a floor. If there is one, "
        "this holds its error as well.",
        _profile_t(lambda rise, best, held, spare: sqrt(held / best)),
        "ratio of the fits: You took the ratio of the two sums. It is their difference that is "
        "compared with the noise of a run.",
        _profile_t(lambda rise, best, held, spare: sqrt(rise / best)),
        "sum for a run: You divided by the sum of squares of all runs. The noise is that of one.",
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
        "not paired: You treated the two recipes' runs as independent. Runs with the same seed and "
        "the same data have luck in common, and it cancels in the difference.",
        lambda s, t, r, w, z: _pairs(s, t, -r, w, z),
        "luck added: You added the common luck instead of taking it off. In a difference, what "
        "moves both alike can't be seen.",
        lambda s, t, r, w, z: _pairs(s, t, r, w, z) / 4,
        "half of the width: You took the width for what lies on one side. An interval goes to both "
        "sides of the mean.",
        lambda s, t, r, w, z: np.sqrt(_pairs(s, t, r, w, z)),
        "not squared: That is the root of the number. The error of a mean falls with the root of "
        "the pairs: what does half the width cost?",
        lambda s, t, r, w, z: 4 * z**2 * (s**2 + t**2 - 2 * r) / w**2,
        "correlation for covariance: You took off the correlation itself, which has no unit. What "
        "is the covariance of two things with these spreads?",
        lambda s, t, r, w, z: 4 * z**2 * (s - t) ** 2 / w**2,
        "perfectly alike: You subtracted the standard deviations, as if the seed decided all.",
        lambda s, t, r, w, z: 4 * z**2 * (s**2 + t**2) * (1 - r**2) / w**2,
        "share explained: You took the square of the correlation off, as for a line that explains "
        "one by the other. Here the two are subtracted.",
        lambda s, t, r, w, z: _pairs(s, t, r, w, 1.0 + 0 * z),
        "z forgotten: With so many pairs one standard error fits on either side. More of them have "
        "to.",
        lambda s, t, r, w, z: 2 * _pairs(s, t, r, w, z),
        "runs for pairs: That is the number of runs of both recipes. How many pairs are they?",
        lambda s, t, r, w, z: np.ceil(_pairs(s, t, r, w, z)),
        "rounded up: You rounded up, as one must before the runs are started. Give it unrounded "
        "here, so that it can be compared.",
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
            "Where all luck is common, a difference has none.",
        ),
        refuses(
            (0.01, 0.02, 1.2, 0.01, 2.0),
            0.5,
            "A correlation of 1.2 deserves a ValueError.",
            "refuses a correlation above 1",
        ),
        refuses(
            (0.01, 0.02, 0.5, 0.0, 2.0),
            0.5,
            "No number of runs makes a width of 0: raise a ValueError.",
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
        "same share of another gain: There recipe two has made the same share of its gain, which "
        "is a larger one. When has it made the same gain?",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_rate(h, r0, a1, m1, b) / (a2 - _rate(h, r0, a1, m1, b))) ** (1 / b)
        ),
        "share of the ceiling: You took the pass rate as a share of the ceiling. The curve begins "
        "at the start, not at nought.",
        lambda h, r0, a1, m1, a2, m2, b: _hours_to_match(h, 0.0, a1, m1, a2, m2, b),
        "start forgotten: You let both curves begin at nought.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** b
        ),
        "steepness not inverted: Solve for the hours: the power moves to the other side as a root.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (-1 / b)
        ),
        "odds upside down: Where recipe two has more than half of its gain, it needs more than its "
        "half-way point. Yours is the other way round.",
        lambda h, r0, a1, m1, a2, m2, b: m2 * _gain(h, r0, a1, m1, b) / (a2 - r0),
        "in proportion: You let the gain grow in proportion to the hours. The curve bends: turn it "
        "round.",
        lambda h, r0, a1, m1, a2, m2, b: m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0)) ** (1 / b),
        "share without odds: At half of the gain your answer isn't the half-way point. Write down "
        "the curve for recipe two once more and solve it.",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * (_gain(h, r0, a1, m1, b) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (1 / b) / h
        ),
        "how many times as long: That is how many times the hours of recipe one. How many hours?",
        lambda h, r0, a1, m1, a2, m2, b: (
            m2 * ((a2 - r0) / (a2 - r0 - _gain(h, r0, a1, m1, b))) ** (1 / b)
        ),
        "far-out law: You took the curve for the power law that it becomes far out. Here it is "
        "still bending.",
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
            "A recipe never reaches a pass rate above its ceiling, whatever the hours: raise a "
            "ValueError.",
            "refuses what is never reached",
        ),
        refuses(
            (0.0, 0.2, 0.5, 500.0, 0.6, 900.0, 1.5),
            0.5,
            "There is nothing to draw level with after 0 hours: raise a ValueError.",
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
        "higher ceiling: You compared the ceilings. The budget may end long before they count.",
        _race(lambda r0, a, m, b, c: 1 / (1 + (m / c) ** b)),
        "shares of the gain: You compared which share of its own gain each has made. The gains "
        "aren't alike.",
        _race(lambda r0, a, m, b, c: a / (1 + (m / c) ** b)),
        "start left out: You let the curves begin at nought. Part of the pass rate is there before "
        "any training.",
        _race(lambda r0, a, m, b, c: _rate(c, r0, a, m, 1.0)),
        "steepness left out: You left the steepness out of the curve.",
        _race(lambda r0, a, m, b, c: _rate(c, r0, a, m, -b)),
        "upside down: Your curves fall with the hours. Which of the two stands above the other in "
        "the fraction?",
        _race(lambda r0, a, m, b, c: _rate(c / 10, r0, a, m, b)),
        "at a tenth: That is who is ahead at a tenth of the budget, where speed decides.",
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
        "start left out: You let the curves begin at nought. With the start, what each can gain is "
        "less than its ceiling.",
        lambda r0, a, m, b: _hours_to_match(1e99, r0, a[0], m[0], a[1], m[1], b),
        "the other's ceiling: There recipe two reaches the *ceiling* of recipe one. It overtakes "
        "earlier, since recipe one never gets so far.",
        lambda r0, a, m, b: float(m[1]),
        "half-way point of the second: That is where recipe two has half of its gain. Where has it "
        "as much as recipe one?",
        _on_gains(lambda g, h, one, two, b: ((h * two - g * one) / (h - g)) ** (1 / b)),
        "far-out law: You compared what is missing to each ceiling by the power law that holds far "
        "out. At the tie both curves may still be bending.",
        _on_gains(lambda g, h, one, two, b: (one * two) ** (1 / (2 * b))),
        "between the half-way points: That is the middle of the two half-way points on a "
        "logarithmic axis. It knows nothing of the ceilings.",
        _on_gains(lambda g, h, one, two, b: ((g * two - h * one) / (h - g)) ** b),
        "power not inverted: You had the budget to the power of the steepness, and took that "
        "power once more instead of its root.",
        lambda r0, a, m, b: _tie(r0, a, m, 1.0),
        "steepness left out: You solved for curves of steepness one.",
        _on_gains(lambda g, h, one, two, b: (g * two - h * one) / (h - g)),
        "root forgotten: That is the budget to the power of the steepness.",
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
        "in-sample spread: You took the residuals as they are. The line has been pulled towards "
        "the runs that it was fitted to; a new run it misses by more.",
        _stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e * (1 - h) ** 2, h))),
        "leverage the wrong way: You made the residuals smaller by the leverage. A run left out is "
        "missed by more, not by less.",
        _stop(lambda d, e, h: stats.norm.cdf(-d / _left_out(e, h))),
        "chance of winning: That is the chance that the run beats the best. What has to be certain "
        "is that it doesn't.",
        _stop(lambda d, e, h: d / _left_out(e, h)),
        "distance for chance: That is the lead in standard deviations. Which chance goes with it?",
        _stop(lambda d, e, h: 2 * stats.norm.cdf(d / _left_out(e, h)) - 1),
        "both sides: You took off the chance of ending far below as well. Only ending above the "
        "best would be a loss.",
        _stop(lambda d, e, h: stats.norm.cdf(d / _left_out(e, h) * sqrt(e.size))),
        "error of the mean: You divided the spread by the root of the number of runs. It is one "
        "run that is forecast.",
        _stop(lambda d, e, h: stats.norm.cdf(d / np.std(e / (1 - h)))),
        "mean taken off: You took the mean of the errors off first, as `np.std` does. It is part "
        "of what a forecast is missed by.",
        _stop(lambda d, e, h: stats.norm.cdf(d / np.mean(np.abs(e / (1 - h))))),
        "mean error: You took the mean size of the errors for their standard deviation.",
        _stop(lambda d, e, h: stats.norm.cdf(d / sqrt(np.mean(e**2 / (1 - h))))),
        "leverage rooted: You divided the squares by what the leverage leaves, once. It is the "
        "error that is divided, and then squared.",
        _stop(lambda d, e, h: stats.norm.cdf(d / (sqrt(2) * _left_out(e, h)))),
        "two noisy ends: You gave the best run an error, too. It has been finished, and is known.",
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
        "all like the mean: You took all runs to be as uncertain as they are on average. Do a run "
        "at an even chance and a sure one lose as often together as two in the middle?",
        lambda c: float(np.sum(1 - c)),
        "chances added: You added the chances, which can end above 1: two of the runs may both "
        "have won. What is the chance that none would have?",
        lambda c: float(1 - np.min(c)),
        "worst one only: That is the risk of the single run that was least certain to lose.",
        lambda c: float(np.mean(1 - c)),
        "risk of one: That is the risk for a run, on average. It was taken again with each.",
        lambda c: float(1 - np.min(c) ** len(c)),
        "all like the worst: You took all runs to be as uncertain as the worst of them, which is "
        "the most that it could be.",
        lambda c: float(np.prod(1 - c)),
        "all winners: That is the chance that every one of them would have won.",
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
        "learned for nothing: You left out the runs that were finished to learn from. They are "
        "part of the bill.",
        _cost(lambda n, first, t, seen, out: n * seen),
        "all stopped: You gave every run so few epochs. Some were finished.",
        _cost(lambda n, first, t, seen, out: first * t + (n - first) * seen),
        "survivors cheap: You let the runs that weren't stopped cost no more than those that were.",
        _cost(lambda n, first, t, seen, out: (n - out) * t + (n - first) * seen),
        "looked at twice: You let a run that goes on pay again for the epochs it has shown.",
        _cost(lambda n, first, t, seen, out: (n - out) * t),
        "stopped ones free: You let the stopped runs cost nothing. They were given some epochs.",
        lambda n, first, t, seen, out: (
            (n - first) * t / ((n - first - out) * t + out * seen) * (n - first) / n
        ),
        "learners left out of both: You left the runs that were learned from out of the search "
        "with the rule and without. They were runs of the search as well.",
        lambda n, first, t, seen, out: 1 - ((n - out) * t + out * seen) / (n * t),
        "share saved: That is the share of the epochs that was saved. How many times cheaper is "
        "that?",
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
        "failed runs dropped: You left out the runs that blew up. More of the large ones do, so "
        "that the survivors flatter the large size.",
        _slope(lambda y, ok: np.median(y)),
        "nought for a failure: You let a run that blew up count with the nought that stands in its "
        "place. It would then be the best of all.",
        _slope(lambda y, ok: np.mean(y[ok])),
        "mean of the survivors: You averaged the runs that were finished. No mean has a place for "
        "those that weren't, but a median has.",
        _slope(lambda y, ok: np.min(y[ok])),
        "best seed: You took the best seed of each size. Nobody knows beforehand which it will be.",
        _slope(lambda y, ok: np.max(y[ok])),
        "worst of the finished: You took the worst of the runs that were finished.",
        by_place(
            lambda y, ok, z, fine, times: float(
                (_with_failures(y, ok) - _with_failures(z, fine)) / log(times)
            )
        ),
        "loss not logged: You took the difference of the losses. On log-log paper it is that of "
        "their logarithms.",
        by_place(
            lambda y, ok, z, fine, times: float(
                log(_with_failures(y, ok) / _with_failures(z, fine)) / times
            )
        ),
        "size not logged: You divided by the ratio of the sizes. On log-log paper it is their "
        "distance, a logarithm.",
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
        "choosing the best of many forms: You report the error by which the form was chosen. It is "
        "the least of four, and so partly luck: what did runs say that had no part in the choice?",
        _chosen(lambda f, a, b: b, lambda f, a, b: b),
        "chosen by the score: You chose by the runs that were kept for the score. Then nothing is "
        "left that could tell how much of it was luck.",
        _chosen(lambda f, a, b: f, lambda f, a, b: b),
        "chosen in-sample: You chose the form that fits best the runs it was fitted to. The form "
        "with most constants wins there.",
        _chosen(lambda f, a, b: f, lambda f, a, b: f),
        "in-sample throughout: You chose and reported the error on the runs that were fitted.",
        _chosen(lambda f, a, b: a + b, lambda f, a, b: (a + b) / 2),
        "both together: You put both groups together, and chose and scored by the same runs.",
        _chosen(lambda f, a, b: a, lambda f, a, b: (a + b) / 2),
        "half of it chosen by: You chose rightly, but half of the error that you report is the one "
        "you chose by.",
        _chosen(lambda f, a, b: a, lambda f, a, b: f),
        "in-sample error reported: You chose rightly, but report how well it fits. How well does "
        "it forecast?",
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
        "plain paper: You drew the line against the size itself. It is straight against its "
        "logarithm.",
        _projection(error=lambda e, f, s: f),
        "error of the second pilot: You left the error as it was. The further the line is drawn, "
        "the more it swings.",
        _projection(error=lambda e, f, s: s * e + (1 + s) * f),
        "errors added: You added the errors themselves. Of independent things it is the variances "
        "that add up.",
        _projection(error=lambda e, f, s: (1 + s) * f),
        "first pilot certain: You gave the first pilot no error. The slope hangs on both.",
        _projection(error=lambda e, f, s: sqrt(f**2 + s**2 * f**2 + s**2 * e**2)),
        "second pilot counted twice: You let the last point and the slope err independently. The "
        "second pilot is in both: how often does it enter, all in all?",
        _projection(error=lambda e, f, s: abs((1 + s) * f - s * e)),
        "errors subtracted: You subtracted the errors as the values are. Two kinds of luck don't "
        "cancel because one has a minus sign.",
        _projection(forecast=lambda y, z, s: (1 + s) * y - s * z),
        "wrong way: Your line runs from the second pilot to the first and on.",
        _projection(forecast=lambda y, z, s: y + s * (z - y)),
        "begins at the first: You count the steps from the second pilot, and begin at the first.",
        _projection(steps=lambda x_0, x_1, x: log(x / x_0) / log(x_1 / x_0)),
        "steps counted from the first: You count the steps from the first pilot, and weigh as if "
        "they began at the second. At the second pilot itself, what should the weights be?",
        _projection(
            forecast=lambda y, z, s: (1 - s) * y + s * z,
            error=lambda e, f, s: sqrt(((1 - s) * e) ** 2 + (s * f) ** 2),
        ),
        "weights of another count: Your weights 1 - s and s belong to steps counted from the first "
        "pilot. Yours are counted from the second.",
        _projection(
            forecast=lambda y, z, s: (1 + s) * y - s * z,
            error=lambda e, f, s: sqrt(((1 + s) * e) ** 2 + (s * f) ** 2),
        ),
        "weights swapped: Your pilots have each other's weights, in the forecast and in its error. "
        "Which of them is nearer to the target?",
        _projection(error=lambda e, f, s: sqrt(((1 + s) * e) ** 2 + (s * f) ** 2)),
        "errors swapped: The forecast is right; in its error the pilots have each other's weights.",
        _projection(forecast=lambda y, z, s: z * (z / y) ** s),
        "logarithm of the result: You laid the line on log-log paper. Here the result itself is "
        "straight against the logarithm of the size.",
        _projection(error=lambda e, f, s: (s * e) ** 2 + ((1 + s) * f) ** 2),
        "variance: Your second value is a variance. Its root was asked for.",
        _projection(
            forecast=lambda y, z, s: z,
            error=lambda e, f, s: f,
        ),
        "last value: You carried the last value on, and its error with it.",
        lambda *given: _projection()(*given)[::-1],
        "swapped: The forecast comes first, and then its standard error.",
    ),
    properties=[
        limit(
            "at the second pilot",
            (100.0, 0.4, 1000.0, 0.5, 0.01, 0.02, 1000.0),
            0.5,
            "At the second pilot the forecast is its result, with its error.",
        ),
        limit(
            "half-way between",
            (100.0, 0.4, 10_000.0, 0.5, 0.03, 0.04, 1000.0),
            0.5,
            "Between the pilots the line errs less than either: try the middle, on a logarithmic "
            "axis.",
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
            "the successes or the success at the mean loss? Think of an easy and a hopeless item.",
            _clusters(lambda n, loss: np.exp(-loss.mean())),
            "success at the clusters' mean loss: You averaged the losses of the three clusters, "
            "each counting alike, and took the success there. Items count alike, and it is their "
            "successes that are averaged.",
            _clusters(lambda n, loss: np.exp(-loss).mean()),
            "clusters alike: You let each cluster count once. It is the items that count alike.",
            _clusters(lambda n, loss: np.exp(-loss).max()),
            "easiest cluster only: That is the success on the easiest cluster. It is the easiest "
            "to forecast as well, and not what the benchmark asks.",
            _clusters(lambda n, loss: np.exp(-loss)[n.argmax()]),
            "largest cluster only: That is the success on the largest cluster. All items count.",
            _clusters(lambda n, loss: n @ (1 - loss) / n.sum()),
            "chance less loss: You took one less the loss for the success, which can end below "
            "nought. That comes near for small losses alone.",
        ),
        *mistakes(
            lambda n, a, b, c, x: float(n @ np.exp(-a * x**-b) / n.sum()),
            "floors left out: You left out the losses that no compute removes.",
            lambda n, a, b, c, x: float(
                np.exp(-(n @ a / n.sum()) * x ** -(n @ b / n.sum()) - n @ c / n.sum())
            ),
            "mean constants: You averaged the constants of the clusters and took one curve for "
            "all. No cluster lies on it.",
            lambda n, a, b, c, x: float(n @ np.exp(-a * np.exp(-b) - c) / n.sum()),
            "compute left out: You raised e to the exponents, not the compute. How do the losses "
            "fall?",
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
        "weighted by items: You weighted the levels by their items, copies included. Copies of an "
        "item tell nothing new about the model: let the levels count alike.",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, n / n.sum()))),
        "weighted by items before: You weighted the levels by their items before they were copied. "
        "Then the ability depends on which items somebody collected: let the levels count alike.",
        _graded_table(accuracy=lambda n, p, k: float(np.average(p, weights=n))),
        "accuracy before: That is the accuracy before the hardest items were copied.",
        _graded_table(accuracy=lambda n, p, k: float(np.mean(p))),
        "accuracy of levels: In your accuracy the levels count alike. An accuracy counts items.",
        _graded_table(ability=lambda n, p, k: _logistic(p, np.ones(5))[0]),
        "intercept: That is u, the log odds at a level of nought. At which level are they nought?",
        _graded_table(ability=lambda n, p, k: _logistic(p, np.ones(5))[1]),
        "steepness: That is v, how steep the curve is. Where is it a half?",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, np.ones(5))) - 1),
        "levels from 0: You counted the levels from 0, as Python does. They are 1 to 5.",
        _graded_table(ability=lambda n, p, k: np.interp(0.5, p[::-1], LEVELS[::-1])),
        "between two points: You drew a line between the two levels around a half, and left the "
        "other three out. Fit the curve to all.",
        _graded_table(
            ability=lambda n, p, k: np.polyval(np.polyfit(p, LEVELS, 1), 0.5),
        ),
        "straight line: You fitted a straight line. Shares bend towards 0 and 1: fit a logistic "
        "curve.",
        _graded_table(ability=lambda n, p, k: _half(*_by_squares(p))),
        "least squares: You fitted the curve by least squares, in which a level where all is "
        "settled counts like one where nothing is. The greatest likelihood was asked for.",
        _graded_table(ability=lambda n, p, k: _half(*_logistic(p, np.ones(5), penalty=1.0))),
        "penalty left on: Your library pulls the slope towards nought, as it does unless it is "
        "told not to. With so little weight in the data that decides.",
        _graded_table(ability=lambda n, p, k: np.sum(p)),
        "area: That is the sum of the shares, the area under the points. It comes near the ability "
        "only where the curve is steep and the levels go far enough.",
        _graded_table(
            ability=lambda n, p, k: np.roots(np.polyfit(LEVELS, np.log(p / (1 - p)), 1))[0]
        ),
        "line through log odds: You fitted a line to the log odds, in which shares next to 0 and 1 "
        "weigh most. A logistic regression weighs them by what they can tell.",
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
        "risk of all: Your risk is the mean error over everything. Whoever doesn't answer makes no "
        "error there.",
        _selected(risk=lambda e, given: e[given].sum() / e.size),
        "divided by all: You divided by the number of all questions, so that answering less always "
        "looks better. Divide by those that are answered.",
        _selected(lambda e, given: (~given).mean(), lambda e, given: e[~given].mean()),
        "the unsure ones: You answered where the confidence is low.",
        _selected(coverage=lambda e, given: (~given).mean()),
        "share refused: Your coverage is the share that is refused.",
        _selected(coverage=lambda e, given: given.sum()),
        "count: Your coverage is a count. Which share of all is it?",
        _selected(risk=lambda e, given: np.sort(e)[: given.sum()].mean()),
        "looked at the errors: You answered where the errors turned out smallest. Nobody knows "
        "them when the answer is given; the confidence has to say it.",
        _selected(risk=lambda e, given: e[given].max()),
        "worst error: Your risk is the worst error. The mean was asked for.",
        _selected(risk=lambda e, given: e[given].sum()),
        "sum: Your risk is a sum. The mean was asked for.",
        lambda sure, e, least: _selected()(sure, e, least)[::-1],
        "swapped: The coverage comes first, and then the risk.",
    ),
    properties=[
        limit(
            "at the edge",
            (np.array([0.5, 0.6, 0.7]), np.array([3.0, 2.0, 1.0]), 0.6),
            0.5,
            "Just as sure as is asked for is sure enough: try a confidence equal to `least`.",
        ),
        refuses(
            (np.array([0.5, 0.6]), np.array([3.0, 2.0]), 0.9),
            1,
            "Where nothing is answered there is no risk to tell: raise a ValueError.",
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
        return "Two runs have the same size: average over seeds first."
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
        "in-sample forecast: Your line has seen the run that it forecasts. Leave that one out.",
        _own_forecast(slice(-3, -1)),
        "two runs only: You drew the line through the two largest of the others. Fit it to all of "
        "them.",
        _own_forecast(BUT_LAST, lambda x, y, at: _log_line(x[[0, -1]], y[[0, -1]], at)),
        "first and last: You drew the line through the smallest and the largest of the others. Fit "
        "it to all of them.",
        _own_forecast(BUT_LAST, _half_log_line),
        "loss not logged: Your line is straight against the logarithm of the size only. On log-log "
        "paper both are logarithms.",
        _own_forecast(BUT_LAST, _line),
        "plain paper: You fitted a line to sizes and losses as they are. Take logarithms of both.",
        _own_forecast(BUT_LAST, lambda x, y, at: y[-1]),
        "last value seen: You carried the last value on. A line falls further.",
        lambda size, loss: _own_forecast(BUT_LAST)(size, loss) * float(loss[np.argmax(size)]),
        "forecast alone: That is the forecast. Divide it by what was measured.",
        lambda size, loss: (_own_forecast(BUT_LAST)(size, loss) - 1) * float(loss[np.argmax(size)]),
        "difference: You subtracted what was measured. Divide by it.",
        lambda size, loss: _own_forecast(BUT_LAST)(size, loss) - 1,
        "relative error: That is by which share the forecast is too high or too low. The forecast "
        "over what was measured was asked for.",
        lambda size, loss: 1 / _own_forecast(BUT_LAST)(size, loss),
        "measured over forecast: That is what was measured over what was forecast. Divide the "
        "other way round.",
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
