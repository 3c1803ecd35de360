"""What the reader does: moves and balance equations from texts, each a little longer than before.

Moves are a dict from the next state to its rate. An absorbing state has an empty dict.
"""

from __future__ import annotations

from typing import Any

from perfmodel.tasks import Mistake, Task

Moves = dict[Any, float]


def _mirror(working: int, failure: float, repair: float) -> Moves:
    if working == 2:
        return {1: 2 * failure}
    if working == 1:
        return {2: repair, 0: failure}
    return {}


def _both_at_once(working: int, failure: float, repair: float) -> Moves:
    return {1: 2 * failure, 0: failure} if working == 2 else _mirror(working, failure, repair)


mirror = Task(
    "The mirrored store: where each state leads",
    reference=_mirror,
    cases=[(2, 1 / 30_000, 1.0), (1, 1 / 30_000, 1.0), (0, 1 / 30_000, 1.0), (1, 0.002, 0.25)],
    mistakes=[
        Mistake(
            "one disk",
            lambda n, f, r: {1: f} if n == 2 else _mirror(n, f, r),
            "With two working disks, either may fail. Add their rates.",
        ),
        Mistake(
            "replaced after the loss",
            lambda n, f, r: _mirror(n, f, r) or {1: r},
            "Without a working disk there is nothing to copy from. This state absorbs: return an "
            "empty dict.",
        ),
        Mistake(
            "both at once",
            _both_at_once,
            "Two independent disks never fail at the same instant. Losing both takes two moves, "
            "one after the other.",
        ),
        Mistake(
            "times",
            lambda n, f, r: {state: 1 / rate for state, rate in _mirror(n, f, r).items()},
            "You returned mean times. A move has a rate (1/h), and only rates add up.",
        ),
    ],
    hint="Write one case for each state. With 2 working disks: what can happen, and at which rate? "
    "With 1: two things can happen. With 0: no move leads back.",
    right="The state is one number, because it doesn't matter which disk has failed. Look for such "
    "symmetry in each new text: it makes chains small.",
    unit="1/h",
)


def _call_centre(callers: int, arrive: float, serve: float, give_up: float) -> Moves:
    moves: Moves = {}
    if callers < 4:
        moves[callers + 1] = arrive
    if callers > 0:
        moves[callers - 1] = min(callers, 2) * serve + max(callers - 2, 0) * give_up
    return moves


def _one_agent(callers: int, arrive: float, serve: float, give_up: float) -> Moves:
    moves = _call_centre(callers, arrive, serve, give_up)
    if callers:
        moves[callers - 1] = serve + max(callers - 2, 0) * give_up
    return moves


def _all_give_up(callers: int, arrive: float, serve: float, give_up: float) -> Moves:
    moves = _call_centre(callers, arrive, serve, give_up)
    if callers:
        moves[callers - 1] = min(callers, 2) * serve + callers * give_up
    return moves


def _one_gives_up(callers: int, arrive: float, serve: float, give_up: float) -> Moves:
    moves = _call_centre(callers, arrive, serve, give_up)
    if callers:
        moves[callers - 1] = min(callers, 2) * serve + (callers > 2) * give_up
    return moves


def _no_limit(callers: int, arrive: float, serve: float, give_up: float) -> Moves:
    return {**_call_centre(callers, arrive, serve, give_up), callers + 1: arrive}


call_centre = Task(
    "The help desk: where each state leads",
    reference=_call_centre,
    cases=[(n, 20.0, 12.0, 3.0) for n in range(5)] + [(3, 7.0, 5.0, 2.0)],
    mistakes=[
        Mistake(
            "one agent",
            _one_agent,
            "With two callers or more, both agents are busy, so two conversations can end.",
        ),
        Mistake(
            "talking callers hang up",
            _all_give_up,
            "Callers in a conversation don't hang up. Only callers beyond the first two wait.",
        ),
        Mistake(
            "one waits",
            _one_gives_up,
            "With four callers two of them wait, and each may hang up. Add their rates.",
        ),
        Mistake(
            "no limit",
            _no_limit,
            "With four callers on the line, a new caller hears the busy tone. The state doesn't "
            "change, so this is no move.",
        ),
    ],
    hint="When does the number grow by one, and at which rate? It falls by one for two reasons: "
    "`min(callers, 2)` conversations may end, and `max(callers - 2, 0)` callers may hang up. Add "
    "both rates.",
    right="All moves lead to neighbours, so this is a birth-death chain. A product of ratios of "
    "rates solves it.",
    unit="1/h",
)


def _balance(failure: float, repair: float, restore: float) -> list[list[float]]:
    return [
        [-2 * failure, repair, restore],
        [2 * failure, -(repair + failure), 0.0],
        [0.0, failure, -restore],
    ]


def _no_outflow(failure: float, repair: float, restore: float) -> list[list[float]]:
    rows = _balance(failure, repair, restore)
    return [[0.0 if i == j else rate for j, rate in enumerate(row)] for i, row in enumerate(rows)]


def _outflow_added(failure: float, repair: float, restore: float) -> list[list[float]]:
    rows = _balance(failure, repair, restore)
    return [[abs(rate) for rate in row] for row in rows]


def _half_outflow(failure: float, repair: float, restore: float) -> list[list[float]]:
    rows = _balance(failure, repair, restore)
    rows[1][1] = -repair
    return rows


balance = Task(
    "Three balance equations",
    reference=_balance,
    cases=[(0.002, 0.25, 0.01), (0.001, 1.0, 0.05)],
    mistakes=[
        Mistake(
            "transposed",
            lambda f, r, b: [list(column) for column in zip(*_balance(f, r, b), strict=True)],
            "Your rows have the moves out of each state. An equation is about one state: all moves "
            "into it, minus all moves out of it. Exchange rows and columns.",
        ),
        Mistake(
            "no outflow",
            _no_outflow,
            "You have the moves into each state. The moves out of it are missing, with a minus.",
        ),
        Mistake(
            "sign",
            _outflow_added,
            "Subtract the moves out of a state from the moves into it. The diagonal is negative.",
        ),
        Mistake(
            "one way out",
            _half_outflow,
            "Two moves lead out of the state with one disk, a repair and a failure. Count both.",
        ),
    ],
    hint="Rows and columns have the same order: two, one, no working disks. In the row of a state, "
    "put the rate of each move into it in the column of the state where it starts. Put minus the "
    "sum of the rates out of it in its own column.",
    right="Each column sums to zero, because a move out of one state leads into another. So one "
    "equation follows from the others. The sum of 1 replaces it.",
    unit="1/h",
)


def _two_stations(
    at_cpu: int, jobs: int, cpu_rate: float, disk_rate: float, finish: float
) -> Moves:
    moves: Moves = {}
    if at_cpu > 0:
        moves[at_cpu - 1] = cpu_rate * (1 - finish)
    if at_cpu < jobs:
        moves[at_cpu + 1] = disk_rate
    return moves


def _disk_serves_all(
    at_cpu: int, jobs: int, cpu_rate: float, disk_rate: float, finish: float
) -> Moves:
    moves = _two_stations(at_cpu, jobs, cpu_rate, disk_rate, finish)
    return {n: rate * (jobs - at_cpu) if n > at_cpu else rate for n, rate in moves.items()}


def _with_itself(at_cpu: int, jobs: int, cpu_rate: float, disk_rate: float, finish: float) -> Moves:
    moves = _two_stations(at_cpu, jobs, cpu_rate, disk_rate, finish)
    return {**moves, at_cpu: cpu_rate * finish} if at_cpu else moves


two_stations = Task(
    "Processor and disk: where each state leads",
    reference=_two_stations,
    cases=[(n, 3, 20.0, 25.0, 0.2) for n in range(4)],
    mistakes=[
        Mistake(
            "all go to the disk",
            lambda n, jobs, cpu, disk, finish: _two_stations(n, jobs, cpu, disk, 0.0),
            "Not every job goes to the disk. With the probability `finish` the job is complete, "
            "and a new job takes its place at the processor.",
        ),
        Mistake(
            "the wrong share",
            lambda n, jobs, cpu, disk, finish: _two_stations(n, jobs, cpu, disk, 1 - finish),
            "Complete jobs are replaced at once. The other fraction, 1 - `finish`, goes to the "
            "disk.",
        ),
        Mistake(
            "the disk serves all",
            _disk_serves_all,
            "There is one disk, and it serves one job at a time.",
        ),
        Mistake(
            "a move to itself",
            _with_itself,
            "A complete job is replaced, so the number at the processor stays the same. This is no "
            "move. Leave it out.",
        ),
    ],
    hint="`jobs - at_cpu` jobs are at the disk. If a job is at the processor, service ends at "
    "`cpu_rate`, and a fraction of these jobs goes to the disk. If a job is at the disk, one "
    "returns at `disk_rate`.",
    right="One number is the whole state, because all other jobs are at the disk. Three stations "
    "need two numbers, and many more states.",
    unit="1/s",
)


def _staged_repair(state: tuple[int, int], failure: float, repair: float) -> Moves:
    working, stage = state
    if working == 2:
        return {(1, 1): 2 * failure}
    if working == 0:
        return {}
    onward = (1, 2) if stage == 1 else (2, 0)
    return {onward: 2 * repair, (0, 0): failure}


def _slow_stages(state: tuple[int, int], failure: float, repair: float) -> Moves:
    return {
        to: repair if rate == 2 * repair else rate
        for to, rate in _staged_repair(state, failure, repair).items()
    }


staged_repair = Task(
    "A repair in two stages",
    reference=_staged_repair,
    cases=[(state, 0.002, 0.25) for state in ((2, 0), (1, 1), (1, 2), (0, 0))],
    mistakes=[
        Mistake(
            "slow stages",
            _slow_stages,
            "Two stages of mean `1 / repair` take twice as long as the repair. Each stage takes "
            "half of the time, so its rate is `2 * repair`.",
        ),
        Mistake(
            "safe in the second stage",
            lambda at, f, r: {(2, 0): 2 * r} if at == (1, 2) else _staged_repair(at, f, r),
            "The other disk can also fail in the second stage.",
        ),
        Mistake(
            "one stage",
            lambda at, f, r: {(2, 0): r, (0, 0): f} if at == (1, 1) else _staged_repair(at, f, r),
            "After the first stage comes the second stage, not the end of the repair.",
        ),
    ],
    hint="Each stage ends at the rate `2 * repair`. The first leads to `(1, 2)`, the second to "
    "`(2, 0)`. In both stages the other disk fails at `failure`.",
    right="The stage is the memory, and it is part of the state. More stages in a row make the "
    "repair more regular, and parallel stages make it more variable.",
    unit="1/h",
)
