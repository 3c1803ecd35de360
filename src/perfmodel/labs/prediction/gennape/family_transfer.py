"""GENNAPE: how far a predictor of networks' accuracy ranks a family that it has never seen.

A judge of poodles is asked to rank terriers. One who knows dogs in general may do well at once; one
who is shown fifty ranked terriers may do better still; and one who only ever saw those fifty may
do as well as either. Here the families are networks trained on two data sets of images.

Source: K. G. Mills, F. X. Han, J. Zhang, et al., "GENNAPE: Towards Generalized Neural Architecture
Performance Estimators", AAAI 2023, arXiv:2211.17226. Its families of graphs are not public; the
networks here are those of `perfmodel.prediction.architectures.metaqnn`.

>>> from sklearn.linear_model import LinearRegression
>>> x = np.arange(1.0, 41.0)
>>> source, target = Sample(x[:, None], x), Sample(x[:, None], x + 2)
>>> found = transfer(source, target, LinearRegression(), shots=20, rounds=2)
>>> found.groupby("approach")["mae"].mean().round(3)["zero-shot"]
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
from sklearn.model_selection import KFold, LeaveOneGroupOut, cross_val_predict

from perfmodel.labs.prediction.gennape import fuzzy_clusters
from perfmodel.labs.prediction.gennape.graph_encoder import Graphs, encode, graphs
from perfmodel.ledger import Claim
from perfmodel.prediction.architectures.metaqnn import FEATURES, Family
from perfmodel.prediction.arena import metrics, ranking
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.rescaling import match_moments
from perfmodel.validation import Floats, finite, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

APPROACHES = ("constant", "zero-shot", "zero-shot, relabelled", "target only", "source + target")


@dataclass(frozen=True, eq=False)
class Sample:
    """Networks of one family: what is known of each, and its accuracy.

    Raises
    ------
    ValueError
        If there is not a row of features for each target, or a target is not above 0.
    """

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


def described(family: Family) -> Sample:
    """Return a family by the twelve numbers of its descriptors."""
    return Sample(family.features, family.target)


def embedded(family: Family, seed: int = 0, built: Graphs | None = None) -> Sample:
    """Return a family by random embeddings of its graphs, with the learning rate beside them.

    Parameters
    ----------
    family : Family
    seed : int
        Of the encoder's weights; families are comparable only under the same.
    built : Graphs, optional
        The family's graphs, where they are at hand.
    """
    found = encode(built or graphs(family.nets), seed=seed)
    rate = np.log10(family.features[:, FEATURES.index("learning rate")])
    return Sample(np.column_stack([found, rate]), family.target)


def transfer(
    source: Sample,
    target: Sample,
    learner: Estimator,
    few_learner: Estimator | None = None,
    shots: int = 50,
    labels: int = 20,
    rounds: int = 20,
) -> pd.DataFrame:
    """Score five ways to predict a family of which only a few networks were trained.

    Parameters
    ----------
    source, target : Sample
        The family that is known well, and the other.
    learner : estimator
        Learns the whole source.
    few_learner : estimator, optional
        Learns from the target's few; `learner` if left out.
    shots : int
        Networks of the target that "target only" and "source + target" learn from. The second has
        the source's prediction as one more feature.
    labels : int
        Networks of the target, at most `shots`, that "zero-shot, relabelled" takes mean and
        standard deviation from, and "constant" the mean.
    rounds : int
        Draws of these networks, seeds 0 to rounds - 1; each is tested on the networks of the
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
        "mae": float(np.mean(np.abs(guess - actual))),
        "regret": ranking.regret(actual, guess, 10),
    }


def single_features(family: Family) -> dict[str, float]:
    """Return what a single number, read off the network, ranks a family with (Spearman).

    Parameters
    ----------
    family : Family

    Returns
    -------
    dict
        By name: FLOPs, weights (as the authors count them) and depth.
    """
    work = family.features[:, FEATURES.index("log10 FLOPs")]
    seen = {"FLOPs": work, "weights": family.weights, "depth": family.depth}
    return {name: metrics.spearman(family.target, one) for name, one in seen.items()}


def held_out(
    known: Sample, groups: ArrayLike, learners: Mapping[str, Estimator], seed: int = 0
) -> pd.DataFrame:
    """Rank each group by predictors that saw a part of it, and by such that saw only the others.

    Parameters
    ----------
    known : Sample
    groups : array_like, shape (n,)
        The family of each network, two different ones or more.
    learners : mapping of str to estimator
    seed : int
        Of the five folds for `inside`.

    Returns
    -------
    pandas.DataFrame
        A row for each learner and group: `learner`, `group`, `inside` (Spearman within the group,
        predicted by learners of four fifths of all networks) and `beyond` (by learners of the
        other groups).
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
            scores = [metrics.spearman(known.target[here], one[here]) for one in (inside, beyond)]
            rows.append({"learner": name, "group": group, "inside": scores[0], "beyond": scores[1]})
    return pd.DataFrame(rows)


def claims() -> list[Claim]:
    """Return the ledger entries: memberships and ranking measures on sets small enough to check."""
    made = partial(Claim, "gennape", derived=True)
    hand = "worked out by hand from the formula"
    shares = [
        made(
            f"share of cluster {place + 1} of a point at distances {distances}, fuzzifier 2",
            "recomputed",
            value,
            "1",
            f"membership of the mixture's heads, {hand}",
            partial(_share, distances, place),
            absolute=0.00005,
        )
        for distances, values in (((1, 2), (0.8, 0.2)), ((1, 2, 4), (0.7619, 0.1905, 0.0476)))
        for place, value in enumerate(values)
    ]
    truth, guess = (1, 2, 3, 4, 5), (2, 1, 3, 5, 4)
    return [
        *shares,
        made(
            "NDCG at 3 of relevances that a predictor puts in the order 3, 1, 2",
            "recomputed",
            0.9725,
            "1",
            f"ranking measure, {hand}: 4.6309 / 4.7619",
            lambda: ranking.ndcg([3, 1, 2], [3, 2, 1], 3),
            absolute=0.00005,
        ),
        made(
            f"Kendall's tau of predicted ranks {guess}",
            "recomputed",
            0.6,
            "1",
            f"ranking measure, {hand}: 2 of 10 pairs are in the wrong order",
            lambda: ranking.kendall(truth, guess),
        ),
        made(
            f"Spearman's correlation of predicted ranks {guess}",
            "recomputed",
            0.8,
            "1",
            f"ranking measure, {hand}: 1 - 6 x 4 / 120",
            lambda: metrics.spearman(truth, guess),
        ),
    ]


def _share(distances: tuple[float, ...], place: int) -> float:
    return float(fuzzy_clusters.memberships(distances)[place])
