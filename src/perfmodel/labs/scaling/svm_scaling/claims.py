"""Statements of the abstract of You et al. (2015), compared with our model on other machines."""

from __future__ import annotations

from functools import partial

import numpy as np

from perfmodel.labs.scaling.svm_scaling.inputs import EPYC_9654, H100, SCALAR_SHARE
from perfmodel.labs.scaling.svm_scaling.step_cost import FUSED, Data, advantage, smo_step_time
from perfmodel.ledger import Sheet, Trend, trend


def _speedup_range(low: float, high: float) -> Trend:
    data = Data(np.logspace(3, 6, 4), np.array([[20], [200], [2000]]))
    speedups = advantage(data, EPYC_9654, SCALAR_SHARE, FUSED)
    return Trend(
        bool(low <= speedups.min() and speedups.max() <= high),
        f"{speedups.min():.2g} to {speedups.max():.0f} times for 1e3 to 1e6 samples of 20 to 2,000 "
        f"features on {EPYC_9654.name}, smallest where synchronisation dominates",
    )


def _many_core_against_gpu() -> Trend:
    data = Data(1e6, 1000)
    ratio = float(smo_step_time(data, EPYC_9654) / smo_step_time(data, H100))
    return Trend(
        ratio < 2, f"{H100.name} is {ratio:.1f} times as fast as {EPYC_9654.name} in the model"
    )


_ELSEWHERE = (
    "We have neither the paper's data sets nor sourced figures of its machines. We compute our "
    "range for another machine, and compare it with one lane of one core instead of LIBSVM. The "
    "range shows the size of the effect and can't confirm it."
)
SHEET = Sheet(
    'You et al., "Scaling support vector machines on modern high performance computing platforms", '
    "J. Parallel Distrib. Comput. 76, 2015, pp. 16-31, doi:10.1016/j.jpdc.2014.09.005",
    [
        trend(
            "speedup over LIBSVM on Xeon Phi",
            "4.4 to 84 times, for several data sets",
            "abstract",
            partial(_speedup_range, 4.4, 84),
            miss=_ELSEWHERE,
        ),
        trend(
            "speedup over LIBSVM on Ivy Bridge",
            "18 to 47 times, for several data sets",
            "abstract",
            partial(_speedup_range, 18, 47),
            miss=_ELSEWHERE,
        ),
        trend(
            "many-core against GPU",
            "MIC-SVM is competitive with GPUSVM on a K20X",
            "abstract",
            _many_core_against_gpu,
            miss="We have no sourced figures of the Xeon Phi and the K20X. In the model, memory "
            "bandwidth decides, and a GPU of 2022 has several times the bandwidth of a processor.",
        ),
    ],
    unheld="We don't compare the speedups of single data sets, because we have neither the data "
    "sets nor the paper's tables and selection thresholds. Tests compare our trainer with an "
    "independent program, and the counts of the cost model with arithmetic by hand.",
)
