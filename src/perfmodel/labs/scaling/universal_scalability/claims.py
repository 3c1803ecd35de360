"""Results of the R package usl for two systems, compared with our fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from perfmodel.labs.scaling.universal_scalability.inputs import RAY_TRACER, SERVER, Throughput
from perfmodel.ledger import Sheet, recomputed
from perfmodel.scaling.usl import UslFit, fit_usl, usl_peak
from perfmodel.validation import Floats


def _of(data: Throughput, read: Callable[[UslFit], float | Floats]) -> float:
    return float(read(fit_usl(*data)))


def _standard_error(index: int, fit: UslFit) -> float:
    return float(np.sqrt(fit.covariance[index, index]))


def _residual_error(fit: UslFit) -> float:
    return float(np.sqrt(fit.residuals @ fit.residuals / (fit.residuals.size - 3)))


def _fitted(users: float, fit: UslFit) -> float:
    return float(fit.predict(users).throughput)


def _end(name: str, end: int, fit: UslFit) -> float:
    return fit.intervals[name][end]


_SUMMARY, _CONFINT = "tests/summary.Rout.save", "tests/confint.Rout.save"
ESTIMATES = [
    recomputed(quantity, printed, _SUMMARY, partial(_of, SERVER, read))
    for quantity, printed, read in (
        ("server: contention", "2.773e-02", lambda fit: fit.contention),
        ("server: standard error of contention", "9.122e-03", partial(_standard_error, 1)),
        ("server: coherency", "1.044e-04", lambda fit: fit.coherency),
        ("server: standard error of coherency", "1.988e-05", partial(_standard_error, 2)),
        ("server: throughput of one user", "9.000e+01 scripts/h", lambda fit: fit.rate_one),
        (
            "server: standard error of one user's",
            "1.421e+01 scripts/h",
            partial(_standard_error, 0),
        ),
        ("server: residual standard error", "82.85 scripts/h", _residual_error),
    )
]
FITTED = [
    recomputed(
        f"server: fitted throughput at load {users:.0f}",
        f"{printed} scripts/h",
        "tests/fitted.Rout.save",
        partial(_of, SERVER, partial(_fitted, users)),
    )
    for users, printed in zip(SERVER.load, (90, 1078, 1541, 1850, 1879, 1822, 1646), strict=True)
]
PEAK = [
    recomputed(
        "server: load of the highest throughput",
        "97 users",
        "tests/peak-scalability.Rout.save",
        partial(_of, SERVER, lambda fit: fit.peak.load),
    ),
    recomputed(
        "server: throughput without coherency, however many users",
        "3245.589 scripts/h",
        "tests/limit-scalability.Rout.save",
        partial(_of, SERVER, lambda fit: usl_peak(fit.contention, 0, fit.rate_one).throughput),
    ),
]
_QUANTILE = (
    "Its half-width is 1.812 standard errors, Student's quantile for an interval of 90 % with 10 "
    "degrees of freedom. Ours is 2.306: for the 95 % that the package names, and for the 8 that 11 "
    "runs leave to 3 parameters."
)
RAY_TRACES = [
    recomputed(f"ray tracer: {quantity}", printed, _CONFINT, partial(_of, RAY_TRACER, read))
    for quantity, printed, read in (
        ("contention", "0.0578", lambda fit: fit.contention),
        ("coherency", "0.0000", lambda fit: fit.coherency),
        ("throughput of one processor", "21.8488 1/s", lambda fit: fit.rate_one),
    )
] + [
    recomputed(
        f"ray tracer: {('low', 'high')[end]} end of the interval of {quantity}",
        printed,
        _CONFINT,
        partial(_of, RAY_TRACER, partial(_end, name, end)),
        miss=_QUANTILE,
    )
    for quantity, name, end, printed in (
        ("contention", "contention", 0, "0.033677"),
        ("contention", "contention", 1, "0.081864"),
        ("one processor's throughput", "rate_one", 0, "17.868380 1/s"),
        ("one processor's throughput", "rate_one", 1, "25.829306 1/s"),
    )
]

SHEET = Sheet(
    "S. Möding, usl, R package, github.com/smoeding/usl, recorded outputs of its tests (commits "
    '0c22191b and c3aedbad); data of N. J. Gunther, "Guerrilla Capacity Planning", Springer, 2007',
    [*ESTIMATES, *FITTED, *PEAK, *RAY_TRACES],
    unheld="The package's intervals of the fitted curve: it gives every load the same half-width. "
    "The simulated system of this lab is our own.",
)
