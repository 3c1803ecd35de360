"""The published averages, recomputed as arithmetic means of the factors in the authors' files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from perfmodel.benchmarking import arithmetic_mean
from perfmodel.labs.benchmarking.sysllmatic.suites import (
    KERNEL_METRICS,
    METRICS,
    application_factors,
    improved_fraction,
    kernel_factors,
)
from perfmodel.ledger import Claim, Sheet, re_aggregated
from perfmodel.validation import Floats


def _applications(advisor: bool, metric: str) -> float:
    return float(arithmetic_mean(application_factors(advisor)[:, METRICS.index(metric)]))


def _kernels(summary: Callable[[Floats], Floats], metric: str) -> float:
    return float(summary(kernel_factors().T[KERNEL_METRICS.index(metric)]))


def _rows(
    what: str, compute: Callable[[str], float], printed: Sequence[tuple[str, str]], where: str
) -> list[Claim]:
    return [
        re_aggregated(f"{what}: {metric}", number, where, partial(compute, metric))
        for metric, number in printed
    ]


_FILE = "eval/EQ1/dacapo/Dacapobench data.csv, Avg"
_SUMMARY = "eval/EQ1/scimark/optimization_summary.txt"
HEADLINE = _rows(
    "three applications, mean improvement",
    partial(_applications, True),
    [("latency", "1.85"), ("throughput", "2.24")],
    "arXiv v1, abstract",
)
WITH_ADVISOR = _rows(
    "three applications, mean improvement to all digits",
    partial(_applications, True),
    [
        ("energy", "1.456475795"),
        ("latency", "1.846477197"),
        ("CPU cycles", "0.8918792821"),
        ("memory", "1.105878029"),
        ("throughput", "2.243907805"),
    ],
    _FILE,
)
WITHOUT_ADVISOR = _rows(
    "three applications without the advisor, mean improvement",
    partial(_applications, False),
    [
        ("energy", "1.130135518"),
        ("latency", "1.116081415"),
        ("CPU cycles", "1.135254877"),
        ("memory", "0.5614906263"),
        ("throughput", "1.133636265"),
    ],
    _FILE,
)
KERNELS = _rows(
    "five kernels, better of two iterations by energy, mean improvement",
    partial(_kernels, arithmetic_mean),
    [
        ("energy", "1.505"),
        ("latency", "1.551"),
        ("CPU cycles", "1.516"),
        ("memory", "0.982"),
        ("MFLOP/s", "1.385"),
    ],
    _SUMMARY,
)
IMPROVED = _rows(
    "five kernels, share improved by 10 % or more",
    partial(_kernels, improved_fraction),
    [
        ("energy", "40.00 %"),
        ("latency", "40.00 %"),
        ("CPU cycles", "40.00 %"),
        ("memory", "0.00 %"),
        ("MFLOP/s", "40.00 %"),
    ],
    _SUMMARY,
)

SHEET = Sheet(
    "H. Peng, A. Gupte, R. Hasler, N. J. Eliopoulos, C.-C. Ho, R. Mantri, L. Deng, K. Läufer, "
    "G. K. Thiruvathukal, J. C. Davis, 'SysLLMatic: Large language models are software system "
    "optimizers', arXiv:2506.01249, 2025; result files of its repository, commit a358b176",
    [*HEADLINE, *WITH_ADVISOR, *WITHOUT_ADVISOR, *KERNELS, *IMPROVED],
    unheld="The means of the 164 C++ programs, because we may not distribute their results. The "
    "means of five applications in the paper's second version, because we don't have their "
    "measurements. We didn't run the tool, its language model or the Java programs.",
)
