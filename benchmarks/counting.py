"""Hold the counter of bytecodes to its bar: one count in 20 runs, by hand too, at what price.

Run `.venv/bin/python benchmarks/counting.py`, or the same under Python 3.12 or 3.13 with the
package on its path. Each of five functions is counted 20 times in this process and once in each of
20 fresh ones, every one with another seed of its hashes, and compared with the count by hand of
`tests/benchmarking/counting/hand.py`. Then a recursion is timed bare and counted, in turns. Exits
with 1 where two counts differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from perfmodel.benchmarking.counting.bytecodes import count_bytecodes  # noqa: E402
from perfmodel.measurement.statistics.intervals import geometric_mean_interval  # noqa: E402
from tests.benchmarking.counting.hand import HANDS  # noqa: E402

RUNS = 20
ROUNDS = 15


def main() -> int:
    """Print one line a function and one on the price, and return 1 where two counts differ."""
    if sys.argv[1:] == ["once"]:
        print(*counts())
        return 0
    here = [counts() for _ in range(RUNS)]
    fresh = [elsewhere(seed) for seed in range(1, RUNS + 1)]
    good = True
    print(f"Python {sys.version.split()[0]}")
    for place, hand in enumerate(HANDS):
        inside, outside = ({run[place] for run in runs} for runs in (here, fresh))
        by_hand = hand.count()
        good &= inside == outside == {by_hand}
        name = f"{hand.function.__name__}{hand.args}"
        print(f"{name}: {inside} in {RUNS} runs, {outside} in {RUNS} processes, {by_hand} by hand")
    middle, low, high = overhead()
    print(f"counted over bare: {middle:.0f} times, 95 % interval {low:.0f} to {high:.0f}")
    return 0 if good else 1


def counts() -> list[int]:
    """Return the count of each function."""
    return [count_bytecodes(hand.function, *hand.args) for hand in HANDS]


def elsewhere(seed: int) -> list[int]:
    """Return the counts of a fresh process whose hashes have this seed."""
    settings = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, __file__, "once"]
    done = subprocess.run(command, env=settings, check=True, capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def overhead() -> tuple[float, float, float]:
    """Return the geometric mean of the time counted over the time bare, and its interval."""
    ratios = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        fibonacci(16)
        bare = time.thread_time()
        count_bytecodes(fibonacci, 16)
        ratios.append((time.thread_time() - bare) / (bare - start))
    return geometric_mean_interval(ratios)


def fibonacci(n: int) -> int:
    """Return the number by the recursion, which is all bytecode."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


if __name__ == "__main__":
    sys.exit(main())
