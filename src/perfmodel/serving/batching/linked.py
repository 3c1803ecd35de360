"""Prefill and decode servers that feel each other: links that transfers share, blocks, room.

If transfers neither wait nor hold anything, the prefill stage doesn't depend on the decode stage,
and one is simulated after the other. Here both are played in one loop, on the same core: iterations
end, transfers arrive, requests arrive, transfers start, iterations begin. What happens at one
moment happens in this order.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from perfmodel.engine.fields import NONE, as_lists
from perfmodel.serving.batching import core, state as fields
from perfmodel.serving.batching.requests import Requests, subset
from perfmodel.serving.batching.run import ServingRun
from perfmodel.serving.batching.scheduling_policy import BatchRules
from perfmodel.serving.batching.sequences import enqueue, kv_blocks
from perfmodel.serving.batching.setup import check_table, outcome, prepared
from perfmodel.serving.batching.state import Plan, State
from perfmodel.serving.batching.steps import Steps


@dataclass(eq=False)
class Pool:
    """Servers of one kind, and what the core needs of them as lists."""

    steps: Steps
    rules: BatchRules
    count: int
    plan: Plan
    state: State

    def ends(self) -> float:
        """Return when the next iteration ends; infinite if none runs."""
        servers = self.state.servers
        return min((servers.clock[k] for k in range(self.count) if servers.active[k]), default=inf)

    def end(self, now: float) -> list[int]:
        """End all iterations that end now; return which requests leave."""
        servers, finished = self.state.servers, list[int]()
        for k in range(self.count):
            if servers.active[k] and servers.clock[k] <= now:
                running = self._running(k)
                core.end_iteration(self.plan, self.state, k)
                finished += [r for r in running if self.state.status[r] == fields.FINISHED]
        return finished

    def _running(self, k: int) -> list[int]:
        running, request = [], self.state.servers.first[k]
        while request != NONE:
            running.append(request)
            request = self.state.after[request]
        return running

    def choose(self, request: int) -> int:
        """Return the server that the way to dispatch gives a request now."""
        dispatch, load = self.plan.dispatch, self.state.servers.load
        if dispatch == fields.LEAST:
            return min(range(self.count), key=load.__getitem__)
        target, other = self.plan.target[request], self.plan.other[request]
        return other if dispatch == fields.LESS_OF_TWO and load[other] < load[target] else target

    def enter(self, request: int, k: int) -> None:
        """Let a request wait at server k."""
        self.state.replica[request] = k
        self.state.servers.load[k] += self.plan.weight[request]
        enqueue(self.plan, self.state, k, request)

    def begin(self, now: float) -> list[int]:
        """Begin an iteration at each idle server that has work; return which servers did."""
        begun = []
        for k in range(self.count):
            if not self.state.servers.active[k] and self._can_begin(k):
                self.state.servers.clock[k] = now
                core.begin_iteration(self.plan, self.state, k)
                begun.append(k)
        return begun

    def _can_begin(self, k: int) -> bool:
        servers = self.state.servers
        if servers.running[k] or not servers.waiting[k]:
            return bool(servers.running[k])
        head = self.state.queue.item[servers.queue[k]]
        goal = self.plan.prompt[head] + self.state.generated[head]
        return kv_blocks(self.plan, head, goal) <= servers.free_blocks[k]


@dataclass(eq=False)
class Links:
    """Transfers: those that wait for a link or for room, and those under way."""

    most: float
    hold: bool
    room: bool
    lag: float
    ready: deque[int] = field(default_factory=deque)
    under_way: list[tuple[float, int, int]] = field(default_factory=list)
    """A heap of the end, the request, and its decode server if that is chosen."""

    def ends(self) -> float:
        """Return when the next transfer ends."""
        return self.under_way[0][0] if self.under_way else inf


def play_linked(
    requests: Requests,
    prefill: tuple[Steps, BatchRules, int],
    decode: tuple[Steps, BatchRules, int],
    dispatch: str,
    seed: int,
    links: Links,
    concurrency: int = 0,
) -> tuple[Requests, ServingRun, ServingRun | None, NDArray[np.int64]]:
    """Return the requests as they were sent, the run of each pool, and the requests of the second.

    The last are in the order of their arrival there.
    """
    more = np.flatnonzero(requests.output > 1)
    first = subset(requests, arrival=requests.arrival, output=1)
    reading, decoding = _pool(first, prefill, dispatch, seed, False), None
    if more.size:
        second = subset(requests, more, arrival=np.zeros(more.size))
        decoding = _pool(second, decode, dispatch, seed + 1, True)
    coupled = _Coupled(requests, more, reading, decoding, links, concurrency or inf)
    order, came = coupled.play()
    sent = subset(requests, arrival=coupled.sent)
    left = _ended(reading, subset(sent, arrival=coupled.sent, output=1))
    if decoding is None:
        return sent, left, None, more
    again = subset(requests, order, arrival=came)
    return sent, left, _ended(decoding, again), order


def _pool(
    requests: Requests,
    given: tuple[Steps, BatchRules, int],
    dispatch: str,
    seed: int,
    resident: bool,
) -> Pool:
    steps, rules, count = given
    plan, state = as_lists(prepared(requests, steps, rules, count, dispatch, seed, resident))
    return Pool(steps, rules, count, plan, state)


def _ended(pool: Pool, requests: Requests) -> ServingRun:
    check_table(pool.steps, pool.state)
    return outcome(requests, pool.rules, pool.state, 1.0)


class _Coupled:
    """Both pools and the links between them, from the first arrival to the last token."""

    def __init__(
        self,
        requests: Requests,
        more: NDArray[np.int64],
        reading: Pool,
        decoding: Pool | None,
        links: Links,
        concurrency: float,
    ) -> None:
        self.concurrency, self.completed = concurrency, 0
        self.sent: list[float] = []
        self.arrival = requests.arrival.tolist()
        self.prompt, self.output = requests.prompt.tolist(), requests.output.tolist()
        self.reading, self.decoding, self.links = reading, decoding, links
        self.place = {int(request): i for i, request in enumerate(more)}
        count = 0 if decoding is None else decoding.count
        self.coming: list[list[int]] = [[] for _ in range(count)]
        """Requests for each decode server whose room is reserved and who aren't admitted."""
        self.reserved = [0] * count
        self.order: list[int] = []
        self.came: list[float] = []
        if decoding is not None:
            names = ["prompt", "output", "weight"]
            names += [] if decoding.rules.turn == "arrival" else ["key"]
            self.given = {name: list(getattr(decoding.plan, name)) for name in names}

    def play(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the requests of the decode pool as they came, and when."""
        while True:
            times = [self.reading.ends(), self.links.ends()]
            if self.decoding is not None:
                times.append(self.decoding.ends())
            if self._may_send():
                times.append(self.arrival[len(self.sent)])
            now = min(times)
            if now == inf:
                return np.array(self.order, np.int64), np.array(self.came)
            self._end_iterations(now)
            self._deliver(now)
            while self._may_send() and self.arrival[len(self.sent)] <= now:
                request = len(self.sent)
                self.reading.enter(request, self.reading.choose(request))
                self.sent.append(now)
            while self._start_transfers(now):
                self._deliver(now)
            self.reading.begin(now)
            if self.decoding is not None:
                for k in self.decoding.begin(now):
                    self._release_room(k)

    def _may_send(self) -> bool:
        in_flight = len(self.sent) - self.completed
        return len(self.sent) < len(self.arrival) and in_flight < self.concurrency

    def _end_iterations(self, now: float) -> None:
        for request in sorted(self.reading.end(now)):
            if self.output[request] == 1:
                self.completed += 1
            else:
                self.links.ready.append(request)
                if self.links.hold:
                    self._hold(request, -1)
        if self.decoding is not None:
            self.completed += len(self.decoding.end(now))

    def _hold(self, request: int, sign: int) -> None:
        """Take a prompt's blocks at its prefill server (-1), or free them (1)."""
        blocks = kv_blocks(self.reading.plan, request, self.prompt[request])
        server = self.reading.state.replica[request]
        self.reading.state.servers.free_blocks[server] += sign * blocks

    def _start_transfers(self, now: float) -> bool:
        """Start what can start, the first ready first; return whether one has ended already."""
        links = self.links
        while links.ready and len(links.under_way) < links.most:
            request, server = links.ready[0], NONE
            if links.room:
                server = self._with_room(request)
                if server == NONE:
                    break
            links.ready.popleft()
            heappush(links.under_way, (now + links.lag * self.prompt[request], request, server))
        return links.ends() <= now

    def _with_room(self, request: int) -> int:
        """Return the decode server for a request if it has blocks for the prompt, and take them."""
        pool = self._decode_pool()
        place = self.place[request]
        server = pool.choose(len(self.order) + len(self.links.under_way))
        blocks = self._blocks(place)
        if blocks > pool.state.servers.free_blocks[server] - self.reserved[server]:
            return NONE
        self.reserved[server] += blocks
        pool.state.servers.load[server] += self.given["weight"][place]
        return server

    def _blocks(self, place: int) -> int:
        """Return the KV blocks of a request that comes; until then the plan has others' numbers."""
        plan = self._decode_pool().plan
        output = self.given["output"][place] - 1 if plan.whole == 1 else 1
        return int(-(-(self.given["prompt"][place] + output) // plan.block))

    def _deliver(self, now: float) -> None:
        """Let all arrive whose transfer ends now."""
        links = self.links
        arrived = []
        while links.under_way and links.under_way[0][0] <= now:
            arrived.append(heappop(links.under_way)[1:])
        for request, server in sorted(arrived):
            if links.hold:
                self._hold(request, 1)
            pool, place, index = self._decode_pool(), self.place[request], len(self.order)
            for name, values in self.given.items():
                getattr(pool.plan, name)[index] = values[place]
            pool.state.computed[index] = self.prompt[request]
            self.order.append(request)
            self.came.append(now)
            if server == NONE:
                server = pool.choose(index)
            else:
                pool.state.servers.load[server] -= pool.plan.weight[index]
                self.coming[server].append(index)
            pool.enter(index, server)

    def _release_room(self, k: int) -> None:
        """Forget the reservations of those whom server k has just admitted."""
        pool, waiting = self._decode_pool(), []
        for index in self.coming[k]:
            if pool.state.status[index] == fields.WAITING and not pool.state.preempted[index]:
                waiting.append(index)
            else:
                self.reserved[k] -= kv_blocks(pool.plan, index, pool.plan.prompt[index] + 1)
        self.coming[k] = waiting

    def _decode_pool(self) -> Pool:
        assert self.decoding is not None
        return self.decoding
