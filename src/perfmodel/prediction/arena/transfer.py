"""How far a predictor ranks a family of points that it was not trained on.

A judge of poodles is asked to rank terriers. One who knows dogs in general may do well at once; one
who is shown fifty ranked terriers may do better still; and one who only ever saw those fifty may
do as well as either.

>>> from sklearn.linear_model import LinearRegression
>>> x = np.arange(1.0, 41.0)
>>> source, target = Labelled(x[:, None], x), Labelled(x[:, None], x + 2)
>>> scores = transfer(source, target, LinearRegression(), shots=20, rounds=2)
>>> scores.groupby("approach")["mae"].mean().round(3)["zero-shot"]
np.float64(2.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold, LeaveOneGroupOut, cross_val_predict

from perfmodel.prediction.arena import metrics, ranking
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.rescaling import match_moments
from perfmodel.validation import Floats, finite, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

APPROACHES = ("constant", "zero-shot", "zero-shot, relabelled", "target only", "source + target")


@dataclass(frozen=True, eq=False)
class Labelled:
    """Points of one family, such as networks: the features and the label of each."""

    features: Floats
    """Shape (n, p)."""
    target: Floats
    """Shape (n,), each above 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", finite("features", self.features))
        object.__setattr__(self, "target", positive("target", sample("target", self.target, 2)))
        if self.features.ndim != 2 or len(self.features) != self.target.size:
            raise ValueError(
                f"features must have shape ({self.target.size}, p), got {self.features.shape}"
            )


def transfer(
    source: Labelled,
    target: Labelled,
    learner: Estimator,
    few_learner: Estimator | None = None,
    shots: int = 50,
    labels: int = 20,
    rounds: int = 20,
) -> pd.DataFrame:
    """Score five ways to predict a family of which only a few points are labelled.

    Parameters
    ----------
    source, target : Labelled
        The family that is known well, and the other.
    learner : estimator
        Learns the whole source.
    few_learner : estimator, optional
        Learns from the target's few; `learner` if left out.
    shots : int
        Points of the target that "target only" and "source + target" learn from. The second has
        the source's prediction as one more feature.
    labels : int
        Points of the target, at most `shots`, that "zero-shot, relabelled" takes mean and
        standard deviation from, and "constant" the mean.
    rounds : int
        Draws of these points, seeds 0 to rounds - 1; each is tested on the points of the
        target that are not among the shots.

    Returns
    -------
    pandas.DataFrame
        A row for each seed and approach: `seed`, `approach`, `spearman`, `kendall`, `mae` (in
        units of the target), `regret` (of the best of ten predicted best).
    """
    import pandas as pd

    if whole("shots", shots, 2) > target.target.size - 10:
        raise ValueError(f"shots must leave 10 of {target.target.size} to be tested, got {shots}")
    if whole("labels", labels, 2) > shots:
        raise ValueError(f"labels must be at most shots = {shots}, got {labels}")
    few_learner = learner if few_learner is None else few_learner
    first = _predicted(learner, source.features, source.target, target.features)
    with_source = np.column_stack([target.features, first])
    rows = []
    for seed in range(whole("rounds", rounds, 1)):
        order = np.random.default_rng(seed).permutation(target.target.size)
        known, asked = order[:shots], order[shots:]
        y = target.target[known]
        short = partial(_from_few, few_learner, known, asked, y)
        moved = match_moments(first[asked], source.target, y[:labels])
        guesses = (
            np.full(asked.size, y[:labels].mean()),
            first[asked],
            moved,
            short(target.features),
            short(with_source),
        )
        for approach, guess in zip(APPROACHES, guesses, strict=True):
            scores = _scores(target.target[asked], guess)
            rows.append({"seed": seed, "approach": approach, **scores})
    return pd.DataFrame(rows)


def _from_few(learner: Estimator, known: Any, asked: Any, y: Floats, features: Floats) -> Floats:
    return _predicted(learner, features[known], y, features[asked])


def _predicted(learner: Estimator, X: Floats, y: Floats, asked: Floats) -> Floats:
    return np.asarray(clone(learner).fit(X, y).predict(asked), dtype=float)


def _scores(actual: Floats, guess: Floats) -> dict[str, float]:
    return {
        "spearman": metrics.spearman(actual, guess),
        "kendall": ranking.kendall(actual, guess),
        "mae": float(mean_absolute_error(actual, guess)),
        "regret": ranking.regret(actual, guess, 10),
    }


def held_out(
    known: Labelled, groups: ArrayLike, learners: Mapping[str, Estimator], seed: int = 0
) -> pd.DataFrame:
    """Rank each group by predictors that saw a part of it, and by such that saw only the others.

    `known` has points of all `groups`, the family of each; `learners` go by their names, and `seed`
    is that of the five folds for `inside`. There's a row for each learner and group: `learner`,
    `group`, `inside` (Spearman within the group, predicted by learners of four fifths of all
    points) and `beyond` (by learners of the other groups).
    """
    import pandas as pd

    of = np.asarray(groups)
    folds = KFold(5, shuffle=True, random_state=seed)
    rows = []
    for name, learner in learners.items():
        guess = partial(cross_val_predict, learner, known.features, known.target)
        inside, beyond = guess(cv=folds), guess(cv=LeaveOneGroupOut(), groups=of)
        for group in np.unique(of):
            here = of == group
            rows.append(
                {
                    "learner": name,
                    "group": group,
                    "inside": metrics.spearman(known.target[here], inside[here]),
                    "beyond": metrics.spearman(known.target[here], beyond[here]),
                }
            )
    return pd.DataFrame(rows)
