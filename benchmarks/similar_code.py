"""How often the class report accuses people who worked alone, and how often it finds a copy.

Run `.venv/bin/python benchmarks/similar_code.py`; a minute or two. Classes are made of the answers
in `tests/perfcourse/gradebook/independent.py`, each with turns of phrase of its own; then somebody
copies, with other names, comments and order of lines. With habits, people who write one answer in
one way also write others so; 0 is none, at 1 there would be six sorts of people.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from perfcourse.gradebook.similarity import similar
from tests.perfcourse.gradebook.independent import alone, copied, prints_of

SIZES = (20, 40, 150)
HABITS = (0.0, 0.3, 0.6)
SHARES = (1.0, 0.75, 0.5)
"""Of the answers, what a copy takes on average."""


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, default=200, help="of each sort")
    count = parser.parse_args().classes
    print(f"{count} classes of each sort")
    for size in SIZES:
        for habit in HABITS:
            alarms = sum(
                bool(similar(prints_of(people(seed, size, habit)))) for seed in range(count)
            )
            print(f"{size:4} people, habits {habit:g}: a pair in {alarms} classes")
        for share in SHARES:
            listed = sum(is_listed(seed, size, share) for seed in range(count))
            print(f"{size:4} people and a copy of {share:.0%}: listed in {listed} classes")


def people(seed: int, size: int, habit: float = 0.0) -> dict[str, dict[str, str]]:
    """Return a class's answers, by name."""
    rng = np.random.default_rng(seed)
    return {f"student {number}": alone(rng, habit) for number in range(size)}


def is_listed(seed: int, size: int, share: float) -> bool:
    """Return whether the one who copied is listed with the one copied from."""
    everybody = people(seed, size)
    rng = np.random.default_rng([seed, size])
    everybody["copy"] = copied(everybody["student 7"], rng, share)
    wanted = {"copy", "student 7"}
    return any({pair.first, pair.second} == wanted for pair in similar(prints_of(everybody)))


if __name__ == "__main__":
    main()
