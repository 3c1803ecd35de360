"""The state of the event core: flat arrays by noun, for compiled code and plain Python.

A run's plan never changes; its jobs, queues, heaps, calendar, streams and record do. Every array is
one-dimensional: entry (i, j) of a table with n columns stands at i n + j. In compiled code the
fields are NumPy arrays, in plain Python lists, and the numbers that come out are the same.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.engine.fields import Ints, Reals
from perfmodel.engine.heap import Heap

RANDOM = -2
"""A hop that is drawn by its odds. As a hop, NONE leads out of the network."""

# Plan.order: which jobs are in service.
FIFO, RANKED, SHARED, LEVELS = 0, 1, 2, 3
# Plan.rank: who goes first at a RANKED station.
BY_SIZE, BY_REMAINING, BY_PRIORITY, BY_LATEST = 1, 2, 3, 4

# Plan.loop: which loop the run takes.
GENERAL, CHAIN, POOL, SHARING, RANKING, ROUTING = range(6)
AHEAD = (CHAIN, POOL)
"""The loops that look ahead, through a window."""
STRIDE = 256
"""Customers that a loop of its own takes at once, at most."""
# Window.at: how many customers it holds, and how many have come by now.
FILL, CAME = range(2)
# Fields of State.counter.
FREE, SPARE, SEQUENCE, DONE, PAUSE, DUE, ROW = range(7)
# Jobs.ends, in sum: what a job's next move does to its stay in the network.
ENDS, BEGINS, DROPS, CHOSE = 1, 2, 4, 8
# Columns of Record.tally, one row for each class at each node, then one for each class.
TALLY = 8
DEPARTED, RESPONSE, WORK, PRESENT, AREA, ARRIVED, LOST, HELD = range(TALLY)


class Plan(NamedTuple):
    """The network and the length of the run."""

    nodes: int
    classes: int
    depth: int
    """Columns of `speed`."""
    target: int
    """Jobs or cycles to see done."""
    every: int
    """Jobs or cycles between two rows of the trail."""
    trail_rows: int
    largest_batch: int
    """Columns of `stretch`."""
    loses: int
    """1 where a job from another station leaves a full one unserved, 0 where it blocks."""
    dispatches: int
    """1 where a dispatcher chooses among stations."""
    loop: int
    population: int
    """Jobs of a closed network; 0 in an open one."""
    columns: int
    """Columns of samples, of `column_size` each; one is to be emptied from `column_full` on."""
    column_size: int
    column_full: int
    slots: int
    """Jobs that there is room for."""
    order: Ints
    rank: Ints
    preempts: Ints
    limit: Ints
    """Most jobs in service at a node."""
    capacity: Ints
    varies: Ints
    """1 where the speed of a job in service depends on how many there are."""
    speed: Reals
    """(nodes, depth): total speed with n + 1 jobs present; the last also holds for more jobs."""
    hop: Ints
    """(classes, nodes + 1): the next node, NONE or RANDOM; the last column is the entry."""
    odds: Reals
    """(classes, nodes + 1, nodes): cumulated probabilities of the RANDOM hops."""
    priority: Ints
    closed: Ints
    think: Ints
    """The node where a closed class thinks, or NONE."""
    column: Ints
    """Where the response times of a row of the tally are sampled, or NONE."""
    fork: Ints
    """(nodes + 1,): where a node's branches begin in `branch`; equal to the next for none."""
    branch: Ints
    most: Ints
    """Jobs that a server takes at once, at most and at least."""
    least: Ints
    group: Ints
    """The group of stations with one dispatcher that a node is in, or NONE."""
    looks: Ints
    """(groups,): stations that are drawn and looked at, 0 for all."""
    member: Ints
    """The stations of all groups, group by group."""
    members: Ints
    """(groups + 1,): where each group begins in `member`."""
    stretch: Reals
    """(nodes, batch): service time of n + 1 jobs together, in units of the first one's."""


class Jobs(NamedTuple):
    """One slot for each job inside; `link` chains the free, the queued and the blocked."""

    kind: Ints
    node: Ints
    goal: Ints
    link: Ints
    parent: Ints
    pending: Ints
    ends: Ints
    """Sum of ENDS, BEGINS, DROPS and CHOSE."""
    sequence: Ints
    size: Reals
    remaining: Reals
    entered: Reals
    arrived: Reals


class Queues(NamedTuple):
    """The state of each node; `work` is the clock that jobs in service are worked off by."""

    present: Ints
    busy: Ints
    held: Ints
    waiting: Ints
    head: Ints
    tail: Ints
    blocked: Ints
    last_blocked: Ints
    work: Reals
    since: Reals
    rate: Reals


class Calendar(NamedTuple):
    """The next event of each source in a tree of winners."""

    leaves: int
    """Its number of leaves, a power of two."""
    time: Reals
    """(2 leaves,): of each node's winner, from the root at 1 to the leaves."""
    winner: Ints


class Streams(NamedTuple):
    """Random numbers drawn ahead: services by (node, class); arrivals, routes, choices by class."""

    pool: Reals
    at: Ints
    low: Ints
    """Where a refill is due."""


class Record(NamedTuple):
    """What is measured: sums, samples of response times, and the sums at regular moments."""

    tally: Reals
    sample: Reals
    filled: Ints
    trail: Reals


class Window(NamedTuple):
    """The customers that a loop of its own looks at, in the order in which they come."""

    row: Reals
    """(2 nodes + 2, slots): when they come, when they leave each node, their sizes at each. In a
    pool: when they come, and of those in service when they leave, came, and their sizes."""
    at: Ints
    """How many there are; how many have come by now. In a pool: the customer that is served next,
    here."""
    gone: Ints
    """(nodes + 1,): how many have left each node, and the row, by now. In a pool: how many have
    been served, in all."""


class State(NamedTuple):
    """All that changes during a run."""

    counter: Ints
    jobs: Jobs
    queues: Queues
    heaps: Heap
    """Two for each node, of the jobs in service and of those that wait by rank."""
    calendar: Calendar
    streams: Streams
    record: Record
    window: Window
