"""From requests and rules to the core's flat arrays, and back to a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.lattice import in_units, lattice_span
from perfmodel.serving.batching import core, state as fields
from perfmodel.serving.batching.compiled import compiled
from perfmodel.serving.batching.requests import Requests
from perfmodel.serving.batching.rules import COMPOSITIONS, BatchRules
from perfmodel.serving.batching.run import ServingRun
from perfmodel.serving.batching.state import FIELDS, NONE, CorePlan, CoreState
from perfmodel.serving.batching.steps import StepPieces, Steps, StepTable

Ints = NDArray[np.int64]
TIMES = ("arrival", "cost", "swap_token")
"""The fields of a plan in seconds, where steps are made of pieces."""
UNLIMITED = 2**60
SHORT = 30_000
"""Requests above which a run is machine code from the start."""
WORTH_COMPILING = 300_000
"""Iterations after which a run goes on in machine code: plain Python takes them a second."""


def play_stage(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int,
    dispatch: str,
    seed: int,
    resident: bool = False,
) -> ServingRun:
    """Play requests through servers of one kind; `resident` prompts come with their first token."""
    plan, state = prepared(requests, steps, rules, replicas, dispatch, seed, resident)
    plan, unit = counted(plan)
    state = _played(plan, state)
    check_table(steps, state)
    return outcome(requests, rules, state, replicas, unit)


def outcome(
    requests: Requests, rules: BatchRules, state: CoreState, replicas: int, unit: float
) -> ServingRun:
    """Return the run that a state is the end of; its times are in units of so many seconds."""
    count = np.asarray(state.servers).reshape(replicas, FIELDS)
    return ServingRun(
        requests,
        np.maximum(np.asarray(state.admitted) * unit, requests.arrival),
        np.asarray(state.first) * unit,
        np.asarray(state.finish) * unit,
        np.asarray(state.preempted),
        np.asarray(state.replica),
        np.asarray(state.busy) * unit,
        count[:, fields.ITERATIONS],
        count[:, fields.TAKEN],
        count[:, fields.READ_IN],
        count[:, fields.PUT_OUT],
        (rules.blocks - count[:, fields.LEAST_FREE]) * rules.block,
        np.asarray(state.second) * unit,
        np.asarray(state.gap) * unit,
    )


def counted(plan: CorePlan) -> tuple[CorePlan, float]:
    """Return a plan in a unit of which all its times are whole multiples, and the unit in seconds.

    Where there is none, as with a table of steps, it stays in seconds.
    """
    pieces = plan.number[fields.PIECES] > 0
    unit = lattice_span(*(getattr(plan, name) for name in TIMES)) if pieces else None
    if unit is None:
        return plan, 1.0
    return plan._replace(**{name: in_units(getattr(plan, name), unit) for name in TIMES}), unit


def prepared(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int = 1,
    dispatch: str = "round robin",
    seed: int = 0,
    resident: bool = False,
) -> tuple[CorePlan, CoreState]:
    """Return the core's bundles before the first arrival."""
    check_room(requests, rules)
    plan = _plan(requests, steps, rules, replicas, dispatch, seed, resident)
    return plan, _state(requests, rules, replicas, plan, resident)


def listed(plan: CorePlan, state: CoreState) -> tuple[CorePlan, CoreState]:
    """Return bundles of lists, over which plain Python is faster."""
    return CorePlan(*map(_listed, plan)), CoreState(*map(_listed, state))


def _played(plan: CorePlan, state: CoreState) -> CoreState:
    """Return the state at the end; a run begins in plain Python if it may be a short one."""
    if len(plan.arrival) <= SHORT:
        lists = listed(plan, state)
        lists[1].total[fields.STOP] = WORTH_COMPILING
        if core.play(*lists):
            return lists[1]
        state = CoreState(*map(_array, lists[1], state))
        state.total[fields.STOP] = UNLIMITED
    compiled()(plan, state)
    return state


def check_room(requests: Requests, rules: BatchRules, among: Ints | None = None) -> None:
    """Refuse requests that don't fit the cache alone; only those `among` are looked at."""
    if among is None:
        among = np.arange(len(requests))
    blocks = -(-(requests.prompt[among] + requests.output[among] - 1) // rules.block)
    at = int(blocks.argmax())
    if blocks[at] > rules.blocks:
        worst = int(among[at])
        raise ValueError(
            f"requests must fit in the cache alone, but request {worst} (prompt "
            f"{requests.prompt[worst]}, output {requests.output[worst]}) holds {blocks[at]} "
            f"blocks of {rules.block} tokens in the end, and the cache has {rules.blocks}"
        )


def check_table(steps: Steps, state: CoreState) -> None:
    """Refuse a run that left a table; pieces reach everywhere."""
    if not isinstance(steps, StepTable):
        return
    for name, axis, most in (
        ("tokens", steps.tokens, state.total[fields.MOST_NEW]),
        ("cached", steps.cached, state.total[fields.MOST_READ]),
    ):
        if most > axis[-1]:
            raise ValueError(
                f"steps must be a table for all iterations, but its {name} end at {axis[-1]:g} "
                f"and the run reached {most}"
            )


def _plan(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int,
    dispatch: str,
    seed: int,
    resident: bool,
) -> CorePlan:
    n = len(requests)
    target, other = _targets(n, replicas, dispatch, seed)
    key = {"priority": requests.priority, "shortest predicted": requests.predicted}
    weight = np.ones(n)
    if dispatch == "least tokens":
        weight = requests.prompt + requests.predicted
    least, two = fields.LEAST, fields.LESS_OF_TWO
    ways = {"least loaded": least, "least tokens": least, "two choices": two}
    if isinstance(steps, StepPieces):
        names = ("fixed", "prompt_token", "sequence", "cache_token", "prompt_pair")
        cost = np.stack([getattr(steps, name) for name in names], axis=1).ravel()
        shape = (steps.fixed.size, 0, 0)
    else:
        cost = np.concatenate([steps.tokens, steps.cached, steps.grid.ravel()])
        shape = (0, steps.tokens.size, steps.cached.size)
    number = [
        *(n, replicas, rules.batch, rules.block, rules.spare_blocks),
        *(rules.chunk, int(min(rules.prompt_limit, UNLIMITED))),
        *(COMPOSITIONS.index(rules.composition), int(rules.preempt == "swap")),
        *(int(rules.reserve == "whole"), int(rules.turn == "priority"), int(resident)),
        *(ways.get(dispatch, fields.PLANNED), int(requests.output.max()) + 1, *shape),
        1 << int(requests.output.max()).bit_length(),
    ]
    if rules.composition == "static":
        number[fields.LIMIT] = UNLIMITED
    arrays: list[Any] = [
        *(requests.arrival, requests.prompt, requests.output, key.get(rules.turn, np.zeros(n))),
        *(weight, target, other, np.array(number), np.array([float(rules.swap_token)]), cost),
    ]
    return CorePlan(*map(np.ascontiguousarray, arrays))  # type: ignore[arg-type]


def _targets(count: int, replicas: int, dispatch: str, seed: int) -> tuple[Ints, Ints]:
    """Return each request's server, or the two to choose from."""
    if dispatch == "random" or (dispatch == "two choices" and replicas == 1):
        chosen = np.random.default_rng(seed).integers(0, replicas, count)
        return chosen, chosen
    if dispatch == "two choices":
        rng = np.random.default_rng(seed)
        one, other = rng.integers(0, replicas, count), rng.integers(0, replicas - 1, count)
        other += other >= one
        return np.minimum(one, other), np.maximum(one, other)
    turns = np.arange(count) % replicas
    return turns, turns


def _state(
    requests: Requests, rules: BatchRules, replicas: int, plan: CorePlan, resident: bool
) -> CoreState:
    n = len(requests)
    count = np.zeros((replicas, FIELDS), np.int64)
    count[:, [fields.ROOT, fields.FIRST, fields.LAST, fields.FRESH, fields.NEWCOMER]] = NONE
    count[:, [fields.FREE, fields.LEAST_FREE]] = rules.blocks
    total = np.zeros(5, np.int64)
    total[fields.STOP] = UNLIMITED
    ring, gaps = (replicas * plan.number[name] for name in (fields.RING, fields.GAPS))
    arrays: list[Any] = [
        *(_zeros(n), np.full(n, int(resident)), requests.prompt * resident, _zeros(n)),
        *(np.zeros(n), np.zeros(n), np.zeros(n), _zeros(n)),
        *(np.full(n, NONE) for _ in range(6)),
        *(np.zeros(replicas), np.zeros(replicas), np.zeros(replicas), count.ravel()),
        *(_zeros(replicas * rules.block), np.full(ring, NONE), total),
        *(np.full(n, fields.NEVER), np.zeros(n), np.zeros(n), _zeros(n)),
        *(np.full(n, fields.UNLISTED), np.zeros(replicas), _zeros(gaps), np.zeros(gaps)),
    ]
    return CoreState(*arrays)


def _zeros(count: int) -> Ints:
    return np.zeros(count, np.int64)


def _listed(array: Any) -> Any:
    return array.tolist()


def _array(values: Any, like: Any) -> Any:
    return np.array(values, like.dtype)
