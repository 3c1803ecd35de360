"""The real families: what single numbers rank them with, and what transfers between them."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from perfmodel.labs.prediction.gennape.representations import embedded, single_features
from perfmodel.prediction.architectures.metaqnn import described, family
from perfmodel.prediction.arena.transfer import transfer

FAMILIES = [family("cifar10"), family("svhn")]


def test_single_features_of_the_real_families():
    cifar, svhn = map(single_features, FAMILIES)
    assert cifar == pytest.approx({"FLOPs": 0.185, "weights": 0.294, "depth": 0.234}, abs=0.0006)
    assert svhn == pytest.approx({"FLOPs": 0.360, "weights": 0.453, "depth": 0.686}, abs=0.0006)


@pytest.mark.parametrize(
    ("back", "zero", "few", "level", "relabelled", "constant"),
    [(False, 0.270, 0.670, 0.200, 0.036, 0.039), (True, 0.451, 0.656, 0.197, 0.102, 0.094)],
)
def test_transfer_of_the_real_families(back, zero, few, level, relabelled, constant):
    source, target = map(described, FAMILIES[::-1] if back else FAMILIES)
    forest = RandomForestRegressor(40, min_samples_leaf=3, random_state=0)
    short = RandomForestRegressor(30, random_state=0)
    scores = transfer(source, target, forest, short, rounds=10)
    means = scores.groupby("approach")[["spearman", "mae"]].mean()
    order, mae = means["spearman"], means["mae"]
    assert order["zero-shot"] == pytest.approx(zero, abs=0.05)
    assert order["target only"] == pytest.approx(few, abs=0.05)
    assert order["source + target"] == pytest.approx(order["target only"], abs=0.05)
    assert mae["zero-shot"] == pytest.approx(level, abs=0.01)
    assert mae["zero-shot, relabelled"] == pytest.approx(relabelled, abs=0.012)
    assert mae["constant"] == pytest.approx(constant, abs=0.012)


def test_the_embedding_tells_networks_and_learning_rates_apart():
    few = replace(
        FAMILIES[0],
        **{name: getattr(FAMILIES[0], name)[:20] for name in ("nets", "features", "accuracy")},
    )
    codes = embedded(few)
    assert codes.features.shape == (20, 33)
    assert len(np.unique(codes.features.round(9), axis=0)) == 20
    assert embedded(few, 1).features[:, -1] == pytest.approx(np.log10(few.features[:, -1]))
