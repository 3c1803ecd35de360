"""Worked examples of the chapter on the roofline."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.roofline import EnergyMachine, attainable, kernel_energy, kernel_times


def attainable_rate(peak: float, bandwidth: float, read: int, operations: int) -> Problem:
    """Return the highest rate of a loop that reads some arrays and writes one, in GFLOP/s."""
    moved = 8 * (read + 2)
    intensity = operations / moved
    rate = float(attainable(intensity, peak, bandwidth))
    return Problem(
        f"A machine reaches {peak:g} GFLOP/s and {bandwidth:g} GB/s. A loop reads r = {read} "
        f"arrays of 8-byte numbers, writes w = 1, and does {operations} operations an element. "
        "Written lines are fetched first. What is the highest rate of the loop, in GFLOP/s?",
        [
            SolutionLine("Bytes an element 8 (r + 2w)", f"8 × ({read} + 2 × 1)", moved, "bytes"),
            SolutionLine(
                "Intensity I = W / Q",
                f"{operations} FLOP / {moved} bytes",
                intensity,
                "FLOP/byte",
                {
                    "A written line is fetched first: it counts twice.": (
                        operations / (8 * (read + 1))
                    ),
                    "That is bytes over operations. Intensity is operations over bytes.": (
                        moved / operations
                    ),
                    "You counted words. A number has 8 bytes.": operations / (read + 2),
                },
            ),
            SolutionLine(
                "Rate R = min(P, I B)",
                f"min({peak:g}, {intensity:.4g} × {bandwidth:g})",
                rate,
                "GFLOP/s",
                {
                    "That is the peak. The loop's intensity is left of the ridge point.": peak,
                    "A written line is fetched first: it counts twice.": (
                        operations / (8 * (read + 1)) * bandwidth
                    ),
                },
            ),
        ],
    )


ATTAINABLE_RATE = WorkedExample(
    "roofline-attainable-rate",
    attainable_rate,
    1,
    {"peak": 200, "bandwidth": 40, "read": 2, "operations": 2},
    {"peak": 500, "bandwidth": 80, "read": 3, "operations": 3},
    {"peak": 1000, "bandwidth": 120, "read": 4, "operations": 6},
)


def time_and_energy(work: float, traffic: float) -> Problem:
    """Return the energy of a kernel with work in GFLOP and traffic in GB on one chip."""
    chip = EnergyMachine(1e12, 1e11, 20e-12, 100e-12, 50)
    times = kernel_times(1e9 * work, 1e9 * traffic, chip.peak, chip.bandwidth)
    seconds = float(times.runtime())
    energy = float(kernel_energy(chip, 1e9 * work, 1e9 * traffic))
    parts = 0.02 * work, 0.1 * traffic, 50 * seconds
    return Problem(
        "A chip reaches 1,000 GFLOP/s and 100 GB/s. An operation costs 20 pJ, a byte 100 pJ, and "
        f"the chip draws 50 W in any case. A kernel does {work:g} GFLOP and moves {traffic:g} GB. "
        "How many joules does it take at least?",
        [
            SolutionLine(
                "Time T = max(W / P, Q / B)",
                f"max({work / 1000:g} s, {traffic / 100:g} s)",
                seconds,
                "s",
                {
                    "You added. On the roofline the two overlap, so take the longer.": (
                        work / 1000 + traffic / 100
                    ),
                    "That is the shorter of the two times.": min(work / 1000, traffic / 100),
                },
            ),
            SolutionLine(
                "Operations and bytes W εf + Q εb",
                f"{parts[0]:g} J + {parts[1]:g} J",
                sum(parts[:2]),
                "J",
            ),
            SolutionLine(
                "Energy E = W εf + Q εb + π₀ T",
                f"{sum(parts[:2]):g} J + 50 W × {seconds:g} s",
                energy,
                "J",
                {
                    "You left out the 50 W, which flow for the whole time.": sum(parts[:2]),
                    "You took the time of the operations. The bytes take longer.": (
                        sum(parts[:2]) + 50 * work / 1000
                    ),
                },
            ),
        ],
    )


TIME_AND_ENERGY = WorkedExample(
    "roofline-time-and-energy",
    time_and_energy,
    0,
    {"work": 100, "traffic": 40},
    {"work": 300, "traffic": 90},
    {"work": 200, "traffic": 80},
)
