"""What a predictor may be told of a family of networks: an embedding, or one number of each.

Source: K. G. Mills, F. X. Han, J. Zhang, et al., "GENNAPE: Towards Generalized Neural Architecture
Performance Estimators", AAAI 2023, arXiv:2211.17226. Its families of graphs are not public; the
networks here are those of `perfmodel.prediction.architectures.metaqnn`, and their descriptors are
the third representation.
"""

from __future__ import annotations

import numpy as np

from perfmodel.labs.prediction.gennape.graph_encoder import Graphs, encode, graphs
from perfmodel.prediction.architectures.metaqnn import FEATURES, Family
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.transfer import Labelled


def embedded(family: Family, seed: int = 0, built: Graphs | None = None) -> Labelled:
    """Return a family by random embeddings of its graphs, with the learning rate beside them.

    Families are comparable only under the same seed, that of the encoder's weights.
    """
    codes = encode(built or graphs(family.nets), seed=seed)
    rate = np.log10(family.features[:, FEATURES.index("learning rate")])
    return Labelled(np.column_stack([codes, rate]), family.target)


def single_features(family: Family) -> dict[str, float]:
    """Return the Spearman correlation of FLOPs, weights (as the authors count) and depth.

    >>> from perfmodel.prediction.architectures.metaqnn import family
    >>> {name: round(rank, 3) for name, rank in single_features(family("svhn")).items()}
    {'FLOPs': 0.36, 'weights': 0.453, 'depth': 0.686}
    """
    work = family.features[:, FEATURES.index("log10 FLOPs")]
    numbers = {"FLOPs": work, "weights": family.weights, "depth": family.depth}
    return {name: metrics.spearman(family.target, values) for name, values in numbers.items()}
