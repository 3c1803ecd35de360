"""What the reader does: bytes with servers, rows of a sum, and the best number of parts."""

from __future__ import annotations

import math

from perfmodel.tasks import Mistake, Task

server_bytes = Task(
    "What a machine receives with parameter servers",
    reference=lambda machines, size, share: 2 * share * size * (machines - 1) / machines,
    cases=[(8, 800e6, 0.01), (2, 1e6, 0.5), (64, 1e9, 0.001)],
    mistakes=[
        Mistake(
            "pushes only",
            lambda machines, size, share: share * size * (machines - 1) / machines,
            "A machine receives twice: as a server what others push, as a worker what it pulls.",
        ),
        Mistake(
            "its own part counted",
            lambda machines, size, share: 2 * share * size,
            "One part of the table lives on the machine itself: those rows don't travel.",
        ),
        Mistake(
            "one server for all",
            lambda machines, size, share: share * size * (machines - 1),
            "That is what a single server would receive. Here each machine serves one part.",
        ),
        Mistake(
            "all rows",
            lambda machines, size, share: 2 * size * (machines - 1) / machines,
            "Only the touched rows travel.",
        ),
    ],
    hint="A machine touches share times size bytes of rows, of which (N - 1)/N live elsewhere. "
    "They go there, and come back changed. Who sends also receives.",
    right="It hardly grows with the machines. Each has more to serve, of smaller parts.",
    unit="bytes",
)

touched_by_any = Task(
    "Rows that anybody touches",
    reference=lambda share, machines: 1 - (1 - share) ** machines,
    cases=[(0.01, 100), (0.2, 3), (0.5, 2)],
    mistakes=[
        Mistake(
            "added up",
            lambda share, machines: share * machines,
            "Two machines may touch the same row. The share can't exceed 1.",
        ),
        Mistake(
            "by all",
            lambda share, machines: share**machines,
            "That is the share that every machine touches.",
        ),
        Mistake(
            "by none",
            lambda share, machines: (1 - share) ** machines,
            "That is the share that nobody touches.",
        ),
    ],
    hint="A row is untouched if each of the machines leaves it alone, independently.",
    right="A hundred machines that touch 1 % each touch nearly two thirds of the table together.",
)

best_parts = Task(
    "The best number of parts",
    reference=lambda spread, each: math.sqrt(spread / each),
    cases=[(1.6, 0.001), (0.9, 0.1), (2.0, 0.5)],
    mistakes=[
        Mistake(
            "no root",
            lambda spread, each: spread / each,
            "There b/n is as large as a, one part's cost, and not as all of a n.",
        ),
        Mistake(
            "upside down",
            lambda spread, each: math.sqrt(each / spread),
            "More work to share must give more parts.",
        ),
        Mistake(
            "half",
            lambda spread, each: math.sqrt(spread / (2 * each)),
            "The derivative of b/n is -b/n squared, that of a n is a: no factor of 2.",
        ),
    ],
    hint="Set the derivative of b/n + a(n - 1) + c to zero.",
    right="c isn't in it: what no cut changes can't say how to cut.",
)
