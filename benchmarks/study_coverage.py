"""How often the intervals of `perfcourse study` hold the truth, in simulated classes.

`.venv/bin/python benchmarks/study_coverage.py` draws 400 classes of each kind, whose true fall of
the log error is integrated beside, and counts both intervals of 95 %. All classes are SIMULATED.
The bar is 93 to 97 %; with 400 classes an exact interval is within it 19 times in 20.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from perfcourse.study.findings import findings
from perfcourse.study.simulation import Course, simulated, true_fall

CLASSES = 400
KINDS = {
    "12 students": {"students": 12},
    "20 students": {"students": 20},
    "40 students": {"students": 40},
    "40 students, no effect": {"students": 40, "effect": 0.0},
    "40 students, 30 % drop out": {"students": 40, "dropout": 0.3},
    "40 and 40 in a comparison": {"students": 40, "comparison": True, "other": 0.1},
}
BAR = (0.93, 0.97)


def covered(settings: dict[str, float]) -> tuple[float, float]:
    """Return the share of classes whose t and bootstrap intervals hold the truth."""
    held = [0, 0]
    for seed in range(CLASSES):
        course = Course(seed=seed, **settings)
        truth = true_fall(course.effect) - course.comparison * true_fall(course.other)
        line = findings(simulated(course), seed=seed + 10**6).line(0)
        for place, (low, high) in enumerate((line.effect.interval, line.effect.bootstrap)):
            held[place] += low <= truth <= high
    return held[0] / CLASSES, held[1] / CLASSES


def main() -> None:
    """Print the table."""
    table = Table("SIMULATED class", "by t", "by bootstrap", "within 93 to 97 %")
    for name, settings in KINDS.items():
        shares = covered(settings)
        good = all(BAR[0] <= share <= BAR[1] for share in shares)
        table.add_row(name, *(f"{100 * share:.1f} %" for share in shares), "yes" if good else "NO")
    Console().print(table)


if __name__ == "__main__":
    main()
