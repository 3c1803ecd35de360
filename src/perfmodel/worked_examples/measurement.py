"""Worked examples of the chapter on measurement."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.measurement import lines_in_flight
from perfmodel.roofline import stream_kernel


def bytes_moved(millions: float, milliseconds: float) -> Problem:
    """Return the bandwidth of a triad from the time that it takes."""
    kernel = stream_kernel("triad", round(1e6 * millions))
    traffic = kernel.bytes / 1e6
    read_once = stream_kernel("triad", round(1e6 * millions), write_allocate=False).bytes / 1e6
    return Problem(
        f"A loop a[i] = b[i] + s × c[i] runs over {millions:g} million numbers of 8 bytes in "
        f"{milliseconds:g} ms. Each line that it writes is first fetched. How many GB/s does the "
        "loop move?",
        [
            SolutionLine(
                "Arrays through memory: r read; w fetched, then written, r + 2w", "2 + 2 × 1", 4
            ),
            SolutionLine(
                "Bytes Q = 8 (r + 2w) N",
                f"8 bytes × 4 × {millions:g} million",
                traffic,
                "MB",
                {
                    "You left out that a written line is fetched first: w counts twice.": read_once,
                    "You counted one array. The loop reads two and writes one.": traffic / 4,
                },
            ),
            SolutionLine(
                "Bandwidth Q / T",
                f"{traffic:g} MB / {milliseconds:g} ms",
                traffic / milliseconds,
                "GB/s",
                {
                    "You left out that a written line is fetched first: w counts twice.": (
                        read_once / milliseconds
                    ),
                    "You counted one array. The loop reads two and writes one.": (
                        traffic / 4 / milliseconds
                    ),
                },
            ),
        ],
    )


BYTES_MOVED = WorkedExample(
    "measurement-bytes-moved",
    bytes_moved,
    1,
    {"millions": 10, "milliseconds": 20},
    {"millions": 50, "milliseconds": 64},
    {"millions": 30, "milliseconds": 80},
)


def in_flight(bandwidth: float, latency: float) -> Problem:
    """Return how many lines must be on their way for a bandwidth in GB/s and a latency in ns."""
    lines = float(lines_in_flight(1e9 * bandwidth, 1e-9 * latency))
    return Problem(
        f"A core loads {bandwidth:g} GB/s from memory. A load takes {latency:g} ns, and a cache "
        "line has 64 bytes. How many lines are on their way at once?",
        [
            SolutionLine(
                "Bytes on their way B t",
                f"{bandwidth:g} GB/s × {latency:g} ns",
                bandwidth * latency,
                "bytes",
                {
                    "You divided by the latency. Little's law multiplies: rate times time.": (
                        bandwidth / latency
                    ),
                    "The units: 1 GB/s × 1 ns is one byte.": 1e3 * bandwidth * latency,
                },
            ),
            SolutionLine(
                "Lines q = B t / ℓ",
                f"{bandwidth * latency:g} bytes / 64 bytes",
                lines,
                "",
                {
                    "These are numbers of 8 bytes. A line holds eight of them.": 8 * lines,
                    "These are bytes. Divide by the 64 bytes of a line.": 64 * lines,
                },
            ),
        ],
    )


IN_FLIGHT = WorkedExample(
    "measurement-in-flight",
    in_flight,
    0,
    {"bandwidth": 8, "latency": 80},
    {"bandwidth": 12, "latency": 100},
    {"bandwidth": 16, "latency": 120},
)
