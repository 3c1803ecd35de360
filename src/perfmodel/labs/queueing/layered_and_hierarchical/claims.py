"""Results of Carleton University's layered queueing solver, compared with our solutions."""

from __future__ import annotations

from perfmodel.ledger import Sheet, recomputed
from perfmodel.queueing import ServerLayer, exact_layers, solve_layers

_FILE = "models/regression/{}-results/20-multiserver.lqxo"
_SERVER = [ServerLayer("server", service_time=1.0, threads=2, processors=2)]
"""Two threads, and as many processors as one likes; four clients who think for 1 s."""


def _solved() -> float:
    return float(solve_layers(_SERVER, 4, think_time=1.0).throughput)


def _exact() -> float:
    return float(exact_layers(_SERVER, 4, think_time=1.0).throughput)


SHEET = Sheet(
    "G. Franks et al., the solvers lqns and lqsim, regression results "
    "(https://github.com/layeredqueuing/V5, commit 39b43bc)",
    [
        recomputed(
            "four clients, two threads: by decomposition", "1.7 1/s", _FILE.format("lqns"), _solved
        ),
        recomputed(
            "four clients, two threads: by chain, against their simulation",
            "1.699 1/s",
            _FILE.format("sim"),
            _exact,
            standard_error=0.00134,
        ),
    ],
    unheld="Most models there have second phases, several entries or shared processors, which "
    "this course's layers don't have. The standard error is the printed 95 % interval divided by "
    "the t of 2 degrees of freedom, which agrees with the printed 99 % interval. We could not read "
    "the Method of Layers itself (Rolia and Sevcik, 1995).",
)
