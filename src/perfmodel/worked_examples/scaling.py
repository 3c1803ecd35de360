"""Worked examples of the chapter on scaling."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.scaling import amdahl_limit, amdahl_speedup, usl_peak


def fixed_work(seconds: float, serial: float, processors: int) -> Problem:
    """Return how long a job takes on several processors, by Amdahl's law."""
    whole = float(seconds / amdahl_speedup(serial, processors))
    alone, divided = serial * seconds, (1 - serial) * seconds / processors
    return Problem(
        f"A job takes {seconds:g} s on one processor, and {100 * serial:g} % of this time is "
        f"serial. The rest divides evenly. How many seconds does it take on {processors} "
        "processors?",
        [
            SolutionLine("Serial time s T(1)", f"{serial:g} × {seconds:g} s", alone, "s"),
            SolutionLine(
                "Parallel time (1 − s) T(1) / p",
                f"{1 - serial:g} × {seconds:g} s / {processors}",
                divided,
                "s",
                {
                    "You divided the whole time. Only the parallel part divides.": (
                        seconds / processors
                    ),
                    "That is the parallel time on one processor. Divide it by p.": (
                        (1 - serial) * seconds
                    ),
                },
            ),
            SolutionLine(
                "Time T(p), the sum",
                f"{alone:g} s + {divided:g} s",
                whole,
                "s",
                {
                    "You divided the whole time. The serial part stays as it is.": (
                        seconds / processors
                    ),
                    "That is the parallel part alone. Add the serial time.": divided,
                    "That is the serial part alone: the limit for very many processors.": (
                        float(seconds / amdahl_limit(serial))
                    ),
                },
            ),
        ],
    )


FIXED_WORK = WorkedExample(
    "scaling-fixed-work",
    fixed_work,
    1,
    {"seconds": 100, "serial": 0.1, "processors": 9},
    {"seconds": 60, "serial": 0.2, "processors": 8},
    {"seconds": 200, "serial": 0.05, "processors": 10},
)


def peak_users(contention: float, coherency: float) -> Problem:
    """Return the highest throughput by the Universal Scalability Law, in those of one user."""
    peak = usl_peak(contention, coherency)
    users, most = float(peak.load), float(peak.throughput)
    ratio = (1 - contention) / coherency
    return Problem(
        f"A service has contention σ = {contention:g} and coherency κ = {coherency:g}. How many "
        "times the throughput of one user does it reach at its peak?",
        [
            SolutionLine("(1 − σ) / κ", f"{1 - contention:g} / {coherency:g}", ratio),
            SolutionLine(
                "Users at the peak N* = √((1 − σ) / κ)",
                f"√{ratio:.4g}",
                users,
                "",
                {
                    "Take the square root: coherency costs with the square of the users.": ratio,
                    "That is 1/σ: the limit of the throughput without any coherency.": 1
                    / contention,
                },
            ),
            SolutionLine(
                "X / λ = N / (1 + σ (N − 1) + κ N (N − 1)) at N*",
                f"{users:.4g} / (1 + {contention:g} × {users - 1:.4g} + {coherency:g} × "
                f"{users:.4g} × {users - 1:.4g})",
                most,
                "",
                {
                    "That is the number of users. They don't each reach the rate of one.": users,
                    "You left out the pairs, κ N (N − 1).": (
                        users / (1 + contention * (users - 1))
                    ),
                },
            ),
        ],
    )


PEAK_USERS = WorkedExample(
    "scaling-peak-users",
    peak_users,
    1,
    {"contention": 0.04, "coherency": 0.0006},
    {"contention": 0.1, "coherency": 0.001},
    {"contention": 0.02, "coherency": 0.0002},
)
