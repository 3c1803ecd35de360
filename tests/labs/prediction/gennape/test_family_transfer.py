"""Transfer between families of networks: made-up families with known answers, and the real ones."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from perfmodel import ledger
from perfmodel.labs.prediction.gennape import family_transfer
from perfmodel.labs.prediction.gennape.family_transfer import (
    APPROACHES,
    Sample,
    described,
    embedded,
    transfer,
)
from perfmodel.prediction.architectures import metaqnn


@pytest.mark.parametrize("claim", ledger.collect("gennape"), ids=lambda c: c.quantity)
def test_claims(claim):
    assert claim.check().met


def made_up(slope, seed=0, n=200):
    x = np.random.default_rng(seed).normal(size=(n, 4))
    return Sample(x, 10 + x @ slope)


def mean_of(found, column):
    return found.groupby("approach")[column].mean()


def test_the_same_law_transfers_at_once():
    found = transfer(made_up([1, 2, 0, 0]), made_up([1, 2, 0, 0], 1), Ridge(1e-9), rounds=2)
    assert set(found["approach"]) == set(APPROACHES)
    assert mean_of(found, "spearman")["zero-shot"] == pytest.approx(1)
    assert mean_of(found, "mae")["zero-shot"] == pytest.approx(0, abs=1e-6)
    assert mean_of(found, "regret")["zero-shot"] == pytest.approx(0)
    assert mean_of(found, "spearman")["constant"] == 0


def test_another_scale_keeps_the_order_and_needs_the_labels():
    source, target = made_up([1, 2, 0, 0]), made_up([1, 2, 0, 0], 1)
    stretched = Sample(target.features, 30 + 5 * target.target)
    found = transfer(source, stretched, Ridge(1e-9), rounds=3)
    order, level = mean_of(found, "kendall"), mean_of(found, "mae")
    assert order["zero-shot"] == order["zero-shot, relabelled"] == pytest.approx(1)
    assert level["zero-shot"] > 30
    assert level["zero-shot, relabelled"] < 0.3 * level["constant"]


def test_an_opposed_law_misleads_until_the_target_is_seen():
    found = transfer(made_up([1, 2, 0, 0]), made_up([-1, -2, 0, 0], 1), Ridge(1e-9), rounds=2)
    order = mean_of(found, "spearman")
    assert order["zero-shot"] == pytest.approx(-1)
    assert order["target only"] == order["source + target"] == pytest.approx(1)


def test_scores_are_of_networks_that_were_not_shown():
    rng = np.random.default_rng(5)
    source, target = (Sample(rng.normal(size=(120, 3)), rng.uniform(1, 2, 120)) for _ in "ab")
    remembers = RandomForestRegressor(20, bootstrap=False, random_state=0)
    found = transfer(source, target, remembers, rounds=3)
    assert mean_of(found, "spearman").abs().max() < 0.35
    longer = transfer(source, target, remembers, rounds=1)
    assert longer.equals(found[found["seed"] == 0])


def test_groups_held_out():
    x = np.random.default_rng(6).normal(size=(300, 1))
    groups = np.repeat([0, 1], 150)
    turned = Sample(x, 10 + np.where(groups == 0, x[:, 0], -x[:, 0]))
    found = family_transfer.held_out(turned, groups, {"ridge": Ridge()})
    assert found["group"].tolist() == [0, 1]
    assert found["beyond"].to_numpy() == pytest.approx([-1, -1])
    seen = Sample(np.column_stack([x, x[:, 0] * (1 - 2 * groups)]), turned.target)
    assert family_transfer.held_out(seen, groups, {"ridge": Ridge()})["inside"].min() > 0.999


def test_bad_input():
    one = made_up([1, 0, 0, 0], n=60)
    with pytest.raises(ValueError, match="shots must leave 10 of 60 to be tested, got 51"):
        transfer(one, one, Ridge(), shots=51)
    with pytest.raises(ValueError, match="labels must be at most shots = 5, got 20"):
        transfer(one, one, Ridge(), shots=5)
    with pytest.raises(ValueError, match=r"features must have shape \(3, p\), got \(2, 1\)"):
        Sample(np.ones((2, 1)), np.ones(3))
    with pytest.raises(ValueError, match="target must be above 0"):
        Sample(np.ones((2, 1)), np.zeros(2))


@pytest.fixture(scope="module")
def families(third_party):
    folders = [
        third_party("nas-curve", f"metaqnn_{name}.csv").parents[1] for name in metaqnn.FAMILIES
    ]
    return [metaqnn.family(name, folders[0]) for name in metaqnn.FAMILIES]


def test_single_features_of_the_real_families(families):
    cifar, svhn = map(family_transfer.single_features, families)
    assert cifar == pytest.approx({"FLOPs": 0.185, "weights": 0.294, "depth": 0.234}, abs=0.0006)
    assert svhn == pytest.approx({"FLOPs": 0.360, "weights": 0.453, "depth": 0.686}, abs=0.0006)


@pytest.mark.parametrize(
    ("back", "zero", "few", "level", "relabelled", "constant"),
    [(False, 0.270, 0.670, 0.200, 0.036, 0.039), (True, 0.451, 0.656, 0.197, 0.102, 0.094)],
)
def test_transfer_of_the_real_families(families, back, zero, few, level, relabelled, constant):
    source, target = map(described, families[::-1] if back else families)
    forest = RandomForestRegressor(40, min_samples_leaf=3, random_state=0)
    short = RandomForestRegressor(30, random_state=0)
    found = transfer(source, target, forest, short, rounds=10)
    order, mae = mean_of(found, "spearman"), mean_of(found, "mae")
    assert order["zero-shot"] == pytest.approx(zero, abs=0.05)
    assert order["target only"] == pytest.approx(few, abs=0.05)
    assert order["source + target"] == pytest.approx(order["target only"], abs=0.05)
    assert mae["zero-shot"] == pytest.approx(level, abs=0.01)
    assert mae["zero-shot, relabelled"] == pytest.approx(relabelled, abs=0.012)
    assert mae["constant"] == pytest.approx(constant, abs=0.012)


def test_the_embedding_tells_networks_and_learning_rates_apart(families):
    few = replace(
        families[0],
        **{name: getattr(families[0], name)[:20] for name in ("nets", "features", "accuracy")},
    )
    found = embedded(few)
    assert found.features.shape == (20, 33)
    assert len(np.unique(found.features.round(9), axis=0)) == 20
    assert embedded(few, 1).features[:, -1] == pytest.approx(np.log10(few.features[:, -1]))
