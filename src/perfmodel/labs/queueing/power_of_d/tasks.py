"""What the reader does: how rare a second job becomes, and how large a herd is."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

two_or_more = Task(
    "The share of servers with two jobs or more",
    reference=lambda load, looks: load ** (looks + 1),
    cases=[(0.9, 2), (0.5, 3), (0.8, 1)],
    mistakes=[
        Mistake(
            "at random",
            lambda load, looks: load**2,
            "You computed the fraction for random choice. With more looks a second job is rarer.",
        ),
        Mistake(
            "looks alone",
            lambda load, looks: load**looks,
            "You computed the probability that all servers looked at are busy. Jobs arrive at "
            "`load` for each server, so multiply by it once more.",
        ),
        Mistake(
            "doubled",
            lambda load, looks: load ** (2 * looks),
            "Set arrivals equal to departures: the fraction with two or more is `load` times the "
            "probability that all servers looked at have a job.",
        ),
        Mistake(
            "complement",
            lambda load, looks: 1 - load ** (looks + 1),
            "You computed the fraction with fewer than two jobs.",
        ),
    ],
    hint="Use equation (2) with i = 2. A job makes a second job at a server if all servers that it "
    "looks at are busy. The fraction of busy servers is `load`.",
    right="With two looks the exponents are 1, 3, 7, 15. They more than double at each step, so "
    "long queues nearly vanish.",
)

herd = Task(
    "What comes to a server that the board shows empty",
    reference=lambda load, empty: load / empty,
    cases=[(0.9, 0.1), (0.6, 0.4)],
    mistakes=[
        Mistake(
            "everybody's share",
            lambda load, empty: load,
            "You computed the mean over all servers. Now all jobs go to the few that look empty.",
        ),
        Mistake(
            "the wrong way",
            lambda load, empty: load * empty,
            "If fewer servers look empty, each of them gets more jobs. Divide.",
        ),
        Mistake(
            "load left out",
            lambda load, empty: 1 / empty,
            "You assumed full load. In a service time `load` jobs arrive for each server.",
        ),
    ],
    hint="With n servers, n times `load` jobs arrive in a service time. All of them go to n times "
    "`empty` servers.",
    right="At 90 % load and 10 % empty servers, each of these gets nine jobs in the time in which "
    "it serves one, until the next update of the board.",
    unit="jobs per service time",
)
