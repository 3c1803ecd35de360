"""The cases of benchmarks/bootstrap.py in rliable; runs in the peer's environment.

`bootstrap.py CASE SCORES.npy RESAMPLES SEED` prints JSON: seconds of processor time, start of
Python and imports left out, and the ends of the interval, shape (2, k). Thresholds of the score
distribution are in thresholds.npy beside the scores, whose shape is (runs, tasks).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from rliable import library, metrics

MEANS = {
    "mean": metrics.aggregate_mean,
    "median of tasks": metrics.aggregate_median,
    "interquartile mean": metrics.aggregate_iqm,
}


def main():
    """Resample once and print what came of it."""
    case, file, resamples, seed = sys.argv[1:]
    what, over = case.split(", ")
    scores = {"ours": np.load(file)}
    options = {"reps": int(resamples), "task_bootstrap": over != "runs"}
    np.random.seed(int(seed))  # noqa: NPY002 -- rliable draws from the global generator
    began = time.process_time()
    if what in MEANS:
        mean = MEANS[what]
        _, found = library.get_interval_estimates(scores, lambda x: np.array([mean(x)]), **options)
    else:
        thresholds = np.load(Path(file).parent / "thresholds.npy")
        _, found = library.create_performance_profile(scores, thresholds, **options)
    print(json.dumps([time.process_time() - began, found["ours"].tolist()]))


if __name__ == "__main__":
    main()
