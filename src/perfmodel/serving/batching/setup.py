"""From requests and rules to the core's flat arrays, and back to a run."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from perfmodel.engine import object_files
from perfmodel.engine.fields import NONE, as_arrays, as_lists, ints, reals, zeros
from perfmodel.engine.heap import Heap
from perfmodel.lattice import in_units, lattice_span
from perfmodel.serving.batching import state as fields
from perfmodel.serving.batching.closed_loop import play_closed
from perfmodel.serving.batching.core import play
from perfmodel.serving.batching.requests import Requests, subset
from perfmodel.serving.batching.run import ServingRun
from perfmodel.serving.batching.scheduling_policy import COMPOSITIONS, BatchRules
from perfmodel.serving.batching.state import Plan, Servers, State
from perfmodel.serving.batching.steps import StepPieces, Steps, StepTable

Ints = NDArray[np.int64]
TIMES = ("arrival", "cost", "swap_token")
"""The fields of a plan in seconds, where steps are made of pieces."""
UNLIMITED = 2**60
SHORT = 30_000
"""Requests above which a run is machine code from the start."""
WORTH_COMPILING = 300_000
"""Iterations after which a run is compiled to go on: plain Python takes them a second."""


def play_stage(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int,
    dispatch: str,
    seed: int,
    resident: bool = False,
    concurrency: int = 0,
) -> ServingRun:
    """Play requests through servers of one kind; `resident` prompts come with their first token.

    Of the requests at most `concurrency` are in flight; 0 for no limit.
    """
    plan, state = prepared(requests, steps, rules, replicas, dispatch, seed, resident)
    plan = plan._replace(concurrency=concurrency)
    plan, unit = counted(plan)
    state = _played(plan, state)
    check_table(steps, state)
    if concurrency:
        requests = subset(requests, arrival=np.asarray(state.sent) * unit)
    return outcome(requests, rules, state, unit)


def outcome(requests: Requests, rules: BatchRules, state: State, unit: float) -> ServingRun:
    """Return the run that a state is the end of; its times are in units of this many seconds."""
    servers = state.servers
    return ServingRun(
        requests,
        np.maximum(np.asarray(state.admitted) * unit, requests.arrival),
        np.asarray(state.first_token) * unit,
        np.asarray(state.finish) * unit,
        np.asarray(state.preempted),
        np.asarray(state.replica),
        np.asarray(servers.busy) * unit,
        np.asarray(servers.iterations),
        np.asarray(servers.scheduled),
        np.asarray(servers.prefill_tokens),
        np.asarray(servers.output_tokens),
        (rules.num_blocks - np.asarray(servers.fewest_free_blocks)) * rules.block_size,
        np.asarray(state.second_token) * unit,
        np.asarray(state.largest_gap) * unit,
    )


def counted(plan: Plan) -> tuple[Plan, float]:
    """Return a plan in a unit of which all its times are whole multiples, and the unit in seconds.

    Where there is none, as with a table of steps, it stays in seconds.
    """
    times = [getattr(plan, name) for name in TIMES]
    unit = lattice_span(*times) if plan.pieces > 0 else None
    if unit is None:
        return plan, 1.0
    arrival, cost, swap_token = (in_units(time, unit) for time in times)
    return plan._replace(arrival=arrival, cost=cost, swap_token=float(swap_token)), unit


def prepared(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int = 1,
    dispatch: str = "round robin",
    seed: int = 0,
    resident: bool = False,
) -> tuple[Plan, State]:
    """Return the core's bundles before the first arrival."""
    check_room(requests, rules)
    plan = _plan(requests, steps, rules, replicas, dispatch, seed, resident)
    return plan, _state(requests, rules, plan)


def _played(plan: Plan, state: State) -> State:
    """Return the state at the end; a run begins in plain Python if it may be a short one."""
    loop = play_closed if plan.concurrency else play
    if plan.requests <= SHORT:
        lists: tuple[Plan, State] = as_lists((plan, state))
        for stop in (object_files.WORTH_CALLING, object_files.WORTH_LOADING, WORTH_COMPILING):
            if loop(lists[0]._replace(stop=stop), lists[1]):
                return lists[1]
            if object_files.is_worth_compiling(loop, stop + 1, WORTH_COMPILING):
                break
        state = as_arrays(lists[1])
    object_files.loaded(loop)(plan, state)
    return state


def check_room(requests: Requests, rules: BatchRules, among: Ints | None = None) -> None:
    """Refuse requests that don't fit the cache alone; only those `among` are looked at."""
    if among is None:
        among = np.arange(len(requests))
    blocks = -(-(requests.prompt[among] + requests.output[among] - 1) // rules.block_size)
    at = int(blocks.argmax())
    if blocks[at] > rules.num_blocks:
        worst = int(among[at])
        raise ValueError(
            f"requests must fit in the cache alone, but request {worst} (prompt "
            f"{requests.prompt[worst]}, output {requests.output[worst]}) holds {blocks[at]} "
            f"blocks of {rules.block_size} tokens in the end, and the cache has {rules.num_blocks}"
        )


def check_table(steps: Steps, state: State) -> None:
    """Refuse a run that left a table; pieces reach everywhere."""
    if not isinstance(steps, StepTable):
        return
    for name, axis, most in (
        ("tokens", steps.tokens, state.counter[fields.MOST_TOKENS]),
        ("cached", steps.cached, state.counter[fields.MOST_CACHED]),
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
) -> Plan:
    n, longest = len(requests), int(requests.output.max())
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
        pieces, rows, columns = steps.fixed.size, 0, 0
    else:
        cost = np.concatenate([steps.tokens, steps.cached, steps.grid.ravel()])
        pieces, rows, columns = 0, steps.tokens.size, steps.cached.size
    unlimited = rules.composition == "static" or rules.max_prefill_tokens > UNLIMITED
    arrays: dict[str, Any] = {
        "arrival": requests.arrival,
        "prompt": requests.prompt,
        "cached": requests.cached * (not resident),
        "output": requests.output,
        "key": key.get(rules.turn, np.arange(n)).astype(np.float64),
        "turn": np.arange(n),
        "weight": weight.astype(np.float64),
        "target": target,
        "other": other,
        "cost": cost,
    }
    contiguous: Any = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return Plan(
        requests=n,
        replicas=replicas,
        batch=rules.max_num_seqs,
        block=rules.block_size,
        spare=rules.watermark_blocks,
        chunk=rules.chunk_size,
        limit=UNLIMITED if unlimited else int(rules.max_prefill_tokens),
        composition=COMPOSITIONS.index(rules.composition),
        swaps=int(rules.preempt == "swap"),
        whole=int(rules.reserve == "whole"),
        worst=int(rules.turn == "priority"),
        resident=int(resident),
        dispatch=ways.get(dispatch, fields.PLANNED),
        concurrency=0,
        stop=UNLIMITED,
        ring=longest + 1,
        gaps=1 << longest.bit_length(),
        pieces=pieces,
        rows=rows,
        columns=columns,
        swap_token=float(rules.swap_token),
        **contiguous,
    )


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


def _state(requests: Requests, rules: BatchRules, plan: Plan) -> State:
    n, servers, resident = plan.requests, plan.replicas, plan.resident
    size = n // servers + 1
    # A queue that grows leaves its old places: all are fewer than four times its longest.
    room = size if servers == 1 else servers * size + 4 * n
    counter = ints(6)
    counter[fields.QUEUE_END] = servers * size
    return State(
        counter=counter,
        servers=_servers(rules, servers, size),
        queue=Heap(reals(room), ints(room)),
        status=ints(n),
        generated=ints(n, resident),
        computed=(requests.prompt if resident else requests.cached).copy(),  # type: ignore[arg-type]
        replica=ints(n),
        sent=reals(n),
        admitted=reals(n),
        first_token=reals(n),
        finish=reals(n),
        preempted=ints(n),
        before=ints(n, NONE),
        after=ints(n, NONE),
        ring_before=ints(n, NONE),
        ring_after=ints(n, NONE),
        due=ints(servers * rules.block_size),
        ring=ints(servers * plan.ring, NONE),
        second_token=reals(n, fields.NEVER),
        largest_gap=reals(n),
        last_token=reals(n),
        joined=ints(n),
        newcomer=ints(n, fields.UNLISTED),
        gap_step=ints(servers * plan.gaps),
        gap_length=reals(servers * plan.gaps),
    )


def _servers(rules: BatchRules, count: int, queue_size: int) -> Servers:
    servers: Any = zeros(Servers, count)
    for name in ("first", "last", "prefilling", "newcomer"):
        getattr(servers, name)[:] = NONE
    for name in ("free_blocks", "fewest_free_blocks"):
        getattr(servers, name)[:] = rules.num_blocks
    servers.queue[:] = queue_size * np.arange(count)
    servers.queue_size[:] = queue_size
    return cast(Servers, servers)
