"""What is wrong with these samples? A diagnosis in labelled findings, each with what to do.

>>> import numpy as np
>>> samples = 1 + 0.01 * np.random.default_rng(1).standard_normal(100)
>>> print(drift(samples).label, drift(samples * np.linspace(1, 1.2, 100)).label)
ok problem
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.html import html_table
from perfmodel.measurement.load import Load
from perfmodel.measurement.statistics.trend import (
    effective_sample_size,
    theil_sen_slope,
    trend_p_value,
)
from perfmodel.measurement.timing import Measurement
from perfmodel.validation import Floats, positive, sample

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

Severity = Literal["ok", "notice", "problem", "unknown"]

P_LIMIT = 0.001
"""A test speaks up below this; five tests on clean samples then raise an alarm once in 200."""
BIC_LIMIT = 10.0
"""Difference of the Bayesian information criterion that is called very strong evidence."""
MIN_SAMPLES = 20
"""Samples below which a test says `unknown`."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for, what was seen, and what to do about it."""

    name: str
    label: Severity
    evidence: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.label} ({self.evidence})" + (
            f"; {self.advice}" if self.advice else ""
        )


@dataclass(frozen=True)
class Diagnosis:
    """All findings on a measurement."""

    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, name: str) -> Finding:
        return next(finding for finding in self.findings if finding.name == name)

    @property
    def clean(self) -> bool:
        """Whether no finding is a problem."""
        return all(finding.label != "problem" for finding in self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))

    def _repr_html_(self) -> str:
        rows = {
            finding.name: str(finding).removeprefix(f"{finding.name}: ")
            for finding in self.findings
        }
        return html_table("Diagnosis", rows)


def diagnose(measurement: Measurement) -> Diagnosis:
    """Return all findings on a `measurement`, with its samples in the order taken.

    These are drift, dependence, bimodality, outliers, clock, preemption, load, stolen time,
    frequency.
    """
    samples, load = measurement.samples, measurement.load
    sampled = (drift(samples), dependence(samples), bimodality(samples), outliers(samples))
    ticks = clock(measurement.median * measurement.inner, measurement.resolution)
    seconds = float(samples.sum()) * measurement.inner
    beside = () if load is None else other_load(load, seconds)
    return Diagnosis((*sampled, ticks, *beside))


def drift(samples: ArrayLike) -> Finding:
    """Look for a trend in the order of the samples (Mann-Kendall), of 1 % or more from end to end.

    Samples that resemble their neighbours, as of a machine that switches between two speeds, often
    show a trend where there is no drift. So the test counts them as no more than the independent
    samples that they are worth. It says `unknown` where a trend would be found only if all were
    independent. The finding has the Theil-Sen slope over the whole run.
    """
    times = positive("samples", sample("samples", samples, 2))
    if times.size < MIN_SAMPLES or np.ptp(times) == 0:
        return _too_few("drift", times)
    order = np.arange(times.size)
    trend = float(stats.kendalltau(order, times).statistic)
    slope = theil_sen_slope(times)
    worth = effective_sample_size(times, slope)
    change, p = float(slope * (times.size - 1) / np.median(times)), trend_p_value(trend, worth)
    evidence = f"{100 * change:+.1f} % from first to last, p = {p:.2g}"
    if worth < times.size / 2:
        evidence += f" as {worth:.0f} independent samples"
    if abs(change) < 0.01 or trend_p_value(trend, times.size) >= P_LIMIT:
        return Finding("drift", "ok", evidence)
    if p >= P_LIMIT:
        advice = "measure for longer: in a short run, slow changes to and fro look like a drift"
        return Finding("drift", "unknown", evidence, advice)
    advice = "warm up for longer, let the machine cool, and compare in blocks A B B A"
    return Finding("drift", "problem", evidence, advice)


def dependence(samples: ArrayLike) -> Finding:
    """Look for samples that resemble the one before (rank correlation at lag 1)."""
    times = sample("samples", samples, 2)
    if times.size < MIN_SAMPLES or np.ptp(times) == 0:
        return _too_few("dependence", times)
    correlation = stats.spearmanr(times[:-1], times[1:])
    rho, evidence = (
        float(correlation.statistic),
        f"rank correlation {float(correlation.statistic):.2f} at lag 1",
    )
    if correlation.pvalue >= P_LIMIT or rho < 0.2:
        return Finding("dependence", "ok", evidence)
    advice = "the interval is too narrow: repeat in fresh processes (child.across_processes)"
    return Finding("dependence", "problem", evidence, advice)


def bimodality(samples: ArrayLike) -> Finding:
    """Look for two kinds of run: two normal components of log time against one, by BIC.

    Two are reported if the evidence is very strong, the smaller holds a tenth of the samples, and
    the fitted density dips between them; a long tail alone does none of that.
    """
    # Loading it brings pandas along, which no other measurement needs.
    from sklearn.mixture import GaussianMixture

    logs = np.log(positive("samples", sample("samples", samples, 2)))
    low, high = np.quantile(logs, [0.25, 0.75])
    logs = logs[(logs >= low - 3 * (high - low)) & (logs <= high + 3 * (high - low))]
    if logs.size < MIN_SAMPLES or np.ptp(logs) == 0:
        return _too_few("bimodality", logs)
    scaled = ((logs - logs.mean()) / logs.std())[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (GaussianMixture(k, random_state=0, n_init=k).fit(scaled) for k in (1, 2))
    gain, fraction = float(one.bic(scaled) - two.bic(scaled)), float(two.weights_.min())
    gap = float(np.exp(abs(np.diff(two.means_[:, 0])[0]) * logs.std()) - 1)
    if gain < BIC_LIMIT or fraction < 0.1 or not _dips(two):
        return Finding("bimodality", "ok", f"BIC gains {gain:.0f} by a second mode")
    evidence = f"{100 * fraction:.0f} % of the samples in a second mode, {100 * gap:.0f} % apart"
    advice = "find what switches (frequency, core, memory placement) before quoting one number"
    return Finding("bimodality", "problem", evidence, advice)


def outliers(samples: ArrayLike) -> Finding:
    """Count samples beyond three interquartile ranges above the upper quartile."""
    times = sample("samples", samples, 2)
    low, high = np.quantile(times, [0.25, 0.75])
    fraction = float(np.mean(times > high + 3 * (high - low)))
    shift = float(times.mean() / np.median(times) - 1)
    evidence = f"{100 * fraction:.1f} % far above the rest; mean {100 * shift:+.1f} % from median"
    if fraction == 0:
        return Finding("outliers", "ok", evidence)
    label: Severity = "problem" if abs(shift) > 0.05 else "notice"
    return Finding("outliers", label, evidence, "quote the median, keep the samples, say how many")


def clock(sample_seconds: float, resolution: float) -> Finding:
    """Compare `sample_seconds` with the clock's `resolution`, what it can tell apart, in seconds.

    >>> clock(1e-3, 1e-7).label, clock(1e-6, 1e-7).label
    ('ok', 'problem')
    """
    ticks = float(positive("sample_seconds", sample_seconds) / positive("resolution", resolution))
    evidence = f"a sample lasts {ticks:.3g} ticks of the clock"
    if ticks >= 100:
        return Finding("clock", "ok", evidence)
    return Finding("clock", "problem", evidence, "put more calls into a sample, or allow more time")


def other_load(load: Load, seconds: float) -> tuple[Finding, ...]:
    """Judge the other `load` of the machine during a measurement of `seconds` seconds."""
    return (_preempted(load, seconds), _crowded(load), _stolen(load), _frequency(load))


def _preempted(load: Load, seconds: float) -> Finding:
    rate = load.preemptions / float(positive("seconds", seconds))
    evidence = f"taken off the core {rate:.3g} times a second"
    if rate <= 10:
        return Finding("preemption", "ok", evidence)
    advice = "close other programs, or pin the process to a core (child.run)"
    return Finding("preemption", "problem" if rate > 100 else "notice", evidence, advice)


def _crowded(load: Load) -> Finding:
    if load.average is None:
        return _hidden("load")
    evidence = f"load average {load.average:.2f} on {load.cores} cores"
    if load.average <= load.cores + 0.5:
        return Finding("load", "ok", evidence)
    return Finding(
        "load", "problem", evidence, "wait until the machine is idle, or trust ratios only"
    )


def _stolen(load: Load) -> Finding:
    if load.stolen is None:
        return _hidden("stolen time")
    evidence = f"{100 * load.stolen:.2g} % of the time went to other virtual machines"
    if load.stolen <= 0.01:
        return Finding("stolen time", "ok", evidence)
    return Finding(
        "stolen time", "problem", evidence, "repeat at another hour or on a machine alone"
    )


def _frequency(load: Load) -> Finding:
    if load.frequency_change is None:
        return _hidden("frequency")
    evidence = f"a core's frequency changed by {100 * load.frequency_change:.0f} %"
    if load.frequency_change <= 0.05:
        return Finding("frequency", "ok", evidence)
    return Finding(
        "frequency", "notice", evidence, "set the performance governor, or turn turbo off"
    )


def _too_few(name: str, values: Floats) -> Finding:
    evidence = f"{values.size} samples, or equal samples, are not enough to tell"
    return Finding(name, "unknown", evidence, f"take {MIN_SAMPLES} or more")


def _hidden(name: str) -> Finding:
    return Finding(name, "unknown", "this system does not show it")


def _dips(mixture: GaussianMixture) -> bool:
    first, second = np.sort(mixture.means_[:, 0])
    between = np.linspace(first, second, 101)[:, None]
    density = np.exp(mixture.score_samples(between))
    return bool(density.min() < 0.8 * min(density[0], density[-1]))
