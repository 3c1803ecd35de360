"""LightGBM and CatBoost in the rounds of benchmarks/frozen_products.py; runs in their environment.

`boosted_trees.py FOLDER`: FOLDER/rows.npz has features m, n, k, word (n, 4) and seconds (n,),
FOLDER/rounds.json a list of [training rows, test rows]. Writes FOLDER/predicted.json: for each
entry's name, the predicted seconds of each round. Both see sizes and word, their logarithms, and
that of the operations; both learn the logarithm of seconds per operation.
"""

import json
import sys
from pathlib import Path

import numpy as np
from catboost import CatBoostRegressor
from lightgbm import LGBMRegressor


def lightgbm(rows: int) -> LGBMRegressor:
    """Return LightGBM as it comes, but for leaves small enough to learn from tens of rows."""
    return LGBMRegressor(
        n_estimators=300,
        learning_rate=0.05,
        min_child_samples=3 if rows < 100 else 8,
        n_jobs=1,
        random_state=0,
        verbose=-1,
    )


def catboost(rows: int) -> CatBoostRegressor:
    """Return CatBoost as it comes, on one thread, with 500 trees."""
    return CatBoostRegressor(
        iterations=500, thread_count=1, random_seed=0, verbose=0, allow_writing_files=False
    )


def main() -> None:
    """Fit and predict in every round."""
    folder = Path(sys.argv[1])
    held = np.load(folder / "rows.npz")
    sizes, seconds = held["features"], held["seconds"]
    operations = 2 * sizes[:, :3].prod(axis=1)
    seen = np.column_stack([sizes, np.log(sizes), np.log(operations)])
    rounds = json.loads((folder / "rounds.json").read_text())
    predicted = {}
    for name, make in (("LightGBM", lightgbm), ("CatBoost", catboost)):
        answers = []
        for train, test in rounds:
            target = np.log(seconds[train] / operations[train])
            learned = make(len(train)).fit(seen[train], target)
            answers.append((np.exp(learned.predict(seen[test])) * operations[test]).tolist())
        predicted[f"{name}, s/FLOP"] = answers
    (folder / "predicted.json").write_text(json.dumps(predicted))


if __name__ == "__main__":
    main()
