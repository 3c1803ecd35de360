"""The V100 profile: read as published, with counts by hand."""

import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import v100_products


def test_profile(third_party):
    folder = third_party("apex", "v100_gemm.csv").parents[1]
    runs = v100_products.dataset(folder, rows=500)
    assert len(runs) == 500
    assert runs.features["word"].eq(2).all()
    table = v100_products.table(folder)
    assert len(table) == 92_191
    assert len(table.groupby(["n", "k"])) > 5000 > table["m"].nunique()
    assert len(set(runs.group(v100_products.PAIR))) == len(runs.features.groupby(["n", "k"]))
    rate = 2 * table["m"] * table["n"] * table["k"] / table["seconds"]
    assert rate.max() == pytest.approx(100.2e12, rel=0.001)


def test_waves_by_hand():
    shape = pd.DataFrame({"m": [129.0], "n": [128.0 * 41], "k": [64.0], "word": [2.0]})
    found = v100_products.waves(shape)
    # Two rows of 41 tiles on 80 processors: a round for 80 tiles and another for two.
    assert found["wave steps"].tolist() == [2 * 64]
    assert found["multiply-adds"].tolist() == [129 * 128 * 41 * 64]
