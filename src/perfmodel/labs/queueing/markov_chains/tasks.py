"""What the reader does: moves and balance equations from texts, each a little longer than before.

Moves are given as a dict from the next state to the rate of going there; a state that is never left
has an empty one.
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
            "With both disks at work, either may fail: their rates add up.",
        ),
        Mistake(
            "replaced after the loss",
            lambda n, f, r: _mirror(n, f, r) or {1: r},
            "With no disk left there is nothing to copy from. That state absorbs: it has no moves, "
            "an empty dict.",
        ),
        Mistake(
            "both at once",
            _both_at_once,
            "Two independent disks don't fail in the same instant. Both are lost by two moves, one "
            "after the other.",
        ),
        Mistake(
            "times",
            lambda n, f, r: {state: 1 / rate for state, rate in _mirror(n, f, r).items()},
            "Those are mean times. A move has a rate, moves per hour, and only rates add up.",
        ),
    ],
    hint="One case for each state. With 2 at work: what can happen, and how often? With 1: two "
    "things can happen. With 0: nothing leads back.",
    right="The state is one number, as it doesn't matter which disk is down: the two are alike. "
    "That is worth a question with each new text, for it makes chains small.",
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
            "With two callers or more, both agents talk: two conversations can end.",
        ),
        Mistake(
            "talking callers hang up",
            _all_give_up,
            "Who is being served doesn't hang up. Only those beyond the two agents wait.",
        ),
        Mistake(
            "one waits",
            _one_gives_up,
            "With four callers two of them wait, and each may hang up: the rates add up.",
        ),
        Mistake(
            "no limit",
            _no_limit,
            "With four on the line a caller hears the busy tone: that changes no state, so it is "
            "no move.",
        ),
    ],
    hint="A caller more: when, and at which rate? A caller less, by two causes: `min(callers, 2)` "
    "conversations may end, and `max(callers - 2, 0)` people may hang up. To one target both go "
    "into one rate.",
    right="Moves to neighbours only: a birth-death chain. What crosses between two neighbours "
    "balances, so a product of ratios solves it.",
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
            "You wrote a row for what leaves each state. An equation is about one state: what "
            "comes in, from everywhere, and what goes out. Rows and columns change places.",
        ),
        Mistake(
            "no outflow",
            _no_outflow,
            "That is what comes in. What goes out of the state itself is missing, with a minus.",
        ),
        Mistake(
            "sign",
            _outflow_added,
            "What goes out counts against what comes in: the diagonal is negative.",
        ),
        Mistake(
            "one way out",
            _half_outflow,
            "From the state with one disk two moves lead out, a repair and a failure: both count.",
        ),
    ],
    hint="One row for each state (two at work, one, none), one column for each share in the same "
    "order. In the row of a state: plus the rate of each move that comes in, in the column of "
    "where it comes from; minus the sum of the rates that go out, in the state's own column.",
    right="Each column sums to zero: what leaves one state enters another. So one equation follows "
    "from the others, and the shares' sum of 1 takes its place.",
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
            "Not every turn ends at the disk: with the probability `finish` the job is done, and a "
            "new one takes its place at the processor.",
        ),
        Mistake(
            "the wrong share",
            lambda n, jobs, cpu, disk, finish: _two_stations(n, jobs, cpu, disk, 1 - finish),
            "Those that finish are replaced at once. To the disk goes the other share.",
        ),
        Mistake(
            "the disk serves all",
            _disk_serves_all,
            "There is one disk, and it serves one job at a time however many wait.",
        ),
        Mistake(
            "a move to itself",
            _with_itself,
            "A job that finishes and is replaced leaves the number at the processor as it was: "
            "nothing moves, so leave it out.",
        ),
    ],
    hint="`jobs - at_cpu` are at the disk. If anyone is at the processor, a turn ends at "
    "`cpu_rate`, and a share of these goes to the disk. If anyone is at the disk, it sends one "
    "back at `disk_rate`.",
    right="One number is the whole state, as the others are at the disk. With three stations it "
    "would take two, and the number of states grows as a power.",
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
            "Two stages of mean `1 / repair` take twice as long as the repair should. Each must "
            "take half of it.",
        ),
        Mistake(
            "safe in the second stage",
            lambda at, f, r: {(2, 0): 2 * r} if at == (1, 2) else _staged_repair(at, f, r),
            "The other disk can fail in the second stage too.",
        ),
        Mistake(
            "one stage",
            lambda at, f, r: {(2, 0): r, (0, 0): f} if at == (1, 1) else _staged_repair(at, f, r),
            "From the first stage a repair goes on to the second, not to the end.",
        ),
    ],
    hint="Each stage ends at the rate `2 * repair`; the first leads to `(1, 2)`, the second to "
    "`(2, 0)`. The disk that is left fails at `failure` in both.",
    right="The phase is memory made into state. With more stages in a row the repair is ever more "
    "regular, with stages side by side ever more variable, and the chain stays a chain.",
    unit="1/h",
)
