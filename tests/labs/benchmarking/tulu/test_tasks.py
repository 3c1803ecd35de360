"""What is said to a kappa whose chance is not that of two readers."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.tulu import tasks


def by(chance):
    """Return a kappa with another agreement by chance, from both readers' shares."""

    def kappa(table):
        shares = table / table.sum()
        expected = chance(shares.sum(1), shares.sum(0))
        return (np.trace(shares) - expected) / (1 - expected)

    return kappa


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (lambda r, c: np.sum(((r + c) / 2) ** 2), "Scott's pi"),
        (lambda r, c: r @ r, "squared the first"),
        (lambda r, c: c @ c, "squared the second"),
    ],
)
def test_another_chance_is_named(chance, said):
    outcome = tasks.kappa.judge(by(chance))
    assert outcome.state == "wrong"
    assert said in outcome.said


def test_the_product_of_both_readers_shares_is_right():
    assert tasks.kappa.judge(by(lambda r, c: r @ c)).state == "right"
