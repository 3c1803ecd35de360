"""Tasks: bytes with servers, rows of a sum, and the best number of parts."""

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
        "pushes only: A machine receives twice. As a server it gets the others' pushes, as a "
        "worker it gets its pulls.",
        lambda machines, size, share: 2 * share * size,
        "its own part counted: One part of the table is on the machine itself. Those rows don't "
        "travel.",
        lambda machines, size, share: share * size * (machines - 1),
        "one server for all: That is the load of a single server. Here each machine serves one "
        "part.",
        lambda machines, size, share: 2 * size * (machines - 1) / machines,
        "all rows: Only the touched rows travel.",
    ),
    hint="A machine touches `share * size` bytes of rows, and (N - 1)/N of them are on other "
    "machines. They go there and come back changed. A machine receives as much as it sends.",
    right="It hardly grows with the machines. Each machine serves more workers, but a smaller "
    "part.",
    unit="bytes",
)

touched_by_any = Task(
    "Rows that anybody touches",
    reference=lambda share, machines: 1 - (1 - share) ** machines,
    cases=[(0.01, 100), (0.2, 3), (0.5, 2)],
    mistakes=mistakes(
        lambda share, machines: share * machines,
        "added up: Two machines can touch the same row. The fraction can't exceed 1.",
        lambda share, machines: share**machines,
        "by all: That is the fraction that every machine touches.",
        lambda share, machines: (1 - share) ** machines,
        "by none: That is the fraction that no machine touches.",
    ),
    hint="A row stays untouched if no machine touches it. The machines are independent.",
    right="A hundred machines that touch 1 % each touch 63 % of the table together.",
)

best_parts = Task(
    "The best number of parts",
    reference=lambda spread, each: math.sqrt(spread / each),
    cases=[(1.6, 0.001), (0.9, 0.1), (2.0, 0.5)],
    mistakes=mistakes(
        lambda spread, each: spread / each,
        "no root: At this n, b/n equals a, not a n. Set the derivative to zero.",
        lambda spread, each: math.sqrt(each / spread),
        "upside down: More shared work must give more parts.",
        lambda spread, each: math.sqrt(spread / (2 * each)),
        "half: The derivative of b/n is -b/n^2, and of a n it is a. There is no factor of 2.",
    ),
    hint="Set the derivative of b/n + a(n - 1) + c to zero.",
    right="The result doesn't contain c, because no cut changes c.",
)
