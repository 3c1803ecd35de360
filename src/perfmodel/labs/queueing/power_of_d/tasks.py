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
            "That is the share when jobs are sent at random. With more looks a second job is "
            "rarer.",
        ),
        Mistake(
            "looks alone",
            lambda load, looks: load**looks,
            "That is the chance that all servers looked at are busy. Jobs come at `load` for each "
            "server, so multiply by it once more.",
        ),
        Mistake(
            "doubled",
            lambda load, looks: load ** (2 * looks),
            "Set what comes equal to what leaves: `load` times the chance that all servers looked "
            "at have a job is the share with two or more.",
        ),
        Mistake(
            "complement",
            lambda load, looks: 1 - load ** (looks + 1),
            "That is the share with fewer than two.",
        ),
    ],
    hint="A job raises a server to two if all that it looks at are busy: equation (2) at rest, "
    "summed over i from 2 on. The share of busy servers is `load`.",
    right="With two looks the exponents are 1, 3, 7, 15: each step squares the last and more. That "
    "is why long queues all but vanish.",
)

herd = Task(
    "What comes to a server that the board shows empty",
    reference=lambda load, empty: load / empty,
    cases=[(0.9, 0.1), (0.6, 0.4)],
    mistakes=[
        Mistake(
            "everybody's share",
            lambda load, empty: load,
            "That comes to each server on average. Now all jobs go to the few that look empty.",
        ),
        Mistake(
            "the wrong way",
            lambda load, empty: load * empty,
            "The fewer look empty, the more each of them gets: divide.",
        ),
        Mistake(
            "load left out",
            lambda load, empty: 1 / empty,
            "That would be full load. Each server's share of the jobs is `load`.",
        ),
    ],
    hint="For n servers n times `load` jobs come in a service time, and all of them go to n times "
    "`empty` servers.",
    right="At 90 % load and a tenth of empty servers each gets nine jobs in the time in which it "
    "does one, until somebody updates the board.",
    unit="jobs per service time",
)
