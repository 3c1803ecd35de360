"""Means of the reference run in the HPX repository, and a delay distribution that predicts them."""

from functools import partial

from perfmodel.labs.measurement.stream_on_your_machine.executors import REFERENCE, synthetic_mean
from perfmodel.ledger import Sheet, recomputed

SIMPLE = (
    "The model has one exponential delay above the minimum, set by the median. Real times have "
    "another distribution. If they scatter more evenly, the long tail of the model puts the mean "
    "too high. If the level shifts or a run pauses for milliseconds, the real mean is higher."
)

MEANS = [
    recomputed(
        f"mean of {loop} by {executor}, from its minimum and median",
        f"{1e6 * times.mean:#.4g} µs",
        "stream_report_test.json, four threads",
        partial(synthetic_mean, times),
        miss=SIMPLE,
    )
    for loop, executors in REFERENCE.items()
    for executor, times in executors.items()
]
"""Each published mean, which the model does not use."""

SHEET = Sheet(
    "STREAM in the HPX repository, github.com/STEllAR-GROUP/hpx, tools/perftests_ci/perftest/"
    "references/lsu_default/stream_report_test.json: the benchmark of Heller, Kaiser, Diehl, Fey "
    "and Schweitzer, 'Closing the performance gap with modern C++', ISC workshops 2016, "
    "arXiv 2206.06302",
    MEANS,
    unheld="We don't test the paper's bandwidths or its comparison with native code, because we "
    "have neither its tables nor its machines. The rates of the reference run, and the winner by "
    "each statistic, follow from its times alone, so none of our models could disagree with them.",
)
