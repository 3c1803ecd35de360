"""Small nets trained on this machine, so that there are curves nobody has seen.

The nets are scikit-learn's perceptrons on its 1,797 pictures of digits, a third of them held out.
"""

from __future__ import annotations

import numpy as np

from perfmodel.validation import Floats, whole

EPOCHS = 8


def train_nets(count: int, seed: int) -> Floats:
    """Return accuracies of nets with random settings after each epoch, shape (count, 8).

    Width, learning rate and regularisation are drawn; most nets learn, some hardly.

    >>> train_nets(2, 0).shape
    (2, 8)
    """
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    digits, rng = load_digits(), np.random.default_rng(whole("seed", seed))
    pictures, order = digits.data / 16, rng.permutation(len(digits.data))
    train, held = order[:1200], order[1200:]
    curves = np.empty((whole("count", count, 1), EPOCHS))
    for curve in curves:
        net = MLPClassifier(
            (int(2 ** rng.uniform(2, 6)),),
            learning_rate_init=10 ** rng.uniform(-3.8, -1.5),
            alpha=10 ** rng.uniform(-5, 0),
            batch_size=64,
            random_state=int(rng.integers(1 << 31)),
        )
        for epoch in range(EPOCHS):
            net.partial_fit(pictures[train], digits.target[train], classes=range(10))
            curve[epoch] = net.score(pictures[held], digits.target[held])
    return curves
