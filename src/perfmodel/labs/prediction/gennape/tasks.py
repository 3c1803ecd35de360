"""The reader's tasks: Kendall's tau, the NDCG of a random order, and the shares of heads."""

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
            "You left out the wrong pairs. Random guessing puts half of the pairs right and would "
            "score 0.5. Subtract the pairs in the wrong order.",
        ),
        Mistake(
            "ties left out",
            lambda right, wrong, networks: (right - wrong) / (right + wrong),
            "You divided by the pairs with an order. With 10 networks there are 45 pairs, and two "
            "of them are tied. Divide by all pairs.",
        ),
        Mistake(
            "each pair twice",
            lambda right, wrong, networks: (right - wrong) / (networks * (networks - 1)),
            "You counted each pair twice: first with second, and second with first.",
        ),
        Mistake(
            "networks and not pairs",
            lambda right, wrong, networks: (right - wrong) / networks,
            "You divided by the number of networks. Divide by the number of pairs that they make.",
        ),
    ],
    hint="Take the pairs in the right order minus the pairs in the wrong order, and divide by all "
    "pairs. Each of the n networks makes a pair with each of the n - 1 others.",
    right="Random guessing scores 0, the perfect order 1 and its reverse -1. A tied pair counts "
    "as neither right nor wrong.",
)

ndcg_of_a_coin = Task(
    "The NDCG of a random order",
    reference=lambda: mean_ndcg("svhn", 10),
    mistakes=[
        Mistake(
            "the worst order",
            lambda: worst_ndcg("svhn", 10),
            "You scored the worst order. A random order has some good networks among its first "
            "ten. Shuffle.",
        ),
        Mistake(
            "all places",
            lambda: mean_ndcg("svhn", 1300),
            "You counted all 1,300 places. The question asks for the first ten: k = 10.",
        ),
        Mistake(
            "the other family",
            lambda: mean_ndcg("cifar10", 10),
            "You used the networks for CIFAR-10, whose accuracies are lower and further apart.",
        ),
        Mistake(
            "half by habit",
            lambda: 0.5,
            "You assumed that random guessing scores one half. NDCG doesn't count how often a "
            "pair is right. It weighs accuracies, and most of them are close to 0.9.",
        ),
    ],
    hint="`accuracy = families['svhn'].target` and `rng = np.random.default_rng(0)`; then "
    "`ranking.ndcg(accuracy, rng.permutation(accuracy.size), 10)` scores a random order. Take the "
    "mean of a hundred.",
    right="A result of 0.95 on this family means next to nothing. Judge a score by its value for "
    "a random order.",
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
            "You forgot the square. The exponent in (3) is 2/(m-1), so with m = 2 the weights are "
            "the reciprocals of the squared distances.",
        ),
        Mistake(
            "the farthest is heard most",
            lambda distances, m: distances ** (2 / (m - 1)) / np.sum(distances ** (2 / (m - 1))),
            "You gave the farthest head the largest share. In (3) the fraction is in the "
            "denominator.",
        ),
        Mistake(
            "shares don't sum to 1",
            lambda distances, m: distances ** (-2 / (m - 1)),
            "You returned weights. Divide them by their sum: the shares of all heads add up to 1.",
        ),
        Mistake(
            "m left out",
            lambda distances, m: distances ** (-2.0) / np.sum(distances ** (-2.0)),
            "Your answer is right for m = 2 only. The exponent depends on the fuzzifier m.",
        ),
    ],
    hint="Multiply numerator and denominator of (3) by d_k to the power -2/(m-1). The share is "
    "this weight divided by the sum of all weights.",
    right="The exponent is 2/(m-1). Close to m = 1 it is huge, and the closest head decides "
    "alone. For a large m it goes to 0, and every head gets the same share at any distance.",
)
