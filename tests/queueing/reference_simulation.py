"""Our answers to the rows of reference.csv on the analysis of simulated series."""

import numpy as np

from perfmodel.queueing.simulation.statistics import batch_means, mser5


def output_analysis(series, batches, batch_series, confidence):
    assert series == "x_i = 10 exp(-i/20) + sin(i), i=0..399"
    assert batch_series == "from i=200 on"
    i = np.arange(400)
    x = 10 * np.exp(-i / 20) + np.sin(i)
    cut = mser5(x)
    late = batch_means(x[200:], batches, confidence)
    return {
        "truncation": cut,
        "truncated_mean": x[cut:].mean(),
        "bm_mean": late.value,
        "bm_half_width": late.half_width,
    }


ANSWERS = {"mser5-batchmeans": output_analysis}
