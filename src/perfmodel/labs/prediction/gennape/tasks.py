"""What the reader does: count pairs, find what a score gives to nobody, and share out heads."""

import numpy as np

from perfmodel.prediction.architectures import metaqnn
from perfmodel.prediction.arena import ranking
from perfmodel.tasks import Mistake, Task


def mean_ndcg(name: str, k: int) -> float:
    """Return the mean NDCG of the first k in 100 random orders of a family."""
    rng, accuracy = np.random.default_rng(0), metaqnn.family(name).target
    draws = [ranking.ndcg(accuracy, rng.permutation(accuracy.size), k) for _ in range(100)]
    return float(np.mean(draws))


def worst_ndcg(name: str, k: int) -> float:
    """Return the NDCG of the first k in a family's worst order."""
    accuracy = metaqnn.family(name).target
    return ranking.ndcg(accuracy, -accuracy, k)


kendall_tau = Task(
    "Kendall's tau from counts",
    reference=lambda right, wrong, networks: (right - wrong) / (networks * (networks - 1) / 2),
    cases=[(8, 2, 5), (12, 3, 6), (40, 3, 10)],
    mistakes=[
        Mistake(
            "right share only",
            lambda right, wrong, networks: right / (networks * (networks - 1) / 2),
            "A coin puts half of the pairs right and would score 0.5. Pairs in the wrong order "
            "count against you.",
        ),
        Mistake(
            "ties left out",
            lambda right, wrong, networks: (right - wrong) / (right + wrong),
            "With 10 networks there are 45 pairs, and 43 have an order in your counts. The tied "
            "two are pairs as well.",
        ),
        Mistake(
            "each pair twice",
            lambda right, wrong, networks: (right - wrong) / (networks * (networks - 1)),
            "Each pair is in your denominator twice: first with second, and second with first.",
        ),
        Mistake(
            "networks and not pairs",
            lambda right, wrong, networks: (right - wrong) / networks,
            "Divide by the number of pairs that n networks make, not by n.",
        ),
    ],
    hint="Pairs in the right order less pairs in the wrong one, over all pairs. The first network "
    "makes a pair with each of the n - 1 others, and so does every other.",
    right="A coin scores 0, the perfect order 1 and its reverse -1. A pair that the predictor "
    "can't tell apart counts as neither right nor wrong.",
)

ndcg_of_a_coin = Task(
    "What NDCG gives to a random order",
    reference=lambda: mean_ndcg("svhn", 10),
    mistakes=[
        Mistake(
            "the worst order",
            lambda: worst_ndcg("svhn", 10),
            "That is the worst order. A random one has good networks among its first ten by luck: "
            "shuffle.",
        ),
        Mistake(
            "all places",
            lambda: mean_ndcg("svhn", 1300),
            "You count all 1,300 places. The question is about the first ten: k = 10.",
        ),
        Mistake(
            "the other family",
            lambda: mean_ndcg("cifar10", 10),
            "Those are the networks for CIFAR-10, whose accuracies are lower and further apart.",
        ),
        Mistake(
            "half by habit",
            lambda: 0.5,
            "A coin is right half the time, but this score doesn't count how often: it weighs "
            "accuracies, and most of these are near 0.9.",
        ),
    ],
    hint="`accuracy = families['svhn'].target` and `rng = np.random.default_rng(0)`; then "
    "`ranking.ndcg(accuracy, rng.permutation(accuracy.size), 10)` scores a random order. Take the "
    "mean of a hundred.",
    right="Whoever reports 0.95 on this family has said next to nothing. A score means something "
    "once you know what it gives to a coin.",
    tolerance=0.01,
)

head_shares = Task(
    "Shares of the heads",
    reference=lambda distances, m: (
        distances ** (-2 / (m - 1)) / np.sum(distances ** (-2 / (m - 1)))
    ),
    cases=[
        (np.array([1.0, 2.0, 4.0]), 2.0),
        (np.array([3.0, 1.0]), 3.0),
        (np.array([0.5, 0.6, 0.9]), 1.5),
    ],
    mistakes=[
        Mistake(
            "distance not squared",
            lambda distances, m: distances ** (-1 / (m - 1)) / np.sum(distances ** (-1 / (m - 1))),
            "The exponent in (2) is 2/(m-1). With m = 2 the weights are 1 over the squared "
            "distance.",
        ),
        Mistake(
            "the farthest is heard most",
            lambda distances, m: distances ** (2 / (m - 1)) / np.sum(distances ** (2 / (m - 1))),
            "With you the farthest head is heard most. The fraction in (2) stands in a "
            "denominator.",
        ),
        Mistake(
            "shares don't sum to 1",
            lambda distances, m: distances ** (-2 / (m - 1)),
            "Those are weights. Divide by their sum, so that the shares of all heads make 1.",
        ),
        Mistake(
            "m left out",
            lambda distances, m: distances ** (-2.0) / np.sum(distances ** (-2.0)),
            "That is right for m = 2 alone: the fuzzifier belongs into the exponent.",
        ),
    ],
    hint="Multiply numerator and denominator of (2) by d_k to the power -2/(m-1): the share is "
    "that weight over the sum of all weights.",
    right="The exponent is 2/(m-1): near m = 1 it is huge and the nearest head decides alone; for "
    "a large m it goes to 0, and every head is heard alike, however far it is.",
)
