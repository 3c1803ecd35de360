"""Items and subjects on one scale: chances of items with several demands, and Rasch's model.

Here nobody needs to say what an item demands: who solves what places items and subjects both.

Source: G. Rasch, "Probabilistic models for some intelligence and attainment tests", 1960.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from perfmodel.measurement.statistics.least_squares import standard_errors
from perfmodel.validation import Floats, finite, non_negative, one_of, positive, sample

Rule = Literal["weakest", "product"]


def success_of_items(
    abilities: ArrayLike, slopes: ArrayLike, demands: ArrayLike, rule: Rule = "weakest"
) -> Floats:
    """Return one subject's probability of success on items with several demands, shape (items,).

    By the rule "weakest" the dimension of least probability decides; by "product" all must succeed,
    and do so independently.

    >>> success_of_items([3, 4], [2, 2], [[3, 4], [1, 4]], "product").round(2).tolist()
    [0.25, 0.49]
    """
    asked = finite("demands", demands)
    able, steep = sample("abilities", abilities), sample("slopes", slopes)
    if asked.ndim != 2 or not asked.shape[1] == able.size == steep.size:
        raise ValueError(
            f"abilities, slopes and demands must have shapes (d,), (d,) and (items, d), "
            f"got {able.shape}, {steep.shape} and {asked.shape}"
        )
    one_of("rule", rule, get_args(Rule))
    probabilities = expit(steep * (able - asked))
    return np.asarray(
        probabilities.min(axis=1) if rule == "weakest" else probabilities.prod(axis=1)
    )


class RaschFit(NamedTuple):
    """Subjects and groups of items on one scale, in log odds; difficulties have mean 0."""

    abilities: Floats
    """Of the subjects, shape (subjects,)."""
    difficulties: Floats
    """Of the groups, shape (groups,)."""
    ability_errors: Floats
    """Standard errors of the abilities; infinite where answers only bound one, as that of a subject
    who solves all, or compare it with nobody: then the penalty alone made the number."""
    difficulty_errors: Floats
    """The same of the difficulties."""


def fit_rasch(items: ArrayLike, solved: ArrayLike, penalty: float = 1e-3) -> RaschFit:
    """Return abilities and difficulties by which successes are explained without any demand.

    Subject i solves an item of group j with log odds of ability i less difficulty j: whether a
    group is hard is then said by the subjects' answers, not by whoever labelled it. Items, put and
    solved, have the shape (subjects, groups). The penalty on half the squares of abilities and of
    all difficulties but the last keeps finite who solves all or nothing.

    >>> found = fit_rasch([[100, 100], [100, 100]], [[90, 50], [50, 10]])
    >>> found.difficulties.round(2).tolist(), np.diff(found.abilities).round(2).tolist()
    ([-1.1, 1.1], [-2.2])
    """
    from sklearn.linear_model import LogisticRegression

    n, right = non_negative("items", items), non_negative("solved", solved)
    if n.ndim != 2 or n.shape != right.shape or min(n.shape) < 2:
        raise ValueError(
            f"items and solved must both have one shape (subjects, groups) of 2 or more, "
            f"got {n.shape} and {right.shape}"
        )
    if (right > n).any() or not (n.sum(axis=0) > 0).all() or not (n.sum(axis=1) > 0).all():
        raise ValueError("solved must be at most items, and no row or column of items empty")
    subjects, groups = n.shape
    who, what = (part.ravel() for part in np.indices(n.shape))
    contrasts = np.vstack([np.eye(groups - 1), -np.ones(groups - 1)])
    design = np.hstack([np.eye(subjects)[who], -contrasts[what]])
    fit = LogisticRegression(
        C=1 / float(positive("penalty", penalty)),
        fit_intercept=False,
        solver="newton-cholesky",
        tol=1e-8,
    )
    outcome = np.repeat([1.0, 0.0], n.size)
    fit.fit(np.vstack([design, design]), outcome, np.r_[right.ravel(), (n - right).ravel()])
    result = np.asarray(fit.coef_[0])
    errors = _rasch_errors(n, right, result, design, contrasts)
    return RaschFit(result[:subjects], contrasts @ result[subjects:], *errors)


def _rasch_errors(
    n: Floats, right: Floats, found: Floats, design: Floats, contrasts: Floats
) -> tuple[Floats, Floats]:
    """Return standard errors by the answers alone, without the penalty.

    Subjects and groups compare where each can be reached from the other: from a subject to a group
    that it solved items of, and from a group to a subject that failed some (G. H. Fischer, "On the
    existence and uniqueness of maximum-likelihood estimates in the Rasch model", Psychometrika
    46(1), 1981). Other answers say only which way a number is open.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    subjects, groups = n.shape
    reached = np.zeros((subjects + groups, subjects + groups))
    reached[:subjects, subjects:] = right > 0
    reached[subjects:, :subjects] = (n - right).T > 0
    _, part = connected_components(csr_array(reached), connection="strong")
    comparable = part[:subjects, None] == part[subjects:]
    probabilities = expit(design @ found)
    weights = np.sqrt(n.ravel() * probabilities * (1 - probabilities)) * comparable.ravel()
    toward = np.zeros((subjects + groups, design.shape[1]))
    toward[:subjects, :subjects] = np.eye(subjects)
    toward[subjects:, subjects:] = contrasts
    errors = standard_errors(design * weights[:, None], toward)
    return errors[:subjects], errors[subjects:]
