"""What if another run had been the fourth that constants are fitted to? How much that decides.

Chat on three sizes of the server stays; each of the other runs takes the place of writing on eight
GPUs. All the fits take a minute, so that what came out is kept with the package; tests repeat a
part. ``python -m perfmodel.labs.serving.apex.fourth_run`` makes it again.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perfmodel.labs.serving.apex.measured_runs import ServerRun, runs, server_run
from perfmodel.labs.serving.apex.replay import FITTED_TO, fitted, relative


class Fourth(NamedTuple):
    """A fourth run, the constants fitted with it, and the errors on the 13 runs held out."""

    run: ServerRun
    share: float
    iteration: float
    sequence: float
    mean: float
    """Of relative errors' sizes."""
    worst: float


def candidates() -> tuple[ServerRun, ...]:
    """Return the runs that may be the fourth: of servers that shared a trace the first.

    >>> len(candidates())
    14
    """
    chat = [server_run(*key) for key in FITTED_TO[:3]]
    return tuple(run for run in runs() if run.replica == 0 and run not in chat)


def with_fourth(run: ServerRun) -> Fourth:
    """Fit the constants to chat on three sizes and to `run`, and predict all others.

    In four steps: where the runs ask for a sequence that costs nothing or less, it has fallen to a
    fiftieth of where it started.
    """
    constants = fitted((*(server_run(*key) for key in FITTED_TO[:3]), run), 4)
    errors = np.abs(relative(tuple(other for other in candidates() if other != run), constants))
    return Fourth(run, *constants[:3], float(errors.mean()), float(errors.max()))


@cache
def recorded() -> tuple[Fourth, ...]:
    """Return the fits with each fourth run as they were recorded.

    >>> min(recorded(), key=lambda fourth: fourth.worst).worst < 0.06
    True
    """
    with (resources.files(__package__) / "fourths.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    return tuple(
        Fourth(server_run(trace, int(tensor), int(replicas)), *map(float, numbers))
        for trace, tensor, replicas, *numbers in rows
    )


def main() -> None:
    """Fit with each fourth run, and record what comes out with the package."""
    with Path(__file__).with_name("fourths.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["trace", "tensor", "replicas", *Fourth._fields[1:]])
        for run, *numbers in map(with_fourth, candidates()):
            key = (run.trace, run.tensor, run.replicas)
            writer.writerow([*key, *(f"{value:.4g}" for value in numbers)])


if __name__ == "__main__":
    main()
