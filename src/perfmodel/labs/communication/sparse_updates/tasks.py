"""What the reader does: bytes with servers, rows of a sum, and the best number of parts."""

from __future__ import annotations

import math

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

server_bytes = Task(
    "What a machine receives with parameter servers",
    reference=lambda machines, size, share: 2 * share * size * (machines - 1) / machines,
    cases=[(8, 800e6, 0.01), (2, 1e6, 0.5), (64, 1e9, 0.001)],
    mistakes=mistakes(
        lambda machines, size, share: share * size * (machines - 1) / machines,
        "pushes only: A machine receives twice: as a server what others push, as a worker what it "
        "pulls.",
        lambda machines, size, share: 2 * share * size,
        "its own part counted: One part of the table lives on the machine itself: those rows don't "
        "travel.",
        lambda machines, size, share: share * size * (machines - 1),
        "one server for all: That is what a single server would receive. Here each machine serves "
        "one part.",
        lambda machines, size, share: 2 * size * (machines - 1) / machines,
        "all rows: Only the touched rows travel.",
    ),
    hint="A machine touches share times size bytes of rows, of which (N - 1)/N live elsewhere. "
    "They go there, and come back changed. Who sends also receives.",
    right="It hardly grows with the machines. Each has more to serve, of smaller parts.",
    unit="bytes",
)

touched_by_any = Task(
    "Rows that anybody touches",
    reference=lambda share, machines: 1 - (1 - share) ** machines,
    cases=[(0.01, 100), (0.2, 3), (0.5, 2)],
    mistakes=mistakes(
        lambda share, machines: share * machines,
        "added up: Two machines may touch the same row. The share can't exceed 1.",
        lambda share, machines: share**machines,
        "by all: That is the share that every machine touches.",
        lambda share, machines: (1 - share) ** machines,
        "by none: That is the share that nobody touches.",
    ),
    hint="A row is untouched if each of the machines leaves it alone, independently.",
    right="A hundred machines that touch 1 % each touch nearly two thirds of the table together.",
)

best_parts = Task(
    "The best number of parts",
    reference=lambda spread, each: math.sqrt(spread / each),
    cases=[(1.6, 0.001), (0.9, 0.1), (2.0, 0.5)],
    mistakes=mistakes(
        lambda spread, each: spread / each,
        "no root: There b/n is as large as a, one part's cost, and not as all of a n.",
        lambda spread, each: math.sqrt(each / spread),
        "upside down: More work to share must give more parts.",
        lambda spread, each: math.sqrt(spread / (2 * each)),
        "half: The derivative of b/n is -b/n squared, that of a n is a: no factor of 2.",
    ),
    hint="Set the derivative of b/n + a(n - 1) + c to zero.",
    right="c isn't in it: what no cut changes can't say how to cut.",
)
