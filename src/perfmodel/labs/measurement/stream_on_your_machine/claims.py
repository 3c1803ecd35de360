"""What the reference run in the HPX repository measured, beside what a law of delays predicts."""

from functools import partial

from perfmodel.labs.measurement.stream_on_your_machine.executors import REFERENCE, synthetic_mean
from perfmodel.ledger import Sheet, recomputed

SIMPLE = (
    "The law has one exponential delay above the minimum, set by the median. Real times scatter "
    "otherwise: where they do so more evenly, its long tail puts the mean too high; where the "
    "level shifts or a run pauses for milliseconds, the mean lies above the law's."
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
"""Each printed mean, which the law does not use."""

SHEET = Sheet(
    "STREAM in the HPX repository, github.com/STEllAR-GROUP/hpx, tools/perftests_ci/perftest/"
    "references/lsu_default/stream_report_test.json: the benchmark of Heller, Kaiser, Diehl, Fey "
    "and Schweitzer, 'Closing the performance gap with modern C++', ISC workshops 2016, "
    "arXiv 2206.06302",
    MEANS,
    unheld="The paper's own bandwidths and its comparison with native code: its tables and its "
    "machines weren't available to us. Rates of the reference run, and who wins by which "
    "statistic, are its times divided or ordered, so nothing of ours could disagree with them.",
)
