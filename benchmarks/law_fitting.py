"""4,000 bootstrap refits of the two-variable law on 240 points, beside SciPy's L-BFGS-B.

`.venv/bin/python benchmarks/law_fitting.py`. The points are made from the law with 1 % of noise.
Both sides refit the same resamples from the same start, the optimum of all points; SciPy a part of
them, once with the slopes it finds by differences and once with ours. Turns alternate; times are
seconds of processor time for one refit, best of all rounds. SciPy is given tolerances with which it
stops no earlier than we do, and the objectives are compared one by one.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize

from perfmodel.forecasting import TWO_VARIABLE_LAW, LawFit, fit_law
from perfmodel.forecasting.descent import descend
from perfmodel.validation import Floats

THETA = {"E": 1.82, "A": 480.0, "B": 2100.0, "alpha": 0.348, "beta": 0.366}
POINTS, REFITS, PEERS, ROUNDS = 240, 4000, 40, 3
LEAST_RATIO, MOST_SECONDS = 10.0, 60.0


def main() -> int:
    """Print one table and return 1 if a bar is missed."""
    rng = np.random.default_rng(0)
    runs = tuple(np.exp(rng.uniform(*np.log(ends), POINTS)) for ends in ((5e7, 1e10), (3e8, 3e11)))
    y = TWO_VARIABLE_LAW.value(THETA, *runs) * np.exp(rng.normal(0, 0.01, POINTS))
    fit = fit_law(TWO_VARIABLE_LAW, runs, y)
    draws = rng.multinomial(POINTS, np.full(POINTS, 1 / POINTS), size=REFITS).astype(float)
    best = {"ours": np.inf, "differences": np.inf, "our slopes": np.inf}
    for _ in range(ROUNDS):
        began = time.process_time()
        _, objectives, converged = descend(fit.problem, np.repeat(fit.u[None], REFITS, 0), draws)
        best["ours"] = min(best["ours"], (time.process_time() - began) / REFITS)
        for name in ("differences", "our slopes"):
            began = time.process_time()
            theirs = np.array([scipy_refit(fit, w, name == "our slopes") for w in draws[:PEERS]])
            best[name] = min(best[name], (time.process_time() - began) / PEERS)
            worst = float((objectives[:PEERS] / theirs - 1).max())
            if worst > 1e-4:
                sys.exit(f"SciPy with {name} found a lower objective, by {worst:.1e} of it")
    table = Table("who", "ms a refit", "times ours", f"{REFITS:,} refits, s")
    for name, seconds in best.items():
        shown = (f"{1e3 * seconds:.2f}", f"{seconds / best['ours']:.0f}", f"{REFITS * seconds:.1f}")
        table.add_row(name if name == "ours" else f"L-BFGS-B, {name}", *shown)
    Console(width=100).print(table)
    print(
        f"{converged.mean():.2%} of our refits came to their end; no objective of SciPy's is lower"
    )
    ratio = min(best["differences"], best["our slopes"]) / best["ours"]
    print(f"bars: {LEAST_RATIO:g} times as fast as either, {REFITS:,} in {MOST_SECONDS:g} s")
    return int(ratio < LEAST_RATIO or REFITS * best["ours"] > MOST_SECONDS)


def scipy_refit(fit: LawFit, weights: Floats, slopes: bool) -> float:
    """Return the objective that SciPy reaches for one resample."""
    problem = fit.problem

    def objective(u: Floats) -> float:
        return float((weights * problem.loss(problem.residuals(u, problem.y)[0])).sum())

    def with_slopes(u: Floats) -> tuple[float, Floats]:
        residuals, jacobian = problem.residuals(u, problem.y)
        pull = weights * np.clip(residuals, -problem.delta, problem.delta)
        return float((weights * problem.loss(residuals)).sum()), pull @ jacobian

    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-14, "gtol": 1e-9}
    found = minimize(
        with_slopes if slopes else objective, fit.u, jac=slopes, method="L-BFGS-B", options=options
    )
    return float(found.fun)


if __name__ == "__main__":
    sys.exit(main())
