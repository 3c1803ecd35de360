"""The Universal Scalability Law: workers queue for one lock, and each pair exchanges messages."""

from __future__ import annotations

import math
from itertools import combinations

from perfmodel.live.drawing import Box, Circle, Fill, Line, Point, Scene, Shape, Text
from perfmodel.scaling import usl_peak, usl_throughput
from perfmodel.validation import non_negative, whole, within

_CENTRE = (180.0, 140.0)
_RADIUS = 108.0


def worker_messages(workers: int, contention: float = 0.05, coherency: float = 0.02) -> Scene:
    """Draw workers around one shared lock, a link for each pair that must agree.

    Parameters
    ----------
    workers : int
        1 to 16.
    contention, coherency : float
        sigma and kappa of `perfmodel.scaling.usl_throughput`.

    Examples
    --------
    >>> worker_messages(4).values["messages N (N - 1)"]
    12.0
    """
    count = whole("workers", workers, 1)
    sigma = float(within("contention", contention, 0, 1))
    kappa = float(non_negative("coherency", coherency))
    speedup = float(usl_throughput(count, 1.0, sigma, kappa))
    x, y = _CENTRE
    turns = [math.tau * i / count - math.pi / 2 for i in range(count)]
    places = [(x + _RADIUS * math.cos(t), y + _RADIUS * math.sin(t)) for t in turns]
    shapes: list[Shape] = [Line(_between(a, b, 9, 9), 1) for a, b in combinations(places, 2)]
    shapes += [Line(_between(place, _CENTRE, 9, 22), 2, "dashed") for place in places]
    shapes += [Circle(*place, 9, "", 1, "solid") for place in places]
    shapes += _lock_and_costs(count, sigma, kappa)
    best = usl_peak(sigma, kappa).load
    says = (
        f"With {count} worker{'s' * (count > 1)} the speedup is {speedup:.3g}, and there are "
        f"{count * (count - 1)} messages."
        + (f" Beyond {best:.0f} workers, a further one costs more than it brings." if kappa else "")
    )
    values = {"messages N (N - 1)": float(count * (count - 1)), "speedup": speedup}
    return Scene(376, shapes, says, values)


def _lock_and_costs(count: int, sigma: float, kappa: float) -> list[Shape]:
    """Return the lock, and one job's time as a bar: work, queueing for the lock, messages."""
    x, y = _CENTRE
    parts: dict[str, tuple[float, int, Fill]] = {
        "work": (1.0, 3, "light"),
        "lock": (sigma * (count - 1), 2, "hatch"),
        "messages": (kappa * count * (count - 1), 1, "solid"),
    }
    total = sum(part[0] for part in parts.values())
    shapes: list[Shape] = [Circle(x, y, 22, "", 2, "hatch")]
    shapes.append(Text("share of each worker's time", 16, 278, anchor="start"))
    left = 16.0
    for i, (name, (size, colour, fill)) in enumerate(parts.items()):
        wide = 328 * size / total
        shapes.append(Box(left, 292, wide, 24, "", colour, fill))
        left += wide
        shapes.append(Box(16 + 108 * i, 336, 18, 12, "", colour, fill))
        shapes.append(Text(name, 40 + 108 * i, 342, anchor="start"))
    return shapes


def _between(a: Point, b: Point, first: float, last: float) -> list[Point]:
    """Return the way from a to b without its first and last stretch, inside the circles."""
    (x, y), (far, low) = a, b
    long = math.dist(a, b)
    shares = first / long, 1 - last / long
    return [(x + share * (far - x), y + share * (low - y)) for share in shares]
