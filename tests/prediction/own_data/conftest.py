"""A small table of runs that all tests here share."""

import numpy as np
import pandas as pd
import pytest


def made(rows=40):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": np.exp(random.uniform(0, 5, rows)),
            "threads": random.choice([1, 2, 4], rows),
            "kind": random.choice(["hash", "sort"], rows),
            "machine": random.choice(["a", "b", "c"], rows),
        }
    )
    noise = np.exp(0.1 * random.normal(size=rows))
    return frame.assign(seconds=frame["size"] ** 1.2 / frame["threads"] * noise)


@pytest.fixture
def table():
    return made
